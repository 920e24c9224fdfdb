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
