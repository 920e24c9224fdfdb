public import LedgerJSON
public import LedgerModel

/// Where a field stands with the backend (docs/cli.md, The life of an edit).
public enum FieldStatus: String, CaseIterable, Sendable {
  /// Waits to be sent, or is in doubt.
  case pending
  /// The backend has it.
  case synced
  /// The backend does not take it yet.
  case held
  /// The backend refused it.
  case rejected
  /// Both sides changed it, and nobody has decided.
  case conflict
}

/// The person as the ledger knows them: only what is set.
public struct ProfileView: Hashable, Sendable {
  /// Name, biography, unit system and language, by their names in the log.
  public var profile: JSONObject
  /// Sex, height (cm) and date of birth, by their names in the log.
  public var physical: JSONObject
  /// Allergies and what the person does not eat, by their names in the log.
  public var preferences: JSONObject
  /// Of every field that was ever set, cleared ones included, in their order.
  public var status: [(field: ProfileField, status: FieldStatus)]
  /// Fields that were never set here and that the backend, which has a profile, does not show: it
  /// takes height and sex, and has no call that reads them.
  public var unreadable: [ProfileField] = []

  /// The person's name.
  public var name: String? { profile["name"]?.string }
  /// The units that the person wants to see.
  public var unitSystem: UnitSystem? {
    profile["preferred_unit_system"].flatMap { UnitSystem(json: $0) }
  }

  /// Where one field stands; `nil` for a field that was never set.
  public func status(of field: ProfileField) -> FieldStatus? {
    status.first { $0.field == field }?.status
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
  public func profileView() -> ProfileView {
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

  /// The values in force of one group, cleared ones left out.
  public func fields(of subject: ProfileSubject) -> JSONObject {
    var object = JSONObject()
    for field in subject.fields {
      guard let value = profile.current(field, edits)?.value, !value.isNull else { continue }
      object[field.rawValue] = value
    }
    return object
  }

  /// Follows the edit that set the field; `nil` for a field that was never set.
  public func fieldStatus(_ field: ProfileField) -> FieldStatus? {
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
}

extension ProfileView {
  public var dateOfBirth: CalendarDate? {
    physical["date_of_birth"].flatMap { CalendarDate(json: $0) }
  }
}
