import LedgerPlatform
import Synchronization

/// A call that blocks, on a thread of its own: on one of the few threads that tasks share, it
/// could keep out the very test that is to unblock it.
final class OwnThread<Value: Sendable>: Sendable {
  private let body: @Sendable () throws -> Value
  private let result = Mutex<Result<Value, any Error>?>(nil)

  init(_ body: @escaping @Sendable () throws -> Value) {
    self.body = body
    let job = Unmanaged.passRetained(Job { self.work() }).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
      Unmanaged<Job>.fromOpaque($0!).takeRetainedValue().run()
      return nil
    }
    #if canImport(Darwin)
      let code = pthread_create(&thread, nil, { start($0) }, job)
      thread.map { _ = pthread_detach($0) }
    #else
      let code = pthread_create(&thread, nil, start, job)
      pthread_detach(thread)
    #endif
    precondition(code == 0, "no thread for a test")
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

private final class Job: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}
