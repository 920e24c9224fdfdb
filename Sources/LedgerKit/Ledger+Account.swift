public import FitIQClient
import LedgerLog
public import LedgerModel
public import LedgerSync

/// Signing in and out. The log says who and where, never with what.
extension Ledger {
  /// Signs in. A ledger belongs to the account of its first sign-in; another's is refused before
  /// anything is stored.
  ///
  /// - Parameters:
  ///   - address: where the backend is: https, or http to this very machine.
  ///   - apiKey: the app's own key.
  ///   - email: the account's address.
  ///   - password: is sent and forgotten.
  /// - Returns: what was stored.
  /// - Throws: `ClientError`; `LogError`.
  @discardableResult
  public func login(
    to address: BackendAddress, apiKey: Secret, email: String, password: String
  ) async throws -> Credentials {
    let owner = try verifiedState().account.owner
    let auth = AuthAPI(
      address: address, apiKey: apiKey, store: credentialStore,
      transport: environment.makeTransport())
    let credentials = try await auth.login(email: email, password: password) {
      (email, userID) throws(ClientError) in
      try Self.admit(email, userID, at: address, to: owner)
    }
    try rememberSignIn(credentials)
    return credentials
  }

  /// Makes an account and signs it in; no profile is made.
  ///
  /// - Parameters:
  ///   - address: where the backend is: https, or http to this very machine.
  ///   - apiKey: the app's own key.
  ///   - email: the account's address; one that has an account already is refused.
  ///   - password: is sent and forgotten.
  ///   - name: the person's name.
  ///   - dateOfBirth: the backend takes nobody under 13.
  /// - Returns: what was stored.
  /// - Throws: `ClientError`; `LogError`.
  @discardableResult
  public func register(
    at address: BackendAddress, apiKey: Secret, email: String, password: String, name: String,
    dateOfBirth: CalendarDate
  ) async throws -> Credentials {
    try Self.admit(email.lowercased(), nil, at: address, to: verifiedState().account.owner)
    let auth = AuthAPI(
      address: address, apiKey: apiKey, store: credentialStore,
      transport: environment.makeTransport())
    let credentials = try await auth.register(
      email: email, password: password, name: name, dateOfBirth: dateOfBirth)
    try rememberSignIn(credentials)
    return credentials
  }

  /// Forgets the tokens and the key. Every edit stays, pending ones stay pending.
  ///
  /// - Returns: false when nobody was signed in.
  /// - Throws: `ClientError`; `LogError`.
  @discardableResult
  public func logout() async throws -> Bool { try await endSession(reason: "logout") }

  @discardableResult
  func endSession(reason: String) async throws -> Bool {
    let stored = try credentialStore.load()
    guard let stored, stored.isSignedIn else { return false }
    try await AuthAPI.logout(credentialStore)
    try recordFact([
      .accountSignedOut(
        AccountSignedOut(account: stored.email, origin: stored.origin, reason: reason))
    ])
    return true
  }

  /// The address of the account that is signed in; `nil` when nobody is, or no longer. The backend
  /// is not asked, so a session that it has ended counts until a sync finds out.
  ///
  /// - Throws: `ClientError` for credentials that cannot be read.
  public func account() throws(ClientError) -> String? {
    guard let stored = try credentialStore.load(), stored.isSignedIn else { return nil }
    return stored.email
  }

  /// The way to the backend for who is signed in; `nil` when nobody is.
  ///
  /// - Parameter trace: called after every exchange; nothing it is told is secret.
  /// - Throws: `ClientError` for credentials that cannot be read.
  public func connection(
    trace: (@Sendable (WireTrace) -> Void)? = nil
  ) throws(ClientError) -> BackendSession? {
    guard let stored = try credentialStore.load(), stored.isSignedIn else { return nil }
    var transport = environment.makeTransport()
    if let trace { transport = TracedTransport(transport, trace: trace) }
    return BackendSession(
      address: try BackendAddress(stored.address), store: credentialStore,
      transport: transport)
  }

  /// ``sync(over:options:)`` with the backend that somebody is signed in to.
  ///
  /// - Throws: `ClientError.signedOut` when nobody is; else as ``sync(over:options:)``.
  public func sync(options: SyncOptions = SyncOptions()) async throws -> SyncReport {
    guard let connection = try connection() else {
      throw ClientError.signedOut(reason: "nobody is signed in")
    }
    return try await sync(over: connection, options: options)
  }

  private func recordFact(_ payloads: [Event.Payload]) throws(LogError) {
    var generator = generator()
    try local.record(payloads, at: moment(), using: &generator)
  }

  private var credentialStore: any CredentialStore { environment.makeCredentialStore(directory) }

  private func rememberSignIn(_ credentials: Credentials) throws {
    let current = try state().account.current
    let signedIn = AccountSignedIn(
      account: credentials.email, origin: credentials.origin, userID: credentials.userID)
    guard current?.account != signedIn.account || current?.origin != signedIn.origin else { return }
    try recordFact([.accountSignedIn(signedIn)])
  }

  /// By `user_id` where both are known, else by address and origin (backend.md, Pulling).
  private static func admit(
    _ email: String, _ userID: String?, at address: BackendAddress, to owner: AccountSignedIn?
  ) throws(ClientError) {
    guard let owner else { return }
    if let mine = owner.userID, let theirs = userID {
      guard mine != theirs else { return }
    } else {
      guard owner.account != email || owner.origin != address.origin else { return }
    }
    throw .badInput(
      problem: "this ledger belongs to \(owner.account) at \(owner.origin), not to \(email); "
        + "another account needs a ledger of its own")
  }
}
