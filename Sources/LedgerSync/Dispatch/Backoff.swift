/// The wait before a retry: doubling, with jitter, so that clients that failed together do not retry
/// together.
public struct Backoff: Hashable, Sendable {
  /// The longest wait after the first failure.
  public var firstMilliseconds: Int
  /// The longest wait after any failure.
  public var mostMilliseconds: Int

  /// Waits that double from the first to the longest.
  public init(firstMilliseconds: Int, mostMilliseconds: Int) {
    self.firstMilliseconds = firstMilliseconds
    self.mostMilliseconds = mostMilliseconds
  }

  static let withinRun = Backoff(firstMilliseconds: 250, mostMilliseconds: 8_000)

  /// Attempts within a run, the first one included.
  static let mostTries = 3

  /// - Parameter tries: how often it failed, from 1.
  /// - Returns: milliseconds between half the full wait and the full wait.
  package func milliseconds(
    after tries: Int, using generator: inout some RandomNumberGenerator
  ) -> Int {
    let doublings = min(max(tries, 1) - 1, 20)
    let full = min(firstMilliseconds << doublings, mostMilliseconds)
    return Int.random(in: full / 2...max(full, 1), using: &generator)
  }
}
