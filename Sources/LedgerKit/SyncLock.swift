import LedgerLog
import LedgerPlatform

/// `sync.lock`: one run at a time on a ledger. It is waited for without blocking a thread.
enum SyncLock {
  static func acquire(
    _ directory: LedgerDirectory, waitSeconds: Int
  ) async throws -> FileLock {
    let deadline = ContinuousClock.now + .seconds(waitSeconds)
    while true {
      do throws(LogError) {
        return try FileLock(directory.syncLock, .exclusive, waitSeconds: 0)
      } catch {
        guard case .locked = error else { throw error }
        guard ContinuousClock.now < deadline else {
          throw LogError.locked(path: directory.syncLock, seconds: waitSeconds)
        }
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }
}
