import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

extension Erasure {
  /// An edit of the person goes once it is overwritten, and what overwrote it has reached the
  /// backend, with the answers that repeat its values. Nobody's state hangs on any of it then.
  static func fields(
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
    return erasure
  }

  /// Every line that says one of these values of its field, in the order of the log.
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
        guard let remote = data.remote, remote.repeats(values) else { break }
        add(recorded)
        // The other edits that it answered stay answered.
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
}
