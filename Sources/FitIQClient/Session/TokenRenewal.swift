import LedgerSync

/// Replaces a token pair that has died: once for everybody, in this process by one task that all
/// wait for, across processes by `auth.lock`.
actor TokenRenewal {
  enum Outcome: Sendable {
    case renewed(Credentials)
    /// Sign in again.
    case signedOut(reason: String)
    /// Not now; still signed in.
    case failed(reason: String)
  }

  private let address: BackendAddress
  private let store: any CredentialStore
  private let transport: any BackendTransport
  private var running: Task<Outcome, Never>?
  /// A pair that the backend gave out and the disk refused. The one before it is dead, so this one
  /// must not be forgotten while there is hope to store it.
  private var unsaved: Credentials?
  private var tally = RefusalTally()
  private let pairInUse: TokenUseMarker
  /// The pairs that others need not be told of: fetched here, or told of already.
  private var fetchedGeneration = 0
  private var notedGeneration = 0

  init(address: BackendAddress, store: any CredentialStore, transport: any BackendTransport) {
    self.address = address
    self.store = store
    self.transport = transport
    pairInUse = TokenUseMarker(path: store.lockPath)
  }

  /// A call is about to go out with these credentials. Told to others before it may use the token
  /// up, so that whoever fetched it never takes that for the end of the session.
  func leaves(with sent: Credentials) {
    tally.left()
    guard sent.generation != fetchedGeneration, sent.generation != notedGeneration else { return }
    notedGeneration = sent.generation
    pairInUse.note(sent.generation)
  }

  /// What became of a call that went out with these credentials.
  func came(back answer: WireAnswer, to sent: Credentials) {
    switch answer {
    case .response(let response) where response.status == 401:
      tally.refused(generation: sent.generation)
    case .response: tally.accepted()
    case .notSent, .lost, .signedOut, .refreshFailed: tally.vanished()
    }
  }

  /// - Parameters:
  ///   - sent: The credentials that were refused.
  ///   - mayFetch: Whether this call may still try another pair.
  func renew(_ sent: Credentials, mayFetch: Bool) async -> Outcome {
    guard mayFetch || isHopeless(until: sent.generation) else {
      return .failed(reason: "the backend refused one new token after the other")
    }
    while let running {
      let outcome = await running.value
      // The renewal that made the very token that was refused is no answer to its refusal.
      if case .renewed(let fresh) = outcome, fresh.tokens == sent.tokens { continue }
      return outcome
    }
    // A task of its own, so that a caller that gives up does not stop a refresh half-way: the new
    // pair would be lost and the old one dead.
    let task = Task { await attempt(sent) }
    running = task
    return await task.value
  }

  private func attempt(_ sent: Credentials) async -> Outcome {
    defer { running = nil }
    do throws(ClientError) {
      let lock = try await AuthLock.take(store.lockPath)
      defer { lock.release() }
      return try await replace(sent)
    } catch {
      return Outcome(error)
    }
  }

  /// Under the lock: looks whether somebody was faster, else asks the backend.
  private func replace(_ sent: Credentials) async throws(ClientError) -> Outcome {
    let stored = try BackendSession.usable(try store.loadLocked(), at: address)
    guard stored.credentials.tokens == sent.tokens else {
      tally.foundAnothersPair()
      return .renewed(stored.credentials)
    }
    if let unsaved, unsaved.generation == stored.credentials.generation + 1 {
      return try keep(unsaved)
    }
    if isHopeless(until: stored.credentials.generation) {
      return try signOut(stored.credentials, "the backend accepts none of the session's tokens")
    }
    let answer = await transport.send(
      AuthCall.refresh(stored.tokens.refresh), to: address,
      with: RequestCredentials(apiKey: stored.apiKey))
    switch answer {
    case .response(let response) where response.isSuccess:
      guard let pair = TokenPair(in: response) else {
        throw .garbage(expected: "token pair")
      }
      return try keep(stored.credentials.with(pair))
    case .response(let response) where response.status == 401:
      let message = response.message.masking([stored.tokens.refresh, stored.apiKey])
      return try signOut(stored.credentials, "the session is over (\(message))")
    case .response(let response):
      let message = response.message.masking([stored.tokens.refresh, stored.apiKey])
      throw .refused(status: response.status, message: message)
    case .notSent(let reason): throw .offline(reason: reason)
    case .lost(let reason), .signedOut(let reason), .refreshFailed(let reason):
      throw .interrupted(reason: reason)
    }
  }

  /// Whether no pair that was refused may have been accepted from another process.
  private func isHopeless(until generation: Int) -> Bool {
    guard tally.isHopeless else { return false }
    guard let other = pairInUse.newest() else { return true }
    // A later number than the newest stems from credentials that were removed.
    return other < tally.firstRefused || other > generation
  }

  /// Stored before anybody uses it: after a crash the old refresh token would end the session.
  private func keep(_ fresh: Credentials) throws(ClientError) -> Outcome {
    unsaved = fresh
    try store.save(fresh)
    unsaved = nil
    fetchedGeneration = fresh.generation
    tally.fetched(generation: fresh.generation)
    return .renewed(fresh)
  }

  private func signOut(_ stored: Credentials, _ reason: String) throws(ClientError) -> Outcome {
    try store.save(stored.withoutTokens())
    return .signedOut(reason: reason)
  }
}

extension TokenRenewal.Outcome {
  init(_ error: ClientError) {
    switch error {
    case .signedOut(let reason), .badCredentials(let reason): self = .signedOut(reason: reason)
    case .badAddress, .badInput, .refused, .offline, .interrupted, .garbage, .storage, .keyStore,
      .credentialHelper, .busy:
      self = .failed(reason: "the session could not be renewed: \(error)")
    }
  }
}
