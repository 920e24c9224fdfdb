import LedgerJSON
import LedgerModel

/// An account with all its data except progress.
struct Account: Sendable {
  let userID: UserID
  /// In lower case.
  let email: String
  /// In clear text: this backend is in memory, on loopback, for tests and demonstrations.
  let password: String
  let name: String
  let createdAt: Timestamp
  /// From the registration or a later physical profile.
  var dateOfBirth: CalendarDate
  /// The profile's id, also without a profile: preferences refer to it.
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
  /// The answer of `GET /users/me`; `nil` without a profile. Like the real backend's, it has no
  /// `username`, `email`, `weight` and `activity_level`.
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

/// An accepted progress POST.
struct ProgressRow: Sendable {
  let id: RowID
  var metric: Metric
  var quantity: Double
  /// To the second.
  var moment: Timestamp
  var notes: String?

  var json: JSONValue {
    var object: JSONObject = [
      "id": .string(id.text), "type": .string(metric.name), "quantity": .number(quantity),
      "date": .string(moment.rfc3339Seconds),
    ]
    object["notes"] = notes.map { .string($0) }
    return .object(object)
  }
}

/// The progress rows of every user, newest first.
struct ProgressTable: Sendable {
  private var rowsOfUser: [UserID: [ProgressRow]] = [:]
  private var ownerOfRow: [RowID: UserID] = [:]

  func rows(of user: UserID) -> [ProgressRow] {
    rowsOfUser[user] ?? []
  }

  /// The number of rows of all users.
  var count: Int { ownerOfRow.count }

  func owner(of row: RowID) -> UserID? {
    ownerOfRow[row]
  }

  /// Inserts in descending order of moments; of equal moments the last added comes first.
  mutating func add(_ row: ProgressRow, of user: UserID) {
    let index = rows(of: user).partitioningIndex { $0.moment <= row.moment }
    rowsOfUser[user, default: []].insert(row, at: index)
    ownerOfRow[row.id] = user
  }

  mutating func remove(_ row: RowID) {
    guard let user = ownerOfRow.removeValue(forKey: row) else { return }
    rowsOfUser[user]?.removeAll { $0.id == row }
  }

  mutating func removeAll(of user: UserID) {
    for row in rowsOfUser.removeValue(forKey: user) ?? [] { ownerOfRow[row.id] = nil }
  }
}
