package import LedgerJSON
import LedgerModel

/// An account with all its data except progress.
package struct Account: Sendable {
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
  package var preferences: Preferences?
}

struct Profile: Sendable {
  var name: String
  var bio: String?
  var preferredUnitSystem: String
  var languageCode: String?
  let createdAt: Timestamp
  var updatedAt: Timestamp
}

package struct Preferences: Sendable {
  let id: String
  let profileID: String
  let createdAt: Timestamp
  var updatedAt: Timestamp
  var allergies: [String] = []
  var dietaryRestrictions: [String] = []
  var foodDislikes: [String] = []

  package var json: JSONValue {
    .object(
      JSONObject([
        "id": id, "user_profile_id": profileID, "allergies": allergies,
        "dietary_restrictions": dietaryRestrictions, "food_dislikes": foodDislikes,
        "created_at": createdAt.rfc3339Seconds, "updated_at": updatedAt.rfc3339Seconds,
      ]))
  }
}

extension Account {
  /// The answer of `GET /users/me`; `nil` without a profile. Like the real backend's, it has no
  /// `username`, `email`, `weight` and `activity_level`.
  package var profileJSON: JSONValue? {
    guard let profile else { return nil }
    return .object(
      JSONObject([
        "id": profileID, "user_id": userID.text, "name": profile.name, "bio": profile.bio,
        "preferred_unit_system": profile.preferredUnitSystem,
        "language_code": profile.languageCode, "date_of_birth": dateOfBirth,
        "created_at": profile.createdAt.rfc3339Seconds,
        "updated_at": profile.updatedAt.rfc3339Seconds,
      ]))
  }

  package var physicalJSON: JSONValue {
    .object(
      JSONObject([
        "biological_sex": biologicalSex, "height_cm": heightCM, "date_of_birth": dateOfBirth,
      ]))
  }
}

/// An accepted progress POST.
package struct ProgressRow: Sendable {
  package let id: RowID
  var metric: Metric
  package var quantity: Double
  /// To the second.
  var moment: Timestamp
  package var notes: String?

  package var json: JSONValue {
    .object(
      JSONObject([
        "id": id.text, "type": metric, "quantity": quantity, "date": moment.rfc3339Seconds,
        "notes": notes,
      ]))
  }
}

/// The progress rows of every user, newest first.
package struct ProgressTable: Sendable {
  private var rowsOfUser: [UserID: [ProgressRow]] = [:]
  private var ownerOfRow: [RowID: UserID] = [:]

  package func rows(of user: UserID) -> [ProgressRow] {
    rowsOfUser[user] ?? []
  }

  /// The number of rows of all users.
  var count: Int { ownerOfRow.count }

  func owner(of row: RowID) -> UserID? {
    ownerOfRow[row]
  }

  /// Inserts in descending order of moments; of equal moments the last added comes first.
  package mutating func add(_ row: ProgressRow, of user: UserID) {
    let index = rows(of: user).partitioningIndex { $0.moment <= row.moment }
    rowsOfUser[user, default: []].insert(row, at: index)
    ownerOfRow[row.id] = user
  }

  mutating func remove(_ row: RowID) {
    guard let user = ownerOfRow.removeValue(forKey: row) else { return }
    rowsOfUser[user]?.removeAll { $0.id == row }
  }

  package mutating func removeAll(of user: UserID) {
    for row in rowsOfUser.removeValue(forKey: user) ?? [] { ownerOfRow[row.id] = nil }
  }
}
