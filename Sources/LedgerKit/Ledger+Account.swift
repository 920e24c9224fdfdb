public import FitIQClient
import LedgerLog
public import LedgerModel
import LedgerProjections
import LedgerStore
public import LedgerSync

/// Signing in and out. The log says who and where, never with what.
extension Ledger {
  /// Signs in. A ledger belongs to the account of its first sign-in; another's is refused before
  /// anything is stored. An account of the same address that was created again is signed in to;
  /// ``accountChange()`` then says so.
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

  /// Makes an account and signs it in; no profile is made there.
  ///
  /// What the backend was told is then recorded, in one durable write: the name as an edit that goes
  /// out with the next sync, unless the ledger has this name, and the birth date as acknowledged by
  /// the registration.
  ///
  /// - Parameters:
  ///   - address: where the backend is: https, or http to this very machine.
  ///   - apiKey: the app's own key.
  ///   - email: the account's address; one that has an account already is refused.
  ///   - password: is sent and forgotten.
  ///   - name: the person's name, 1 to 100 characters.
  ///   - dateOfBirth: of a person who is ``leastAge`` or older today.
  /// - Returns: what was stored.
  /// - Throws: `Refusal` for a name or birth date that the log cannot hold, and
  ///   `ClientError.badInput` for a person who is too young, both before anything is sent;
  ///   `ClientError`; `LogError`.
  @discardableResult
  public func register(
    at address: BackendAddress, apiKey: Secret, email: String, password: String, name: String,
    dateOfBirth: CalendarDate
  ) async throws -> Credentials {
    let today = environment.zone.today(at: moment())
    try LedgerStore.checkRegistration(name: name, dateOfBirth: dateOfBirth, today: today)
    try Self.checkAge(bornOn: dateOfBirth, today)
    let credentials = try await makeAccount(
      at: address, apiKey: apiKey, email: email, password: password, name: name,
      dateOfBirth: dateOfBirth)
    var generator = generator()
    try local.recordRegistration(
      Self.signIn(of: credentials), name: name, dateOfBirth: dateOfBirth, at: moment(),
      using: &generator)
    return credentials
  }

  /// Makes an account and stores its credentials; the log is not told.
  package func makeAccount(
    at address: BackendAddress, apiKey: Secret, email: String, password: String, name: String,
    dateOfBirth: CalendarDate
  ) async throws -> Credentials {
    try Self.admit(email.lowercased(), nil, at: address, to: verifiedState().account.owner)
    let auth = AuthAPI(
      address: address, apiKey: apiKey, store: credentialStore,
      transport: environment.makeTransport())
    return try await auth.register(
      email: email, password: password, name: name, dateOfBirth: dateOfBirth)
  }

  /// The least age in whole years that a backend registers (docs/api, `POST /auth/register`).
  public static let leastAge = 13

  /// - Throws: `ClientError.badInput` for a person who is too young to register.
  package static func checkAge(
    bornOn date: CalendarDate, _ today: CalendarDate
  ) throws(ClientError) {
    guard date.age(on: today) < leastAge else { return }
    throw .badInput(
      problem: "the birth date is \(date); the backend registers nobody under \(leastAge)")
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
    guard let stored else { return false }
    // A session that the backend ended leaves the API key.
    if stored.tokens != nil || stored.apiKey != nil { try await AuthAPI.logout(credentialStore) }
    guard stored.isSignedIn else { return false }
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

  /// The account that is signed in, where it is not the one that the ledger belongs to although it has
  /// the same address: it was created again. `sync` then stops until a person decides
  /// (``SyncConfiguration/onReplacedAccount``).
  ///
  /// - Throws: `LogError`, damage to the log included.
  public func accountChange() throws(LogError) -> AccountChange? {
    let account = try state().account
    guard let owner = account.owner?.userID, let current = account.current?.userID,
      owner != current
    else { return nil }
    return AccountChange(
      from: owner, to: current, reason: "the account has another user id at the backend")
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

  var credentialStore: any CredentialStore { environment.makeCredentialStore(directory) }

  /// Records who is signed in, unless the log's last sign-in says so.
  package func rememberSignIn(_ credentials: Credentials) throws {
    let signedIn = Self.signIn(of: credentials)
    guard try !state().account.isSignedIn(signedIn) else { return }
    try recordFact([.accountSignedIn(signedIn)])
  }

  private static func signIn(of credentials: Credentials) -> AccountSignedIn {
    AccountSignedIn(
      account: credentials.email, origin: credentials.origin, userID: credentials.userID)
  }

  /// By `user_id` where both are known, else by address and origin (docs/sync.md, A backend that
  /// forgot). An account of the same address and origin with another `user_id` was created again; it
  /// is admitted.
  private static func admit(
    _ email: String, _ userID: String?, at address: BackendAddress, to owner: AccountSignedIn?
  ) throws(ClientError) {
    guard let owner else { return }
    guard owner.account != email || owner.origin != address.origin else { return }
    if let mine = owner.userID, mine == userID { return }
    throw .badInput(
      problem: "this ledger belongs to \(owner.account) at \(owner.origin), not to \(email); "
        + "another account needs a ledger of its own")
  }
}

extension CalendarDate {
  /// Whole years; a person born on 29 February is a year older on 1 March.
  fileprivate func age(on day: CalendarDate) -> Int {
    let (born, now) = (components, day.components)
    let hadBirthday = (now.month, now.day) >= (born.month, born.day)
    return now.year - born.year - (hadBirthday ? 0 : 1)
  }
}
