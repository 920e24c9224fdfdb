import FitIQClient
import LedgerLog
import LedgerPlatform
import Synchronization

/// A store whose writes can be made to fail.
final class FailingStore: CredentialStore {
  private let store: FileCredentialStore
  private let isFull = Mutex(false)
  private let onLock: @Sendable () -> Void

  /// - Parameter onLock: called when the path of the lock is asked for.
  init(_ store: FileCredentialStore, onLock: @escaping @Sendable () -> Void = {}) {
    self.store = store
    self.onLock = onLock
  }

  func fail(_ fails: Bool) { isFull.withLock { $0 = fails } }

  var lockPath: String {
    onLock()
    return store.lockPath
  }

  func load() throws(ClientError) -> Credentials? { try store.load() }

  func save(_ credentials: Credentials) throws(ClientError) {
    if isFull.withLock({ $0 }) {
      throw .storage(IOFailure("write", "credentials.json", errorNumber: 28))
    }
    try store.save(credentials)
  }

  func remove() throws(ClientError) { try store.remove() }
}
