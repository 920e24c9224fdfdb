public import LedgerJSON
public import LedgerModel

/// The state of a profile field at the backend (docs/cli.md, The life of an edit).
public enum FieldStatus: String, CaseIterable, Codable, Sendable {
  /// To be sent, or in doubt.
  case pending
  /// The backend has it.
  case synced
  /// The backend does not take it yet.
  case held
  /// The backend refused it.
  case rejected
  /// Both sides changed it, and the user has not decided.
  case conflict
}

/// The user's profile: the fields that have a value.
public struct ProfileView: Hashable, Sendable {
  /// Name, biography, unit system and language, by their names in the log.
  public var profile: JSONObject
  /// Sex, height (cm) and date of birth, by their names in the log.
  public var physical: JSONObject
  /// Allergies, dietary restrictions and dislikes, by their names in the log.
  public var preferences: JSONObject
  /// Of every field that was ever set, cleared ones included, in the order of the fields.
  public var status: [(field: ProfileField, status: FieldStatus)]
  /// Fields never set here that the backend may have: its API accepts height and sex but cannot read
  /// them. Empty while the backend has no profile.
  public var unreadable: [ProfileField] = []

  /// The person's name; `nil` if it is not set.
  public var name: String? { profile["name"]?.string }

  /// The biography; `nil` if it is not set.
  public var bio: String? { profile["bio"]?.string }

  /// The language, such as `en`; `nil` if it is not set.
  public var languageCode: String? { profile["language_code"]?.string }

  /// The units for display; `nil` if they are not set.
  public var unitSystem: UnitSystem? {
    profile["preferred_unit_system"].flatMap { UnitSystem(json: $0) }
  }

  /// The date of birth; `nil` if it is not set.
  public var dateOfBirth: CalendarDate? {
    physical["date_of_birth"].flatMap { CalendarDate(json: $0) }
  }

  /// `nil` if it is not set.
  public var biologicalSex: BiologicalSex? {
    physical["biological_sex"].flatMap { BiologicalSex(json: $0) }
  }

  /// In centimeters; `nil` if it is not set.
  public var heightCM: Double? { physical["height_cm"]?.number }

  /// Empty if none are set.
  public var allergies: [String] { texts("allergies") }

  /// Empty if none are set.
  public var dietaryRestrictions: [String] { texts("dietary_restrictions") }

  /// Empty if none are set.
  public var foodDislikes: [String] { texts("food_dislikes") }

  private func texts(_ name: String) -> [String] {
    preferences[name]?.array?.compactMap(\.string) ?? []
  }

  /// `nil` for a field that was never set.
  public func status(of field: ProfileField) -> FieldStatus? {
    status.first { $0.field == field }?.status
  }

  /// `nil` for a field without a value.
  package func value(of field: ProfileField) -> JSONValue? {
    switch field.subject {
    case .profile: profile[field.rawValue]
    case .physical: physical[field.rawValue]
    case .preferences: preferences[field.rawValue]
    }
  }

  public static func == (left: ProfileView, right: ProfileView) -> Bool {
    left.profile == right.profile && left.physical == right.physical
      && left.preferences == right.preferences && left.unreadable == right.unreadable
      && left.status.elementsEqual(right.status) { $0 == $1 }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(profile)
    hasher.combine(physical)
    hasher.combine(preferences)
  }
}

extension LedgerState {
  package func profileView() -> ProfileView {
    ProfileView(
      profile: fields(of: .profile), physical: fields(of: .physical),
      preferences: fields(of: .preferences),
      status: ProfileField.allCases.compactMap { field in
        fieldStatus(field).map { (field, $0) }
      }, unreadable: unreadableFields())
  }

  private func unreadableFields() -> [ProfileField] {
    let hasRemoteProfile = ProfileSubject.profile.fields.contains { field in
      profile.agreed(field).map { !$0.isNull } ?? false
    }
    guard hasRemoteProfile else { return [] }
    return [.biologicalSex, .heightCM].filter { field in
      profile.current(field, edits) == nil && profile.agreed(field) == nil
    }
  }

  /// The current values of one group, without cleared ones.
  package func fields(of subject: ProfileSubject) -> JSONObject {
    var object = JSONObject()
    for field in subject.fields {
      guard let value = profile.current(field, edits)?.value, !value.isNull else { continue }
      object[field.rawValue] = value
    }
    return object
  }

  /// The status of the edit that set the field; `nil` for a field that was never set.
  package func fieldStatus(_ field: ProfileField) -> FieldStatus? {
    guard let current = profile.current(field, edits) else { return nil }
    if profile.hasOpenConflict(field) { return .conflict }
    switch edits.state(current.seq) {
    case .pending, .inDoubt: return .pending
    case .held: return .held
    case .rejected: return .rejected
    case .differed: return .conflict
    case .acknowledged, .none, .undone: return .synced
    }
  }

  /// The field's value and the event that set it; a cleared field has the value `null`.
  package func origin(of field: ProfileField) -> (value: JSONValue, seq: Seq)? {
    profile.current(field, edits).map { ($0.value, Seq($0.seq)) }
  }

  /// The user's last edit of the field before an event.
  package func edit(setting field: ProfileField, before seq: Seq) -> Seq? {
    profile.lastTyped(field, before: seq, edits)
  }

  /// The event that set the field's current value.
  package func setter(of field: ProfileField) -> Seq? {
    profile.current(field, edits).flatMap { Seq(exactly: $0.seq) }
  }
}

/// Where a value came from.
public enum ValueSource: Hashable, Sendable {
  /// The user's edit on this device.
  case edit
  /// Data that was imported on this device.
  case imported
  /// Pulled from the backend without a conflict.
  case pulled
  /// A conflict that the setting `sync.conflicts` decided for the backend.
  case policy(conflict: Seq)
  /// A conflict that the user decided.
  case decision(conflict: Seq, ConflictDecision)
  /// The backend's answer to a call or its listing.
  case answer

  /// - Parameter recorded: the event that gave the value.
  package init(_ recorded: RecordedEvent) {
    switch recorded.event.payload {
    case .profilePulled, .progressPulled, .sleepPulled: self = .pulled
    case .conflictDetected: self = .policy(conflict: recorded.seq)
    case .conflictResolved(let data): self = .decision(conflict: data.conflict, data.decision)
    case .ledgerCreated, .profileUpdated, .physicalUpdated, .preferencesUpdated, .progressLogged,
      .progressCorrected, .progressDeleted, .syncAttempted, .syncDeferred, .syncAcknowledged,
      .syncRejected, .syncHeld, .syncDiffered, .rowSkipped, .duplicateSuspected,
      .duplicateResolved, .goalSet, .goalRemoved, .editUndone, .accountSignedIn, .accountSignedOut,
      .accountReplaced,
      .sleepLogged, .sleepCorrected, .sleepDeleted, .eventErased, .logRepaired, .unknown, .erased:
      switch recorded.event.by {
      case .user, .system: self = .edit
      case .import: self = .imported
      case .sync: self = .answer
      }
    }
  }
}
