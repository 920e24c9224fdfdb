/// Measures all cases in turn, round after round: whatever else the machine does meanwhile then
/// falls on all of them and not on one.
enum Rounds {
  /// - Returns: the times of each case, one a round.
  static func run(_ cases: [Case], rounds: Int) throws -> [[Duration]] {
    // Warms caches, the allocator and the disk's view of the files; its times are not kept.
    for one in cases { _ = try one.measureOnce() }
    var times = [[Duration]](repeating: [], count: cases.count)
    for _ in 0..<rounds {
      for index in cases.indices { times[index].append(try cases[index].measureOnce()) }
    }
    return times
  }
}

/// What a case's rounds come to. No mean: one disturbed round would move it.
struct CaseResult {
  let name: String
  let about: String
  let median: Duration
  let min: Duration
  let max: Duration
  /// A quarter of the rounds were faster than this, a quarter slower than the other.
  let lowerQuartile: Duration
  let upperQuartile: Duration
  /// By the median.
  let eventsPerSecond: Double?

  /// - Precondition: `times` is not empty.
  init(of measured: Case, times: [Duration]) {
    let sorted = times.sorted()
    let middle = sorted.count / 2
    let median =
      sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    name = measured.name
    about = measured.about
    self.median = median
    min = sorted[0]
    max = sorted[sorted.count - 1]
    lowerQuartile = sorted[(sorted.count - 1) / 4]
    upperQuartile = sorted[(sorted.count - 1) - (sorted.count - 1) / 4]
    eventsPerSecond = measured.events.map { Double($0) / (median / .seconds(1)) }
  }
}
