import LedgerModel

/// Turns sorted samples into measurements and sums without counting anything twice.
///
/// An exact repetition counts once. Where sources overlap in time, the one with the best rank
/// counts (watch, then phone, then others by name), the rest only for the part of their time that
/// it does not cover.
struct AppleAggregator {
  private let ranks: [UInt16]
  private var builder: AppleResultBuilder
  private var previous: AppleSample?
  /// Consecutive samples of one metric that overlap in time.
  private var cluster: [AppleSample] = []
  private var clusterEnd: Int64 = .min
  private var sums: [Key: Sum] = [:]

  private struct Key: Hashable, Comparable {
    /// For an hour, its start in seconds since 1970 UTC; for a day, its number since 1970.
    var value: Int64
    /// Separates hours for which the file gives no offset.
    var isLocal = false

    static func < (left: Key, right: Key) -> Bool {
      left.value == right.value ? !left.isLocal && right.isLocal : left.value < right.value
    }
  }

  private struct Sum {
    var total = 0.0
    var first: AppleSample
  }

  init(ranks: [UInt16], builder: AppleResultBuilder) {
    self.ranks = ranks
    self.builder = builder
  }

  mutating func take(_ sample: AppleSample) {
    if let previous, previous.repeats(sample) {
      builder.skip(sample, "it is in the file twice")
      return
    }
    let isOther = previous?.metric != sample.metric
    if isOther || (sample.start >= clusterEnd && previous?.start != sample.start) {
      closeCluster()
    }
    if isOther { closeMetric() }
    previous = sample
    cluster.append(sample)
    clusterEnd = max(clusterEnd, lasts(sample) ? sample.end : sample.start)
  }

  consuming func finish() -> ImportResult {
    closeCluster()
    closeMetric()
    return builder.finish()
  }

  /// Whether a sample occupies its whole duration, or only its start.
  private func lasts(_ sample: AppleSample) -> Bool {
    switch rule(of: sample) {
    case .measured, .summedAtMoment: false
    case .summedByHour, .summedByDay, .slept: true
    }
  }

  private func rule(of sample: AppleSample) -> AppleRule {
    Metric(rawValue: sample.metric).map(AppleMetric.rule) ?? .measured
  }

  private func rank(_ sample: AppleSample) -> UInt16 { ranks[Int(sample.source)] }

  private mutating func closeCluster() {
    defer {
      cluster.removeAll(keepingCapacity: true)
      clusterEnd = .min
    }
    guard let first = cluster.first else { return }
    switch rule(of: first) {
    case .measured: builder.measure(believed())
    case .summedAtMoment:
      let counted = believed()
      builder.sum(counted.reduce(0) { $0 + $1.value }, at: first)
    case .summedByHour, .summedByDay: addShares()
    case .slept: addSleep()
    }
  }

  /// The cluster's samples from the source with the best rank.
  private mutating func believed() -> [AppleSample] {
    guard let best = cluster.map({ rank($0) }).min() else { return [] }
    for sample in cluster where rank(sample) != best { builder.skip(sample, Self.elsewhere) }
    return cluster.filter { rank($0) == best }
  }

  static let elsewhere = "another source counted at the same time"

  private mutating func addShares() {
    let best = cluster.map { rank($0) }
    guard Set(best).count > 1 else {
      for sample in cluster { add(sample, sample.value) }
      return
    }
    var covered = TimeSpans()
    var moments: Set<Int64> = []
    for rank in Set(best).sorted() {
      let own = cluster.filter { self.rank($0) == rank }
      for sample in own {
        let share = share(of: sample, outside: covered, moments)
        if share > 0 { add(sample, sample.value * share) }
        if share < 1 {
          builder.skip(sample, share > 0 ? Self.partly : Self.elsewhere)
        }
      }
      for sample in own {
        covered.add(sample.start, sample.end)
        if sample.durationSeconds == 0 { moments.insert(sample.start) }
      }
    }
  }

  static let partly = "another source counted for a part of its time, which is left to that one"

  private func share(
    of sample: AppleSample, outside covered: TimeSpans, _ moments: Set<Int64>
  ) -> Double {
    guard sample.durationSeconds > 0 else {
      return covered.contains(sample.start) || moments.contains(sample.start) ? 0 : 1
    }
    let seconds = covered.covered(sample.start, sample.end)
    return 1 - Double(seconds) / Double(sample.durationSeconds)
  }

  /// Stages of one source can overlap too, so time asleep is their union.
  private mutating func addSleep() {
    var covered = TimeSpans()
    for rank in Set(cluster.map { self.rank($0) }).sorted() {
      var presence = covered
      let own = cluster.filter { self.rank($0) == rank }
      for sample in own where sample.value == 1 {
        let length = Int64(sample.durationSeconds)
        let free = length - presence.covered(sample.start, sample.end)
        if free > 0 { add(sample, Double(free) / 3600) }
        if free < length, covered.covered(sample.start, sample.end) > 0 {
          builder.skip(sample, free > 0 ? Self.partly : Self.elsewhere)
        }
        presence.add(sample.start, sample.end)
      }
      for sample in own { presence.add(sample.start, sample.end) }
      covered = presence
    }
  }

  private mutating func add(_ sample: AppleSample, _ quantity: Double) {
    let key: Key
    switch rule(of: sample) {
    case .summedByHour:
      let wall = Int64(sample.wallSeconds)
      key = Key(
        value: wall - floorRest(wall, 3600) - Int64(sample.offsetMinutes) * 60,
        isLocal: sample.isLocal)
    case .slept:
      // Sleep that starts after 18:00 belongs to the next day.
      key = Key(value: dayNumber(sample.wallSeconds + 6 * 3600))
    case .summedByDay, .measured, .summedAtMoment:
      key = Key(value: dayNumber(sample.wallSeconds))
    }
    sums[key, default: Sum(first: sample)].total += quantity
  }

  private func dayNumber(_ wallSeconds: Int) -> Int64 {
    let wall = Int64(wallSeconds)
    return (wall - floorRest(wall, 86_400)) / 86_400
  }

  private func floorRest(_ value: Int64, _ divisor: Int64) -> Int64 {
    let rest = value % divisor
    return rest < 0 ? rest + divisor : rest
  }

  private mutating func closeMetric() {
    defer { sums.removeAll(keepingCapacity: true) }
    guard let number = previous?.metric, let metric = Metric(rawValue: number) else { return }
    for (key, sum) in sums.sorted(by: { $0.key < $1.key }) {
      if AppleMetric.rule(of: metric) == .summedByHour {
        builder.sum(sum.total, ofHourFrom: key.value, with: sum.first)
      } else {
        builder.sum(sum.total, onDay: Int(key.value), with: sum.first)
      }
    }
  }
}

/// Disjoint time spans in ascending order.
struct TimeSpans {
  private var spans: [(start: Int64, end: Int64)] = []

  /// Adds a span and merges it with those it touches.
  mutating func add(_ start: Int64, _ end: Int64) {
    guard start < end else { return }
    // Usually the span comes after all others.
    guard let last = spans.last, last.end >= start else {
      spans.append((start, end))
      return
    }
    let first = firstIndex(endingAtOrAfter: start)
    var merged = (start: start, end: end)
    var behind = first
    while behind < spans.count, spans[behind].start <= end {
      merged = (min(merged.start, spans[behind].start), max(merged.end, spans[behind].end))
      behind += 1
    }
    spans.replaceSubrange(first..<behind, with: [merged])
  }

  /// How many seconds of a span these spans cover.
  func covered(_ start: Int64, _ end: Int64) -> Int64 {
    var seconds: Int64 = 0
    for span in spans[firstIndex(endingAtOrAfter: start)...] {
      guard span.start < end else { break }
      seconds += max(0, min(end, span.end) - max(start, span.start))
    }
    return seconds
  }

  /// Whether a span contains the moment; the end of a span is exclusive.
  func contains(_ moment: Int64) -> Bool {
    let index = firstIndex(endingAtOrAfter: moment + 1)
    return index < spans.count && spans[index].start <= moment
  }

  private func firstIndex(endingAtOrAfter moment: Int64) -> Int {
    spans.partitioningIndex { $0.end >= moment }
  }
}
