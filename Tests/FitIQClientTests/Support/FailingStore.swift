import FitIQClient
import LedgerLog
import LedgerPlatform
import Synchronization

/// A store whose writes can be made to fail.
final class FailingStore: CredentialStore {
  private let store: FileCredentialStore
  private let isFull = Mutex(false)

  init(_ store: FileCredentialStore) {
    self.store = store
  }

  func fail(_ fails: Bool) { isFull.withLock { $0 = fails } }

  var lockPath: String { store.lockPath }

  func load() throws(ClientError) -> Credentials? { try store.load() }

  func save(_ credentials: Credentials) throws(ClientError) {
    if isFull.withLock({ $0 }) {
      throw .storage(IOFailure("write", "credentials.json", errorNumber: 28))
    }
    try store.save(credentials)
  }

  func remove() throws(ClientError) { try store.remove() }
}
