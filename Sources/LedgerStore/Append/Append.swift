package import LedgerJSON
package import LedgerLog
public import LedgerModel
package import LedgerProjections

extension LedgerStore {
  /// The result of an append, edit by edit.
  package struct Outcome: Sendable {
    package enum Edit: Hashable, Sendable {
      case appended(RecordedEvent)
      /// The log already had an event with this id; nothing was written for it.
      case known(Seq)

      /// Its position in the log.
      package var seq: Seq {
        switch self {
        case .appended(let event): event.seq
        case .known(let seq): seq
        }
      }
    }

    /// In the order of the edits, without those that were refused.
    package var edits: [Edit] = []
    /// The edits that were skipped; always empty with ``RefusalPolicy/rejectAll``.
    package var refusals: [EditRefusal] = []
    /// The new lines as stored, each with its `\n`.
    package var lines: [UInt8] = []
    /// What recovery repaired first.
    package var repairs: [LogRepair] = []
  }

  /// Decides edits against the current ledger and appends the resulting events in one durable write.
  ///
  /// - Parameters:
  ///   - policy: what to do about an edit that the rules refuse.
  ///   - today: the day in the ledger's zone.
  /// - Throws: ``EditRefusal`` for the first edit that the rules refuse, with
  ///   ``RefusalPolicy/rejectAll``; ``LogError``.
  package func append(
    _ edits: [Edit], onRefusal policy: RefusalPolicy = .rejectAll, at now: Timestamp,
    today: CalendarDate, using generator: inout some RandomNumberGenerator
  ) throws -> Outcome {
    let needsState = edits.contains(where: \.needsState)
    func decided(_ state: LedgerState?, _ view: LogView) throws -> [Decision] {
      let facts = BatchFacts(state: state, edits: edits.count)
      let decider = BatchDecider(
        facts, try knownIDs(Set(edits.compactMap(\.id)), view),
        after: try view.lastLine()?.seq ?? 0,
        notesEdits: needsState && edits.count > 1, at: now, today: today)
      return try decide(edits, policy, decider, using: &generator)
    }
    guard needsState else {
      return try transaction(from: .nothing) { transaction in
        try write(decided(nil, transaction.view()), &transaction, using: &generator)
      }
    }
    return try transaction(
      since: { edits.count == 1 ? edits[0].change.logging(in: $0) : nil },
      deciding: { state, view in try decided(state, view) },
      { decisions, transaction in try write(decisions, &transaction, using: &generator) })
  }

  private func write(
    _ decisions: [Decision], _ transaction: inout Transaction,
    using generator: inout some RandomNumberGenerator
  ) throws -> Outcome {
    var outcome = try transaction.append(decisions.compactMap(\.event), using: &generator)
    var appended = outcome.edits.makeIterator()
    outcome.edits = []
    for decision in decisions {
      switch decision {
      case .append: outcome.edits.append(appended.next()!)
      case .known(let seq): outcome.edits.append(.known(seq))
      case .refuse(let refusal): outcome.refusals.append(refusal)
      }
    }
    return outcome
  }

  /// Appends edits that are composed from the current ledger, under the log's lock: no other process
  /// appends in between.
  ///
  /// - Parameters:
  ///   - fields: what the edits depend on.
  ///   - today: the day in the ledger's zone.
  ///   - compose: given the current values of these fields, from the log's own lines; `nil` for a field that
  ///     was never set. May be called several times.
  /// - Throws: ``EditRefusal``; ``LogError``; what `compose` throws, with nothing written.
  package func append(
    from fields: [ProfileField], at now: Timestamp, today: CalendarDate,
    using generator: inout some RandomNumberGenerator,
    composing compose: ((ProfileField) -> JSONValue?) throws -> [Edit]
  ) throws -> Outcome {
    try transaction(
      since: { state in
        fields.map { state.setter(of: $0)?.number ?? 0 }.min().flatMap { Seq(exactly: $0) }
      },
      deciding: { state, view in
        for field in fields { try state.requireValue(of: field) }
        let edits = try compose { field in state.origin(of: field)?.value }
        let decider = BatchDecider(
          BatchFacts(state: state, edits: 1), [:], after: try view.lastLine()?.seq ?? 0,
          notesEdits: edits.count > 1, at: now, today: today)
        return try decide(edits, .rejectAll, decider, using: &generator)
      },
      { decisions, transaction in
        try transaction.append(decisions.compactMap(\.event), using: &generator)
      })
  }

  private func knownIDs(
    _ ids: Set<EventID>, _ view: LogView
  ) throws -> [EventID: Seq] {
    guard !ids.isEmpty else { return [:] }
    return try view.seqs(of: ids, in: view.lineBlocks())
  }

  /// - Returns: a decision for each edit.
  private func decide(
    _ edits: [Edit], _ policy: RefusalPolicy, _ decider: BatchDecider,
    using generator: inout some RandomNumberGenerator
  ) throws(EditRefusal) -> [Decision] {
    var decider = decider
    decider.refusesLongEvents = policy == .skip
    var decisions: [Decision] = []
    for (index, edit) in edits.enumerated() {
      do throws(Refusal) {
        decisions.append(try decider.decide(edit, using: &generator))
      } catch {
        let refusal = EditRefusal(index: index, refusal: error)
        guard policy == .skip else { throw refusal }
        decisions.append(.refuse(refusal))
      }
    }
    return decisions
  }
}

// MARK: Large batches

/// Edits that are appended all or none. They are kept in pieces, which are released as soon as they are
/// decided.
package final class EditBatch {
  package private(set) var count = 0
  fileprivate private(set) var ids: Set<EventID> = []
  fileprivate private(set) var needsState = false
  private var pieces: [[Edit]] = []

  private static let editsPerPiece = 1024

  package init() {}

  package func add(_ edit: Edit) {
    count += 1
    if let id = edit.id { ids.insert(id) }
    needsState = needsState || edit.needsState
    if pieces.last.map({ $0.count == Self.editsPerPiece }) ?? true { pieces.append([]) }
    pieces[pieces.count - 1].append(edit)
  }

  /// Calls `body` with each edit and its index, from 0, and releases the edits on the way.
  fileprivate func releaseEach(
    _ body: (_ index: Int, _ edit: Edit) throws -> Void
  ) rethrows {
    var index = 0
    for place in pieces.indices {
      let piece = pieces[place]
      pieces[place] = []
      for edit in piece {
        try body(index, edit)
        index += 1
      }
    }
  }
}

/// An edit of a batch cannot be a line of the log.
package struct UnwritableEdit: Error {
  /// Counted from 0.
  package var index: Int
  package var error: LogError
}

extension LedgerStore {
  /// The result of appending a batch.
  package struct BatchOutcome: Sendable {
    /// The seqs of the new events, in the order of their edits.
    package var appended: Range<Int>
    /// By edit, the event of the log that has its id already; `nil` for a new one.
    package var known: [Seq?]
    /// The new lines as stored, in pieces of whole lines.
    package var lines: [[UInt8]]
    /// What recovery repaired first.
    package var repairs: [LogRepair]
  }

  /// Appends a batch in one durable write, as ``append(_:onRefusal:at:today:using:)`` does. Its events
  /// are not kept in memory, only their lines.
  ///
  /// - Parameter batch: for one use; its edits are released on the way.
  /// - Throws: ``EditRefusal`` for the first edit that the rules refuse; ``UnwritableEdit``;
  ///   ``LogError``. Nothing was written then.
  package func append(
    _ batch: EditBatch, at now: Timestamp, today: CalendarDate,
    using generator: inout some RandomNumberGenerator
  ) throws -> BatchOutcome {
    let needsState = batch.needsState
    return try transaction(from: needsState ? .verifiedState : .nothing) { transaction in
      let facts = BatchFacts(
        state: needsState ? try transaction.ledger().state : nil, edits: batch.count)
      let ids = try knownIDs(batch.ids, transaction.view())
      let lines = transaction.lines(expecting: batch.count)
      var decider = BatchDecider(
        facts, ids, after: lines.seqs.lowerBound - 1, notesEdits: needsState, at: now, today: today)
      var known: [Seq?] = []
      known.reserveCapacity(batch.count)
      try batch.releaseEach { index, edit in
        let decision: Decision
        do throws(Refusal) {
          decision = try decider.decide(edit, using: &generator)
        } catch {
          throw EditRefusal(index: index, refusal: error)
        }
        known.append(decision.known)
        guard let event = decision.event else { return }
        do throws(LogError) {
          try lines.add(event, salt: generator.next())
        } catch {
          throw UnwritableEdit(index: index, error: error)
        }
      }
      try transaction.append(lines)
      return BatchOutcome(
        appended: lines.seqs, known: known, lines: lines.pieces, repairs: transaction.repairs)
    }
  }
}

private enum Decision {
  case append(Event)
  /// The log already has it.
  case known(Seq)
  case refuse(EditRefusal)

  var event: Event? { if case .append(let event) = self { event } else { nil } }
  var known: Seq? { if case .known(let seq) = self { seq } else { nil } }
}

/// Decides the edits of a batch in order.
private struct BatchDecider {
  private var facts: BatchFacts
  private let known: [EventID: Seq]
  /// Given ids; the others are new.
  private var accepted: Set<EventID> = []
  /// The seq of the last event, as far as it is decided.
  private var end: Int
  private let notesEdits: Bool
  /// Whether to refuse an event that no line of the log can hold, instead of failing when it is written.
  var refusesLongEvents = false
  private let now: Timestamp
  private let today: CalendarDate

  /// - Parameters:
  ///   - known: which given ids the log has.
  ///   - end: the seq of the log's last event.
  ///   - notesEdits: whether edits may depend on earlier ones of the batch.
  init(
    _ facts: BatchFacts, _ known: [EventID: Seq], after end: Int, notesEdits: Bool,
    at now: Timestamp, today: CalendarDate
  ) {
    (self.facts, self.known, self.end, self.notesEdits) = (facts, known, end, notesEdits)
    (self.now, self.today) = (now, today)
  }

  mutating func decide(
    _ edit: Edit, using generator: inout some RandomNumberGenerator
  ) throws(Refusal) -> Decision {
    if let id = edit.id {
      if let seq = known[id] { return .known(seq) }
      guard !accepted.contains(id) else {
        throw Refusal(
          .repeatedID, field: "id", value: id.description,
          "id \(id) appears twice in this batch")
      }
    }
    let payload = try LedgerModel.decide(edit.change, given: facts, today: today)
    if let (member, value) = payload.undoneProblem(at: Seq(end + 1)) {
      throw Refusal(
        .malformed, field: member, value: value,
        "'\(member)' is \(value); it must be the number of an earlier event")
    }
    let id = edit.id ?? .make(at: now, using: &generator)
    let event = Event(id: id, at: now, by: edit.by, payload: payload)
    if refusesLongEvents, !event.fitsLine {
      throw Refusal(.wrongLength, "the edit takes more bytes than a line of the log holds")
    }
    end += 1
    if notesEdits { facts.note(payload) }
    if let id = edit.id { accepted.insert(id) }
    return .append(event)
  }
}

/// What an append does about an edit that the rules refuse.
public enum RefusalPolicy: String, CaseIterable, Sendable {
  /// Throws the refusal and writes nothing.
  case rejectAll
  /// Writes the other edits, and reports the refusal.
  case skip
}

/// Which edit of a batch was refused, and why.
public struct EditRefusal: LedgerError, Hashable, Sendable {
  /// Counted from 0.
  public var index: Int
  /// Why it was refused.
  public var refusal: Refusal

  package init(index: Int, refusal: Refusal) { (self.index, self.refusal) = (index, refusal) }

  /// Stable, for programs.
  public var code: String { refusal.code }
  public var description: String { refusal.description }
}

extension Edit {
  /// Whether the rules need the ledger's entries to decide it.
  fileprivate var needsState: Bool {
    switch change {
    case .logProgress, .logSleep: !hasFreshEntry
    case .correctProgress, .deleteProgress, .correctSleep, .deleteSleep: true
    case .updateProfile, .updatePhysical, .updatePreferences, .setGoal, .removeGoal: false
    }
  }
}

extension Edit.Change {
  /// The event that logged the entry or session that it changes.
  fileprivate func logging(in state: LedgerState) -> Seq? {
    let id: EntryID
    switch self {
    case .correctProgress(let data): id = data.entry
    case .deleteProgress(let data): id = data.entry
    case .correctSleep(let data): id = data.entry
    case .deleteSleep(let data): id = data.entry
    case .logProgress, .logSleep, .updateProfile, .updatePhysical, .updatePreferences, .setGoal,
      .removeGoal:
      return nil
    }
    return state.row(of: id).map { state.entry(at: $0).seq }
      ?? state.session(of: id).map { state.session(at: $0).seq }
  }
}

/// The ledger's entries and those of the batch that is being decided.
private struct BatchFacts: LedgerFacts {
  private let state: LedgerState?
  private let index: [LedgerUUID: Int]?
  private var batch: [EntryID: EntryFacts] = [:]
  private let sessionIndex: [EntryID: Int]?
  private var sessions: [EntryID: SessionFacts] = [:]

  /// - Parameter edits: how many there are; many pay for a hash table.
  init(state: LedgerState?, edits: Int) {
    let indexing = edits > 16
    if indexing { batch.reserveCapacity(edits) }
    self.state = state
    index = indexing && state?.findsByOrder != true ? state?.rowsByID() : nil
    sessionIndex = indexing ? state?.sessionsByID() : nil
  }

  func session(_ id: EntryID) -> SessionFacts? {
    if let facts = sessions[id] { return facts }
    guard let sessionIndex else { return state?.session(id) }
    return sessionIndex[id].flatMap { index in state?.facts(ofSession: index) }
  }

  func entry(_ id: EntryID) -> EntryFacts? {
    if let facts = batch[id] { return facts }
    if let index {
      return index[id.uuid].flatMap { row in state?.facts(ofRow: row) }
    }
    return state?.entry(id)
  }

  mutating func note(_ payload: Event.Payload) {
    switch payload {
    case .progressLogged(let data):
      batch[data.entry] = EntryFacts(metric: data.metric, isDeleted: false)
    case .progressDeleted(let data):
      if let facts = entry(data.entry) {
        batch[data.entry] = EntryFacts(metric: facts.metric, isDeleted: true)
      }
    case .sleepLogged(let data): sessions[data.entry] = SessionFacts(data)
    case .sleepCorrected(let data):
      sessions[data.entry] = session(data.entry)?.corrected(by: data)
    case .sleepDeleted(let data):
      guard var facts = session(data.entry) else { return }
      facts.isDeleted = true
      sessions[data.entry] = facts
    default: break
    }
  }
}

// MARK: Events that no rule has to accept

extension LedgerStore {
  /// Appends events in one durable write. A crash before the return may keep the first of them.
  ///
  /// - Throws: ``LogError``.
  package func record(
    _ payloads: [Event.Payload], at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws {
    guard !payloads.isEmpty else { return }
    let events = payloads.map { Event($0, by: $0.recorder, at: now, using: &generator) }
    try transaction(from: .nothing) { transaction in
      _ = try transaction.append(events, isWhole: false, using: &generator)
    }
  }

  /// Appends the events of a decision, which is made under the log's lock from the verified state;
  /// keep it short.
  ///
  /// - Returns: the decision's outcome.
  /// - Throws: ``LogError``.
  package func record<Outcome>(
    at now: Timestamp, using generator: inout some RandomNumberGenerator,
    deciding: (LedgerState, LogView) throws(LogError) -> (
      payloads: [Event.Payload], outcome: Outcome
    )
  ) throws -> Outcome {
    try transaction(from: .verifiedState) { transaction in
      let (state, view) = try transaction.ledger()
      let (payloads, outcome) = try deciding(state, view)
      let events = payloads.map { Event($0, by: $0.recorder, at: now, using: &generator) }
      if !events.isEmpty { _ = try transaction.append(events, using: &generator) }
      return outcome
    }
  }
}

extension Event {
  init(
    _ payload: Payload, by actor: Event.Actor, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) {
    self.init(id: .make(at: now, using: &generator), at: now, by: actor, payload: payload)
  }
}

extension Event.Payload {
  /// Who records it (docs/log-format.md, Events).
  fileprivate var recorder: Event.Actor {
    switch self {
    case .accountSignedIn, .accountSignedOut, .ledgerCreated, .logRepaired: .system
    // The user chose whether to rebuild the backend or to take its data.
    case .accountReplaced: .user
    case .syncAttempted, .syncDeferred, .syncAcknowledged, .syncRejected, .syncHeld,
      .syncDiffered, .rowSkipped, .profilePulled, .progressPulled, .progressCorrected,
      .progressDeleted, .sleepPulled, .sleepCorrected, .sleepDeleted, .conflictDetected,
      .conflictResolved, .duplicateSuspected, .duplicateResolved,
      // Not decided by a sync so far.
      .profileUpdated, .physicalUpdated, .preferencesUpdated, .progressLogged, .sleepLogged,
      .goalSet, .goalRemoved, .editUndone, .eventErased, .unknown, .erased:
      .sync
    }
  }
}
