import LedgerPlatform
import Synchronization

/// A call that blocks, on a thread of its own: on one of the few threads that tasks share, it
/// could keep out the very test that is to unblock it.
final class OwnThread<Value: Sendable>: Sendable {
  private let body: @Sendable () throws -> Value
  private let result = Mutex<Result<Value, any Error>?>(nil)

  init(_ body: @escaping @Sendable () throws -> Value) {
    self.body = body
    precondition(Threads.detach { self.work() }, "no thread for a test")
  }

  /// Waits for the call to end, an hour at least before it gives up.
  func value() throws -> Value {
    for _ in 0..<3_600_000 {
      if let ended = result.withLock({ $0 }) { return try ended.get() }
      usleep(1_000)
    }
    throw StillBlocked()
  }

  private func work() {
    let ended = Result { try body() }
    result.withLock { $0 = ended }
  }
}

struct StillBlocked: Error {}
