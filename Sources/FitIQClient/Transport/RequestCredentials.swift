/// What lets a request through: the app's key and, once signed in, the session's token.
public struct RequestCredentials: Sendable {
  let apiKey: Secret
  let accessToken: Secret?

  init(apiKey: Secret, accessToken: Secret? = nil) {
    self.apiKey = apiKey
    self.accessToken = accessToken
  }

  /// The headers that let a request through, in the clear: for the wire alone, never for a log.
  public var headers: [(name: String, value: String)] {
    [("X-API-Key", apiKey.text)]
      + (accessToken.map { [("Authorization", "Bearer \($0.text)")] } ?? [])
  }

  var fitsHeaders: Bool { apiKey.fitsHeader && accessToken?.fitsHeader ?? true }
}
