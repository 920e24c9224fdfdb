import FitIQClient
import LedgerJSON
public import LedgerLog
public import LedgerModel
import LedgerProjections
public import LedgerStore
public import LedgerSync

/// What came of asking the backend to delete an account.
public enum AccountDeletion: Hashable, Sendable {
  /// The account and all its data are gone there.
  case deleted
  /// It was asked, and no answer came that tells: it may be gone.
  case inDoubt(reason: String)
  /// It never heard of it.
  case notReached(reason: String)
  case rateLimited(seconds: Int)
  /// Sign in again; nothing was deleted, or the account is gone already.
  case signedOut(reason: String)
  case refused(status: Int, message: String)
}

extension Ledger {
  /// Asks the backend to delete the account of who is signed in, with all its data (docs/api). No
  /// run of the projector goes on meanwhile. Nothing here is changed; see ``forgetAccount()`` and
  /// ``remove()``.
  ///
  /// - Throws: `LogError.locked` while another run goes on; `CancellationError`.
  public func deleteAccount(
    over connection: some BackendConnection, lockWaitSeconds: Int = 30
  ) async throws -> AccountDeletion {
    let lock = try await SyncLock.acquire(directory, waitSeconds: lockWaitSeconds)
    defer { withExtendedLifetime(lock) {} }
    switch await connection.send(WireRequest(.delete, "/api/v1/users/me")) {
    case .notSent(let reason): return .notReached(reason: reason)
    case .lost(let reason): return .inDoubt(reason: reason)
    case .signedOut(let reason): return .signedOut(reason: reason)
    case .refreshFailed(let reason): return .notReached(reason: reason)
    case .response(let response): return Self.meaning(of: response)
    }
  }

  private static func meaning(of response: WireAnswer.Response) -> AccountDeletion {
    switch response.status {
    case 204: return .deleted
    // Nothing that answers a DELETE: a hotel's page, say. The ledger here must not go for it.
    case 200..<300:
      return .inDoubt(reason: "the backend answered a DELETE with \(response.status)")
    // Deleted before, as after an answer that was lost; but a proxy's page must not count as that.
    case 404 where response.isError: return .deleted
    case 429: return .rateLimited(seconds: response.retryAfterSeconds ?? 1)
    case 500...: return .inDoubt(reason: "status \(response.status): \(response.message)")
    default: return .refused(status: response.status, message: response.message)
    }
  }

  /// Forgets the credentials of an account that is no more, and says so in the log.
  public func forgetAccount() async throws {
    try await endSession(reason: "the account was deleted")
    // Signing out keeps the account's name for the next sign-in; there is none.
    try await AuthAPI.forget(credentialStore)
  }

  /// Removes the ledger's files: only what a ledger makes, nothing through a link.
  ///
  /// - Returns: what is left in its folder; empty when the folder is gone too.
  /// - Throws: `LogError`.
  public func remove() throws(LogError) -> [String] { try directory.removeLedger() }

  /// Removes the content of an event, and of all that belongs to it, for good.
  ///
  /// - Parameters:
  ///   - seq: the event, or one that made the entry it is about.
  ///   - reason: all that the log will tell; 1 to 500 characters.
  ///   - lockWaitSeconds: how long a run of the projector is waited for.
  /// - Returns: which events lost their content, and what the backend still has of it.
  /// - Throws: ``EraseRefusal`` with nothing written; `LogError`; `CancellationError` while a run of
  ///   the projector is waited for.
  @discardableResult
  public func erase(
    _ seq: Seq, reason: String, lockWaitSeconds: Int = 30
  ) async throws -> Erasure {
    let lock = try await SyncLock.acquire(directory, waitSeconds: lockWaitSeconds)
    var generator = generator()
    let outcome = try local.erase(
      seq, reason: reason, holding: lock, at: moment(), using: &generator)
    return outcome.erasure
  }

  /// Takes an edit back by a new event: cancels what was not sent, compensates what was.
  ///
  /// - Parameter seq: `nil` for the newest edit of a person that can be undone.
  /// - Returns: where the events stand that take it back.
  /// - Throws: ``UndoRefusal`` with nothing written; `LogError`.
  @discardableResult
  public func undo(_ seq: Seq? = nil) throws -> [Seq] {
    var generator = generator()
    let now = moment()
    let outcome = try local.undo(
      seq, at: now, today: environment.zone.today(at: now), using: &generator)
    return outcome.appended.edits.map(\.seq)
  }
}

extension Ledger {
  /// Takes several edits back in one durable write, such as deletions that a sync took from the
  /// backend.
  ///
  /// - Parameter selection: edits that are named, all of which have to be undone, and ranges, of
  ///   which every edit is that can be.
  /// - Returns: where the events stand that take them back.
  /// - Throws: ``UndoRefusal`` with nothing written; `LogError`.
  @discardableResult
  public func undo(_ selection: UndoSelection) throws -> [Seq] {
    var generator = generator()
    let now = moment()
    let outcome = try local.undo(
      selection, at: now, today: environment.zone.today(at: now), using: &generator)
    return outcome.appended.edits.map(\.seq)
  }
}

extension WireAnswer.Response {
  /// Whether the body is an error as the backend writes one.
  fileprivate var isError: Bool {
    guard let json = try? JSONValue(parsing: body) else { return false }
    return json.object?["error"] != nil
  }
}
