/// How long to wait before something is tried again: doubling, with jitter, so that many who failed
/// together do not come back together.
public struct Backoff: Hashable, Sendable {
  /// The most after the first failure.
  public var firstMilliseconds: Int
  /// The most there ever is.
  public var mostMilliseconds: Int

  /// Waits that double from the first to the most.
  public init(firstMilliseconds: Int, mostMilliseconds: Int) {
    self.firstMilliseconds = firstMilliseconds
    self.mostMilliseconds = mostMilliseconds
  }

  /// Within a run, for what is likely to pass at once.
  static let withinRun = Backoff(firstMilliseconds: 250, mostMilliseconds: 8_000)

  /// How often something is tried within a run, the first time included.
  static let mostTries = 3

  /// - Parameter tries: how often it failed, from 1.
  /// - Returns: milliseconds between half the full wait and the full wait.
  public func milliseconds(
    after tries: Int, using generator: inout some RandomNumberGenerator
  ) -> Int {
    let doublings = min(max(tries, 1) - 1, 20)
    let full = min(firstMilliseconds << doublings, mostMilliseconds)
    return Int.random(in: full / 2...max(full, 1), using: &generator)
  }
}
