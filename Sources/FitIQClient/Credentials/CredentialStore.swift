public import LedgerLog
import LedgerPlatform

/// Keeps credentials between runs, for instance in a file or in the key chain.
public protocol CredentialStore: Sendable {
  /// - Returns: `nil` before the first sign-in.
  func load() throws(ClientError) -> Credentials?
  /// As ``load()``, but must not return a cached value. Called while the lock of ``lockPath`` is
  /// held, before a token pair is replaced. The default calls ``load()``.
  func loadLocked() throws(ClientError) -> Credentials?
  /// Returns once the credentials survive a crash. Credentials without key and tokens mean a
  /// logout: no secret may remain.
  func save(_ credentials: Credentials) throws(ClientError)
  /// Removes the credentials, with the address and the account.
  func remove() throws(ClientError)
  /// The lock file that every process holds while it replaces a token pair.
  var lockPath: String { get }
}

extension CredentialStore {
  public func loadLocked() throws(ClientError) -> Credentials? { try load() }

  /// Changes the stored credentials under the lock.
  ///
  /// - Parameter keepsAnswer: whether the change is what the backend has answered: then a canceled task waits
  ///   for the lock as well.
  /// - Returns: what was stored; `nil` if nothing was.
  @discardableResult
  func update(
    keepsAnswer: Bool = true, _ change: @escaping @Sendable (Credentials?) -> Credentials?
  ) async throws(ClientError) -> Credentials? {
    let path = lockPath
    let waiting = Task { () -> Result<AuthLock, ClientError> in
      do throws(ClientError) { return .success(try await AuthLock.take(path)) } catch {
        return .failure(error)
      }
    }
    let lock = try await withTaskCancellationHandler {
      await waiting.value
    } onCancel: {
      if !keepsAnswer { waiting.cancel() }
    }.get()
    defer { lock.release() }
    return try await BlockingExecutor.run { () throws(ClientError) in try updateLocked(change) }
  }

  private func updateLocked(
    _ change: (Credentials?) -> Credentials?
  ) throws(ClientError) -> Credentials? {
    // Unreadable credentials are replaced, so that a sign-in repairs them.
    let old: Credentials?
    do throws(ClientError) {
      old = try loadLocked()
    } catch {
      guard case .badCredentials = error else { throw error }
      old = nil
    }
    guard let new = change(old) else { return nil }
    try save(new)
    return new
  }
}

/// `auth.lock`, held while a token pair is replaced: the refresh token works once, and two processes
/// that use it concurrently revoke the session (docs/api, `POST /auth/refresh`).
final class AuthLock: Sendable {
  private let lock: FileLock

  private init(_ lock: FileLock) {
    self.lock = lock
  }

  /// Waits outside of the cooperative pool, until the task is canceled.
  static func take(_ path: String) async throws(ClientError) -> AuthLock {
    let seconds = LogFormat.lockWaitSeconds
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
      let lock = await BlockingExecutor.run {
        Result { () throws(LogError) in try FileLock(path, .exclusive, waitSeconds: 0) }
      }
      switch lock {
      case .success(let lock): return AuthLock(lock)
      case .failure(.io(let failure)): throw .storage(failure)
      case .failure(.locked): break
      case .failure(let error): preconditionFailure("A lock cannot fail so: \(error)")
      }
      guard ContinuousClock.now < deadline else { throw .busy(seconds: seconds) }
      try? await Task.sleep(for: .milliseconds(10))
      guard !Task.isCancelled else { throw .offline(reason: "it was canceled") }
    }
  }

  /// Keeps the lock until here; the last reference releases it.
  func release() {
    withExtendedLifetime(self) {}
  }
}

/// `credentials.json` in the ledger's folder, readable only by its owner (docs/log-format.md, Directory).
public struct FileCredentialStore: CredentialStore {
  private let directory: LedgerDirectory
  private var path: String { directory.credentials }
  public var lockPath: String { directory.authLock }

  /// The store of the ledger in this folder.
  public init(_ directory: LedgerDirectory) { self.directory = directory }

  /// Far more than a token pair needs.
  private static let largestBytes = 65_536

  public func load() throws(ClientError) -> Credentials? {
    let status = try accessing { () throws(IOFailure) in
      try Folder.status(of: path, on: directory.disk)
    }
    guard let status else { return nil }
    guard status.kind == .file, status.size <= Self.largestBytes else {
      throw .badCredentials(problem: "credentials.json cannot be read")
    }
    guard status.mode & 0o077 == 0 else {
      throw .badCredentials(
        problem: "credentials.json is open to other users, so its tokens may be known; "
          + "remove the file")
    }
    let bytes = try accessing { () throws(IOFailure) in
      try AtomicFile.read(path, on: directory.disk)
    }
    guard let bytes else { return nil }
    guard let credentials = Credentials(stored: bytes) else {
      throw .badCredentials(problem: "credentials.json cannot be read")
    }
    return credentials
  }

  public func save(_ credentials: Credentials) throws(ClientError) {
    try accessing { () throws(IOFailure) in
      try AtomicFile.replace(path, with: credentials.stored, on: directory.disk)
    }
  }

  public func remove() throws(ClientError) {
    try accessing { () throws(IOFailure) in try Folder.remove(path, on: directory.disk) }
  }

  private func accessing<Result>(
    _ access: () throws(IOFailure) -> Result
  ) throws(ClientError) -> Result {
    do throws(IOFailure) {
      return try access()
    } catch {
      throw .storage(error)
    }
  }
}

#if canImport(Security)
  import Foundation
  public import LedgerLog
  import LedgerModel
  import Security

  /// Credentials in the key chain: excluded from backups and other devices, readable after the first
  /// unlock, so that a background sync can use them.
  public struct KeychainCredentialStore: CredentialStore {
    private let ledger: Result<LedgerID, LogError>
    private let accessGroup: String?
    public let lockPath: String

    /// The ledger's id identifies the item: a path would not do, because iOS moves an app's container at
    /// an update. The folder holds the lock.
    ///
    /// - Parameters:
    ///   - directory: the folder of an existing ledger.
    ///   - accessGroup: the keychain access group that an app shares with its extensions, as in their
    ///     entitlements; `nil` for the app's own.
    public init(_ directory: LedgerDirectory, accessGroup: String? = nil) {
      ledger = Result { () throws(LogError) in try directory.ledgerID() }
      self.accessGroup = accessGroup
      lockPath = directory.authLock
    }

    private func query() throws(ClientError) -> [String: Any] {
      var query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword,
        kSecAttrService as String: "ledger",
        kSecAttrAccount as String: try ledgerID().description,
        kSecUseDataProtectionKeychain as String: true,
      ]
      query[kSecAttrAccessGroup as String] = accessGroup
      return query
    }

    private func ledgerID() throws(ClientError) -> LedgerID {
      switch ledger {
      case .success(let id): return id
      case .failure(.io(let failure)): throw .storage(failure)
      case .failure: throw .badCredentials(problem: "the ledger's id cannot be read")
      }
    }

    public func load() throws(ClientError) -> Credentials? {
      var query = try query()
      query[kSecReturnData as String] = true
      var found: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &found)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess else { throw .keyStore(code: status) }
      guard let data = found as? Data, let credentials = Credentials(stored: [UInt8](data)) else {
        throw .badCredentials(problem: "the credentials in the key chain cannot be read")
      }
      return credentials
    }

    public func save(_ credentials: Credentials) throws(ClientError) {
      let value: [String: Any] = [
        kSecValueData as String: Data(credentials.stored),
        kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      ]
      let query = try query()
      var status = SecItemUpdate(query as CFDictionary, value as CFDictionary)
      if status == errSecItemNotFound {
        let item = query.merging(value) { _, new in new }
        status = SecItemAdd(item as CFDictionary, nil)
      }
      guard status == errSecSuccess else { throw .keyStore(code: status) }
    }

    public func remove() throws(ClientError) {
      let status = SecItemDelete(try query() as CFDictionary)
      guard status == errSecSuccess || status == errSecItemNotFound else {
        throw .keyStore(code: status)
      }
    }
  }
#endif
