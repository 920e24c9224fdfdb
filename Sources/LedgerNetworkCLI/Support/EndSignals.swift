import LedgerPlatform
import Synchronization

/// The signal that came; 0 until one does.
private let arrived = Atomic<Int32>(0)

/// Ctrl-C and SIGTERM, taken as a wish to stop cleanly; a second one ends the process as usual. A
/// handler, not a mask: threads that were there before would not share a mask, and a signal to one
/// of them would end the process.
struct EndSignals {
  private let onLook: @Sendable () -> Void

  /// - Parameter onLook: called twenty times a second during ``run(_:)``.
  init(onLook: @escaping @Sendable () -> Void = {}) {
    self.onLook = onLook
    arrived.store(0, ordering: .sequentiallyConsistent)
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        if arrived.exchange(number, ordering: .sequentiallyConsistent) != 0 {
          signal(number, SIG_DFL)
          raise(number)
        }
      }
    }
  }

  static var hasArrived: Bool { arrived.load(ordering: .sequentiallyConsistent) != 0 }

  func wait() {
    while !Self.hasArrived { usleep(20_000) }
  }

  /// Runs something that takes a cancellation as its wish to stop.
  func run<Result: Sendable>(
    _ work: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let task = Task { try await work() }
    let look = Task { [onLook] in
      while !Task.isCancelled, !Self.hasArrived {
        onLook()
        try? await Task.sleep(for: .milliseconds(50))
      }
      if Self.hasArrived { task.cancel() }
    }
    defer { look.cancel() }
    return try await task.value
  }
}
