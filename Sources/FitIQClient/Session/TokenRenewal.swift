import LedgerModel
import LedgerPlatform
import LedgerSync
import Synchronization

/// Runs an operation before the app can be suspended.
package typealias RenewalActivity =
  @Sendable (_ operation: @escaping @Sendable () async -> Void) async throws -> Void

/// Replaces a refused token pair once for all callers: in this process by one task that all await,
/// across processes under `auth.lock`. The credential store is used on a thread of its own.
actor TokenRenewal {
  enum Outcome: Sendable {
    case renewed(Credentials)
    /// A new sign-in is needed.
    case signedOut(reason: String)
    /// Renewal failed for now; the session continues.
    case failed(reason: String)
  }

  /// How long a renewal whose call was canceled may go on. Only iOS suspends apps.
  #if os(iOS)
    private static let grace = Duration.seconds(2)
  #else
    private static let grace = Duration.seconds(30)
  #endif

  private let address: BackendAddress
  private let store: any CredentialStore
  private let transport: any BackendTransport
  private let pause: @Sendable (Duration) async -> Void
  private let activity: RenewalActivity
  private var running: Task<Outcome, Never>?
  /// A pair that could not be stored, kept until it can be: the pair before it is used up.
  private var unsaved: Credentials?
  private var tally = RefusalTally()
  private let useMarker: TokenUseMarker
  /// Generations that need no marker: the latest fetched here, or the one marked last.
  private var fetchedGenerations: [Int] = []
  private var markedGeneration = 0
  /// Calls that carry older pairs have ended.
  private static let mostFetched = 64
  private let executor = BlockingExecutor("ledger.credentials")

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(
    address: BackendAddress, store: any CredentialStore, transport: any BackendTransport,
    pause: @escaping @Sendable (Duration) async -> Void, activity: @escaping RenewalActivity
  ) {
    self.address = address
    self.store = store
    self.transport = transport
    self.pause = pause
    self.activity = activity
    useMarker = TokenUseMarker(path: store.lockPath)
  }

  /// Read for every call: another process may have signed in, renewed or signed out.
  ///
  /// Tokens that seem missing are read again under the lock: while a credential helper stores a new
  /// pair it may answer that it has none.
  func stored() async throws(ClientError) -> Credentials? {
    let stored = try store.load()
    guard stored != nil, stored?.tokens == nil else { return stored }
    let lock = try await AuthLock.take(store.lockPath)
    defer { lock.release() }
    return try store.loadLocked()
  }

  /// Call before a request is sent with these credentials. Marks their use before the request can
  /// use the token up, so that the process that fetched it does not take that for the session's end.
  func callStarts(with sent: Credentials) {
    tally.started()
    guard !fetchedGenerations.contains(sent.generation), sent.generation != markedGeneration else {
      return
    }
    markedGeneration = sent.generation
    useMarker.mark(sent.generation)
  }

  /// Call with the answer to every request announced by ``callStarts(with:)``.
  func callEnded(_ answer: WireAnswer, with sent: Credentials) {
    switch answer {
    case .response(let response) where response.status == 401:
      tally.refused(generation: sent.generation)
    case .response: tally.accepted()
    case .notSent, .lost, .signedOut, .refreshFailed: tally.unanswered()
    }
  }

  /// - Parameters:
  ///   - sent: the credentials that were refused.
  ///   - mayFetch: whether this call may try another pair.
  func renew(_ sent: Credentials, mayFetch: Bool) async -> Outcome {
    guard mayFetch || isSessionOver(until: sent.generation) else {
      return .failed(reason: "the backend refused one new token after the other")
    }
    while let running {
      let outcome = await running.value
      // The renewal that issued the refused token cannot resolve its refusal.
      if case .renewed(let fresh) = outcome, fresh.tokens == sent.tokens { continue }
      return outcome
    }
    let task = Task { await attemptInActivity(sent) }
    running = task
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// iOS ends an app that is suspended while it holds the lock.
  private func attemptInActivity(_ sent: Credentials) async -> Outcome {
    defer { running = nil }
    let outcome = Mutex<Outcome?>(nil)
    try? await activity {
      let found = await self.attemptWithGrace(sent)
      outcome.withLock { $0 = found }
    }
    return outcome.withLock { $0 }
      ?? .failed(reason: "the session could not be renewed: the system suspends the app")
  }

  /// A cancellation does not stop a refresh half-way: the new pair would be lost and the old one used up.
  /// It is canceled after the grace.
  private func attemptWithGrace(_ sent: Credentials) async -> Outcome {
    let task = Task { await attempt(sent) }
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: { [pause] in
      Task {
        await pause(Self.grace)
        task.cancel()
      }
    }
  }

  private func attempt(_ sent: Credentials) async -> Outcome {
    do throws(ClientError) {
      let lock = try await AuthLock.take(store.lockPath)
      defer { lock.release() }
      return try await replace(sent)
    } catch {
      return Outcome(error)
    }
  }

  /// Uses the pair another process stored meanwhile, or fetches one. Needs the lock.
  private func replace(_ sent: Credentials) async throws(ClientError) -> Outcome {
    let stored = try ActiveCredentials(try store.loadLocked(), at: address)
    let isOwn = fetchedGenerations.contains(stored.credentials.generation)
    let isOver = isSessionOver(until: stored.credentials.generation)
    guard stored.credentials.tokens == sent.tokens || isOwn && isOver else {
      if !isOwn { tally.foundOtherPair() }
      return .renewed(stored.credentials)
    }
    if let unsaved, unsaved.generation == stored.credentials.generation + 1 {
      return try keep(unsaved)
    }
    if isOver {
      return try signOut(stored.credentials, "the backend accepts none of the session's tokens")
    }
    let answer = await transport.send(
      .refresh(stored.tokens.refresh), to: address,
      with: RequestCredentials(apiKey: stored.apiKey))
    switch answer {
    case .response(let response) where response.isSuccess:
      guard let pair = TokenPair(in: response) else { throw .garbage(expected: "token pair") }
      return try keep(stored.credentials.with(pair))
    case .response(let response):
      let message = response.message.masking([stored.tokens.refresh, stored.apiKey])
      guard response.status == 401 else {
        throw .refused(status: response.status, message: message)
      }
      return try signOut(stored.credentials, "the session is over (\(message))")
    case .notSent(let reason): throw .offline(reason: reason)
    case .lost(let reason), .signedOut(let reason), .refreshFailed(let reason):
      throw .interrupted(reason: reason)
    }
  }

  /// Whether the tally ended the session and no other process may have used up the refused pairs.
  private func isSessionOver(until generation: Int) -> Bool {
    guard tally.isSessionOver else { return false }
    guard let marked = useMarker.read() else { return true }
    // A later generation than the current one stems from credentials that were removed.
    return marked < tally.firstRefused || marked > generation
  }

  /// Stores the pair before its first use: after a crash the old refresh token would end the session.
  private func keep(_ fresh: Credentials) throws(ClientError) -> Outcome {
    unsaved = fresh
    try store.save(fresh)
    unsaved = nil
    fetchedGenerations = fetchedGenerations.suffix(Self.mostFetched - 1) + [fresh.generation]
    tally.fetched(generation: fresh.generation)
    return .renewed(fresh)
  }

  private func signOut(_ stored: Credentials, _ reason: String) throws(ClientError) -> Outcome {
    try store.save(stored.withoutTokens())
    return .signedOut(reason: reason)
  }
}

extension TokenRenewal.Outcome {
  fileprivate init(_ error: ClientError) {
    switch error {
    case .signedOut(let reason), .badCredentials(let reason): self = .signedOut(reason: reason)
    case .badAddress, .badAPIKey, .tooYoung, .otherAccount, .refused, .offline, .interrupted,
      .garbage, .storage, .keyStore, .credentialHelper, .busy:
      self = .failed(reason: "the session could not be renewed: \(error)")
    }
  }
}

/// Distinguishes an expired token from an ended session by how requests with the token pairs that this
/// process fetched were answered.
///
/// A backend whose tokens last for one request also refuses fresh ones when another call was faster.
/// The session counts as over only when two pairs in a row were refused, no other answer came in
/// between, and no call is in flight that may bring one.
struct RefusalTally: Sendable {
  private var inFlight = 0
  private var fetchedGeneration: Int?
  private var refusedInARow = 0
  /// The generation with which the current run of refusals began.
  private(set) var firstRefused = 0

  var isSessionOver: Bool { refusedInARow >= 2 && inFlight == 0 }

  mutating func started() { inFlight += 1 }

  /// No complete answer, which says nothing about the token.
  mutating func unanswered() { inFlight -= 1 }

  /// Any answer but 401.
  mutating func accepted() {
    inFlight -= 1
    refusedInARow = 0
  }

  mutating func refused(generation: Int) {
    inFlight -= 1
    guard generation == fetchedGeneration else { return }
    // Several calls may have carried the pair; it counts once.
    fetchedGeneration = nil
    if refusedInARow == 0 { firstRefused = generation }
    refusedInARow += 1
  }

  mutating func fetched(generation: Int) { fetchedGeneration = generation }

  /// Another process renewed the session; its accepted calls are not visible here.
  mutating func foundOtherPair() {
    fetchedGeneration = nil
    refusedInARow = 0
  }
}

/// The newest token pair used by a process that did not fetch it, written to the shared lock file.
/// Lets the fetching process tell a consumed token from an invalid one.
struct TokenUseMarker: Sendable {
  let path: String

  private static let digits = 20

  /// Write errors are ignored: the marker is a hint.
  func mark(_ generation: Int) {
    let number = "\(generation)"
    let text = String(repeating: "0", count: Self.digits - number.utf8.count) + number + "\n"
    guard let file = try? OpenFile(path, .readWriteOrCreate) else { return }
    try? file.write(Array(text.utf8), at: 0)
  }

  /// - Returns: `nil` without a marker.
  func read() -> Int? {
    guard let file = try? OpenFile(path, .read),
      let bytes = try? file.bytes(in: 0..<Self.digits), bytes.count == Self.digits
    else { return nil }
    return Int(String(decoding: bytes, as: UTF8.self))
  }
}
