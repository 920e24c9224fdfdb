import LedgerJSON
import LedgerModel

/// One person's account and everything but their progress.
struct Account: Sendable {
  let userID: UserID
  /// In lower case.
  let email: String
  /// In the clear: this backend lives in memory, on loopback, for tests and demonstrations.
  let password: String
  let name: String
  let createdAt: Timestamp
  /// From registration, until the physical profile changes it.
  var dateOfBirth: CalendarDate
  /// The id of the profile, also while none exists: preferences name it.
  var profileID: String
  var profile: Profile?
  var biologicalSex: String?
  var heightCM: Double?
  var preferences: Preferences?
}

struct Profile: Sendable {
  var name: String
  var bio: String?
  var preferredUnitSystem: String
  var languageCode: String?
  let createdAt: Timestamp
  var updatedAt: Timestamp
}

struct Preferences: Sendable {
  let id: String
  let profileID: String
  let createdAt: Timestamp
  var updatedAt: Timestamp
  var allergies: [String] = []
  var dietaryRestrictions: [String] = []
  var foodDislikes: [String] = []

  var json: JSONValue {
    [
      "id": .string(id), "user_profile_id": .string(profileID),
      "allergies": list(allergies),
      "dietary_restrictions": list(dietaryRestrictions),
      "food_dislikes": list(foodDislikes),
      "created_at": .string(createdAt.rfc3339Seconds),
      "updated_at": .string(updatedAt.rfc3339Seconds),
    ]
  }

  private func list(_ texts: [String]) -> JSONValue {
    .array(texts.map { .string($0) })
  }
}

extension Account {
  /// What `GET /users/me` shows; nil until a profile exists. There is deliberately no `username`,
  /// `email`, `weight` or `activity_level`.
  var profileJSON: JSONValue? {
    guard let profile else { return nil }
    var object: JSONObject = [
      "id": .string(profileID), "user_id": .string(userID.text), "name": .string(profile.name),
    ]
    object["bio"] = profile.bio.map { .string($0) }
    object["preferred_unit_system"] = .string(profile.preferredUnitSystem)
    object["language_code"] = profile.languageCode.map { .string($0) }
    object["date_of_birth"] = .string(dateOfBirth.description)
    object["created_at"] = .string(profile.createdAt.rfc3339Seconds)
    object["updated_at"] = .string(profile.updatedAt.rfc3339Seconds)
    return .object(object)
  }

  var physicalJSON: JSONValue {
    var object = JSONObject()
    object["biological_sex"] = biologicalSex.map { .string($0) }
    object["height_cm"] = heightCM.map { .number($0) }
    object["date_of_birth"] = .string(dateOfBirth.description)
    return .object(object)
  }
}
