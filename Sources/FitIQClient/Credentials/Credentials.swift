/// Who is signed in, where, and with what.
public struct Credentials: Hashable, Sendable {
  /// `scheme://host[:port]`: the only place these are ever sent to.
  public var origin: String
  /// The path before the backend's API, as it stood in the address that was signed in at; empty for
  /// none.
  public var pathPrefix: String
  /// In lower case, as the log names an account.
  public var email: String
  /// Known from a registration, or once the account has a profile.
  public var userID: String?
  /// Gone after a logout.
  public var apiKey: Secret?
  /// Both or neither: a session has a pair.
  public var tokens: TokenPair?
  /// Counts the pairs that were stored here, and never goes back while the file lives.
  public var generation: Int

  /// Credentials as a store keeps them.
  public init(
    origin: String, pathPrefix: String = "", email: String, userID: String? = nil,
    apiKey: Secret?, tokens: TokenPair? = nil, generation: Int
  ) {
    self.origin = origin
    self.pathPrefix = pathPrefix
    self.email = email
    self.userID = userID
    self.apiKey = apiKey
    self.tokens = tokens
    self.generation = generation
  }

  /// Where the backend is.
  public var address: String { origin + pathPrefix }

  /// Whether there is all that a call needs.
  public var isSignedIn: Bool { tokens != nil && apiKey != nil }
}

/// What a session lives on. The refresh token works once.
public struct TokenPair: Hashable, Sendable {
  /// Goes with every call.
  public var access: Secret
  /// Gets the next pair, once.
  public var refresh: Secret

  /// A pair as the backend gave it out.
  public init(access: Secret, refresh: Secret) {
    self.access = access
    self.refresh = refresh
  }
}

extension Credentials {
  func with(_ fresh: TokenPair) -> Credentials {
    var next = self
    next.tokens = fresh
    next.generation += 1
    return next
  }

  /// The same person, signed out: the next sign-in is offered the address and the account.
  func withoutTokens() -> Credentials {
    var next = self
    next.tokens = nil
    return next
  }
}
