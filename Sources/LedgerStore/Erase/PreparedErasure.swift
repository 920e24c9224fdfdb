import LedgerLog
import LedgerModel
import LedgerProjections

/// A planned erasure, and the copy of the log that is to take its place, made and checked without the log's
/// lock. Under the lock the copy is renamed, however long the log is, and however much is erased.
struct PreparedErasure {
  private let seqs: [Seq]
  private let reason: String
  private let now: Timestamp
  private let onBytes: (@Sendable (Int) -> Void)?
  private(set) var erasures: [Erasure] = []
  /// What is recorded: `event.erased` for each event, then what else the erasure needs.
  private var events: [Event] = []
  /// One for each event's line.
  private var salts: [UInt64] = []
  private var copy: ErasedCopy?
  private var foundCopies: FolderSweep?
  /// The ids of the erased entries.
  private var entries: Set<EntryID> = []
  /// The seqs of the events that lose their content, and of all others that may be about the entries.
  private var concerned: Set<Int> = []
  /// The last event when all of the erasure was checked.
  private var checked = ChainPosition.start
  /// Earlier edits that events since then undo.
  private var undone: Set<Int> = []

  init(
    _ seqs: [Seq], reason: String, at now: Timestamp, _ onBytes: (@Sendable (Int) -> Void)?
  ) {
    (self.seqs, self.reason, self.now, self.onBytes) = (seqs, reason, now, onBytes)
  }

  // MARK: Without the lock

  /// Plans, copies and checks what the view has beyond what was prepared so far.
  ///
  /// - Parameters:
  ///   - state: folded from the view's own lines.
  ///   - isLocked: whether this process holds the log's lock.
  /// - Throws: ``EraseRefusal``; ``LogError``.
  mutating func update(
    to view: LogView, _ state: LedgerState, isLocked: Bool,
    using generator: inout some RandomNumberGenerator
  ) throws {
    guard try !isComplete(upTo: view, state.position) else { return }
    if let copy, try isUnaffected(upTo: view, state) {
      try copy.extend(to: view, state.position)
      return try checkAppended(in: copy, against: state)
    }
    erasures = try LedgerStore.erasures(of: seqs, in: view)
    events = erasures.payloads(reason: reason).map { by, payload in
      Event(payload, by: by, at: now, using: &generator)
    }
    salts = events.map { _ in generator.next() }
    entries = Set(erasures.compactMap(\.entry))
    let lines = erasures.lines
    concerned = erasures.reduce(into: lines) { $0.formUnion($1.mentions) }
    if let copy, try copy.holds(lines) {
      try copy.extend(to: view, state.position, without: lines)
    } else {
      // Its temporary file is removed first.
      copy = nil
      copy = try ErasedCopy(of: view, without: lines, isLocked: isLocked, onBytes)
    }
    foundCopies = try FolderSweep(view.directory, repeating: erasures.flatMap(\.texts))
    (checked, undone) = (.start, [])
    try check(against: state)
    checked = state.position
  }

  /// Completes the copy, and checks it: the state of what was not erased must be the same, and no reader may
  /// call it damaged.
  private func check(against state: LedgerState) throws {
    guard let copy else { return }
    try copy.record(events, salts) { after, view in
      try erasures.checkOthersUnchanged(from: state, to: after, 1...state.position.seq)
      if let damage = try after.erasureDamage(in: view) {
        let erasure = erasures.first { $0.seqs.contains { $0.number == damage.line } }
        throw EraseRefusal.contradicted((erasure ?? erasures[0]).subject, damage)
      }
    }
  }

  /// Completes the copy again after more was appended, and compares that.
  private mutating func checkAppended(in copy: ErasedCopy, against state: LedgerState) throws {
    let appended = (checked.seq + 1)..<(state.position.seq + 1)
    try copy.record(events, salts) { after, _ in
      try erasures.checkOthersUnchanged(from: state, to: after, undone.union(appended))
    }
    (checked, undone) = (state.position, [])
  }

  /// Whether nothing that was appended since the copy can matter for the erasure.
  private mutating func isUnaffected(
    upTo view: LogView, _ state: LedgerState
  ) throws(LogError) -> Bool {
    guard let copy, try copy.log.isCurrent(), view.endBytes >= copy.log.copiedBytes else {
      return false
    }
    var isUnaffected = true
    try view.forEachEvent(from: copy.end, offsetBytes: copy.log.copiedBytes) { recorded, _ in
      isUnaffected = !mayConcern(recorded, state)
      if let seq = recorded.undone { undone.insert(seq.number) }
      return isUnaffected
    }
    return isUnaffected
  }

  /// Whether an event may change what is to be erased, or whether that is allowed. The answer is no only for
  /// edits of other entries, and for edits of the profile and goals if entries are erased.
  private func mayConcern(_ recorded: RecordedEvent, _ state: LedgerState) -> Bool {
    let seq = recorded.seq.number
    func isOfOther(_ id: EntryID) -> Bool {
      // A change without an entry may be of one that was erased before.
      !entries.contains(id) && state.isEditOfEntry(seq)
    }
    guard recorded.event.by != .sync, recorded.undone.map({ concerned.contains($0.number) }) != true
    else { return true }
    switch recorded.event.payload {
    case .progressLogged(let data): return !isOfOther(data.entry) || data.claimedBackendID != nil
    case .progressCorrected(let data): return !isOfOther(data.entry)
    case .progressDeleted(let data): return !isOfOther(data.entry)
    case .sleepLogged(let data): return !isOfOther(data.entry)
    case .sleepCorrected(let data): return !isOfOther(data.entry)
    case .sleepDeleted(let data): return !isOfOther(data.entry)
    case .editUndone(let data): return !state.isEditOfEntry(data.event.number)
    case .profileUpdated, .physicalUpdated, .preferencesUpdated, .goalSet, .goalRemoved:
      return erasures.contains { $0.entry == nil }
    case .ledgerCreated, .syncAttempted, .syncDeferred, .syncAcknowledged, .syncRejected,
      .syncHeld, .syncDiffered, .rowSkipped, .profilePulled, .progressPulled, .sleepPulled,
      .conflictDetected, .conflictResolved, .duplicateSuspected, .duplicateResolved,
      .accountSignedIn, .accountSignedOut, .accountReplaced, .eventErased, .logRepaired, .unknown,
      .erased:
      return true
    }
  }

  // MARK: Under the lock

  /// Whether the copy is complete and checked, and nothing was appended since.
  func isComplete(upTo view: LogView, _ position: ChainPosition) throws(LogError) -> Bool {
    guard let copy, checked == position else { return false }
    return try copy.log.isCurrent() && copy.log.copiedBytes == view.endBytes
  }

  /// The copy that is to take the log's place.
  ///
  /// - Precondition: it is prepared.
  var replacement: LogReplacement { copy!.log }

  /// Removes the copies in `quarantine/`, of what was quarantined meanwhile, too.
  mutating func removeCopies() throws(LogError) {
    try foundCopies?.repeatSearch()
    try foundCopies?.removeCopies()
  }

  /// Removed copies, as paths relative to the ledger's directory.
  var removedCopies: [String] { foundCopies?.copies ?? [] }
  /// Files that repeat the content and do not belong to the ledger.
  var foreignFiles: [String] { foundCopies?.foreignFiles ?? [] }

  /// The state at the end of the complete copy.
  var stateAfterErasure: LedgerState? { copy?.state }
}

extension LedgerState {
  /// Whether an event is an edit of an entry or a sleep session that the ledger has.
  fileprivate func isEditOfEntry(_ seq: Int) -> Bool {
    edits.row(seq) != nil || session(ofEdit: seq) != nil
  }
}

/// A copy of the log without the content of some events, verified and folded.
private final class ErasedCopy {
  let log: LogReplacement
  /// The last event of the copy.
  private(set) var end: ChainPosition
  /// Of the copy up to some event.
  private var folded: LedgerState
  /// At the end of what it records; `nil` until it is complete.
  private(set) var state: LedgerState?

  init(
    of view: LogView, without seqs: Set<Int>, isLocked: Bool,
    _ onBytes: (@Sendable (Int) -> Void)?
  ) throws(LogError) {
    log = try LogReplacement(of: view, without: seqs, isLocked: isLocked, onBytes: onBytes)
    var options = Replay.Options(verifies: true)
    options.onBytes = onBytes
    options.isForSnapshot = true
    // Their records are still to be written.
    options.checksErasures = false
    let outcome = try Replay.run(log.view, options)
    if let damage = outcome.damage { throw .damaged(damage) }
    (folded, end) = (outcome.state, outcome.state.position)
  }

  /// Whether it is still a copy of the log, and up to its end lacks exactly these events.
  func holds(_ seqs: Set<Int>) throws(LogError) -> Bool {
    try log.isCurrent() && seqs.filter { $0 <= end.seq } == log.erased
  }

  /// Copies what was appended since.
  ///
  /// - Parameters:
  ///   - position: the end of the view.
  ///   - seqs: the events to erase.
  func extend(
    to view: LogView, _ position: ChainPosition, without seqs: Set<Int> = []
  ) throws(LogError) {
    state = nil
    let missing = seqs.filter { $0 > end.seq }
    try log.extend(to: view, without: missing)
    end = position
    // Erased lines are folded with their records.
    if missing.isEmpty { try Replay.advance(&folded, to: log.view, verifies: true) }
  }

  /// Completes the copy with these events.
  ///
  /// - Parameter check: receives the state and the view of the complete copy.
  func record(
    _ events: [Event], _ salts: [UInt64], _ check: (_ state: LedgerState, LogView) throws -> Void
  ) throws {
    try log.record(events, salts: salts, after: end) { view in
      var after = folded
      try Replay.advance(&after, to: view, verifies: true)
      try check(after, view)
      state = after
    }
  }
}

extension [Erasure] {
  /// The seqs of all events that lose their content.
  fileprivate var lines: Set<Int> { Set(flatMap { $0.seqs.map(\.number) }) }

  fileprivate func payloads(reason: String) -> [(Event.Actor, Event.Payload)] {
    var recorded: Set<Seq> = []
    var payloads: [(Event.Actor, Event.Payload)] = []
    for erasure in self {
      // One line may belong to two entries.
      for seq in erasure.seqs where recorded.insert(seq).inserted {
        let record = EventErased(
          event: seq, reason: reason, entry: erasure.entry,
          fields: erasure.entry == nil ? erasure.fields : nil)
        payloads.append((.user, .eventErased(record)))
      }
    }
    payloads += flatMap { $0.bindings.map { (.sync, .syncAcknowledged($0)) } }
    for erasure in self where erasure.queuesDeletion {
      guard let entry = erasure.entry else { continue }
      let deletion: Event.Payload =
        erasure.isSession
        ? .sleepDeleted(SleepDeleted(entry: entry))
        : .progressDeleted(ProgressDeleted(entry: entry))
      payloads.append((.user, deletion))
    }
    return payloads
  }

  /// The state of what was not erased must be the same.
  ///
  /// - Parameter seqs: the events whose states are compared.
  fileprivate func checkOthersUnchanged(
    from before: LedgerState, to after: LedgerState, _ seqs: some Sequence<Int>
  ) throws(EraseRefusal) {
    var erased: Set<Int>?
    let areEditsSame = seqs.allSatisfy { seq in
      guard before.edits.state(seq) != after.edits.state(seq) else { return true }
      erased = erased ?? reduce(into: lines) { $0.formUnion($1.mentions) }
      return erased?.contains(seq) == true
    }
    let isProfileSame = ProfileField.allCases.allSatisfy { field in
      before.profile.current(field, before.edits)?.value
        == after.profile.current(field, after.edits)?.value
        && before.profile.agreed(field) == after.profile.agreed(field)
        && before.profile.hasOpenConflict(field) == after.profile.hasOpenConflict(field)
    }
    guard areEditsSame, isProfileSame else { throw .entangled(self[0].subject) }
    let (goals, left) = (Set(before.goalSeqs), Set(after.goalSeqs))
    guard left.isSubset(of: goals) else {
      throw .goalInForce(goals.subtracting(left).min() ?? self[0].subject)
    }
  }
}
