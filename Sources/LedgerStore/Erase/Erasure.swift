import LedgerJSON
import LedgerLog
public import LedgerModel
import LedgerProjections

/// A planned erasure: which lines lose their content, what is recorded, what remains.
public struct Erasure: Hashable, Sendable {
  /// The event named by the user; the first of those erased.
  public var subject: Seq
  /// Of an entry or a sleep session; `nil` for a profile edit or a goal.
  public var entry: EntryID?
  /// Whether it is a sleep session, which the backend cannot delete.
  public var isSession = false
  /// The events that lose their content, oldest first.
  public var seqs: [Seq] = []
  private var parts: [ErasedPart] = []
  /// Acknowledgements that replace erased lines as the record of a row's id or of an answer.
  var bindings: [SyncAcknowledged] = []
  /// Whether the backend's row has yet to be deleted.
  public var queuesDeletion = false
  /// Rows of the entry that the backend still has; the next sync deletes them.
  public var rows: [BackendID] = []
  /// Rows suspected to be duplicates of it, which only the user may delete.
  public var suspectedRows: [BackendID] = []
  /// Where it was imported from; importing again would restore it.
  public var source: String?
  /// Seqs of the events that may be about the entry, those that stay included.
  private(set) var mentions: [Int] = []
  /// The names of the fields that the edit set.
  var fields: [String] = []
  /// Whether it is an edit of the profile, and not one that is never sent.
  package var isOfProfile: Bool { !fields.isEmpty }
  /// Other edits with the same values, which stay.
  public var repeatedBy: [Seq] = []
  /// Byte sequences of which no copy may remain.
  private(set) var texts: [[UInt8]] = []

  private init(subject: Seq) { self.subject = subject }

  private mutating func add(_ recorded: RecordedEvent) {
    seqs.append(recorded.seq)
    if let part = ErasedPart(type: recorded.event.payload.type) { parts.append(part) }
    texts.append(Array(recorded.event.id.description.utf8))
  }

  /// Adds a member as the log writes it, and a text value also without its name.
  private mutating func hide(_ name: String, _ value: JSONValue) {
    let member: JSONObject = [name: value]
    texts.append(Array(member.serialized.utf8.dropFirst().dropLast()))
    // Shorter texts occur in unrelated files.
    if let text = value.string, text.utf8.count >= 6 { texts.append(Array(text.utf8)) }
  }
}

extension Erasure {
  /// Plans erasing events, or whole entries by the events that logged them; each once.
  ///
  /// - Throws: ``EraseRefusal``; ``LogError``.
  static func all(of seqs: [Seq], _ state: LedgerState, in view: LogView) throws -> [Erasure] {
    var named: Set<Seq> = []
    let seqs = seqs.filter { named.insert($0).inserted }
    let entries = seqs.compactMap { seq in
      state.edits.row(seq.number).map { EntryID(state.rows[$0].id) }
        ?? state.session(ofEdit: seq.number).map { state.session(at: $0).id }
    }
    let events = try EntryEvents(of: Set(entries), state, in: view)
    let suspicions = Set(state.suspicions().lazy.filter(\.isOpen).map(\.seq))
    var erasures = try seqs.map { try Erasure(of: $0, events, suspicions, state, in: view) }
    findRepetitions(of: &erasures, state)
    return erasures
  }

  /// Notes the entries with the values of an erased one that no view shows, since they were deleted or
  /// their logging was undone: an entry that was made again has a new id, and its former lines stay.
  private static func findRepetitions(of erasures: inout [Erasure], _ state: LedgerState) {
    var places: [Values: [Int]] = [:]
    for (place, erasure) in erasures.enumerated() {
      guard let row = state.edits.row(erasure.subject.number) else { continue }
      for values in Values.all(ofRow: row, state) {
        places[values, default: []].append(place)
      }
    }
    guard !places.isEmpty else { return }
    let erased = Set(erasures.flatMap(\.seqs))
    for index in state.rows(loggedFor: Set(places.keys.map(\.day))) {
      let seq = Seq(Int(state.rows[index].seq))
      guard !erased.contains(seq), state.liveValues(ofRow: index) == nil else { continue }
      let found = Set(Values.all(ofRow: index, state).flatMap { places[$0] ?? [] })
      for place in found { erasures[place].repeatedBy.append(seq) }
    }
  }

  /// What an entry says.
  private struct Values: Hashable {
    var metric: Metric
    var day: Int32
    var moment: ZonedTime?
    var quantity: Double

    /// As it was logged, and as it is now, or was when it was deleted.
    static func all(ofRow row: Int, _ state: LedgerState) -> Set<Values> {
      let logged = state.entry(at: row, upTo: Seq(Int(state.rows[row].seq)))
      return Set(
        [logged, state.entry(at: row)].map {
          Values(
            metric: $0.metric, day: $0.date.daysSince1970, moment: $0.moment,
            quantity: $0.quantity)
        })
    }
  }

  /// - Parameters:
  ///   - events: those about the entry, among others.
  ///   - suspicions: the events of those that wait for a decision.
  private init(
    of seq: Seq, _ events: EntryEvents, _ suspicions: Set<Seq>, _ state: LedgerState,
    in view: LogView
  ) throws {
    guard seq.number <= state.position.seq else {
      throw EraseRefusal.noSuchEvent(seq, last: state.position.seq)
    }
    if let row = state.edits.row(seq.number) {
      let logged = Seq(Int(state.rows[row].seq))
      guard logged == seq else { throw EraseRefusal.isPartOfEntry(seq, logged: logged) }
      let id = EntryID(state.rows[row].id)
      self = try Self.entry(
        id, seq, events.edits(ofEntry: id), events.mentions(of: id), suspicions, state, in: view)
      settleDeletion(state.entry(at: row).isDeleted, state.status(state.rows[row]))
      return
    }
    if let index = state.session(ofEdit: seq.number) {
      let session = state.session(at: index)
      guard session.seq == seq else { throw EraseRefusal.isPartOfEntry(seq, logged: session.seq) }
      self = try Self.entry(
        session.id, seq, events.edits(ofSession: session.id), events.mentions(of: session.id),
        suspicions, state, in: view)
      isSession = true
      settleDeletion(session.isDeleted, session.status)
      return
    }
    let recorded = try view.line(seq).event()
    switch recorded.event.payload {
    case .erased: throw EraseRefusal.isErased(seq)
    case .profileUpdated(let data):
      self = try Self.fields(recorded, .profile, data.data, state, in: view)
    case .physicalUpdated(let data):
      self = try Self.fields(recorded, .physical, data.data, state, in: view)
    case .preferencesUpdated(let data):
      self = try Self.fields(recorded, .preferences, data.data, state, in: view)
    case .unknown(let type, let version, _):
      guard version == 1 else { throw EraseRefusal.newerVersion(seq) }
      switch ErasedPart(type: type) {
      case .unknown?: break
      // Part of an entry that this version cannot erase as a whole.
      case .logging?, .correction?, .deletion?: throw EraseRefusal.newerVersion(seq)
      case .fieldEdit?, .fieldAnswer?, .either?, nil:
        throw EraseRefusal.notContent(seq, type: type)
      }
      self.init(subject: recorded.seq)
      add(recorded)
    case .goalSet:
      self.init(subject: recorded.seq)
      add(recorded)
    case .progressCorrected, .progressDeleted, .sleepCorrected, .sleepDeleted:
      throw EraseRefusal.hasNoEntry(seq)
    case .ledgerCreated, .progressLogged, .syncAttempted, .syncDeferred,
      .syncAcknowledged, .syncRejected, .syncHeld, .syncDiffered, .rowSkipped, .profilePulled,
      .progressPulled, .conflictDetected, .conflictResolved, .duplicateSuspected,
      .duplicateResolved, .editUndone, .accountSignedIn, .accountSignedOut, .accountReplaced,
      .sleepLogged, .sleepPulled, .eventErased, .logRepaired, .goalRemoved:
      throw EraseRefusal.notContent(seq, type: recorded.event.payload.type)
    }
  }

  // MARK: Entries

  /// The entry's own lines and those that repeat their content: refusals with the backend's message,
  /// conflicts, reasons for a deletion. Calls and answers contain only ids and stay.
  private static func entry(
    _ id: EntryID, _ logged: Seq, _ edits: [Seq], _ mentions: [Int], _ suspicions: Set<Seq>,
    _ state: LedgerState, in view: LogView
  ) throws -> Erasure {
    var erasure = Erasure(subject: logged)
    erasure.entry = id
    erasure.texts = [Array(id.description.utf8)]
    let edits = Set(edits)
    // The POST of a session whose answer was lost is simply sent again, so it is not in doubt.
    let doubt = edits.sorted().first { edit in
      state.session(ofEdit: edit.number) == nil
        ? state.edits.state(edit.number) == .inDoubt : state.edits.mayHaveArrived(edit.number)
    }
    if let doubt { throw EraseRefusal.inDoubt(doubt) }
    var conflicts: Set<Seq> = []
    erasure.mentions = mentions
    for number in erasure.mentions {
      guard let seq = Seq(exactly: number) else { continue }
      let recorded = try view.line(seq).event()
      erasure.addEdit(recorded, of: id, state)
      erasure.addAnswer(recorded, of: id, edits, state)
      erasure.addDecision(recorded, of: id, &conflicts, suspicions)
    }
    // Not as this program writes them: readers would take them for two entries.
    guard ErasedPart.areOfOneEntry(erasure.parts) else {
      throw EraseRefusal.entangled(erasure.subject)
    }
    return erasure
  }

  /// Adds a line that logs, pulls, corrects or deletes the entry.
  private mutating func addEdit(_ recorded: RecordedEvent, of id: EntryID, _ state: LedgerState) {
    let seq = recorded.seq
    switch recorded.event.payload {
    case .progressLogged(let data) where data.entry == id:
      add(recorded)
      hide(data)
    case .progressPulled(let data) where data.entry == id:
      add(recorded)
      hide(data)
      keep(binding: data.backendID, of: id, by: seq, state)
    case .progressCorrected(let data) where data.entry == id:
      add(recorded)
      if let notes = data.notes?.value { hide("notes", .string(notes)) }
      if let row = data.backendID { keep(binding: row, of: id, by: seq, state) }
    case .progressDeleted(let data) where data.entry == id:
      // Its last row is that of another entry.
      if DeletionReason.saysRowBelongsToAnother(data.reason) {
        rows.removeAll { $0 == bindings.last?.backendID }
        _ = bindings.popLast()
      }
      if data.reason != nil || !data.unknown.isEmpty { add(recorded) }
    case .sleepLogged(let data) where data.entry == id:
      add(recorded)
      hide(data.start, data.end, data.notes, data.sourceID)
      source = source ?? data.source
    case .sleepPulled(let data) where data.entry == id:
      add(recorded)
      hide(data.start, data.end, data.notes, data.sourceID)
      keep(binding: data.backendID, of: id, by: seq, state)
    case .sleepCorrected(let data) where data.entry == id:
      add(recorded)
      if let notes = data.notes?.value { hide("notes", .string(notes)) }
    case .sleepDeleted(let data) where data.entry == id:
      if data.reason != nil || !data.unknown.isEmpty { add(recorded) }
    default: break
    }
  }

  /// Adds an answer of the backend about the entry, or notes the row that it bound.
  ///
  /// - Parameter edits: those of the entry.
  private mutating func addAnswer(
    _ recorded: RecordedEvent, of id: EntryID, _ edits: Set<Seq>, _ state: LedgerState
  ) {
    switch recorded.event.payload {
    case .syncRejected(let data) where data.events.contains(where: edits.contains):
      add(recorded)
    case .syncAcknowledged(let data) where data.entry == id:
      if let row = data.backendID, !data.isOfDeletion {
        note(row: row, boundBy: recorded.seq, state)
      }
    case .syncDiffered(let data) where data.entry == id:
      add(recorded)
      if let row = data.backendID {
        keep(binding: row, of: id, by: recorded.seq, events: data.events, state)
      }
    default: break
    }
  }

  /// Adds a conflict over the entry, or its decision, and notes suspected rows.
  ///
  /// - Parameters:
  ///   - conflicts: those over the entry so far.
  ///   - suspicions: the events of those that wait for a decision.
  private mutating func addDecision(
    _ recorded: RecordedEvent, of id: EntryID, _ conflicts: inout Set<Seq>,
    _ suspicions: Set<Seq>
  ) {
    switch recorded.event.payload {
    case .conflictDetected(let data) where data.subject == id.description:
      add(recorded)
      conflicts.insert(recorded.seq)
    case .conflictResolved(let data) where conflicts.contains(data.conflict): add(recorded)
    case .duplicateSuspected(let data) where data.entry == id:
      if suspicions.contains(recorded.seq) { suspectedRows += data.backendIDs }
    default: break
    }
  }

  /// An entry that is deleted on both sides needs no deletion.
  private mutating func settleDeletion(_ isDeleted: Bool, _ status: EntryStatus) {
    if isDeleted, status == .synced, rows.count <= 1 { rows = [] }
    queuesDeletion = !rows.isEmpty
  }

  /// Records the id of a row that may exist again, since the event that bound it loses its content.
  ///
  /// - Parameter events: the edits that it bound; `nil` for itself.
  private mutating func keep(
    binding row: BackendID, of entry: EntryID, by seq: Seq, events: [Seq]? = nil,
    _ state: LedgerState
  ) {
    guard isThere(row, boundBy: seq, state) else { return }
    bindings.append(
      SyncAcknowledged(events: events ?? [seq], via: .elided, entry: entry, backendID: row))
    note(row: row, boundBy: seq, state)
  }

  private mutating func note(row: BackendID, boundBy seq: Seq, _ state: LedgerState) {
    if isThere(row, boundBy: seq, state), !rows.contains(row) { rows.append(row) }
  }

  /// Whether the account may have a row. One with another user id has none of before.
  private func isThere(_ row: BackendID, boundBy seq: Seq, _ state: LedgerState) -> Bool {
    !state.isDeletedAtBackend(row, since: seq) && !state.isOfEarlierAccount(seq)
  }

  private mutating func hide(_ data: ProgressLogged) {
    hideValues(data.metric, data.quantity, data.date)
    if let notes = data.notes, !notes.isEmpty { hide("notes", .string(notes)) }
    if let id = data.sourceID { hide("source_id", .string(id)) }
    if let id = data.claimedBackendID { hide("claimed_backend_id", .string(id.text)) }
    source = source ?? data.source
  }

  private mutating func hide(_ data: ProgressPulled) {
    hideValues(data.metric, data.quantity, data.date)
    if let notes = data.notes, !notes.isEmpty { hide("notes", .string(notes)) }
  }

  private mutating func hide(
    _ start: ZonedTimestamp, _ end: ZonedTimestamp, _ notes: String?, _ sourceID: String?
  ) {
    let values: JSONObject = [
      "start": .string(start.description), "end": .string(end.description),
    ]
    texts.append(Array(values.serialized.utf8.dropFirst().dropLast()))
    if let notes, !notes.isEmpty { hide("notes", .string(notes)) }
    if let sourceID { hide("source_id", .string(sourceID)) }
  }

  /// Finds a torn copy of the same append, which has another id.
  private mutating func hideValues(_ metric: Metric, _ quantity: Double, _ date: CalendarDate) {
    let values: JSONObject = [
      "metric": .string(metric.name), "quantity": .number(quantity),
      "date": .string(date.description),
    ]
    texts.append(Array(values.serialized.utf8.dropFirst().dropLast()))
  }

  // MARK: Fields

  /// A profile edit is erased, with the answers that repeat its values, once it is overwritten and the
  /// backend has the later value: then no state depends on it.
  private static func fields(
    _ recorded: RecordedEvent, _ subject: ProfileSubject, _ data: JSONObject,
    _ state: LedgerState, in view: LogView
  ) throws -> Erasure {
    let seq = recorded.seq
    var values: [ProfileField: JSONValue] = [:]
    for member in data.members {
      guard let field = ProfileField(rawValue: member.name), field.subject == subject else {
        continue
      }
      values[field] = member.value
    }
    switch state.edits.state(seq.number) {
    case .inDoubt: throw EraseRefusal.inDoubt(seq)
    case .pending, .held, .rejected, .differed: throw EraseRefusal.notAcknowledged(seq)
    case .acknowledged, .undone, .none: break
    }
    let wasSent = state.edits.state(seq.number) == .acknowledged
    for field in values.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      if state.profile.hasOpenConflict(field) { throw EraseRefusal.inConflict(seq, field) }
      guard let current = state.profile.current(field, state.edits), current.seq != seq.number
      else {
        if wasSent { throw EraseRefusal.inForce(seq, field) }
        continue
      }
      if wasSent, state.hasOpenEdit(of: field) { throw EraseRefusal.notReplaced(seq, field) }
    }
    var erasure = Erasure(subject: seq)
    erasure.fields = ProfileField.allCases.filter { values[$0] != nil }.map(\.rawValue)
    try erasure.addCarriers(of: values, since: recorded, state, in: view)
    // A pull or a decision may have set the same value again.
    for field in ProfileField.allCases where values[field] != nil {
      guard let current = state.profile.current(field, state.edits),
        let setBy = erasure.seqs.first(where: { $0 != seq && $0.number == current.seq })
      else { continue }
      throw EraseRefusal.inForce(setBy, field)
    }
    return erasure
  }

  /// Adds every line that contains one of these values of its field, in log order.
  private mutating func addCarriers(
    of values: [ProfileField: JSONValue], since edit: RecordedEvent, _ state: LedgerState,
    in view: LogView
  ) throws {
    for (field, value) in values where !value.isNull { hide(field.rawValue, value) }
    var conflicts: Set<Seq> = []
    try view.forEachEvent { recorded, _ in
      switch recorded.event.payload {
      case .profileUpdated(let data): note(recorded, data.data, values, edit)
      case .physicalUpdated(let data): note(recorded, data.data, values, edit)
      case .preferencesUpdated(let data): note(recorded, data.data, values, edit)
      case .syncAcknowledged(let data):
        guard let remote = data.remote else { break }
        // The backend may have trimmed the text that this edit sent, or sorted its list.
        let isOwn = data.events.contains(edit.seq)
        guard isOwn ? remote.repeatsNearly(values) : remote.repeats(values) else { break }
        add(recorded)
        // The other edits that it answered stay acknowledged.
        let others = data.events.filter { $0 != edit.seq }
        guard !others.isEmpty else { break }
        bindings.append(
          SyncAcknowledged(
            call: data.call, events: others, status: data.status, via: data.via))
      case .syncDiffered(let data): if data.remote.repeats(values) { add(recorded) }
      case .syncRejected(let data): if data.body?.object?.repeats(values) == true { add(recorded) }
      case .profilePulled(let data): if data.fields.repeats(values) { add(recorded) }
      case .conflictDetected(let data):
        guard let field = ProfileField(rawValue: data.field), let value = values[field],
          !value.isNull, [data.base, data.local, data.remote].contains(value)
        else { break }
        add(recorded)
        conflicts.insert(recorded.seq)
      case .conflictResolved(let data): if conflicts.contains(data.conflict) { add(recorded) }
      default: break
      }
      return true
    }
  }

  private mutating func note(
    _ recorded: RecordedEvent, _ data: JSONObject, _ values: [ProfileField: JSONValue],
    _ edit: RecordedEvent
  ) {
    if recorded.seq == edit.seq {
      add(recorded)
    } else if data.repeats(values) {
      repeatedBy.append(recorded.seq)
    }
  }
}

extension JSONObject {
  fileprivate func repeats(_ values: [ProfileField: JSONValue]) -> Bool {
    members.contains { member in
      guard let field = ProfileField(rawValue: member.name), let value = values[field] else {
        return false
      }
      return !value.isNull && value == member.value
    }
  }

  fileprivate func repeatsNearly(_ values: [ProfileField: JSONValue]) -> Bool {
    members.contains { member in
      guard let field = ProfileField(rawValue: member.name), let value = values[field],
        !value.isNull
      else { return false }
      return value.plain == member.value.plain
    }
  }
}

extension JSONValue {
  /// Texts without white space at the ends, and lists in one order.
  fileprivate var plain: JSONValue {
    if let text = string { return .string(Self.trimmed(text)) }
    return array.map { .array($0.sorted { $0.serialized < $1.serialized }) } ?? self
  }

  private static func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
