import Dispatch

/// Runs an actor's work on a thread outside of the cooperative pool, which file reads, disk syncs, key
/// stores and waits for locks would block.
package final class BlockingExecutor: SerialExecutor {
  private let queue: DispatchQueue

  /// - Parameter label: names the thread in debuggers.
  package init(_ label: String) { queue = DispatchQueue(label: label) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// Does one piece of blocking work on a thread of its own.
  package static func run<Success: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    let result: Result<Success, Failure> = await withCheckedContinuation { waiting in
      // A queue of its own: the threads of the global queues are those of the cooperative pool.
      DispatchQueue(label: "ledger.blocking").async {
        waiting.resume(returning: Result { () throws(Failure) in try work() })
      }
    }
    return try result.get()
  }
}
