import Dispatch
import Synchronization

/// The limit of waits for what surely comes; no verdict depends on it. Computing tests may occupy all
/// threads of the cooperative pool for minutes on a busy machine.
package let patienceSeconds = 3600.0

/// A condition did not hold within ``patienceSeconds``.
package struct StillWaiting: Error {}

/// Polls until a condition holds.
package func until(
  isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + .seconds(patienceSeconds)
  while try await !condition() {
    guard ContinuousClock.now < deadline else { throw StillWaiting() }
    try await Task.sleep(for: .milliseconds(5))
  }
}

/// Holds other threads until a test opens it.
package final class Gate: Sendable {
  private let opened = DispatchSemaphore(value: 0)

  package init() {}

  /// Blocks the thread until the gate is open.
  package func pass() {
    _ = opened.wait(timeout: .now() + patienceSeconds)
    // Let the next waiter through, too.
    opened.signal()
  }

  package func open() { opened.signal() }
}

/// The values passed to a callback, in order.
package final class Collector<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  package init() {}

  package func add(_ element: Element) { elements.withLock { $0.append(element) } }

  package var all: [Element] { elements.withLock { $0 } }
}
