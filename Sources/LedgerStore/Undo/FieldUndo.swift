import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// Undoing profile edits, one field at a time.
extension UndoPlanner {
  /// Restores the previous values of exactly the fields that the edit set and no later edit has.
  func undoFields(_ recorded: RecordedEvent) throws -> Undoing {
    let seq = recorded.seq
    try state.requireLines(since: seq)
    let fields = Set(Self.fields(recorded))
    try checkConflicts(seq) { conflict in conflict.field.map(fields.contains) == true }
    let way = way([seq])
    if way == .cancelled {
      let covered = try Self.fields(recorded).filter { field in
        try state.requireValue(of: field)
        return state.setter(of: field) != seq
      }
      return cancel(seq, remarks: covered.map { replaced($0, after: seq) })
    }
    var back = JSONObject()
    var remarks: [String] = []
    for field in Self.fields(recorded) {
      try state.requireValue(of: field, before: seq)
      guard try state.setter(of: field) == seq || setter(of: field) == seq else {
        remarks.append(replaced(field, after: seq))
        continue
      }
      let version = state.profile.value(of: field, before: seq, state.edits)
      let before = version?.value ?? .null
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

  /// Makes the edit again, except for fields that a later edit has set: of two edits the later one decides,
  /// in whatever order they are redone.
  func redoFields(_ recorded: RecordedEvent, _ undo: Seq) throws -> Undoing {
    try state.requireLines(since: recorded.seq)
    let data = recorded.event.payload.data
    var again = JSONObject()
    var remarks: [String] = []
    for field in Self.fields(recorded) {
      if let setter = try setter(of: field), try isLater(setter, than: recorded.seq, undoneBy: undo)
      {
        remarks.append(replaced(field, after: undo))
      } else {
        again[field.rawValue] = data[field.rawValue]
      }
    }
    guard !again.isEmpty else { throw UndoRefusal.nothingLeft(undo, why: remarks) }
    return Undoing(undo, .redone, try Self.payload(recorded, again), remarks: remarks)
  }

  /// The event whose value the field has, skipping undone edits and the events that undid them.
  private func setter(of field: ProfileField) throws -> Seq? {
    var setter = state.setter(of: field)
    while let seq = setter, let undone = try undoneEdit(by: seq) {
      try state.requireValue(of: field, before: undone)
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
  /// The value that clears the field; `nil` for a field that cannot be cleared (docs/log-format.md,
  /// Events).
  fileprivate var emptied: JSONValue? {
    switch self {
    case .bio, .languageCode: .null
    case .allergies, .dietaryRestrictions, .foodDislikes: .array([])
    case .name, .preferredUnitSystem, .biologicalSex, .heightCM, .dateOfBirth: nil
    }
  }
}
