import LedgerKit
import LedgerPlatform
import LedgerTestSupport
import Synchronization

/// How long tasks wait for a thread of Swift's cooperative pool, and edits and queries for their answer,
/// while a sync sends a whole ledger and eight writers log entries (docs/embedding.md, Threads).
enum PoolStalls {
  private static let writers = 8
  private static let writePause = Duration.milliseconds(50)
  private static let queryPause = Duration.milliseconds(20)

  /// - Parameter entries: how many the sync sends.
  /// - Returns: a line for each figure.
  static func measure(entries: Int, at path: String) async throws -> String {
    let sandbox = try LedgerSandbox()
    let ledger = try await Ledger.open(at: path, environment: sandbox.environment())
    try await sandbox.signIn(ledger)
    for start in stride(from: 0, to: entries, by: 1_000) {
      try await ledger.append((start..<min(start + 1_000, entries)).map { edit($0, ledger.today) })
    }
    let probe = PoolProbe()
    let (edits, queries) = (Times(), Times())
    let begin = ContinuousClock.now
    let sync = Task { try await ledger.sync() }
    let others = Task {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<writers {
          group.addTask {
            try await edits.measure(every: writePause) {
              _ = try await ledger.log(.weight, 70 + Double(number))
            }
          }
        }
        group.addTask {
          try await queries.measure(every: queryPause) {
            _ = try await ledger.progress(ProgressQuery(metric: .weight, limit: 20))
          }
        }
        try await group.waitForAll()
      }
    }
    let report = try await sync.value
    let seconds = ContinuousClock.now - begin
    others.cancel()
    try await others.value
    probe.stop()
    guard report.acknowledged >= entries, report.stop == nil else {
      throw Failure(description: "the sync sent \(report.acknowledged) of \(entries) entries")
    }
    return """
      sync of \(entries) entries: \(seconds.inMilliseconds)
      a task waits for a thread of the pool: \(probe.waits.summary)
      a thread beside the pool wakes up late: \(probe.lateness.summary)
      an edit: \(edits.summary)
      a query: \(queries.summary)
      """
  }

  private static func edit(_ number: Int, _ today: CalendarDate) -> Edit {
    Edit(
      change: .logProgress(
        ProgressLogged(
          entry: .derived(from: "\(number)"), metric: .steps, quantity: Double(number % 20_000),
          date: today.adding(days: -number / 100))))
  }
}

/// Durations, measured by several tasks.
private final class Times: Sendable {
  private let all = Mutex<[Duration]>([])

  func add(_ time: Duration) { all.withLock { $0.append(time) } }

  /// Measures an operation until the task is canceled.
  func measure(every pause: Duration, _ operation: () async throws -> Void) async throws {
    while !Task.isCancelled {
      let start = ContinuousClock.now
      do {
        try await operation()
      } catch is CancellationError {
        return
      }
      add(ContinuousClock.now - start)
      try? await Task.sleep(for: pause)
    }
  }

  var summary: String {
    let sorted = all.withLock { $0.sorted() }
    guard let most = sorted.last else { return "never" }
    let median = sorted[sorted.count / 2].inMilliseconds
    return "median \(median), at most \(most.inMilliseconds), of \(sorted.count)"
  }
}

/// A thread beside the pool that makes a task each millisecond, and measures how long it waits to start.
private final class PoolProbe: Sendable {
  let waits = Times()
  /// How late the thread itself wakes up: what other programs on the machine cost.
  let lateness = Times()
  private let isStopped = Atomic(false)
  private let thread = Mutex<JoinableThread?>(nil)

  init() {
    let started = Threads.start { [self] in
      while !isStopped.load(ordering: .relaxed) {
        let start = ContinuousClock.now
        usleep(1_000)
        let made = ContinuousClock.now
        lateness.add(made - start - .milliseconds(1))
        Task.detached { [waits] in waits.add(ContinuousClock.now - made) }
      }
    }
    thread.withLock { $0 = started }
  }

  func stop() {
    isStopped.store(true, ordering: .relaxed)
    thread.withLock { $0.take()?.join() }
  }
}

extension Duration {
  /// With two decimals.
  fileprivate var inMilliseconds: String {
    let hundredths = Int((self / .milliseconds(1) * 100).rounded())
    let decimals = hundredths % 100
    return "\(hundredths / 100).\(decimals < 10 ? "0" : "")\(decimals) ms"
  }
}

struct Failure: Error, CustomStringConvertible {
  var description: String
}
