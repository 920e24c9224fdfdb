import Foundation
import LedgerKit
import LedgerPlatform
import LedgerStore
import LedgerTestSupport
import Synchronization
import Testing

/// Signing out of a ledger whose credentials are not in its folder.
@Suite struct CredentialStoreTests {
  /// Stands for a keychain.
  private final class MemoryStore: CredentialStore {
    let lockPath: String
    let stored = Mutex<Credentials?>(nil)
    let isUnreadable = Mutex(false)

    init(_ directory: LedgerDirectory) { lockPath = directory.authLock }

    func load() throws(ClientError) -> Credentials? {
      if isUnreadable.withLock({ $0 }) { throw .badCredentials(problem: "unreadable") }
      return stored.withLock { $0 }
    }

    func save(_ credentials: Credentials) throws(ClientError) {
      stored.withLock { $0 = credentials }
    }

    func remove() throws(ClientError) {
      stored.withLock { $0 = nil }
      isUnreadable.withLock { $0 = false }
    }
  }

  private let sandbox: LedgerSandbox
  private let store: MemoryStore
  private let ledger: Ledger

  init() async throws {
    sandbox = try LedgerSandbox()
    let store = MemoryStore(LedgerDirectory(sandbox.path()))
    self.store = store
    var environment = sandbox.environment()
    environment.makeCredentialStore = { _ in store }
    ledger = try await Ledger.open(at: sandbox.path(), environment: environment)
    try await sandbox.signIn(ledger)
    #expect(store.stored.withLock { $0?.email } == LedgerSandbox.email)
  }

  @Test("A deleted account leaves nothing in the store, neither address nor account")
  func forgetAccount() async throws {
    let connection = try #require(try await ledger.connection())
    #expect(try await ledger.deleteAccount(over: connection) == .deleted)
    try await ledger.forgetAccount()
    #expect(store.stored.withLock { $0 } == nil)
    #expect(try await ledger.account() == nil)
    #expect(LastSync(in: ledger.directory)?.stopped == "account-deleted")
  }

  @Test("A logout keeps the account for the next sign-in, or forgets it")
  func logout() async throws {
    #expect(try await ledger.signOut())
    let kept = try #require(store.stored.withLock { $0 })
    #expect(kept.email == LedgerSandbox.email && kept.tokens == nil && kept.apiKey == nil)
    #expect(try await ledger.signOut(forgetsAccount: true) == false)
    #expect(store.stored.withLock { $0 } == nil)
  }

  @Test("A canceled logout stops waiting for the lock")
  func canceledLogout() async throws {
    let lock = try FileLock(store.lockPath, .exclusive)
    let logout = Task { try await ledger.signOut() }
    logout.cancel()
    let error = await #expect(throws: ClientError.self) { try await logout.value }
    #expect(error == .offline(reason: "it was canceled"))
    #expect(store.stored.withLock { $0?.tokens } != nil)
    withExtendedLifetime(lock) {}
  }

  @Test("Unreadable credentials are removed whole", arguments: [true, false])
  func unreadable(forgets: Bool) async throws {
    store.isUnreadable.withLock { $0 = true }
    if forgets {
      try await ledger.forgetAccount()
    } else {
      #expect(try await ledger.signOut())
    }
    #expect(store.stored.withLock { $0 } == nil)
    #expect(try await ledger.account() == nil)
  }
}
