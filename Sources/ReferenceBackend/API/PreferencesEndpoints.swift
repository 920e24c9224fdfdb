import LedgerJSON

extension World {
  /// `GET /users/me/preferences`
  func readPreferences(of account: Account) throws(APIError) -> Reply {
    guard let preferences = altered(account).preferences else { throw .notFound("Preferences") }
    return .ok(preferences.json)
  }

  /// `PATCH /users/me/preferences`: each list sent replaces that list whole; the first PATCH sets
  /// the others empty.
  mutating func updatePreferences(
    _ body: [UInt8], of account: Account
  ) throws(APIError) -> Reply {
    let members = try BodyMembers(
      body, allowed: ["allergies", "dietary_restrictions", "food_dislikes"])
    guard !members.isEmpty else {
      throw .invalid(
        "At least one of allergies, dietary_restrictions and food_dislikes is required")
    }
    var account = account
    var preferences =
      account.preferences
      ?? Preferences(
        id: ids.uuid(), profileID: account.profileID, createdAt: now, updatedAt: now)
    preferences.updatedAt = now
    if let list = try members.texts("allergies") { preferences.allergies = list }
    if let list = try members.texts("dietary_restrictions") {
      preferences.dietaryRestrictions = list
    }
    if let list = try members.texts("food_dislikes") { preferences.foodDislikes = list }
    account.preferences = preferences
    return .ok(save(account).preferences?.json ?? [:])
  }

  /// `DELETE /users/me/preferences`
  mutating func deletePreferences(of account: Account) throws(APIError) -> Reply {
    guard account.preferences != nil else { throw .notFound("Preferences") }
    accounts[account.userID]?.preferences = nil
    return .noContent
  }
}
