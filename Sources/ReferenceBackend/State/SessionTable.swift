import LedgerModel

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
