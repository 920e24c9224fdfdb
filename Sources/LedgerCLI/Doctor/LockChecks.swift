import LedgerLog
import LedgerPlatform

/// Whether the locks can be had. A lock that is held is a program at work.
enum LockChecks {
  /// - Parameter isLogLocked: whether the log's lock, which is held for moments only, was waited for
  ///   in vain.
  static func findings(_ directory: LedgerDirectory, isLogLocked: Bool) -> [Finding] {
    let logHeld = Finding(
      "ledger-lock-held", .warning,
      "another program has held ledger.lock for \(LogFormat.lockWaitSeconds) s, so nothing can be "
        + "written", advice: "wait for it, or end it if it hangs")
    let found =
      (isLogLocked ? [logHeld] : check(directory.ledgerLock, nil))
      + check(
        directory.syncLock,
        Finding(
          "sync-running", .notice, "sync.lock is held: a sync is running, which may take long"))
      + check(
        directory.authLock,
        Finding("sign-in-running", .notice, "auth.lock is held: tokens are being renewed"))
    return found.isEmpty ? [.fine("locks", "free")] : found
  }

  /// - Parameter held: what it means that the lock is held; `nil` for nothing.
  private static func check(_ path: String, _ held: Finding?) -> [Finding] {
    do throws(LogError) {
      _ = try FileLock(path, .shared, waitSeconds: 0)
      return []
    } catch {
      switch error {
      case .locked: return held.map { [$0] } ?? []
      // It is made when it is first needed.
      case .io(let failure) where failure.isMissing: return []
      default:
        return [
          Finding("lock-unusable", .warning, "\(error.description); nothing can be written")
        ]
      }
    }
  }
}
