import LedgerImport
import LedgerJSON
import LedgerModel
import LedgerProjections

/// What an import may say of the person: it fills fields that were never set, and changes none that
/// was, whoever set it.
struct ProfileImport {
  struct Field {
    var name: String
    var value: JSONValue
  }

  /// What is to be edited.
  private(set) var payloads: [Edit.Change] = []
  private(set) var filled: [Field] = []
  /// Fields that have another value, which stays.
  private(set) var kept: [Field] = []
  /// Fields that have this value already.
  private(set) var known = 0

  init() {}

  init(_ wanted: PersonFields, given state: LedgerState) {
    var profile = ProfileUpdated()
    var physical = PhysicalUpdated()
    var preferences = PreferencesUpdated()
    fill(.name, wanted.name, state) { profile.name = $0 }
    fill(.bio, wanted.bio, state) { profile.bio = .set($0) }
    fill(.preferredUnitSystem, wanted.unitSystem, state) { profile.preferredUnitSystem = $0 }
    fill(.languageCode, wanted.languageCode, state) { profile.languageCode = .set($0) }
    fill(.biologicalSex, wanted.biologicalSex, state) { physical.biologicalSex = $0 }
    fill(.heightCM, wanted.heightCM, state) { physical.heightCM = $0 }
    fill(.dateOfBirth, wanted.dateOfBirth, state) { physical.dateOfBirth = $0 }
    fill(.allergies, wanted.allergies, state) { preferences.allergies = $0 }
    fill(.dietaryRestrictions, wanted.dietaryRestrictions, state) {
      preferences.dietaryRestrictions = $0
    }
    fill(.foodDislikes, wanted.foodDislikes, state) { preferences.foodDislikes = $0 }
    if profile != ProfileUpdated() { payloads.append(.updateProfile(profile)) }
    if physical != PhysicalUpdated() { payloads.append(.updatePhysical(physical)) }
    if preferences != PreferencesUpdated() { payloads.append(.updatePreferences(preferences)) }
  }

  private mutating func fill<Value: MemberValue>(
    _ field: ProfileField, _ wanted: Value?, _ state: LedgerState, _ set: (Value) -> Void
  ) {
    guard let wanted else { return }
    let value = wanted.json
    guard state.fieldStatus(field) != nil else {
      set(wanted)
      return filled.append(Field(name: field.rawValue, value: value))
    }
    if state.fields(of: field.subject)[field.rawValue] == value {
      known += 1
    } else {
      kept.append(Field(name: field.rawValue, value: value))
    }
  }
}
