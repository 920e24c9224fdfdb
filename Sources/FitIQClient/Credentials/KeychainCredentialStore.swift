#if canImport(Security)
  import Foundation
  public import LedgerLog
  import Security

  /// Credentials in the key chain: excluded from backups and other devices, readable after the first
  /// unlock, so that a background sync can use them.
  public struct KeychainCredentialStore: CredentialStore {
    private let account: String
    public let lockPath: String

    /// The ledger's folder identifies the entry and holds the lock.
    public init(_ directory: LedgerDirectory) {
      account = directory.path
      lockPath = directory.authLock
    }

    private var query: [String: Any] {
      [
        kSecClass as String: kSecClassGenericPassword,
        kSecAttrService as String: "ledger",
        kSecAttrAccount as String: account,
        kSecUseDataProtectionKeychain as String: true,
      ]
    }

    public func load() throws(ClientError) -> Credentials? {
      var query = query
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
      var status = SecItemUpdate(query as CFDictionary, value as CFDictionary)
      if status == errSecItemNotFound {
        let item = query.merging(value) { _, new in new }
        status = SecItemAdd(item as CFDictionary, nil)
      }
      guard status == errSecSuccess else { throw .keyStore(code: status) }
    }

    public func remove() throws(ClientError) {
      let status = SecItemDelete(query as CFDictionary)
      guard status == errSecSuccess || status == errSecItemNotFound else {
        throw .keyStore(code: status)
      }
    }
  }
#endif
