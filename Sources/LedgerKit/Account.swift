public import FitIQClient
import LedgerJSON
import LedgerLog
public import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerStore
public import LedgerSync

/// Signing in and out. The log records the account, never credentials.
extension Ledger {
  /// Signs in. A ledger belongs to the account of its first sign-in; others are rejected before
  /// anything is stored. Signing in to an account of the same address that was created again is
  /// allowed; ``accountChange()`` then reports it.
  ///
  /// - Parameters:
  ///   - address: the backend's address: https, or http to this machine.
  ///   - apiKey: the app's key.
  ///   - email: the account's address.
  ///   - password: sent, not stored.
  /// - Returns: the stored credentials.
  /// - Throws: `ClientError`; `LogError`.
  @discardableResult
  public func signIn(
    to address: BackendAddress, apiKey: Secret, email: String, password: String
  ) async throws -> Credentials {
    try directory.requireWritable()
    let owner = try verifiedState().account.owner
    let auth = AuthAPI(
      address: address, apiKey: apiKey, store: credentialStore,
      transport: environment.makeTransport())
    let credentials = try await auth.login(email: email, password: password) {
      (email, userID) throws(ClientError) in
      try Self.admit(email, userID, at: address, to: owner)
    }
    try await rememberSignIn(credentials)
    return credentials
  }

  /// Creates an account and signs in. It has no profile yet.
  ///
  /// The registration is then recorded in one durable write: the name as an edit for the next sync,
  /// unless the ledger has this name, and the birth date as acknowledged.
  ///
  /// - Parameters:
  ///   - address: the backend's address: https, or http to this machine.
  ///   - apiKey: the app's key.
  ///   - email: the account's address, which must not have an account yet.
  ///   - password: sent, not stored.
  ///   - name: 1 to 100 characters.
  ///   - dateOfBirth: of a user who is at least 13 today.
  /// - Returns: the stored credentials.
  /// - Throws: before anything is sent, `Refusal` for an invalid name or birth date and
  ///   `ClientError.tooYoung`; `ClientError`; `LogError`.
  @discardableResult
  public func register(
    at address: BackendAddress, apiKey: Secret, email: String, password: String, name: String,
    dateOfBirth: CalendarDate
  ) async throws -> Credentials {
    try LedgerStore.checkRegistration(name: name, dateOfBirth: dateOfBirth, today: today)
    try Self.checkAge(bornOn: dateOfBirth, today)
    let credentials = try await makeAccount(
      at: address, apiKey: apiKey, email: email, password: password, name: name,
      dateOfBirth: dateOfBirth)
    var generator = generator()
    try await write(isCancellable: false) {
      try local.recordRegistration(
        Self.signIn(of: credentials), name: name, dateOfBirth: dateOfBirth, at: moment(),
        using: &generator)
    }
    ListingCache(directory: directory).removeAccountDeleted()
    return credentials
  }

  /// Creates an account and stores its credentials, without recording it in the log.
  package func makeAccount(
    at address: BackendAddress, apiKey: Secret, email: String, password: String, name: String,
    dateOfBirth: CalendarDate
  ) async throws -> Credentials {
    try directory.requireWritable()
    try Self.admit(email.lowercased(), nil, at: address, to: verifiedState().account.owner)
    let auth = AuthAPI(
      address: address, apiKey: apiKey, store: credentialStore,
      transport: environment.makeTransport())
    return try await auth.register(
      email: email, password: password, name: name, dateOfBirth: dateOfBirth)
  }

  /// - Throws: `Refusal`.
  package static func checkName(_ name: String, _ today: CalendarDate) throws(Refusal) {
    try LedgerStore.checkRegistration(name: name, dateOfBirth: nil, today: today)
  }

  /// The minimum age for an account, in whole years (docs/api, `POST /auth/register`).
  static let leastAge = 13

  /// - Throws: `ClientError.tooYoung`.
  package static func checkAge(
    bornOn date: CalendarDate, _ today: CalendarDate
  ) throws(ClientError) {
    guard date.age(on: today) < leastAge else { return }
    throw .tooYoung(bornOn: date, leastAge: leastAge)
  }

  /// Deletes the tokens and the key. Pending edits stay pending.
  ///
  /// - Parameter forgetsAccount: whether to remove the address and the account from the credential store
  ///   too, instead of keeping them for the next sign-in. The log keeps the account that it belongs to.
  /// - Returns: `false` if no account was signed in.
  /// - Throws: `ClientError`; `LogError`.
  @discardableResult
  public func signOut(forgetsAccount: Bool = false) async throws -> Bool {
    let wasSignedIn = try await endSession(reason: "logout")
    if forgetsAccount { try await AuthAPI.forget(credentialStore) }
    return wasSignedIn
  }

  /// Deletes the tokens and the key, and unreadable credentials whole: others may know them.
  @discardableResult
  private func endSession(reason: String) async throws -> Bool {
    try directory.requireWritable()
    var stored: Credentials?
    do throws(ClientError) {
      stored = try credentialStore.load()
      guard stored != nil else { return false }
      // Without tokens, too: a credential helper may have failed to erase them before.
      try await AuthAPI.logout(credentialStore)
    } catch {
      guard case .badCredentials = error else { throw error }
      try await AuthAPI.forget(credentialStore)
    }
    let known = stored.flatMap { $0.isSignedIn ? Self.signIn(of: $0) : nil }
    guard let signedIn = try known ?? state().account.current else { return false }
    try await write(isCancellable: false) {
      try recordFact(
        .accountSignedOut(
          AccountSignedOut(account: signedIn.account, origin: signedIn.origin, reason: reason)))
    }
    return true
  }

  /// The address of the signed-in account; `nil` if there is none. Does not ask the backend, so a
  /// session that it has ended counts until the next sync.
  ///
  /// - Throws: `ClientError` for unreadable credentials.
  public func account() throws -> String? {
    guard let stored = try credentialStore.load(), stored.isSignedIn else { return nil }
    return stored.email
  }

  /// The signed-in account, if it has the same address as the ledger's but was created again. A sync
  /// then stops until the user decides (``SyncConfiguration/onReplacedAccount``).
  ///
  /// - Throws: `LogError`, including damage to the log.
  public func accountChange() throws -> AccountChange? {
    let account = try state().account
    guard let owner = account.owner?.userID, let current = account.current?.userID,
      owner != current
    else { return nil }
    return AccountChange(
      from: owner, to: current, reason: "the account has another user id at the backend")
  }

  /// A connection to the backend for the signed-in account; `nil` if there is none.
  ///
  /// - Parameter trace: called after every exchange; contains no secrets.
  /// - Throws: `ClientError` for unreadable credentials, and for those of another account than the ledger's,
  ///   as after a copy; `LogError.readOnly` for a ledger opened for reading only, because a session stores
  ///   renewed tokens.
  public func connection(
    trace: (@Sendable (WireTrace) -> Void)? = nil
  ) throws -> BackendSession? {
    try directory.requireWritable()
    guard let stored = try credentialStore.load(), stored.isSignedIn else { return nil }
    let address = try BackendAddress(stored.address)
    try Self.admit(stored.email, stored.userID, at: address, to: state().account.owner)
    var transport = environment.makeTransport()
    let onEvent = environment.onEvent
    if trace != nil || onEvent != nil {
      transport = TracedTransport(transport) { exchange in
        trace?(exchange)
        onEvent?(.exchanged(exchange))
      }
    }
    let activity = environment.expiringActivity
    return BackendSession(
      address: address, store: credentialStore, transport: transport, pause: environment.pause
    ) { renewal in
      try await activity.run(reason: "Renewing the session") { await renewal() }
    }
  }

  private func recordFact(_ payload: Event.Payload) throws {
    var generator = generator()
    try local.record([payload], at: moment(), using: &generator)
  }

  var credentialStore: any CredentialStore { environment.makeCredentialStore(directory) }

  /// Records the sign-in, unless it is the last one in the log.
  package func rememberSignIn(_ credentials: Credentials) async throws {
    let signedIn = Self.signIn(of: credentials)
    // The backend has signed in: record it in a canceled task as well.
    try await write(isCancellable: false) {
      guard try !state().account.isSignedIn(signedIn) else { return }
      try recordFact(.accountSignedIn(signedIn))
    }
    ListingCache(directory: directory).removeAccountDeleted()
  }

  private static func signIn(of credentials: Credentials) -> AccountSignedIn {
    AccountSignedIn(
      account: credentials.email, origin: credentials.origin, userID: credentials.userID)
  }

  /// Compares accounts by address and origin, or by `user_id` if known (docs/sync.md, A backend that
  /// forgot). The same address and origin with another `user_id` is an account that was created again,
  /// which is admitted.
  package static func admit(
    _ email: String, _ userID: String?, at address: BackendAddress, to owner: AccountSignedIn?
  ) throws(ClientError) {
    guard let owner else { return }
    guard owner.account != email || owner.origin != address.origin else { return }
    if let mine = owner.userID, mine == userID { return }
    throw .otherAccount(owner: owner, email: email, origin: address.origin)
  }
}

/// The outcome of deleting an account.
public enum AccountDeletion: Hashable, Sendable {
  /// The account and all its data were deleted.
  case deleted
  /// The request was sent without a clear answer: the account may be deleted.
  case inDoubt(reason: String)
  /// The request was not sent.
  case notReached(reason: String)
  /// 429: ask again after this time.
  case rateLimited(seconds: Int)
  /// Sign in again; nothing was deleted, or the account no longer exists.
  case signedOut(reason: String)
  /// The backend refused, with an HTTP status and its message.
  case refused(status: Int, message: String)
}

extension Ledger {
  /// Deletes the signed-in account with all its data at the backend (docs/api). No sync runs
  /// meanwhile. Nothing local is changed; see ``forgetAccount()`` and ``remove()``.
  ///
  /// - Throws: `LogError.locked` while a sync is running; `CancellationError`.
  public func deleteAccount(
    over connection: some BackendConnection, lockWaitSeconds: Int = 30
  ) async throws -> AccountDeletion {
    let directory = directory
    let answer = try await environment.expiringActivity.run(reason: "Deleting the account") {
      let lock = try await SyncLock.acquire(directory, waitSeconds: lockWaitSeconds)
      defer { withExtendedLifetime(lock) {} }
      return await connection.send(WireRequest(.delete, "/api/v1/users/me"))
    }
    switch answer {
    case .notSent(let reason): return .notReached(reason: reason)
    case .lost(let reason): return .inDoubt(reason: reason)
    case .signedOut(let reason): return .signedOut(reason: reason)
    case .refreshFailed(let reason): return .notReached(reason: reason)
    case .response(let response): return Self.deletion(response)
    }
  }

  private static func deletion(_ response: WireAnswer.Response) -> AccountDeletion {
    switch response.status {
    case 204: return .deleted
    // May be a captive portal; keep the local ledger.
    case 200..<300:
      return .inDoubt(reason: "the backend answered a DELETE with \(response.status)")
    // Deleted before, as after a lost answer; but not if the page comes from a proxy.
    case 404 where response.isError: return .deleted
    case 429: return .rateLimited(seconds: response.retryAfterSeconds ?? 1)
    case _ where response.mayPassLater:
      return .inDoubt(reason: "status \(response.status): \(response.message)")
    default: return .refused(status: response.status, message: response.message)
    }
  }

  /// Removes all credentials of a deleted account from the credential store, whichever it is, with the
  /// address and the account, also if they are unreadable, and records the sign-out.
  ///
  /// - Throws: `ClientError`; `LogError`.
  public func forgetAccount() async throws {
    try await endSession(reason: "the account was deleted")
    try await AuthAPI.forget(credentialStore)
    ListingCache(directory: directory).writeAccountDeleted(at: moment())
  }

  /// Removes the ledger's own files; does not follow links. Call ``forgetAccount()`` or
  /// ``signOut(forgetsAccount:)`` first: a credential store outside of the folder, such as the keychain,
  /// cannot be found without the ledger.
  ///
  /// - Returns: the other files in its folder; empty if the folder was removed too.
  /// - Throws: `LogError`; `CancellationError` while another process holds the log's lock, with nothing
  ///   removed.
  public func remove() async throws -> [String] {
    try directory.requireWritable()
    let directory = directory
    return try await environment.expiringActivity.run(reason: "Removing the ledger") {
      try await self.waitForOtherProcesses()
      // On a thread of its own: it waits for the locks.
      return try await BlockingExecutor.run { () throws(LogError) in
        try directory.removeLedger()
      }
    }
  }
}

extension CalendarDate {
  /// Whole years; with a birthday on 29 February, a year passes on 1 March.
  fileprivate func age(on day: CalendarDate) -> Int {
    let (born, now) = (components, day.components)
    let hadBirthday = (now.month, now.day) >= (born.month, born.day)
    return now.year - born.year - (hadBirthday ? 0 : 1)
  }
}

extension WireAnswer.Response {
  /// Whether the body is an error as the backend writes one.
  fileprivate var isError: Bool {
    guard let json = try? JSONValue(parsing: body) else { return false }
    return json.object?["error"] != nil
  }
}
