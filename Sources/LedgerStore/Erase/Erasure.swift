import LedgerJSON
import LedgerLog
public import LedgerModel
import LedgerProjections

/// What erasing comes to: which lines lose their content, what is recorded with it, what is left.
public struct Erasure: Hashable, Sendable {
  /// The event that was named; the first of those erased.
  public var subject: Seq
  /// `nil` for an edit of the person's fields.
  public var entry: EntryID?
  /// The events that lose their content, oldest first.
  public var seqs: [Seq] = []
  /// What each of them is to the erasure.
  var parts: [ErasedPart] = []
  /// Ids that stay known, for pulled rows whose own line said them.
  var bindings: [SyncAcknowledged] = []
  /// Whether the row at the backend is still to be deleted.
  public var queuesDeletion = false
  /// Rows that the backend still has of the entry; they go with the next sync.
  public var rows: [BackendID] = []
  /// Rows suspected to be doubles of it, which nobody but a person may delete.
  public var doubles: [BackendID] = []
  /// Where it was imported from: doing that again would bring it back.
  public var source: String?
  /// The names of the fields that the edit set, for its records.
  var fields: [String] = []
  /// Other events that say the same, and stay, since they are other edits.
  public var repeatedBy: [Seq] = []
  /// Bytes of which no copy may be left.
  var texts: [[UInt8]] = []

  init(subject: Seq) { self.subject = subject }

  mutating func add(_ recorded: RecordedEvent) {
    seqs.append(recorded.seq)
    if let part = ErasedPart(type: recorded.event.payload.type) { parts.append(part) }
    texts.append(Array(recorded.event.id.description.utf8))
  }

  /// Has no copy left of a member as the log writes it, and of a text however it is written.
  mutating func hide(_ name: String, _ value: JSONValue) {
    let member: JSONObject = [name: value]
    texts.append(Array(member.serialized.utf8.dropFirst().dropLast()))
    // Shorter ones stand in many a file that has nothing to do with it.
    if let text = value.string, text.utf8.count >= 6 { texts.append(Array(text.utf8)) }
  }
}

extension Erasure {
  /// Decides what erasing an event, and with it its entry, comes to.
  ///
  /// - Throws: ``EraseRefusal``; ``LogError``.
  static func decide(_ seq: Seq, _ state: LedgerState, in view: LogView) throws -> Erasure {
    guard seq.number <= state.position.seq else {
      throw EraseRefusal.noSuchEvent(seq, last: state.position.seq)
    }
    if let row = state.edits.row(seq.number) {
      let logged = Seq(Int(state.rows[row].seq))
      guard logged == seq else { throw EraseRefusal.isPartOfEntry(seq, logged: logged) }
      return try entry(row, state, in: view)
    }
    let recorded = try view.line(seq).event()
    switch recorded.event.payload {
    case .erased: throw EraseRefusal.isErased(seq)
    case .profileUpdated(let data):
      return try fields(recorded, .profile, data.data, state, in: view)
    case .physicalUpdated(let data):
      return try fields(recorded, .physical, data.data, state, in: view)
    case .preferencesUpdated(let data):
      return try fields(recorded, .preferences, data.data, state, in: view)
    case .unknown(let type, let version, _):
      guard version == 1 else { throw EraseRefusal.newerVersion(seq) }
      switch ErasedPart(type: type) {
      case .unknown?: break
      // Of an entry that this version cannot erase as a whole.
      case .logging?, .correction?, .deletion?: throw EraseRefusal.newerVersion(seq)
      case .fieldEdit?, .fieldAnswer?, .either?, nil:
        throw EraseRefusal.notContent(seq, type: type)
      }
      var erasure = Erasure(subject: recorded.seq)
      erasure.add(recorded)
      return erasure
    case .progressCorrected, .progressDeleted: throw EraseRefusal.hasNoEntry(seq)
    case .ledgerCreated, .progressLogged, .syncAttempted, .syncDeferred,
      .syncAcknowledged, .syncRejected, .syncHeld, .syncDiffered, .rowSkipped, .profilePulled,
      .progressPulled, .conflictDetected, .conflictResolved, .duplicateSuspected,
      .duplicateResolved, .editUndone, .accountSignedIn, .accountSignedOut, .accountReplaced,
      .eventErased, .logRepaired:
      throw EraseRefusal.notContent(seq, type: recorded.event.payload.type)
    }
  }

  // MARK: Entries

  /// The entry's own lines, and those of others that repeat what they say: refusals with the
  /// backend's words, conflicts, reasons for a deletion. Calls and answers hold ids alone, and stay.
  private static func entry(
    _ row: Int, _ state: LedgerState, in view: LogView
  ) throws -> Erasure {
    let id = EntryID(state.rows[row].id)
    var erasure = Erasure(subject: Seq(Int(state.rows[row].seq)))
    erasure.entry = id
    erasure.texts = [Array(id.description.utf8)]
    let rows = state.allRows(of: id.uuid)
    let edits = Set(rows.flatMap { state.allEdits(ofRow: $0) })
    if let doubt = edits.sorted().first(where: { state.edits.state($0.number) == .inDoubt }) {
      throw EraseRefusal.inDoubt(doubt)
    }
    var conflicts: Set<Seq> = []
    for number in state.mentions(ofEntry: id) {
      guard let seq = Seq(exactly: number) else { continue }
      let recorded = try view.line(seq).event()
      switch recorded.event.payload {
      case .progressLogged(let data) where data.entry == id:
        erasure.add(recorded)
        erasure.hide(data)
      case .progressPulled(let data) where data.entry == id:
        erasure.add(recorded)
        erasure.hide(data)
        erasure.keep(binding: data.backendID, by: [seq], of: id, state)
      case .progressCorrected(let data) where data.entry == id:
        erasure.add(recorded)
        if let notes = data.notes?.value { erasure.hide("notes", .string(notes)) }
        if let row = data.backendID { erasure.keep(binding: row, by: [seq], of: id, state) }
      case .progressDeleted(let data) where data.entry == id:
        guard data.reason != nil || !data.unknown.isEmpty else { continue }
        erasure.add(recorded)
      case .conflictDetected(let data) where data.subject == id.description:
        erasure.add(recorded)
        conflicts.insert(seq)
      case .conflictResolved(let data) where conflicts.contains(data.conflict):
        erasure.add(recorded)
      case .syncRejected(let data) where data.events.contains(where: edits.contains):
        erasure.add(recorded)
      case .syncAcknowledged(let data) where data.entry == id:
        if let row = data.backendID, !data.isOfDeletion { erasure.note(row: row, state) }
      case .syncDiffered(let data) where data.entry == id:
        erasure.add(recorded)
        if let row = data.backendID { erasure.keep(binding: row, by: data.events, of: id, state) }
      case .duplicateSuspected(let data) where data.entry == id:
        erasure.doubles += data.backendIDs
      default: break
      }
    }
    // Not one that this program has logged: readers could not tell it from two.
    guard
      erasure.parts.count(where: { $0 == .logging }) <= ErasedPart.mostLoggings(in: erasure.parts)
    else { throw EraseRefusal.entangled(erasure.subject) }
    if state.entry(at: row).isDeleted, state.status(state.rows[row]) == .synced,
      erasure.rows.count <= 1
    {
      // Deleted on both sides, whoever began.
      erasure.rows = []
    }
    erasure.queuesDeletion = !erasure.rows.isEmpty
    return erasure
  }

  /// The id stays known although the event that bound it loses its content.
  private mutating func keep(
    binding row: BackendID, by events: [Seq], of entry: EntryID, _ state: LedgerState
  ) {
    bindings.append(
      SyncAcknowledged(events: events, via: .elided, entry: entry, backendID: row))
    note(row: row, state)
  }

  private mutating func note(row: BackendID, _ state: LedgerState) {
    if !state.isGone(row), !rows.contains(row) { rows.append(row) }
  }

  private mutating func hide(_ data: ProgressLogged) {
    hideValues(data.metric, data.quantity, data.date)
    if let notes = data.notes, !notes.isEmpty { hide("notes", .string(notes)) }
    if let id = data.sourceID { hide("source_id", .string(id)) }
    source = source ?? data.source
  }

  private mutating func hide(_ data: ProgressPulled) {
    hideValues(data.metric, data.quantity, data.date)
    if let notes = data.notes, !notes.isEmpty { hide("notes", .string(notes)) }
  }

  /// A torn copy of the same append, under another id.
  private mutating func hideValues(_ metric: Metric, _ quantity: Double, _ date: CalendarDate) {
    let values: JSONObject = [
      "metric": .string(metric.name), "quantity": .number(quantity),
      "date": .string(date.description),
    ]
    texts.append(Array(values.serialized.utf8.dropFirst().dropLast()))
  }
}
