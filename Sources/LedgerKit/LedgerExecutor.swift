import Dispatch

/// Runs a ledger's work on a thread outside of the cooperative pool, which file reads, disk syncs and
/// folds would block.
final class LedgerExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "ledger")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
