import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

extension UndoPlanner {
  /// The value before for exactly the fields that the edit set, where nothing has set them since.
  func undoFields(_ recorded: RecordedEvent) throws -> Undoing {
    let seq = recorded.seq
    let way = way([seq])
    if way == .cancelled { return cancel(seq) }
    var back = JSONObject()
    var remarks: [String] = []
    for field in Self.fields(recorded) {
      guard try setter(of: field) == seq else {
        remarks.append(replaced(field, after: seq))
        continue
      }
      let before = state.profile.value(of: field, before: seq, state.edits)?.value ?? .null
      if !before.isNull {
        back[field.rawValue] = before
      } else if let empty = field.emptied {
        back[field.rawValue] = empty
      } else {
        remarks.append("\(field.rawValue) stays: it had no value before, and cannot be emptied")
      }
    }
    guard !back.isEmpty else { throw UndoRefusal.nothingLeft(seq, why: remarks) }
    return Undoing(seq, way, try Self.payload(recorded, back), remarks: remarks)
  }

  /// The edit once more, but for what was set since it was undone.
  func redoFields(_ recorded: RecordedEvent, _ undo: Seq) throws -> Undoing {
    let data = recorded.event.payload.data
    var again = JSONObject()
    var remarks: [String] = []
    for field in Self.fields(recorded) {
      let current = state.profile.current(field, state.edits)
      if let current, current.seq > undo.number {
        remarks.append(replaced(field, after: undo))
      } else {
        again[field.rawValue] = data[field.rawValue]
      }
    }
    guard !again.isEmpty else { throw UndoRefusal.nothingLeft(undo, why: remarks) }
    return Undoing(undo, .madeAgain, try Self.payload(recorded, again), remarks: remarks)
  }

  /// The event whose value the field has, undone edits passed over with those that took them back.
  private func setter(of field: ProfileField) throws(LogError) -> Seq? {
    var setter = state.setter(of: field)
    while let seq = setter, let undone = try takenBack(by: seq) {
      let earlier = state.profile.value(of: field, before: undone, state.edits)
      setter = earlier.flatMap { Seq(exactly: $0.seq) }
    }
    return setter
  }

  private func replaced(_ field: ProfileField, after seq: Seq) -> String {
    let later = state.setter(of: field).map { "event \($0) has" } ?? "something has"
    return "\(field.rawValue) stays as it is, \(later) set it since"
  }

  private static func fields(_ recorded: RecordedEvent) -> [ProfileField] {
    recorded.event.payload.data.members.compactMap { ProfileField(rawValue: $0.name) }
  }

  private static func payload(
    _ recorded: RecordedEvent, _ data: JSONObject
  ) throws(EventError) -> Event.Payload {
    switch recorded.event.payload {
    case .physicalUpdated: .physicalUpdated(try PhysicalUpdated(data: data))
    case .preferencesUpdated: .preferencesUpdated(try PreferencesUpdated(data: data))
    default: .profileUpdated(try ProfileUpdated(data: data))
    }
  }
}

extension ProfileField {
  /// What stands for no value; `nil` for a field that always has one once it had one
  /// (docs/log-format.md, Events).
  fileprivate var emptied: JSONValue? {
    switch self {
    case .bio, .languageCode: .null
    case .allergies, .dietaryRestrictions, .foodDislikes: .array([])
    case .name, .preferredUnitSystem, .biologicalSex, .heightCM, .dateOfBirth: nil
    }
  }
}
