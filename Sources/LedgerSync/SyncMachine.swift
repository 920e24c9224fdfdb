package import LedgerModel

/// One sync run as a pure state machine: takes inputs, returns effects. ``SyncDriver`` performs the
/// effects. Time and randomness are passed in; between runs, state is kept only in the log.
///
/// Stages, each skipped if it has nothing to do: find unresolved calls → check profile and account →
/// wait for late rows → reconcile unresolved calls → list the newest rows, or all → list the days of
/// missing rows → decide what was pulled → plan and push in batches → list the days of corrected
/// entries → merge profiles in answers → summarize → done. A stop (offline, signed out, …) waits for
/// calls in flight, then summarizes.
package struct SyncMachine: Sendable {
  private enum Stage: Sendable {
    case idle, findingUnresolved, fetchingProfile, awaitingLateRows, reconciling, reconciled
    case listingRecent, comparingRecent, listingAll, findingMissing, relistingMissing, pulled
    case planning, pushing, findingCorrected, relistingCorrected, settled
    case mergingAnswers, summarizing, done
  }

  private var configuration: SyncConfiguration
  private var stage = Stage.idle
  /// Whether a query, a decision or a write is in progress: there is at most one.
  private var isBusy = false
  private var requests = RequestPool()
  private var fetcher: Fetcher
  private var dispatcher: CallDispatcher
  private var report = SyncReport()

  private var start = StartingState()
  private var profile = ProfileFetch()
  private var account: AccountChange?
  private var reconciledEntries: Set<EntryID> = []
  private var notFound: Set<EntryID> = []
  /// Rows of the days of unresolved calls.
  private var lister = Lister()
  private var listing = RowListing()
  private var facts: ListingFacts?
  private var nextRow: Int?
  /// The last event when the listed rows were decided about.
  private var listedSeq = 0
  private var corrected = CorrectedRows()
  private var hasPlannedHeldAgain = false
  private var hasRecordedSignOut = false

  package init(_ configuration: SyncConfiguration = SyncConfiguration()) {
    self.configuration = configuration
    facts = configuration.lastListing
    fetcher = Fetcher(limit: configuration.concurrency)
    dispatcher = CallDispatcher(limit: configuration.concurrency, remote: .unknown)
  }

  /// Processes inputs and returns what to do now. Inputs that arrived together are passed together,
  /// so that their answers share one durable write.
  package mutating func handle(
    _ inputs: [Input], at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) -> [Effect] {
    var effects: [Effect] = []
    for input in inputs { receive(input, at: now, &effects, using: &generator) }
    while !isBusy, advance(at: now, &effects, using: &generator) {}
    return effects
  }

  private mutating func receive(
    _ input: Input, at now: Timestamp, _ effects: inout [Effect],
    using generator: inout some RandomNumberGenerator
  ) {
    switch input {
    case .begin:
      stage = .findingUnresolved
      ask(.query(.startingState), &effects)
    case .answered(let id, let answer):
      switch requests.answered(id) {
      case .call(let call):
        if let wait = dispatcher.handle(answer, to: call, at: now, &requests, using: &generator) {
          effects.append(wait)
        }
        reportPushing(&effects)
      case .fetch(let fetch):
        if let outcome = fetcher.handle(answer, to: fetch, &requests, &effects, using: &generator) {
          note(outcome, of: fetch.target, &effects)
        }
      case nil: break
      }
    case .elapsed(let id):
      switch requests.elapsed(id) {
      case .reconcile: beginReconciling()
      case .fetchProfileAgain: beginFetchingProfile(at: now)
      case .relistMissing: listMissingAgain()
      case .retryCall(let queue): dispatcher.retry(queue)
      case .retryFetch(let fetch): fetcher.retry(fetch)
      case nil: break
      }
    case .queried(let result):
      isBusy = false
      note(result, at: now, &effects)
    case .recorded:
      isBusy = false
      effects += dispatcher.recorded(&requests)
    case .decided(let outcome):
      isBusy = false
      note(outcome)
    case .cancel: stop(.cancelled)
    }
  }

  /// - Returns: whether to go on with the next stage at once.
  private mutating func advance(
    at now: Timestamp, _ effects: inout [Effect],
    using generator: inout some RandomNumberGenerator
  ) -> Bool {
    switch stage {
    case .idle, .findingUnresolved, .comparingRecent, .findingMissing, .planning,
      .findingCorrected, .done:
      return false
    case .awaitingLateRows:
      guard isStopped else { return false }
      summarize(&effects)
    case .fetchingProfile, .reconciling, .listingRecent, .listingAll, .relistingMissing,
      .relistingCorrected:
      effects += fetcher.launch(&requests)
      guard fetcher.isIdle, requests.isIdle else { return false }
      if isStopped { summarize(&effects) } else { endFetching(at: now, &effects) }
    case .pushing:
      if let payloads = dispatcher.record(at: now, given: requests, using: &generator) {
        ask(.record(payloads), &effects)
        return false
      }
      guard dispatcher.isIdle, requests.isIdle else { return false }
      endBatch(&effects)
    case .reconciled: beginPulling(at: now, &effects)
    case .pulled: beginPushing(&effects)
    case .settled: mergeAnswers(&effects)
    case .mergingAnswers: planHeldAgain(&effects)
    case .summarizing: summarize(&effects)
    }
    return true
  }

  private mutating func endFetching(at now: Timestamp, _ effects: inout [Effect]) {
    switch stage {
    case .fetchingProfile: endFetchingProfile(at: now, &effects)
    case .reconciling: endReconciling(&effects)
    case .relistingMissing: endRelisting(at: now, &effects)
    case .relistingCorrected: endRelistingCorrected(&effects)
    default: endListing(at: now, &effects)
    }
  }

  /// For a query, a decision or a write.
  private mutating func ask(_ effect: Effect, _ effects: inout [Effect]) {
    isBusy = true
    effects.append(effect)
  }

  private var isStopped: Bool { report.stop != nil || dispatcher.report.stop != nil }

  private mutating func stop(_ stop: SyncReport.Stop) {
    report.note(stop)
    noteUnfinishedPull(stop)
    fetcher.cancel()
    requests.cancel()
    dispatcher.stop(stop)
  }

  private mutating func noteUnfinishedPull(_ stop: SyncReport.Stop) {
    if case .accountReplaced = stop { return }
    guard configuration.listsRows else { return }
    let pulling: [Stage] = [
      .fetchingProfile, .listingRecent, .comparingRecent, .listingAll, .findingMissing,
      .relistingMissing,
    ]
    if pulling.contains(stage) { report.pull = .failed }
  }

  private mutating func note(
    _ outcome: Fetcher.Outcome, of target: Fetch.Target, _ effects: inout [Effect]
  ) {
    if case .page(let position) = target {
      lister.handle(outcome, at: position, &fetcher)
      showProgress(&effects)
    } else if let failure = profile.note(outcome, of: target) {
      report.noteFailedPull("the profile could not be read", failure)
    }
    if case .stopped(let stop) = outcome { self.stop(stop) }
  }

  private mutating func note(
    _ result: SyncQueryResult, at now: Timestamp, _ effects: inout [Effect]
  ) {
    switch result {
    case .summary(let summary): finish(summary, &effects)
    // The run was stopped meanwhile: the result is left to the next run.
    case _ where isStopped: stage = .summarizing
    case .startingState(let start):
      self.start = start
      if start.hasCorrections { configuration.listBeforeCorrections() }
      if let seconds = start.retryAfterSeconds(at: now, orUntil: configuration.notBefore) {
        report.note(.rateLimited(seconds: seconds))
        stage = .summarizing
      } else {
        beginFetchingProfile(at: now)
      }
    case .unlisted(let isAnyNew) where stage == .relistingCorrected:
      if isAnyNew { stage = .settled } else { settleCorrections(at: now, &effects) }
    case .unlisted(let isAnyNew):
      if isAnyNew { beginListing(at: now) } else { pull(isFull: false, at: now, &effects) }
    case .corrected(let corrected): relist(corrected, &effects)
    case .missing(let missing, let boundAt): relist(missing, boundAt, at: now, &effects)
    case .plan(let plan):
      dispatcher.accept(plan)
      nextRow = plan.next
      stage = .pushing
    }
  }

  private mutating func note(_ outcome: SyncOutcome) {
    switch outcome {
    case .reconciled(let reconciliation):
      report.reconciled += reconciliation.reconciled
      report.suspected += reconciliation.suspected
      notFound = reconciliation.notFound
    case .pulled(let pulled):
      if let mass = pulled.massDeletion {
        return stop(.massDeletion(missing: mass.missing, of: mass.live))
      }
      if pulled.returnedRows > 0 { return stop(.returnedRows(pulled.returnedRows)) }
      listedSeq = max(listedSeq, pulled.lastSeq)
      // Rows created by calls of this run are not in its listing.
      if facts?.fullSeq == 0 { facts?.fullSeq = pulled.lastSeq }
      report.add(pulled)
    }
  }

  // MARK: Profile and account

  private mutating func beginFetchingProfile(at now: Timestamp) {
    stage = .fetchingProfile
    ProfileFetch.begin(configuration, start, at: now, &fetcher)
  }

  private mutating func endFetchingProfile(at now: Timestamp, _ effects: inout [Effect]) {
    let wait = configuration.waitMilliseconds(after: profile.contradictedAt(since: start), at: now)
    if wait > 0 {
      profile = ProfileFetch(isSecond: true)
      effects.append(.progress(SyncProgress(stage: .settling, done: 0, total: 1)))
      return effects.append(requests.wait(milliseconds: wait, then: .fetchProfileAgain))
    }
    (dispatcher.remote, account) = (profile.remote, profile.accountChange(since: start))
    if let account, configuration.onReplacedAccount == nil {
      stop(.accountReplaced(account))
      return summarize(&effects)
    }
    awaitLateRows(at: now, &effects)
  }

  // MARK: Unresolved calls

  /// A row may be created after its answer was given up on, so recent calls are not looked up yet.
  private mutating func awaitLateRows(at now: Timestamp, _ effects: inout [Effect]) {
    guard !start.unresolved.isEmpty else { return beginPulling(at: now, &effects) }
    let wait = configuration.waitMilliseconds(after: start.lastAttemptAt, at: now)
    guard wait > 0 else { return beginReconciling() }
    stage = .awaitingLateRows
    let count = start.unresolved.count
    effects.append(.progress(SyncProgress(stage: .settling, done: 0, total: count)))
    effects.append(requests.wait(milliseconds: wait, then: .reconcile))
  }

  private mutating func beginReconciling() {
    stage = .reconciling
    var requested: Set<Listing> = []
    for call in start.unresolved where requested.insert(call.listing).inserted {
      lister.add(call.listing, to: &fetcher)
    }
  }

  private mutating func endReconciling(_ effects: inout [Effect]) {
    var failed = Set(lister.failures.map(\.listing))
    if let failure = lister.failures.first?.failure {
      report.note("some lost answers could not be looked into", failure)
    }
    // A row without an id may be that of any lost answer.
    if lister.shown.unreadable.contains(where: { $0.id == nil }) {
      failed.formUnion(start.unresolved.map(\.listing))
    }
    let listed = start.unresolved.filter { !failed.contains($0.listing) }
    reconciledEntries = Set(listed.map(\.entry))
    // A later batch may have an entry with equal values.
    dispatcher.addUnresolved(
      start.unresolved.lazy.filter { failed.contains($0.listing) }.map(\.key))
    stage = .reconciled
    if !listed.isEmpty { ask(.decide(.reconcile(listed, lister.shown.rows)), &effects) }
  }

  // MARK: Rows

  private mutating func beginPulling(at now: Timestamp, _ effects: inout [Effect]) {
    guard !isStopped else { return summarize(&effects) }
    guard configuration.listsRows else { return pull(isFull: false, at: now, &effects) }
    guard configuration.allowsRecent(at: now, given: start), let count = profile.rowCount,
      count == facts?.expectedRows
    else { return beginListing(at: now) }
    let most = (rows: Listing.mostRecentRows, sessions: Listing.pageSize)
    beginListing(.listingRecent, .recent(at: now), at: now, most: most)
  }

  /// Lists all rows, unless others are given. The total of the sessions is always that of all.
  private mutating func beginListing(
    _ stage: Stage = .listingAll, _ rows: Listing = .everything, at now: Timestamp,
    most: (rows: Int, sessions: Int)? = nil
  ) {
    (self.stage, listing) = (stage, RowListing(listedAt: now))
    lister = Lister(hasSessions: start.hasSessions)
    lister.add(rows, mostRows: most?.rows, to: &fetcher)
    lister.add(.everything.ofSleep, mostRows: most?.sessions, to: &fetcher)
  }

  private func showProgress(_ effects: inout [Effect]) {
    guard stage == .listingRecent || stage == .listingAll else { return }
    let (done, total) = (lister.shownCount, lister.total(ofSleep: false))
    effects.append(.progress(SyncProgress(stage: .pulling, done: done, total: max(done, total))))
  }

  private mutating func endListing(at now: Timestamp, _ effects: inout [Effect]) {
    if let failure = lister.failure(ofSleep: false) {
      report.noteFailedPull("the backend's entries could not be listed", failure)
      return pull(isFull: false, at: now, &effects)
    }
    listing.add(lister.shown)
    if let failure = lister.failure(ofSleep: true) {
      report.noteFailedPull("the backend's sleep sessions could not be listed", failure)
    }
    listing.sessions = lister.hasSleep ? listing.sessions ?? [] : nil
    if stage == .listingRecent {
      let total = lister.hasSleep ? lister.total(ofSleep: true) : facts?.expectedSessions
      guard total == facts?.expectedSessions else { return beginListing(at: now) }
      stage = .comparingRecent
      return ask(.query(.unlisted(listing.hashes)), &effects)
    }
    guard !listing.unreadable.contains(where: { $0.id == nil }) else {
      // Any missing row may be the one without an id. The next run lists all.
      facts = nil
      return pull(isFull: true, at: now, &effects)
    }
    facts = report.pull == .failed ? nil : lister.facts(at: now, listing)
    stage = .findingMissing
    ask(.query(.missing(listed: listing.hashes)), &effects)
  }

  /// A listing may be older than the answer that made a row.
  private mutating func relist(
    _ missing: [MissingRow], _ boundAt: Timestamp?, at now: Timestamp, _ effects: inout [Effect]
  ) {
    listing.missing = missing
    guard !missing.isEmpty else { return pull(isFull: true, at: now, &effects) }
    (stage, lister) = (.relistingMissing, Lister())
    let wait = configuration.waitMilliseconds(after: boundAt, at: now)
    guard wait > 0 else { return listMissingAgain() }
    effects.append(.progress(SyncProgress(stage: .settling, done: 0, total: missing.count)))
    effects.append(requests.wait(milliseconds: wait, then: .relistMissing))
  }

  private mutating func listMissingAgain() {
    for listing in listing.listingsOfMissing { lister.add(listing, to: &fetcher) }
  }

  private mutating func endRelisting(at now: Timestamp, _ effects: inout [Effect]) {
    listing.addAgain(lister.shown)
    for failed in lister.failures.map(\.listing) {
      listing.missing.removeAll { failed.from <= $0.day && $0.day <= failed.to }
    }
    if let failure = lister.failures.first?.failure {
      report.noteFailedPull("the days of missing entries could not be listed again", failure)
      // The next run lists all rows and finds these missing again.
      facts = nil
    }
    pull(isFull: true, at: now, &effects)
  }

  /// Requests the decision on what was read. It is recorded before anything is planned.
  private mutating func pull(isFull: Bool, at now: Timestamp, _ effects: inout [Effect]) {
    var request = PullRequest(configuration, reconciled: reconciledEntries, at: now)
    request.isFull = isFull
    if !profile.isUnreadable { request.person = profile.person }
    if report.pull != .failed, configuration.listsRows { report.pull = isFull ? .full : .recent }
    if isFull || listing.count > 0 { request.listing = listing }
    report.note(listing, isFull || !configuration.listsRows ? nil : facts)
    // A partial listing must not rebuild or delete anything.
    if isFull {
      (request.account, request.onReplacement) = (account, configuration.onReplacedAccount)
    }
    stage = .pulled
    guard request.listing != nil || request.person != RemoteProfile() else { return }
    ask(.decide(.pull(request)), &effects)
  }

  // MARK: Pushing

  private mutating func beginPushing(_ effects: inout [Effect]) {
    // Nothing is sent to an account that is not known to be the ledger's.
    guard !isStopped, configuration.pushes, account == nil || report.pull == .full
    else { return summarize(&effects) }
    nextRow = 0
    planBatch(&effects)
  }

  private mutating func planBatch(_ effects: inout [Effect]) {
    var request = dispatcher.planRequest
    request.notFound = notFound
    request.firstRow = nextRow ?? 0
    request.includesPerson = nextRow == 0 && !profile.isUnreadable
    request.includesLeftovers = nextRow == 0
    request.hasAllRows = report.pull == .full
    request.limit = configuration.entriesAtATime
    stage = .planning
    ask(.query(.plan(request)), &effects)
  }

  private mutating func endBatch(_ effects: inout [Effect]) {
    if nextRow != nil, !isStopped { return planBatch(&effects) }
    guard let facts, facts.fullSeq > 0, configuration.pulls, !isStopped
    else { return mergeAnswers(&effects) }
    stage = .findingCorrected
    ask(.query(.corrected(since: facts.unsettledSince, listedAt: listedSeq)), &effects)
  }

  /// Lists the days of corrected entries: another device may have corrected one at the same time
  /// (docs/sync.md, Two devices, one entry).
  private mutating func relist(_ corrected: CorrectedRows, _ effects: inout [Effect]) {
    guard corrected.areSettled, !corrected.days.isEmpty else { return mergeAnswers(&effects) }
    (self.corrected, self.corrected.listedBefore) = (corrected, listing.hashes)
    (stage, listing, lister) = (.relistingCorrected, RowListing(), Lister())
    for listing in Listing.days(corrected.days) { lister.add(listing, to: &fetcher) }
  }

  private mutating func endRelistingCorrected(_ effects: inout [Effect]) {
    guard lister.failures.isEmpty else { return mergeAnswers(&effects) }
    listing = lister.shown
    ask(.query(.unlisted(listing.hashes.subtracting(corrected.listedBefore))), &effects)
  }

  /// No other device has. Rows of the moment that were listed before may be other entries'.
  private mutating func settleCorrections(at now: Timestamp, _ effects: inout [Effect]) {
    facts?.settled = SettledCorrections(lastSeq: corrected.lastSeq, at: now)
    var request = PullRequest(configuration, reconciled: reconciledEntries, at: now)
    request.settledSeq = corrected.lastSeq
    request.listing = listing
    stage = .settled
    ask(.decide(.pull(request)), &effects)
  }

  private mutating func mergeAnswers(_ effects: inout [Effect]) {
    stage = .mergingAnswers
    guard let answered = dispatcher.answeredProfile, !profile.isUnreadable else { return }
    ask(.decide(.pull(PullRequest(answer: answered, configuration.conflicts))), &effects)
  }

  /// A merged answer may lift a hold, or make the held edit unnecessary.
  private mutating func planHeldAgain(_ effects: inout [Effect]) {
    guard dispatcher.report.held > 0, dispatcher.answeredProfile != nil, !profile.isUnreadable,
      !isStopped, !hasPlannedHeldAgain
    else { return summarize(&effects) }
    hasPlannedHeldAgain = true
    dispatcher.forgetHolds()
    var request = dispatcher.planRequest
    request.firstRow = .max
    request.includesLeftovers = false
    stage = .planning
    ask(.query(.plan(request)), &effects)
  }

  private func reportPushing(_ effects: inout [Effect]) {
    let done = dispatcher.report.acknowledged + dispatcher.report.rejected
    effects.append(
      .progress(SyncProgress(stage: .pushing, done: done, total: max(done, start.openEdits))))
  }

  // MARK: End

  private mutating func summarize(_ effects: inout [Effect]) {
    report.add(dispatcher.report)
    dispatcher.report = SyncReport()
    stage = .summarizing
    if case .signedOut = report.stop, !hasRecordedSignOut {
      hasRecordedSignOut = true
      return ask(.record([.accountSignedOut(.init(reason: "session-expired"))]), &effects)
    }
    ask(.query(.summary), &effects)
  }

  private mutating func finish(_ summary: SyncSummary, _ effects: inout [Effect]) {
    report.summarize(summary, configuration)
    // Without a decision, a full listing does not count.
    if var facts = facts?.fullSeq == 0 ? configuration.lastListing : facts {
      facts.add(report)
      report.listing = facts
    }
    stage = .done
    effects.append(.finish(report))
  }
}
