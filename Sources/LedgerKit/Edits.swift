import LedgerLog
public import LedgerModel
import LedgerPlatform
public import LedgerStore

/// The user's edits. Each is durable when its call returns. A canceled task stops waiting for the log's lock
/// and throws `CancellationError`, with nothing written.
extension Ledger {
  /// Appends edits in one durable write: all or none.
  ///
  /// An edit whose id is already in the log is not written again, so a call with an unknown outcome
  /// can be repeated.
  ///
  /// - Returns: the sequence number of each edit, in order; for known edits, the existing one.
  /// - Throws: ``EditRefusal`` with the index of the first refused edit; `LogError`.
  @discardableResult
  public func append(_ edits: [Edit]) async throws -> [Seq] {
    try await decide(edits, onRefusal: .rejectAll).edits.map(\.seq)
  }

  /// Appends edits in one durable write, and says what became of each: for edits that do not depend on
  /// each other, such as the samples of another app.
  ///
  /// With ``RefusalPolicy/skip``, an edit that the rules refuse is left out, with the edits that need
  /// it, such as the correction of an entry whose logging was refused.
  ///
  /// - Returns: an outcome for each edit, in order.
  /// - Throws: ``EditRefusal`` with ``RefusalPolicy/rejectAll``; `LogError`, with nothing written.
  @discardableResult
  public func append(
    _ edits: [Edit], onRefusal policy: RefusalPolicy
  ) async throws -> [EditOutcome] {
    let outcome = try await decide(edits, onRefusal: policy)
    let refusals = Dictionary(uniqueKeysWithValues: outcome.refusals.map { ($0.index, $0.refusal) })
    var accepted = outcome.edits.makeIterator()
    return edits.indices.map { index in
      if let refusal = refusals[index] { return .refused(refusal) }
      return switch accepted.next()! {
      case .appended(let event): .appended(event.seq)
      case .known(let seq): .known(seq)
      }
    }
  }

  /// Appends an edit.
  ///
  /// - Returns: its sequence number.
  /// - Throws: ``EditRefusal``; `LogError`.
  @discardableResult
  public func append(_ change: Edit.Change) async throws -> Seq {
    try await append([Edit(change: change)])[0]
  }

  private func decide(
    _ edits: [Edit], onRefusal policy: RefusalPolicy
  ) async throws -> LedgerStore.Outcome {
    var generator = generator()
    return try await write {
      let now = moment()
      return try local.append(
        edits, onRefusal: policy, at: now, today: environment.zone.today(at: now),
        using: &generator)
    }
  }

  // MARK: Goals

  /// Sets a goal of this ledger alone, which is never sent. It replaces the metric's earlier goal.
  ///
  /// - Parameters:
  ///   - metric: the metric.
  ///   - quantity: in ``Metric/unit``, within ``Metric/range``.
  ///   - by: the day by which to reach it, today or later.
  /// - Returns: the edit's sequence number.
  /// - Throws: ``EditRefusal``, for a day in the past with the field `by` and the days that are accepted;
  ///   `LogError`.
  @discardableResult
  public func setGoal(
    _ metric: Metric, _ quantity: Double, by: CalendarDate
  ) async throws -> Seq {
    try await append(.setGoal(GoalSet(metric: metric, quantity: quantity, by: by)))
  }

  /// Sets a goal for each day, as `setGoal` sets one for a day to come.
  ///
  /// - Parameters:
  ///   - metric: the metric.
  ///   - quantity: in ``Metric/unit``, within ``Metric/range``.
  ///   - isAtMost: whether it is a limit.
  /// - Returns: the edit's sequence number.
  /// - Throws: ``EditRefusal``; `LogError`.
  @discardableResult
  public func setDailyGoal(
    _ metric: Metric, _ quantity: Double, isAtMost: Bool = false
  ) async throws -> Seq {
    try await append(
      .setGoal(GoalSet(metric: metric, quantity: quantity, by: nil, isAtMost: isAtMost)))
  }

  /// Removes a metric's goal.
  ///
  /// - Returns: the edit's sequence number.
  /// - Throws: ``EditRefusal``; `LogError`.
  @discardableResult
  public func removeGoal(_ metric: Metric) async throws -> Seq {
    try await append(.removeGoal(GoalRemoved(metric: metric)))
  }

  // MARK: Entries

  /// Logs a measurement.
  ///
  /// - Parameters:
  ///   - metric: the metric.
  ///   - quantity: in ``Metric/unit``, within ``Metric/range``; stored as ``Metric/stored(_:)``
  ///     returns it.
  ///   - moment: when it was measured.
  ///   - notes: free text.
  /// - Returns: the new entry's id, for corrections and deletion, and the edit's sequence number.
  /// - Throws: ``EditRefusal``; `LogError`.
  @discardableResult
  public func log(
    _ metric: Metric, _ quantity: Double, at moment: EntryMoment = .now, notes: String? = nil
  ) async throws -> LoggedEntry {
    var generator = generator()
    let now = self.moment()
    let entry = EntryID.make(at: now, using: &generator)
    let (date, time) = environment.zone.resolve(moment, at: now)
    let logged = ProgressLogged(
      entry: entry, metric: metric, quantity: quantity, date: date, moment: time, notes: notes)
    let seq = try await append([Edit(change: .logProgress(logged), hasFreshEntry: true)])[0]
    return LoggedEntry(id: entry, seq: seq)
  }

  /// Logs a measurement of a whole day; as ``EntryMoment/day(_:)``.
  @discardableResult
  public func log(
    _ metric: Metric, _ quantity: Double, on date: CalendarDate, notes: String? = nil
  ) async throws -> LoggedEntry {
    try await log(metric, quantity, at: .day(date), notes: notes)
  }

  /// Corrects an entry; the first values stay in the log.
  ///
  /// - Parameters:
  ///   - entry: the entry's id.
  ///   - quantity: in ``Metric/unit``; `nil` leaves it unchanged.
  ///   - moment: `nil` leaves it unchanged; ``EntryMoment/day(_:)`` keeps the time of day.
  ///   - notes: `nil` leaves them unchanged.
  /// - Returns: the edit's sequence number.
  /// - Throws: ``EditRefusal``, for an unknown or deleted entry as well; `LogError`.
  @discardableResult
  public func correct(
    _ entry: EntryID, quantity: Double? = nil, at moment: EntryMoment? = nil,
    notes: FieldChange<String>? = nil
  ) async throws -> Seq {
    let when = moment.map { environment.zone.resolve($0, at: self.moment()) }
    var time = when?.time
    if let date = when?.date, time == nil {
      let state = try state()
      let known = state.row(of: entry).map { state.entry(at: $0) }
      time = known.flatMap { known in
        known.moment.flatMap { environment.zone.moved($0, from: known.date, to: date) }
      }
    }
    return try await append(
      .correctProgress(
        ProgressCorrected(
          entry: entry, quantity: quantity, date: when?.date, moment: time, notes: notes)))
  }

  /// Deletes an entry; its events stay in the log.
  ///
  /// - Parameters:
  ///   - entry: the entry's id.
  ///   - reason: kept in the log.
  /// - Returns: the edit's sequence number.
  /// - Throws: ``EditRefusal``, for an unknown or deleted entry as well; `LogError`.
  @discardableResult
  public func delete(_ entry: EntryID, reason: String? = nil) async throws -> Seq {
    try await append(.deleteProgress(ProgressDeleted(entry: entry, reason: reason)))
  }
}

/// When an entry was measured, in the ledger's time zone.
public enum EntryMoment: Hashable, Sendable {
  /// The current day, time and time zone.
  case now
  /// A day, without a time.
  case day(CalendarDate)
  /// A local time on a day. A time that a clock change skips or repeats is read as
  /// docs/log-format.md says (Events).
  case time(CalendarDate, ClockTime)
}

extension LocalZone {
  fileprivate func resolve(
    _ moment: EntryMoment, at now: Timestamp
  ) -> (date: CalendarDate, time: ZonedTime?) {
    switch moment {
    case .now:
      // A clock outside the years 1 to 9999 has no local time.
      guard let wall = localTime(at: now) else { return (.first, nil) }
      return (wall.date, ZonedTime(time: wall.time, zone: wall.zone))
    case .day(let date): return (date, nil)
    case .time(let date, let time):
      return (date, ZonedTime(time: time, zone: offset(of: time, on: date)))
    }
  }
}

/// A new entry.
public struct LoggedEntry: Hashable, Sendable, Identifiable {
  /// Identifies the entry in corrections and deletions.
  public let id: EntryID
  /// The sequence number of the edit, for undoing it.
  public let seq: Seq
}

/// What became of one edit of a batch.
public enum EditOutcome: Hashable, Sendable {
  /// It was written.
  case appended(Seq)
  /// The log already had an edit with this id; nothing was written for it.
  case known(Seq)
  /// Nothing was written for it.
  case refused(Refusal)

  /// Its place in the log; `nil` if it was refused.
  public var seq: Seq? {
    switch self {
    case .appended(let seq), .known(let seq): seq
    case .refused: nil
    }
  }

  /// Why it was refused; `nil` if it is in the log.
  public var refusal: Refusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}

extension Ledger {
  /// Performs a write of the log. If another process holds the log's lock, only this call waits for it;
  /// the ledger's other calls go on meanwhile.
  ///
  /// Writes are performed one after the other, in the order of their calls.
  ///
  /// - Parameters:
  ///   - isCancellable: whether a canceled task stops waiting.
  ///   - body: called a second time if the lock was held the first time, when nothing was written.
  /// - Throws: `LogError.locked` if other processes hold the lock for ``LogFormat/lockWaitSeconds``;
  ///   `CancellationError` with nothing written; what `body` throws.
  func write<Result>(
    isCancellable: Bool = true, _ body: () throws -> Result
  ) async throws -> Result {
    let requested = environment.uptime()
    let turn = writeQueue.join()
    defer {
      writeQueue.leave(turn)
      wakeSignals.send(.log)
    }
    try await waiting(isCancellable) { try await $0.waitForTurn(turn) }
    do {
      let result = try local.log.withoutWaiting(body)
      writeQueue.lastLock = environment.uptime()
      return result
    } catch LogError.locked(directory.ledgerLock, _) {
      // What the write depends on is folded now, so that the lock will be held for a short time only.
    }
    let lock = try await waiting(isCancellable) { try await $0.waitForLock(since: requested) }
    writeQueue.lastLock = environment.uptime()
    return try local.log.withoutWaiting(holding: lock, body)
  }

  /// Waits until no other process holds the log's lock. Call it before work on another thread that takes
  /// the lock, since that waits without being cancellable.
  ///
  /// - Throws: `LogError.locked`; `CancellationError`.
  func waitForOtherProcesses() async throws {
    guard !directory.isReadOnly else { return }
    do {
      guard try local.log.tryLock() == nil else { return }
    } catch {
      // Left to the work, which reports it.
      return
    }
    _ = try await waitForLock(since: environment.uptime())
  }

  /// - Parameter isCancellable: if false, waits in a task of its own, which is not canceled.
  private func waiting<Value: Sendable>(
    _ isCancellable: Bool, _ wait: @escaping @Sendable (isolated Ledger) async throws -> Value
  ) async throws -> Value {
    if isCancellable { return try await wait(self) }
    return try await Task { try await wait(self) }.value
  }

  private func waitForTurn(_ turn: WakeSignal) async throws {
    while !writeQueue.isFirst(turn) {
      _ = await turn.wait()
      try Task.checkCancellation()
    }
  }

  private func waitForLock(since requested: Duration) async throws -> FileLock {
    let seconds = LogFormat.lockWaitSeconds
    let deadline = max(requested, writeQueue.lastLock ?? requested) + .seconds(seconds)
    // Most holders need the time of one disk sync.
    var pause = Duration.microseconds(100)
    while environment.uptime() < deadline {
      try await Task.sleep(for: pause)
      if let lock = try local.log.tryLock() { return lock }
      pause = min(pause * 2, .milliseconds(4))
    }
    throw LogError.locked(path: directory.ledgerLock, seconds: seconds)
  }
}

/// The writes of a ledger that wait for their turn, in the order of their calls.
struct WriteQueue {
  private(set) var turns: [WakeSignal] = []
  /// When one of them last had the log's lock, in ``LedgerEnvironment/uptime``. A write does not time out
  /// for waiting for others here.
  var lastLock: Duration?

  mutating func join() -> WakeSignal {
    let turn = WakeSignal()
    turns.append(turn)
    return turn
  }

  func isFirst(_ turn: WakeSignal) -> Bool { turns.first === turn }

  mutating func leave(_ turn: WakeSignal) {
    guard let index = turns.firstIndex(where: { $0 === turn }) else { return }
    turns.remove(at: index)
    turns.first?.send(.log)
  }
}
