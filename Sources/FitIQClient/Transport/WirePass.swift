/// What lets a request through: the app's key and, once signed in, the session's token.
struct WirePass: Sendable {
  var apiKey: Secret
  var accessToken: Secret?

  var fitsHeaders: Bool { apiKey.fitsHeader && accessToken?.fitsHeader ?? true }
}
