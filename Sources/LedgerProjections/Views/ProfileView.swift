public import LedgerJSON
public import LedgerModel

/// Where a field stands with the backend (cli.md, `show profile`).
public enum FieldStatus: String, CaseIterable, Sendable {
  case pending, synced, held, rejected, conflict
}

/// The person as the ledger knows them: only what is set.
public struct ProfileView: Hashable, Sendable {
  public var profile: JSONObject
  public var physical: JSONObject
  public var preferences: JSONObject
  /// Of every field that was ever set, cleared ones included, in their order.
  public var status: [(field: ProfileField, status: FieldStatus)]

  public var name: String? { profile["name"]?.string }
  public var unitSystem: UnitSystem? {
    profile["preferred_unit_system"].flatMap { UnitSystem(json: $0) }
  }

  public func status(of field: ProfileField) -> FieldStatus? {
    status.first { $0.field == field }?.status
  }

  public static func == (left: ProfileView, right: ProfileView) -> Bool {
    left.profile == right.profile && left.physical == right.physical
      && left.preferences == right.preferences
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
      })
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
    case .acknowledged, .none, .undone: return .synced
    }
  }
}

extension ProfileView {
  public var dateOfBirth: CalendarDate? {
    physical["date_of_birth"].flatMap { CalendarDate(json: $0) }
  }
}
