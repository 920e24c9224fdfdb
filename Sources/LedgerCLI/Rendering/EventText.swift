import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore

/// Sentences for events, in the user's units.
struct EventText {
  private let names: EntryNames
  private let quantities: QuantityText
  private let home: LocalZone

  /// - Parameter home: times of other offsets are shown with them.
  init(names: EntryNames, home: LocalZone) {
    (self.names, self.home) = (names, home)
    quantities = QuantityText(units: names.units)
  }

  func entry(_ event: Event) -> EntryID? { event.payload.entryID }

  /// What an event did, and the event that it undoes, if any.
  ///
  /// - Parameter showsValuesBefore: of what it changed; otherwise only those that it set.
  func sentence(_ recorded: RecordedEvent, showsValuesBefore: Bool = false) -> String {
    let event = recorded.event
    let words = words(event, at: showsValuesBefore ? recorded.seq : nil)
    if case .editUndone(let data) = event.payload {
      return recorded.undone == nil ? "undid nothing: #\(data.event) is no earlier event" : words
    }
    guard event.by == .user, let undone = recorded.undone else { return words }
    return "\(words) (undoes #\(undone))"
  }

  /// What an event did; of an entry or a session that was changed since, its values now come first.
  ///
  /// - Throws: ``LogError`` for lines that cannot be read.
  func presentSentence(_ recorded: RecordedEvent, in view: LogView) throws(LogError) -> String {
    let first = sentence(recorded)
    guard let id = recorded.event.payload.entryID else { return first }
    var present = try present(entry: id, since: recorded.seq, in: view)
    if present == nil { present = try self.present(session: id, since: recorded.seq, in: view) }
    guard let present else { return first }
    let deleted = present.isDeleted ? ", deleted" : ""
    return present.text.map { "\($0)\(deleted); at first: \(first)" } ?? first + deleted
  }

  /// - Returns: `nil` if it is no entry; without a text if its values are those of its event.
  private func present(
    entry id: EntryID, since seq: Seq, in view: LogView
  ) throws(LogError) -> (text: String?, isDeleted: Bool)? {
    guard let now = names.entry(id), let first = names.entry(id, before: Seq(seq.number + 1))
    else { return nil }
    let isSame =
      now.quantity == first.quantity && now.date == first.date && now.moment == first.moment
      && now.notesIn == first.notesIn
    guard !isSame else { return (nil, now.isDeleted) }
    let text = EntrySentence(units: names.units, home: home).sentence(now)
    return (text + notes(try DetailedEntry(now, in: view).notes), now.isDeleted)
  }

  /// As of an entry.
  private func present(
    session id: EntryID, since seq: Seq, in view: LogView
  ) throws(LogError) -> (text: String?, isDeleted: Bool)? {
    guard let now = names.session(id, before: nil),
      let first = names.session(id, before: Seq(seq.number + 1))
    else { return nil }
    let isSame =
      now.start == first.start && now.end == first.end && now.stagesIn == first.stagesIn
      && now.notesIn == first.notesIn
    guard !isSame else { return (nil, now.isDeleted) }
    let texts = try view.texts(of: now)
    return (SleepText.logged(now.start, now.end, texts.stages) + notes(texts.notes), now.isDeleted)
  }

  /// - Parameter seq: of the event, to show the values before it; `nil` for those it set alone.
  func words(_ event: Event, at seq: Seq? = nil) -> String {
    switch event.payload {
    case .ledgerCreated(let data): "ledger created on \(data.device)"
    case .profileUpdated(let data): "profile: " + fields(data.data)
    case .physicalUpdated(let data): "physical: " + fields(data.data)
    case .preferencesUpdated(let data): "preferences: " + fields(data.data)
    case .progressLogged(let data): logged(data)
    case .progressCorrected(let data): corrected(data, at: seq)
    case .progressDeleted(let data): deleted(data, by: event.by, at: seq)
    case .progressPulled(let data): pulled(data)
    case .sleepLogged(let data):
      SleepText.logged(data.start, data.end, data.stages) + notes(data.notes)
        + (data.source.map { " from \($0)" } ?? "")
    case .sleepPulled(let data):
      "pulled " + SleepText.logged(data.start, data.end, []) + notes(data.notes)
    case .sleepCorrected(let data):
      SleepText.corrected(data, seq.flatMap { names.session(data.entry, before: $0) })
    case .sleepDeleted(let data): deleted(data, at: seq)
    case .syncAttempted(let data):
      "\(data.method) \(data.path) with \(SyncText.list(data.events))"
        + (data.attempt > 1 ? ", attempt \(data.attempt)" : "")
    case .syncDeferred(let data):
      "put off \(SyncText.list(data.events)): \(data.reason.rawValue)"
        + (data.status.map { " (\($0))" } ?? "")
    case .syncAcknowledged(let data): SyncText.sentence(data)
    case .syncRejected(let data):
      "rejected \(SyncText.list(data.events)) (\(data.status)): \(data.message)"
    case .syncHeld(let data): "held \(SyncText.list(data.events)): \(data.reason)"
    case .syncDiffered(let data) where data.remote.isEmpty:
      "the backend has no row for \(SyncText.list(data.events)), which was to be kept"
    case .syncDiffered(let data):
      "the backend has other values for \(SyncText.list(data.events)): \(data.remote.serialized)"
    case .rowSkipped(let data):
      "row \(data.backendID?.text ?? "without id") of the backend skipped: \(data.field) "
        + "\(json(data.value)), \(data.reason)"
    case .accountReplaced(let data):
      "the backend's account was created again: \(data.reason)"
    case .profilePulled(let data): "pulled profile: " + fields(data.fields)
    case .conflictDetected(let data):
      "conflict over \(data.field): here \(side(data.local, of: data)), "
        + "there \(side(data.remote, of: data)); "
        + (data.decision == .open ? "open" : "\(data.decision.rawValue) wins")
    case .conflictResolved(let data):
      "conflict #\(data.conflict) resolved: took the \(data.decision.rawValue) value"
    case .duplicateSuspected(let data):
      "\(counted(data.backendIDs.count, "row")) at the backend may be one entry"
    case .duplicateResolved(let data):
      "suspicion #\(data.suspicion) resolved: the rows are "
        + (data.decision == .one ? "duplicates" : "entries of their own")
    case .goalSet(let data):
      "goal: " + GoalText(quantities: quantities).target(data)
    case .goalRemoved(let data): "goal for \(data.metric.words) removed"
    case .editUndone(let data): "undid #\(data.event)"
    case .accountSignedIn(let data): "signed in as \(data.account) at \(data.origin)"
    case .accountSignedOut(let data):
      "signed out" + (data.reason.map { " (\($0))" } ?? "")
    case .eventErased(let data): "erased #\(data.event): \(data.reason)"
    case .logRepaired(let data):
      "set \(counted(data.bytes, "torn byte")) aside as \(data.quarantined)"
    case .unknown(let type, _, let data): "\(type) \(data.serialized)"
    case .erased(let type, _): "\(type), erased"
    }
  }

  /// A value of a conflict: of an entry's quantity in the person's units.
  private func side(_ value: JSONValue?, of conflict: ConflictDetected) -> String {
    guard conflict.field == "quantity", let quantity = value?.number,
      let metric = EntryID(conflict.subject).flatMap({ names.metric(of: $0) })
    else { return json(value) }
    return quantities.words(quantity, of: metric)
  }

  private func logged(_ data: ProgressLogged) -> String {
    var text = "\(data.metric.words) \(quantities.words(data.quantity, of: data.metric))"
    text += moment(data.date, data.moment) + notes(data.notes)
    if let source = data.source { text += " from \(source)" }
    return text
  }

  private func pulled(_ data: ProgressPulled) -> String {
    "pulled \(data.metric.words) \(quantities.words(data.quantity, of: data.metric))"
      + moment(data.date, data.moment) + notes(data.notes)
  }

  private func corrected(_ data: ProgressCorrected, at seq: Seq?) -> String {
    let metric = names.metric(of: data.entry)
    let isOverruled = seq.map { self.isOverruled(data, at: $0) } ?? false
    let before = isOverruled ? nil : seq.flatMap { names.entry(data.entry, before: $0) }
    func change(from old: String?, to new: String) -> String {
      guard let old, old != new else { return new }
      return "\(old) → \(new)"
    }
    var parts: [String] = []
    if let quantity = data.quantity {
      let old = before.flatMap { before in
        before.quantity == quantity ? nil : quantities.number(before.quantity, of: before.metric)
      }
      parts.append(
        change(
          from: old,
          to: metric.map { quantities.words(quantity, of: $0) } ?? JSONNumber.text(quantity)))
    }
    if let date = data.date {
      parts.append("date " + change(from: before?.date.description, to: date.description))
    }
    if let moment = data.moment {
      let old = before?.moment
      let isElsewhere = old.map { $0.zone != moment.zone } ?? false
      func text(_ moment: ZonedTime) -> String {
        moment.shortText + (isElsewhere ? " \(moment.zone)" : "")
      }
      parts.append("time " + change(from: old.map(text), to: text(moment)))
    }
    switch data.notes {
    case nil: break
    case .clear: parts.append("no notes")
    case .set(let text): parts.append("notes “\(text)”")
    }
    let name = metric?.words ?? "an entry"
    guard !isOverruled else {
      return "\(name) at the backend: \(parts.joined(separator: ", ")); your correction stays"
    }
    let what = "corrected \(name)"
    guard data.backendID == nil else {
      return "\(what), as the backend has it: "
        + (parts.isEmpty ? "the same values" : parts.joined(separator: ", "))
    }
    return "\(what): " + parts.joined(separator: ", ")
  }

  /// Whether a correction from another device changed nothing, since one made here takes precedence.
  private func isOverruled(_ data: ProgressCorrected, at seq: Seq) -> Bool {
    let setsSome =
      data.quantity != nil || data.date != nil || data.moment != nil || data.notes != nil
    guard data.backendID != nil, setsSome, let before = names.entry(data.entry, before: seq),
      let after = names.entry(data.entry, before: Seq(seq.number + 1))
    else { return false }
    return before.quantity == after.quantity && before.date == after.date
      && before.moment == after.moment && before.notesIn == after.notesIn
  }

  private func deleted(_ data: ProgressDeleted, by actor: Event.Actor, at seq: Seq?) -> String {
    let before = seq.flatMap { names.entry(data.entry, before: $0) }
    let metric =
      before.map { entry in
        "\(entry.metric.words) \(quantities.words(entry.quantity, of: entry.metric))"
          + moment(entry.date, entry.moment)
      } ?? names.metric(of: data.entry)?.words ?? "an entry"
    let isMissing = actor == .sync && !DeletionReason.namesAnotherEntry(data.reason)
    return "deleted \(metric)" + (isMissing ? ", missing at the backend" : "")
      + (data.reason.map { " (\($0))" } ?? "")
  }

  private func deleted(_ data: SleepDeleted, at seq: Seq?) -> String {
    let session = names.session(data.entry, before: seq)
    return "deleted "
      + (session.map { "sleep \(SleepText.period($0.start, $0.end))" } ?? "a sleep session")
      + (data.reason.map { " (\($0))" } ?? "")
  }

  private func moment(_ date: CalendarDate, _ moment: ZonedTime?) -> String {
    " on " + EntrySentence.moment(date, moment, home: home)
  }

  private func notes(_ text: String?) -> String { text.map { " “\($0)”" } ?? "" }

  private func json(_ value: JSONValue?) -> String { (value ?? .null).serialized }

  func fields(_ object: JSONObject) -> String {
    // Which event is undone is said by ``sentence(_:at:)``.
    object.members.filter { $0.name != "undoes" }.map { member in
      let field = FieldText(member.name, quantities)
      return "\(field.name) \(field.value(member.value))"
    }.joined(separator: ", ")
  }
}

enum SyncText {
  static func sentence(_ data: SyncAcknowledged) -> String {
    let how =
      switch data.via {
      case .response: data.status.map { " (\($0))" } ?? ""
      case .reconciled: ", found at the backend"
      case .elided: ", nothing to send"
      }
    return "acknowledged \(list(data.events))\(how)"
  }

  /// Why an edit is held, and the command that unblocks it.
  static func advice(onHold reason: String) -> String {
    HoldReason(rawValue: reason)?.advice ?? "held until a later edit lifts it: \(reason)"
  }

  static func words(_ reason: DeferralReason) -> String {
    switch reason {
    case .offline: "the backend could not be reached"
    case .rateLimited: "the backend had too many calls"
    case .unauthorized: "the backend wanted a new sign-in"
    case .serverError: "the backend failed"
    }
  }

  static func list(_ events: [Seq]) -> String {
    let shown = events.prefix(4).map { "#\($0)" }.joined(separator: " ")
    return events.count > 4 ? "\(shown) and \(events.count - 4) more" : shown
  }

}

struct FieldText {
  let name: String
  private let field: ProfileField?
  private let quantities: QuantityText

  init(_ name: String, _ quantities: QuantityText) {
    field = ProfileField(rawValue: name)
    self.name = field?.words ?? name
    self.quantities = quantities
  }

  func value(_ value: JSONValue?) -> String {
    switch value {
    case nil, .null: "cleared"
    case .string(let text) where field == .name || field == .bio: "“\(text)”"
    case .string(let text): text
    case .number(let number) where field == .heightCM: quantities.height(centimetres: number)
    case .array(let values) where values.isEmpty: "none"
    case .array(let values): values.map { $0.string ?? $0.serialized }.joined(separator: ", ")
    case .some(let other): other.serialized
    }
  }
}

extension ProfileField {
  /// `profile.name`
  var qualifiedName: String { "\(subject.rawValue).\(rawValue)" }
}

/// The metrics of corrected and deleted entries, and the user's units, which their events do not
/// contain. Folds the log only when the first of them is needed.
///
/// Damage is ignored here, since reading the lines reports it; it only costs names and units.
final class EntryNames {
  /// `nil` if everything was looked up in advance.
  private let ledger: ReadLedger?
  private var metrics: [LedgerUUID: Metric?] = [:]
  /// All rows, made once many entries were looked up in a state where each lookup scans all rows.
  private var index: (state: LedgerState, rows: [LedgerUUID: [Int]])?
  private var scans = 0
  private static let mostScans = 40

  init(_ ledger: ReadLedger) {
    self.ledger = ledger
  }

  /// Looks everything up in one pass over a state.
  ///
  /// - Parameter events: the events to word.
  init(_ state: LedgerState, for events: [Event]) {
    ledger = nil
    units = state.profileView().unitSystem ?? .metric
    let wanted = Set(
      events.compactMap { event -> LedgerUUID? in
        switch event.payload {
        case .progressCorrected(let data): data.entry.uuid
        case .progressDeleted(let data): data.entry.uuid
        case .conflictDetected(let data): EntryID(data.subject)?.uuid
        default: nil
        }
      })
    guard !wanted.isEmpty else { return }
    for row in state.rows where wanted.contains(row.id) { metrics[row.id] = row.metric }
  }

  /// Metric if the log cannot be folded.
  private(set) lazy var units: UnitSystem =
    (try? ledger?.ask { $0.profileView().unitSystem }).flatMap(\.self) ?? .metric

  /// - Parameter seq: the event before which its values are looked up; `nil` for those of now.
  func entry(_ entry: EntryID, before seq: Seq? = nil) -> EntryView? {
    find(entry) { state, rows in
      seq.map { state.entry(at: rows, before: $0) } ?? state.entryView(entry)
    }
  }

  private func find<Answer>(
    _ entry: EntryID, _ question: (_ state: LedgerState, _ rows: [Int]) -> Answer?
  ) -> Answer? {
    if let index { return question(index.state, index.rows[entry.uuid] ?? []) }
    guard let ledger else { return nil }
    let answer = try? ledger.ask { state in
      (question(state, Array(state.allRows(of: entry.uuid))), isScan: !state.findsByOrder)
    }
    guard let answer else { return nil }
    if answer.isScan { scans += 1 }
    if scans == Self.mostScans, let state = try? ledger.state() {
      index = (state, state.allRowsByID())
    }
    return answer.0
  }

  /// - Parameter seq: the event before which its values are looked up; `nil` for those of now.
  func session(_ id: EntryID, before seq: Seq?) -> SleepView? {
    (try? ledger?.ask { state in
      state.session(of: id).map { index in
        seq.map { state.session(at: index, before: $0) } ?? state.session(at: index)
      }
    }).flatMap(\.self)
  }

  func metric(of entry: EntryID) -> Metric? {
    if let known = metrics[entry.uuid] { return known }
    let metric = find(entry) { state, rows in rows.first.map { state.rows[$0].metric } }
    metrics[entry.uuid] = .some(metric)
    return metric
  }
}

extension HoldReason {
  /// A command that lifts the hold; `nil` if there is none.
  package var remedy: String? {
    switch self {
    case .profileNeedsName, .physicalNeedsProfile: "ledger append profile --name NAME"
    case .physicalNeedsHeightOrSex: "ledger append physical --height-cm CM"
    case .cannotClear, .backendCannotChangeSleep: nil
    }
  }

  package var advice: String { remedy.map { "\(cause): \($0)" } ?? cause }
}
