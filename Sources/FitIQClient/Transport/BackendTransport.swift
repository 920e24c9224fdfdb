public import LedgerSync

/// The wire itself: one request, one answer, no second try and no detour. A real edge, so that an
/// app can bring a client of its own, and a test a backend without sockets.
public protocol BackendTransport: Sendable {
  /// Sends one request and waits for what becomes of it. Never throws: every outcome is an answer.
  ///
  /// Redirects must not be followed, since the pass would travel along, and a request that changes
  /// something must not be sent a second time by the client itself. ``WireAnswer/notSent(reason:)``
  /// is for requests that surely never left; where in doubt it is ``WireAnswer/lost(reason:)``.
  ///
  /// - Parameters:
  ///   - request: what leaves; its path begins behind the address.
  ///   - address: where the backend is.
  ///   - pass: the headers that let the request through.
  func send(
    _ request: WireRequest, to address: BackendAddress, with pass: RequestCredentials
  ) async -> WireAnswer
}
