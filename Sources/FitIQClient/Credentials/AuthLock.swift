import Dispatch
import LedgerLog
import LedgerPlatform

/// `auth.lock`, held while a token pair is replaced: the refresh token works once, so two processes
/// that used it at the same time would revoke the session (docs/api, `POST /auth/refresh`).
final class AuthLock: Sendable {
  private let lock: FileLock

  private init(_ lock: FileLock) {
    self.lock = lock
  }

  /// Waits on a thread of its own: the wait blocks, and Swift's own pool has few threads.
  static func take(_ path: String) async throws(ClientError) -> AuthLock {
    let result: Result<FileLock, LogError> = await withCheckedContinuation { waiting in
      DispatchQueue.global().async {
        waiting.resume(returning: Result { () throws(LogError) in try FileLock(path, .exclusive) })
      }
    }
    switch result {
    case .success(let lock): return AuthLock(lock)
    case .failure(.locked(_, let seconds)): throw .busy(seconds: seconds)
    case .failure(.io(let failure)): throw .storage(failure)
    case .failure(let other): preconditionFailure("A lock cannot fail so: \(other)")
    }
  }

  /// The system lets go with the last reference; called last, this keeps the lock until here.
  func release() {
    withExtendedLifetime(self) {}
  }
}
