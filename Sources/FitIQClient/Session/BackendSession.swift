import LedgerJSON
public import LedgerModel
public import LedgerSync

/// The signed-in connection to the backend: adds the credentials and renews them when they expire
/// (docs/sync.md, What an answer means).
public final class BackendSession: BackendConnection {
  /// How many token pairs one call may use up before it fails.
  private static let maximumPairs = 5

  private let address: BackendAddress
  private let transport: any BackendTransport
  private let renewal: TokenRenewal

  /// A session at this address with the credentials in the store.
  ///
  /// - Parameter pause: waits before a renewal whose call was canceled is canceled too; must return
  ///   early when its task is canceled.
  public convenience init(
    address: BackendAddress, store: any CredentialStore,
    transport: any BackendTransport = HTTPTransport(),
    pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
  ) {
    self.init(address: address, store: store, transport: transport, pause: pause) { await $0() }
  }

  /// - Parameter activity: runs a renewal while the system does not suspend the app, and cancels it when
  ///   the time is up; throws if there is no time.
  package init(
    address: BackendAddress, store: any CredentialStore, transport: any BackendTransport,
    pause: @escaping @Sendable (Duration) async -> Void, activity: @escaping RenewalActivity
  ) {
    self.address = address
    self.transport = transport
    renewal = TokenRenewal(
      address: address, store: store, transport: transport, pause: pause, activity: activity)
  }

  public func send(_ request: WireRequest) async -> WireAnswer {
    do throws(ClientError) {
      let stored = try await renewal.stored()
      guard request.needsSession else {
        let apiKey = try ActiveCredentials.apiKey(of: stored, at: address)
        return await transport.send(
          request, to: address, with: RequestCredentials(apiKey: apiKey))
      }
      return await send(request, with: try ActiveCredentials(stored, at: address))
    } catch {
      return WireAnswer(notSentBecause: error)
    }
  }

  private func send(_ request: WireRequest, with first: ActiveCredentials) async -> WireAnswer {
    var current = first
    for attempt in 1...Self.maximumPairs {
      guard !Task.isCancelled else { return .notSent(reason: "it was canceled") }
      await renewal.callStarts(with: current.credentials)
      let answer = await transport.send(
        request, to: address,
        with: RequestCredentials(apiKey: current.apiKey, accessToken: current.tokens.access))
      await renewal.callEnded(answer, with: current.credentials)
      guard answer.status == 401 else { return answer.masking(current) }
      let outcome = await renewal.renew(
        current.credentials, mayFetch: attempt < Self.maximumPairs)
      switch outcome {
      case .renewed(let fresh):
        do throws(ClientError) {
          current = try ActiveCredentials(fresh, at: address)
        } catch {
          return WireAnswer(notSentBecause: error)
        }
      case .signedOut(let reason): return .signedOut(reason: reason)
      case .failed(let reason): return .refreshFailed(reason: reason)
      }
    }
    return .refreshFailed(reason: "the backend refused one new token after the other")
  }
}

/// Complete credentials for calls to one backend.
struct ActiveCredentials: Sendable {
  let credentials: Credentials
  let apiKey: Secret
  let tokens: TokenPair

  /// - Throws: ``ClientError/signedOut(reason:)`` when they are incomplete or for another backend.
  init(_ stored: Credentials?, at address: BackendAddress) throws(ClientError) {
    apiKey = try Self.apiKey(of: stored, at: address)
    guard let stored, let tokens = stored.tokens else {
      throw .signedOut(reason: "not signed in")
    }
    credentials = stored
    self.tokens = tokens
  }

  /// The API key, which is only for the backend it was entered for.
  static func apiKey(
    of stored: Credentials?, at address: BackendAddress
  ) throws(ClientError) -> Secret {
    guard let stored else { throw .signedOut(reason: "not signed in") }
    guard stored.origin == address.origin else {
      throw .signedOut(
        reason: "the sign-in belongs to \(stored.origin), and the backend is \(address.origin)")
    }
    guard let apiKey = stored.apiKey else { throw .signedOut(reason: "not signed in") }
    return apiKey
  }
}

extension WireAnswer {
  var status: Int? { if case .response(let response) = self { response.status } else { nil } }

  /// The answer to a call that was not sent because of the stored credentials.
  fileprivate init(notSentBecause error: ClientError) {
    switch error {
    case .signedOut(let reason), .badCredentials(let reason): self = .signedOut(reason: reason)
    case .badAddress, .badAPIKey, .tooYoung, .otherAccount, .refused, .offline, .interrupted,
      .garbage, .storage, .keyStore, .credentialHelper, .busy:
      self = .refreshFailed(reason: "\(error)")
    }
  }

  /// Masks the call's secrets in an error, whose message goes into the log. JSON is parsed first,
  /// because it may spell a token with escapes.
  fileprivate func masking(_ used: ActiveCredentials) -> WireAnswer {
    guard case .response(var response) = self, !response.isSuccess else { return self }
    let secrets = [used.tokens.access, used.tokens.refresh, used.apiKey]
    if let value = try? JSONValue(parsing: response.body) {
      let masked = value.masking(secrets)
      if masked != value { response.body = Array(masked.serialized.utf8) }
    } else {
      let text = String(decoding: response.body, as: UTF8.self)
      let masked = text.masking(secrets)
      if masked != text { response.body = Array(masked.utf8) }
    }
    return .response(response)
  }
}
