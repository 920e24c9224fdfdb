import Dispatch
import LedgerPlatform
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

/// Threads for tests that wait for programs and locks, which would block the few threads that all
/// other tests share.
package final class BlockingThreads: TaskExecutor {
  package static let shared = BlockingThreads()

  private struct State {
    var jobs: [UnownedJob] = []
    var threads = 0
  }

  private let limit = 12
  private let state = Mutex(State())

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let needsThread = state.withLock { state in
      state.jobs.append(job)
      guard state.threads < limit else { return false }
      state.threads += 1
      return true
    }
    if needsThread, !Threads.detach({ self.work() }) { work() }
  }

  private func work() {
    while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// The newest job, so that a test that began ends before others begin.
  private func next() -> UnownedJob? {
    state.withLock { state in
      let job = state.jobs.popLast()
      if job == nil { state.threads -= 1 }
      return job
    }
  }
}
