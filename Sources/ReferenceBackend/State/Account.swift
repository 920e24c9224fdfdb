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

/// The sessions and their tokens.
///
/// A session has one valid access token and one valid refresh token; refreshing replaces both. The
/// reuse of an old refresh token means that two parties hold the session, and revokes it
/// (RFC 6819, 5.2.2.3), so all refresh tokens are remembered.
struct SessionTable: Sendable {
  struct Tokens: Sendable, Equatable {
    let access: String
    let refresh: String
  }

  enum RefreshFailure: Error {
    case unknown, revoked
  }

  private struct Session: Sendable {
    let user: UserID
    var tokens: Tokens
    var accessUses = 0
    var accessIssuedAt: Timestamp
    var isRevoked = false
  }

  private let accessTokenUses: Int?
  private let accessTokenSeconds: Int?
  private let ids: IDSource
  private var sessions: [Session] = []
  private var indexOfAccessToken: [String: Int] = [:]
  private var indexOfRefreshToken: [String: Int] = [:]

  init(accessTokenUses: Int?, accessTokenSeconds: Int?, ids: IDSource) {
    self.accessTokenUses = accessTokenUses
    self.accessTokenSeconds = accessTokenSeconds
    self.ids = ids
  }

  mutating func open(for user: UserID, now: Timestamp) -> Tokens {
    let tokens = Tokens(access: ids.token("access"), refresh: ids.token("refresh"))
    sessions.append(Session(user: user, tokens: tokens, accessIssuedAt: now))
    remember(tokens, of: sessions.count - 1)
    return tokens
  }

  /// The token's user. Counts the use.
  ///
  /// - Returns: `nil` when the token is unknown, replaced, expired or used up.
  mutating func use(accessToken: String, now: Timestamp) -> UserID? {
    guard let index = indexOfAccessToken[accessToken] else { return nil }
    let session = sessions[index]
    if let accessTokenUses, session.accessUses >= accessTokenUses { return nil }
    if let accessTokenSeconds {
      let age = now.millisecondsSince1970 - session.accessIssuedAt.millisecondsSince1970
      guard age < Int64(accessTokenSeconds) * 1000 else { return nil }
    }
    sessions[index].accessUses += 1
    return session.user
  }

  mutating func refresh(
    _ refreshToken: String, now: Timestamp
  ) throws(RefreshFailure) -> Tokens {
    guard let index = indexOfRefreshToken[refreshToken] else { throw .unknown }
    guard !sessions[index].isRevoked, sessions[index].tokens.refresh == refreshToken else {
      revoke(index)
      throw .revoked
    }
    indexOfAccessToken[sessions[index].tokens.access] = nil
    let tokens = Tokens(access: ids.token("access"), refresh: ids.token("refresh"))
    sessions[index].tokens = tokens
    sessions[index].accessUses = 0
    sessions[index].accessIssuedAt = now
    remember(tokens, of: index)
    return tokens
  }

  /// Whether the session of this refresh token is revoked; false for an unknown token.
  func isRevoked(sessionOf refreshToken: String) -> Bool {
    indexOfRefreshToken[refreshToken].map { sessions[$0].isRevoked } ?? false
  }

  /// Invalidates the user's refresh tokens. Access tokens stay valid, so that a second deletion of
  /// the account is answered 404.
  mutating func forbidRefreshing(for user: UserID) {
    for index in sessions.indices where sessions[index].user == user {
      sessions[index].isRevoked = true
    }
  }

  /// Invalidates every access token; refresh tokens stay valid.
  mutating func expireAccessTokens() { indexOfAccessToken = [:] }

  /// Revokes every session and its tokens.
  mutating func revokeAll() {
    for index in sessions.indices { sessions[index].isRevoked = true }
    indexOfAccessToken = [:]
  }

  private mutating func revoke(_ index: Int) {
    sessions[index].isRevoked = true
    indexOfAccessToken[sessions[index].tokens.access] = nil
  }

  private mutating func remember(_ tokens: Tokens, of index: Int) {
    indexOfAccessToken[tokens.access] = index
    indexOfRefreshToken[tokens.refresh] = index
  }
}
