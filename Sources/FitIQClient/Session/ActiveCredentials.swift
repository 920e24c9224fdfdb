/// Credentials with everything that a call needs, for the backend it goes to.
struct ActiveCredentials: Sendable {
  let credentials: Credentials
  let apiKey: Secret
  let tokens: TokenPair
}

extension BackendSession {
  /// - Throws: ``ClientError/signedOut(reason:)`` when they are of no use there.
  static func usable(
    _ stored: Credentials?, at address: BackendAddress
  ) throws(ClientError) -> ActiveCredentials {
    let apiKey = try apiKey(of: stored, at: address)
    guard let stored, let tokens = stored.tokens else {
      throw .signedOut(reason: "nobody is signed in")
    }
    return ActiveCredentials(credentials: stored, apiKey: apiKey, tokens: tokens)
  }

  /// A key belongs to the place it was typed in for, as a token does.
  static func apiKey(
    of stored: Credentials?, at address: BackendAddress
  ) throws(ClientError) -> Secret {
    guard let stored else { throw .signedOut(reason: "nobody is signed in") }
    guard stored.origin == address.origin else {
      throw .signedOut(
        reason: "the sign-in belongs to \(stored.origin), and the backend is \(address.origin)")
    }
    guard let apiKey = stored.apiKey else { throw .signedOut(reason: "nobody is signed in") }
    return apiKey
  }
}
