import LedgerPlatform
import Synchronization

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
