import LedgerJSON
import LedgerModel
import LedgerProjections

/// What follows what.
extension SyncMachine {
  /// The most rows that are decided upon at a time.
  static let rowsAtATime = 1_000

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
    case .idle, .lookingForDoubts, .lookingForMissing, .planning, .done: return false
    case .resting:
      guard isStopped else { return false }
      takeStock(&effects)
    case .settling:
      effects += lister.launch(&tickets)
      guard lister.isIdle else { return false }
      endSettling(&effects)
    case .meeting:
      effects += fetcher.launch(&tickets)
      guard fetcher.isIdle else { return false }
      endMeeting(&effects)
    case .pulling:
      effects += lister.launch(&tickets)
      guard rows.count >= Self.rowsAtATime || lister.isIdle else { return false }
      takeRows(&effects)
    case .lookingAgain:
      effects += lister.launch(&tickets)
      guard lister.isIdle else { return false }
      endLookingAgain(&effects)
    case .pushing:
      if let payloads = courier.record(at: now, using: &generator) {
        isBusy = true
        effects.append(.record(payloads))
        return false
      }
      guard courier.isIdle else { return false }
      endStretch(&effects)
    case .takingStock: takeStock(&effects)
    }
    return true
  }

  // MARK: Doubts

  mutating func see(
    _ sighting: SyncSighting, at now: Timestamp, _ effects: inout [Effect]
  ) {
    if case .standing(let counts) = sighting { return finish(counts, &effects) }
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
      beginWaiting(at: now, &effects)
    case .missing(let missing):
      self.missing = missing
      lister = Lister(limit: options.concurrency)
      listed = []
      for day in Set(missing.map(\.day)).sorted() { lister.add(Listing(from: day, to: day)) }
      stage = .lookingAgain
    case .plan(let plan):
      courier.accept(plan)
      nextRow = plan.next
      stage = .pushing
    case .standing: break
    }
  }

  /// A moment further away than an hour was written by a clock that went wrong (backend.md, 429).
  private static func seconds(from now: Timestamp, until then: Timestamp) -> Int? {
    let milliseconds = then.millisecondsSince1970 - now.millisecondsSince1970
    guard milliseconds > 0, milliseconds <= 3_600_000 else { return nil }
    return Int((milliseconds + 999) / 1000)
  }

  /// A row may be made later than its answer was given up on, so doubts are left alone for a while.
  private mutating func beginWaiting(at now: Timestamp, _ effects: inout [Effect]) {
    guard !doubts.entries.isEmpty else {
      beginMeeting()
      return
    }
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
    if let why = lister.failures.first?.why {
      report.remark("some lost answers could not be looked into: \(why)")
    }
    let whole = doubts.entries.filter { !failed.contains($0.listing) }
    settled = Set(whole.map(\.entry))
    // Their stretch of the outbox may come after that of an entry that looks the same.
    courier.bar(doubts.entries.lazy.filter { failed.contains($0.listing) }.map(\.key))
    let found = rows
    rows = []
    lister = Lister(limit: options.concurrency)
    beginMeeting()
    if !whole.isEmpty { decide(.settle(whole, found), &effects) }
  }

  // MARK: The person

  private enum Key {
    static let profile = 0
    static let preferences = 1
  }

  private mutating func beginMeeting() {
    stage = .meeting
    if options.pulls || (options.pushes && doubts.concernsPerson) {
      fetcher.add(WireRequest(.get, "/api/v1/users/me"), as: Key.profile)
    }
    if options.pulls {
      fetcher.add(WireRequest(.get, "/api/v1/users/me/preferences"), as: Key.preferences)
    }
  }

  mutating func meet(_ key: Fetcher.Key, _ outcome: Fetcher.Outcome) {
    switch outcome {
    case .found(let response):
      guard let object = response.value?.object else { return miss("its answer is no object") }
      if key == Key.profile {
        remote = .present
        person.profile = object
      } else {
        person.preferences = object
      }
    case .absent: if key == Key.profile { remote = .absent }
    case .failed(let why): miss(why)
    case .stopped(let stop): self.stop(stop)
    }
  }

  /// Without knowing what the backend has, nothing of the person is sent over it.
  private mutating func miss(_ why: String) {
    skipsPerson = true
    report.remark("what the backend has of the person could not be read: \(why)")
  }

  private mutating func endMeeting(_ effects: inout [Effect]) {
    guard !isStopped else { return takeStock(&effects) }
    courier.remote = remote
    if options.pulls {
      stage = .pulling
      if options.lists { lister.add(.everything) }
      if person != RemotePerson(), !skipsPerson {
        decide(.merge(person, policy: options.conflicts), &effects)
      }
    } else {
      beginPushing(&effects)
    }
  }

  // MARK: Rows

  mutating func note(_ news: Lister.News, _ effects: inout [Effect]) {
    switch news {
    case .stopped(let stop): self.stop(stop)
    case .page(let page):
      rows += page.rows
      switch stage {
      case .pulling, .lookingAgain:
        listed.formUnion(page.rows.lazy.map { RowIndex.hash($0.id) })
        listed.formUnion(page.strangers.lazy.map(RowIndex.hash))
      default: break
      }
      guard case .pulling = stage else { return }
      strangers += page.count - page.rows.count
      listedCount += page.count
      effects.append(
        .progress(SyncProgress(stage: .pulling, done: listedCount, total: listedCount)))
    }
  }

  private mutating func takeRows(_ effects: inout [Effect]) {
    guard !isStopped else { return takeStock(&effects) }
    if !rows.isEmpty {
      decide(.take(rows, settled: settled), &effects)
      rows = []
      return
    }
    if strangers > 0 {
      report.remark("\(strangers) rows of the backend cannot be read; they are left as they are")
      strangers = 0
    }
    guard options.lists else { return beginPushing(&effects) }
    if let why = lister.failures.first?.why {
      report.remark("the backend's entries could not be listed: \(why)")
      beginPushing(&effects)
    } else {
      stage = .lookingForMissing
      look(.missing(listed: listed), &effects)
    }
  }

  private mutating func endLookingAgain(_ effects: inout [Effect]) {
    guard !isStopped else { return takeStock(&effects) }
    rows = []
    let days = Set(lister.failures.map(\.listing.from))
    let looked = missing.filter { !days.contains($0.day) }
    missing = []
    if looked.isEmpty {
      beginPushing(&effects)
    } else {
      // Decided first; what follows is planned by the log with that decision in it.
      decide(.drop(looked, listed: listed, policy: options.conflicts), &effects)
    }
  }

  mutating func conclude(_ outcome: SyncOutcome) {
    switch outcome {
    case .settled(let settlement):
      report.reconciled += settlement.reconciled
      report.suspected += settlement.suspected
      notFound = settlement.notFound
    case .merged(let merged):
      report.pulled += merged.taken
      report.conflicts += merged.conflicts
      report.reconciled += merged.reconciled
      for field in merged.unusable {
        report.remark("the backend's \(field.rawValue) is longer than a ledger can keep")
      }
    case .taken(let pulled):
      report.pulled += pulled.entries
      report.reconciled += pulled.reconciled
      report.suspected += pulled.suspected
      if pulled.unusable > 0 {
        report.remark("\(pulled.unusable) rows of the backend cannot be kept in a ledger")
      }
    case .dropped(let count): report.pulled += count
    }
  }

  // MARK: Pushing

  private mutating func beginPushing(_ effects: inout [Effect]) {
    lister.cancel()
    guard options.pushes else { return takeStock(&effects) }
    nextRow = 0
    plan(&effects)
  }

  private mutating func plan(_ effects: inout [Effect]) {
    var wish = PlanWish(courier.remote)
    wish.notFound = notFound
    wish.firstRow = nextRow ?? 0
    wish.includesPerson = nextRow == 0 && !skipsPerson
    wish.includesLeftovers = nextRow == 0
    wish.limit = options.entriesAtATime
    stage = .planning
    look(.plan(wish), &effects)
  }

  private mutating func endStretch(_ effects: inout [Effect]) {
    if nextRow != nil, !isStopped { plan(&effects) } else { takeStock(&effects) }
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

  private mutating func finish(_ counts: SyncCounts, _ effects: inout [Effect]) {
    report.pending = counts.pending + counts.inDoubt
    report.inDoubt = counts.inDoubt
    report.conflicts = max(report.conflicts, counts.conflicts)
    report.needsPerson = counts.rejected > 0 || counts.conflicts > 0
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
    if let stop = other.stop { note(stop) }
    for text in other.remarks { remark(text) }
  }
}
