import LedgerJSON
public import LedgerSync

/// The way to the backend for who is signed in: adds the credentials, and renews them when they
/// have died (docs/sync.md, What an answer means).
public final class BackendSession: BackendConnection {
  /// How many token pairs one call may use up before it is put off.
  static let mostGenerations = 5

  private let address: BackendAddress
  private let store: any CredentialStore
  private let transport: any BackendTransport
  private let renewal: TokenRenewal

  /// A session with the backend at this address, on what the store holds.
  public init(
    address: BackendAddress, store: any CredentialStore,
    transport: any BackendTransport = URLSessionTransport()
  ) {
    self.address = address
    self.store = store
    self.transport = transport
    renewal = TokenRenewal(address: address, store: store, transport: transport)
  }

  public func send(_ request: WireRequest) async -> WireAnswer {
    do throws(ClientError) {
      // Read anew for every call: another process may have signed in, renewed or signed out.
      let stored = try store.load()
      guard request.needsSession else {
        let pass = RequestCredentials(apiKey: try Self.apiKey(of: stored, at: address))
        return await transport.send(request, to: address, with: pass)
      }
      return await send(request, as: try Self.usable(stored, at: address))
    } catch {
      return WireAnswer(nothingSent: error)
    }
  }

  private func send(_ request: WireRequest, as first: ActiveCredentials) async -> WireAnswer {
    var current = first
    for generation in 1...Self.mostGenerations {
      let pass = RequestCredentials(apiKey: current.apiKey, accessToken: current.tokens.access)
      await renewal.leaves(with: current.credentials)
      let answer = await transport.send(request, to: address, with: pass)
      await renewal.came(back: answer, to: current.credentials)
      guard answer.status == 401 else { return answer.masking(current) }
      let outcome = await renewal.renew(
        current.credentials, mayFetch: generation < Self.mostGenerations)
      switch outcome {
      case .renewed(let fresh):
        do throws(ClientError) {
          current = try Self.usable(fresh, at: address)
        } catch {
          return WireAnswer(nothingSent: error)
        }
      case .signedOut(let reason): return .signedOut(reason: reason)
      case .failed(let reason): return .refreshFailed(reason: reason)
      }
    }
    return .refreshFailed(reason: "the backend refused one new token after the other")
  }
}

extension WireAnswer {
  /// Before anything left: what is wrong with the stored credentials.
  init(nothingSent error: ClientError) {
    switch error {
    case .signedOut(let reason), .badCredentials(let reason): self = .signedOut(reason: reason)
    case .badAddress, .badInput, .refused, .offline, .interrupted, .garbage, .storage, .keyStore,
      .credentialHelper, .busy:
      self = .refreshFailed(reason: "\(error)")
    }
  }

  /// An error's message ends up in the log, where no token may stand, even if the backend repeats
  /// one. JSON is read first: it may spell a token with escapes, which only reading takes away.
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
