import Dispatch
import FitIQClient
import LedgerModel
import LedgerPlatform
import LedgerSync
import Testing

/// Keychains, credential helpers, disk syncs and locks block the thread that asks them.
@Suite struct PoolTests {
  /// More than the cooperative pool has threads.
  static let count = 4 * Threads.available

  /// Blocks every load until it may end.
  struct BlockingStore: CredentialStore {
    let starts: AsyncStream<Void>.Continuation
    let end: DispatchSemaphore

    let lockPath: String
    func load() throws(ClientError) -> Credentials? {
      starts.yield()
      end.wait()
      return nil
    }
    func save(_ credentials: Credentials) throws(ClientError) {}
    func remove() throws(ClientError) {}
  }

  @Test("A credential store that blocks leaves the cooperative pool to others")
  func store() async throws {
    let scratch = try CredentialFolder()
    let address = try BackendAddress("https://backend.test")
    let (starts, start) = AsyncStream<Void>.makeStream()
    let end = DispatchSemaphore(value: 0)
    let store = BlockingStore(starts: start, end: end, lockPath: scratch.store.lockPath)
    let calls = (0..<Self.count).map { _ in
      Task {
        await BackendSession(address: address, store: store).send(
          WireRequest(.get, "/api/v1/progress"))
      }
    }
    for await _ in starts.prefix(Self.count) {}
    for _ in calls { end.signal() }
    for call in calls { #expect(await call.value.isSignedOut) }
  }
}
