import LedgerPlatform
import LedgerProjections
import Synchronization

/// The same work on many ledgers: one a core at a time, answered in the order in which they were
/// named.
enum ManyLedgers {
  /// So many are worked on before the answers leave. What is held in memory hangs on it and not on
  /// how many ledgers there are; files are open only where a thread is at work. At its end threads
  /// wait for each other, which on a busy machine takes longer than a hundred small ledgers.
  private static let stretch = 2048

  /// - Parameters:
  ///   - look: is called on several threads; what it throws becomes the answer.
  ///   - take: is called on this thread, with the answers in the order of `paths`.
  static func forEach<Answer: Sendable>(
    _ paths: [String], on console: Console, _ look: @escaping @Sendable (String) throws -> Answer,
    take: (Result<Answer, any Error>) throws -> Void
  ) throws {
    let bar = console.progress("checking ledgers", total: paths.count)
    defer { bar.finish() }
    for first in stride(from: 0, to: paths.count, by: stretch) {
      let job = Stretch<Answer>(paths[first..<min(first + stretch, paths.count)])
      Threads.run(min(Threads.available, job.paths.count)) { _ in
        while let index = job.next() {
          job.put(Result { try look(job.paths[index]) }, at: index)
          bar.advance()
        }
      }
      for answer in job.answers { try take(answer) }
    }
  }
}

/// Ledgers that the threads take one by one, so that a long one keeps no others waiting.
private final class Stretch<Answer: Sendable>: Sendable {
  let paths: [String]
  private let taken = Mutex(0)
  private let found: Mutex<[Result<Answer, any Error>?]>

  init(_ paths: ArraySlice<String>) {
    self.paths = Array(paths)
    found = Mutex(Array(repeating: nil, count: paths.count))
  }

  func next() -> Int? {
    taken.withLock { taken in
      guard taken < paths.count else { return nil }
      taken += 1
      return taken - 1
    }
  }

  func put(_ answer: Result<Answer, any Error>, at index: Int) {
    found.withLock { $0[index] = answer }
  }

  var answers: [Result<Answer, any Error>] { found.withLock { $0.compactMap(\.self) } }
}
