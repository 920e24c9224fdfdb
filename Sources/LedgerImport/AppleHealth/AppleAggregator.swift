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
  private var night = AppleNight()

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
    Metric(index: sample.metric).map(AppleMetric.rule) ?? .measured
  }

  private func rank(_ sample: AppleSample) -> UInt16 { ranks[Int(sample.source)] }

  private mutating func closeCluster() {
    defer {
      cluster.removeAll(keepingCapacity: true)
      clusterEnd = .min
    }
    guard let first = cluster.first else { return }
    switch rule(of: first) {
    case .measured: builder.measure(ofBestSource())
    case .summedAtMoment:
      let counted = ofBestSource()
      builder.sum(counted.reduce(0) { $0 + $1.value }, at: first)
    case .summedByHour, .summedByDay: addShares()
    case .slept: addSleep()
    }
  }

  /// The cluster's samples from the source with the best rank.
  private mutating func ofBestSource() -> [AppleSample] {
    guard let best = cluster.map({ rank($0) }).min() else { return [] }
    for sample in cluster where rank(sample) != best { builder.skip(sample, Self.coveredReason) }
    return cluster.filter { rank($0) == best }
  }

  static let coveredReason = "another source counted at the same time"

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
          builder.skip(sample, share > 0 ? Self.partlyCoveredReason : Self.coveredReason)
        }
      }
      for sample in own {
        covered.add(sample.start, sample.end)
        if sample.durationSeconds == 0 { moments.insert(sample.start) }
      }
    }
  }

  static let partlyCoveredReason =
    "another source counted for a part of its time, which is left to that one"

  private func share(
    of sample: AppleSample, outside covered: TimeSpans, _ moments: Set<Int64>
  ) -> Double {
    guard sample.durationSeconds > 0 else {
      return covered.contains(sample.start) || moments.contains(sample.start) ? 0 : 1
    }
    let seconds = covered.covered(sample.start, sample.end)
    return 1 - Double(seconds) / Double(sample.durationSeconds)
  }

  /// Adds what counts of the cluster to the night, or to the hours of a day that the ledger has as such.
  private mutating func addSleep() {
    var skipped: [(sample: AppleSample, reason: String)] = []
    let pieces = cluster.settledSleep(rank: rank) { skipped.append(($0, $1)) }
    for (sample, reason) in skipped { builder.skip(sample, reason) }
    for piece in pieces {
      guard !builder.hasHours(onDay: Int(sleepDay(piece.sample))) else {
        if piece.sample.isAsleep { add(piece.sample, Double(piece.end - piece.start) / 3600) }
        continue
      }
      if night.isOver(before: piece) { closeNight() }
      night.add(piece)
    }
  }

  private mutating func closeNight() {
    defer { night = AppleNight() }
    guard night.isSleep else {
      for piece in night.pieces where piece.stage == .inBed {
        builder.skip(piece.sample, "in bed is not asleep")
      }
      return
    }
    builder.add(night)
  }

  private mutating func add(_ sample: AppleSample, _ quantity: Double) {
    let key: Key
    switch rule(of: sample) {
    case .summedByHour:
      let own = sample.start - floorRest(Int64(sample.wallSeconds), 3600)
      key = Key(
        value: sample.isLocal ? own : builder.hour(of: sample.start, own: own),
        isLocal: sample.isLocal)
    case .slept:
      key = Key(value: sleepDay(sample))
    case .summedByDay, .measured, .summedAtMoment:
      key = Key(value: dayNumber(sample.wallSeconds))
    }
    sums[key, default: Sum(first: sample)].total += quantity
  }

  /// The day that hours of sleep count for: after 18:00 the next one.
  private func sleepDay(_ sample: AppleSample) -> Int64 {
    dayNumber(sample.wallSeconds + 6 * 3600)
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
    closeNight()
    defer { sums.removeAll(keepingCapacity: true) }
    guard let number = previous?.metric, let metric = Metric(index: number) else { return }
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
    var next = first
    while next < spans.count, spans[next].start <= end {
      merged = (min(merged.start, spans[next].start), max(merged.end, spans[next].end))
      next += 1
    }
    spans.replaceSubrange(first..<next, with: [merged])
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

  /// The parts of a span that these spans do not cover, in ascending order.
  func gaps(_ start: Int64, _ end: Int64) -> [(start: Int64, end: Int64)] {
    var gaps: [(start: Int64, end: Int64)] = []
    var free = start
    for span in spans[firstIndex(endingAtOrAfter: start)...] {
      guard span.start < end else { break }
      if span.start > free { gaps.append((free, span.start)) }
      free = max(free, span.end)
    }
    if free < end { gaps.append((free, end)) }
    return gaps
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
