import LedgerJSON
import LedgerModel
import LedgerProjections

/// The order of a run's stages.
extension SyncMachine {
  /// Does all that can be done now: stages that have nothing to do are passed in one go.
  mutating func proceed(
    at now: Timestamp, _ effects: inout [Effect],
    using generator: inout some RandomNumberGenerator
  ) {
    var goesOn = true
    while goesOn, !isBusy { goesOn = step(at: now, &effects, using: &generator) }
  }

  /// - Returns: whether the stage is over.
  private mutating func step(
    at now: Timestamp, _ effects: inout [Effect],
    using generator: inout some RandomNumberGenerator
  ) -> Bool {
    switch stage {
    case .idle, .lookingForDoubts, .comparingRecent, .lookingForMissing, .planning, .done:
      return false
    case .meeting:
      effects += fetcher.launch(&tickets)
      guard fetcher.isIdle else { return false }
      endMeeting(at: now, &effects)
    case .resting:
      guard isStopped else { return false }
      takeStock(&effects)
    case .settling:
      effects += lister.launch(&tickets)
      guard lister.isIdle else { return false }
      endSettling(&effects)
    case .listingRecent, .listingAll, .lookingAgain:
      effects += lister.launch(&tickets)
      guard lister.isIdle else { return false }
      endListing(at: now, &effects)
    case .pushing:
      if let payloads = courier.record(at: now, using: &generator) {
        isBusy = true
        effects.append(.record(payloads))
        return false
      }
      guard courier.isIdle else { return false }
      endStretch(&effects)
    case .settled: beginPulling(at: now, &effects)
    case .pulled: beginPushing(&effects)
    case .mergingAnswers: planHeldAgain(&effects)
    case .takingStock: takeStock(&effects)
    }
    return true
  }

  // MARK: Calls in doubt

  mutating func see(
    _ sighting: SyncQueryResult, at now: Timestamp, _ effects: inout [Effect]
  ) {
    if case .standing(let standing) = sighting { return finish(standing, &effects) }
    // Stopped while it looked: what was seen is for the next run.
    guard !isStopped else {
      stage = .takingStock
      return
    }
    switch sighting {
    case .doubts(let doubts, let notBefore):
      self.doubts = doubts
      if let notBefore, let seconds = Self.seconds(from: now, until: notBefore) {
        report.note(.rateLimited(seconds: seconds))
        stage = .takingStock
        return
      }
      beginMeeting(at: now)
    case .unlisted(let isAnyNew):
      if isAnyNew { listAll() } else { pull(isFull: false, &effects) }
    case .missing(let missing): lookAgain(for: missing, &effects)
    case .plan(let plan):
      courier.accept(plan)
      nextRow = plan.next
      stage = .pushing
    case .standing: break
    }
  }

  /// A moment further away than an hour was written by a clock that went wrong (docs/sync.md, What an
  /// answer means).
  private static func seconds(from now: Timestamp, until then: Timestamp) -> Int? {
    let milliseconds = then.millisecondsSince1970 - now.millisecondsSince1970
    guard milliseconds > 0, milliseconds <= 3_600_000 else { return nil }
    return Int((milliseconds + 999) / 1000)
  }

  /// A row may be made later than its answer was given up on, so doubts are left alone for a while.
  private mutating func beginWaiting(at now: Timestamp, _ effects: inout [Effect]) {
    guard !doubts.entries.isEmpty else { return beginPulling(at: now, &effects) }
    let settle = Int64(max(options.settleSeconds, 0)) * 1000
    let waits = doubts.entries.map { doubt in
      doubt.attemptedAt.millisecondsSince1970 + settle - now.millisecondsSince1970
    }
    // A clock that was set back must not make it wait for ever.
    let wait = min(waits.max() ?? 0, settle)
    guard wait > 0 else {
      beginSettling()
      return
    }
    let ticket = tickets.next()
    stage = .resting(ticket)
    effects.append(
      .progress(SyncProgress(stage: .settling, done: 0, total: doubts.entries.count)))
    effects.append(.wait(ticket, milliseconds: Int(wait)))
  }

  mutating func beginSettling() {
    stage = .settling
    var asked: Set<Listing> = []
    for doubt in doubts.entries where asked.insert(doubt.listing).inserted {
      lister.add(doubt.listing)
    }
  }

  private mutating func endSettling(_ effects: inout [Effect]) {
    guard !isStopped else { return takeStock(&effects) }
    let failed = Set(lister.failures.map(\.listing))
    if let failure = lister.failures.first?.failure {
      report.remark("some lost answers could not be looked into: \(failure.why)")
      report.mayPass = report.mayPass || failure.mayPass
    }
    let whole = doubts.entries.filter { !failed.contains($0.listing) }
    settled = Set(whole.map(\.entry))
    // Their stretch of the outbox may come after that of an entry that looks the same.
    courier.bar(doubts.entries.lazy.filter { failed.contains($0.listing) }.map(\.key))
    let found = doubtRows
    doubtRows = []
    stage = .settled
    if !whole.isEmpty { decide(.settle(whole, found), &effects) }
  }

  // MARK: Profile and account

  private enum Key {
    static let profile = 0
    static let preferences = 1
    static let total = 2
  }

  private func listsRecent(at now: Timestamp) -> Bool {
    options.lists && !options.listsAll && !doubts.needsAllRows && options.onReplacedAccount == nil
      && options.lastListing?.allowsRecent(at: now) == true
  }

  private mutating func beginMeeting(at now: Timestamp) {
    stage = .meeting
    if options.pulls || (options.pushes && doubts.concernsPerson) {
      fetcher.add(WireRequest(.get, "/api/v1/users/me"), as: Key.profile)
    }
    guard options.pulls else { return }
    fetcher.add(WireRequest(.get, "/api/v1/users/me/preferences"), as: Key.preferences)
    if listsRecent(at: now) {
      fetcher.add(Listing.everything.request(offset: 0, limit: 1), as: Key.total)
    }
  }

  mutating func meet(_ key: Fetcher.Key, _ outcome: Fetcher.Outcome) {
    switch (key, outcome) {
    case (_, .stopped(let stop)): self.stop(stop)
    case (Key.total, .found(let response)): total = ListingPage(response)?.total
    // Without a total all rows are listed.
    case (Key.total, .absent), (Key.total, .failed): break
    case (_, .found(let response)):
      guard let object = response.value?.object else {
        return miss(.init(why: "its answer is no object"))
      }
      if key == Key.profile {
        remote = .present
        person.profile = object
      } else {
        person.preferences = object
      }
    case (Key.profile, .absent): remote = .absent
    case (_, .absent): break
    case (_, .failed(let failure)): miss(failure)
    }
  }

  /// Without knowing what the backend has, nothing of the person is sent over it.
  private mutating func miss(_ failure: Fetcher.Failure) {
    skipsPerson = true
    noteFailedPull("the profile could not be read", failure)
  }

  private mutating func noteFailedPull(_ what: String, _ failure: Fetcher.Failure) {
    report.pull = .failed
    report.mayPass = report.mayPass || failure.mayPass
    report.remark("\(what): \(failure.why)")
  }

  private mutating func endMeeting(at now: Timestamp, _ effects: inout [Effect]) {
    guard !isStopped else { return takeStock(&effects) }
    courier.remote = remote
    account = accountChange()
    if let account, options.onReplacedAccount == nil {
      stop(.accountReplaced(account))
      return takeStock(&effects)
    }
    beginWaiting(at: now, &effects)
  }

  /// Whether the account at the backend is another one of the same address (docs/sync.md, A backend
  /// that forgot).
  private func accountChange() -> AccountChange? {
    let theirs = person.profile?["user_id"]?.string
    let current = theirs ?? doubts.current
    if let owner = doubts.owner, let current, owner != current {
      return AccountChange(
        from: owner, to: current, reason: "the account has another user id at the backend")
    }
    guard remote == .absent, doubts.hadProfile, !skipsPerson else { return nil }
    // Without a profile nothing tells whether the last known id is still the account's.
    return AccountChange(
      from: doubts.owner, to: nil, reason: "the profile is gone at the backend")
  }

  // MARK: Rows

  private mutating func beginPulling(at now: Timestamp, _ effects: inout [Effect]) {
    guard !isStopped else { return takeStock(&effects) }
    guard options.pulls else { return beginPushing(&effects) }
    guard options.lists else { return pull(isFull: false, &effects) }
    lister = Lister(limit: options.concurrency)
    listing = RowListing()
    guard listsRecent(at: now), let total, total == facts?.expectedRows else { return listAll() }
    stage = .listingRecent
    lister.add(.recent(at: now), mostRows: Self.mostRecentRows)
  }

  /// Five pages: with the profile, the preferences and the total a run makes at most eight requests.
  private static let mostRecentRows = 5 * Listing.pageSize

  private mutating func listAll() {
    stage = .listingAll
    lister = Lister(limit: options.concurrency)
    listing = RowListing()
    lister.add(.everything)
  }

  mutating func note(_ news: Lister.News, _ effects: inout [Effect]) {
    switch news {
    case .stopped(let stop): self.stop(stop)
    case .page(let page):
      switch stage {
      case .settling: doubtRows += page.rows
      case .lookingAgain: listing.listedAgain.formUnion(page.hashes)
      case .listingRecent, .listingAll:
        listing.add(page)
        let count = listing.rows.count + listing.unreadable.count
        effects.append(
          .progress(
            SyncProgress(stage: .pulling, done: count, total: max(count, page.total ?? 0))))
      default: break
      }
    }
  }

  private mutating func endListing(at now: Timestamp, _ effects: inout [Effect]) {
    guard !isStopped else { return takeStock(&effects) }
    if case .lookingAgain = stage { return endLookingAgain(&effects) }
    if let failure = lister.failures.first?.failure {
      noteFailedPull("the backend's entries could not be listed", failure)
      listing = RowListing()
      return pull(isFull: false, &effects)
    }
    if case .listingRecent = stage {
      stage = .comparingRecent
      return look(.unlisted(listing.hashes), &effects)
    }
    guard !listing.unreadable.contains(where: { $0.id == nil }) else {
      // Any row may be the one without an id, so none is known to be missing. The next run lists all.
      facts = nil
      return pull(isFull: true, &effects)
    }
    facts = ListingFacts(fullAt: now, fullSeq: 0, expectedRows: lister.total)
    stage = .lookingForMissing
    look(.missing(listed: listing.hashes), &effects)
  }

  /// More days than this are looked at again by listing everything again.
  private static let mostDaysAgain = 31

  private mutating func lookAgain(for missing: [MissingRow], _ effects: inout [Effect]) {
    listing.missing = missing
    guard !missing.isEmpty else { return pull(isFull: true, &effects) }
    stage = .lookingAgain
    lister = Lister(limit: options.concurrency)
    let days = Set(missing.map(\.day))
    if days.count > Self.mostDaysAgain || missing.contains(where: \.isSuspected) {
      lister.add(.everything)
    } else {
      for day in days.sorted() { lister.add(Listing(from: day, to: day)) }
    }
  }

  private mutating func endLookingAgain(_ effects: inout [Effect]) {
    for failed in lister.failures.map(\.listing) {
      listing.missing.removeAll { failed.from <= $0.day && $0.day <= failed.to }
    }
    if let failure = lister.failures.first?.failure {
      noteFailedPull("the days of missing entries could not be listed again", failure)
      // The next run lists all rows, and finds them missing again.
      facts = nil
    }
    pull(isFull: true, &effects)
  }

  /// Has decided what was read; what follows is planned by the log with that decision in it.
  private mutating func pull(isFull: Bool, _ effects: inout [Effect]) {
    var request = PullRequest()
    request.isFull = isFull
    request.policy = options.conflicts
    request.settled = settled
    request.lastFullSeq = options.lastListing?.fullSeq
    request.onReplacement = options.onReplacedAccount
    if !skipsPerson { request.person = person }
    if report.pull != .failed, options.lists {
      report.pull = isFull ? .full : .recent
    }
    let hasRows = isFull || !listing.rows.isEmpty || !listing.unreadable.isEmpty
    if hasRows { request.listing = listing }
    report.unreadable = listing.unreadable
    // Nothing is rebuilt or deleted by half a listing.
    if isFull { request.account = account } else { request.onReplacement = nil }
    stage = .pulled
    if hasRows || request.person != RemotePerson() { decide(.pull(request), &effects) }
  }

  mutating func conclude(_ outcome: SyncOutcome, at now: Timestamp) {
    switch outcome {
    case .settled(let settlement):
      report.reconciled += settlement.reconciled
      report.suspected += settlement.suspected
      notFound = settlement.notFound
    case .pulled(let pulled):
      if let mass = pulled.massDeletion {
        return stop(.massDeletion(missing: mass.missing, of: mass.live))
      }
      if pulled.returnedRows > 0 { return stop(.returnedRows(pulled.returnedRows)) }
      // Calls of this run make rows that its listing cannot have shown.
      if facts?.fullSeq == 0 { facts?.fullSeq = pulled.lastSeq }
      report.pulled += pulled.entries + pulled.fields
      report.deleted += pulled.deleted
      report.deletions = report.deletions ?? pulled.deletions
      report.reconciled += pulled.reconciled
      report.suspected += pulled.suspected
      report.conflicts += pulled.conflicts
      report.differs += pulled.differs
      for field in pulled.unusable {
        report.remark("the backend's \(field.rawValue) is longer than a ledger can keep")
      }
    }
  }

  // MARK: Pushing

  private mutating func beginPushing(_ effects: inout [Effect]) {
    guard !isStopped else { return takeStock(&effects) }
    lister.cancel()
    guard options.pushes else { return takeStock(&effects) }
    // Nothing is sent to an account that is not known to be the ledger's.
    guard account == nil || report.pull == .full else { return takeStock(&effects) }
    nextRow = 0
    plan(&effects)
  }

  private mutating func plan(_ effects: inout [Effect]) {
    var wish = PlanRequest(courier.remote)
    wish.notFound = notFound
    wish.firstRow = nextRow ?? 0
    wish.includesPerson = nextRow == 0 && !skipsPerson
    wish.includesLeftovers = nextRow == 0
    wish.limit = options.entriesAtATime
    stage = .planning
    look(.plan(wish), &effects)
  }

  private mutating func endStretch(_ effects: inout [Effect]) {
    if nextRow != nil, !isStopped { return plan(&effects) }
    stage = .mergingAnswers
    guard let profile = courier.answeredProfile, !skipsPerson else { return }
    var request = PullRequest()
    request.policy = options.conflicts
    request.person = RemotePerson(profile: profile)
    request.person.isAnswer = true
    decide(.pull(request), &effects)
  }

  /// What an answer said of the person may lift a hold, or settle the edit that was held.
  private mutating func planHeldAgain(_ effects: inout [Effect]) {
    guard courier.report.held > 0, courier.answeredProfile != nil, !skipsPerson, !isStopped,
      !hasPlannedHeldAgain
    else { return takeStock(&effects) }
    hasPlannedHeldAgain = true
    courier.forgetHolds()
    var wish = PlanRequest(courier.remote)
    wish.firstRow = .max
    wish.includesLeftovers = false
    stage = .planning
    look(.plan(wish), &effects)
  }

  mutating func watchPushing(_ effects: inout [Effect]) {
    let done = courier.report.acknowledged + courier.report.rejected
    effects.append(
      .progress(SyncProgress(stage: .pushing, done: done, total: max(done, doubts.openEdits))))
  }

  // MARK: The end

  private mutating func takeStock(_ effects: inout [Effect]) {
    report.take(courier.report)
    courier.report = SyncReport()
    stage = .takingStock
    if case .signedOut = report.stop, !signedOutIsRecorded {
      signedOutIsRecorded = true
      isBusy = true
      effects.append(
        .record([.accountSignedOut(AccountSignedOut(reason: "session-expired"))]))
      return
    }
    look(.standing, &effects)
  }

  private mutating func finish(_ standing: SyncStanding, _ effects: inout [Effect]) {
    let counts = standing.counts
    if report.pull == .skipped, options.pulls, options.lists, report.stop?.isOutside == true {
      report.pull = .failed
    }
    report.pending = counts.pending + counts.inDoubt
    report.inDoubt = counts.inDoubt
    report.conflicts = max(report.conflicts, standing.openConflicts)
    report.suspicions = standing.openSuspicions
    report.openConflicts = standing.openConflicts
    report.counts = counts
    report.needsPerson =
      counts.rejected > 0 || report.rejected > 0 || standing.openConflicts > 0
      || standing.openSuspicions > 0
      || !report.holds.isEmpty || !report.unreadable.isEmpty
    // A run that sends nothing does not find out whether an edit can lift a hold.
    report.hasEverything =
      report.pull == .full && report.stop == nil && report.pending == 0 && !report.needsPerson
      && (options.pushes || counts.held == 0)
    // A full listing that nothing was decided by counts as none.
    if var facts = facts?.fullSeq == 0 ? options.lastListing : facts {
      facts.expectedRows += report.rowsMade
      report.listing = facts
    }
    stage = .done
    effects.append(.finish(report))
  }
}

extension SyncReport {
  /// Adds what the courier has counted.
  fileprivate mutating func take(_ other: SyncReport) {
    sent += other.sent
    acknowledged += other.acknowledged
    elided += other.elided
    rejected += other.rejected
    held += other.held
    differs += other.differs
    rowsMade += other.rowsMade
    holds.merge(other.holds, uniquingKeysWith: +)
    lastingHolds += other.lastingHolds
    if let stop = other.stop { note(stop) }
    for text in other.remarks { remark(text) }
  }
}
