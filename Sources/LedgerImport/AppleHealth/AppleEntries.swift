import LedgerModel

/// Turns the samples of an export, in order, into measurements and sums.
///
/// Nothing is counted twice. Exact repetitions count once. Where several sources counted at the same
/// time, the one that is believed most counts there, and the others only for the part of their time
/// in which it did not: a watch before a phone, a phone before all else, then by name.
struct AppleEntries {
  private let ranks: [UInt16]
  private var settling: AppleSettling
  private var previous: AppleSample?
  /// Samples that overlap one another, by chains, all of one metric.
  private var cluster: [AppleSample] = []
  private var clusterEnd: Int64 = .min
  private var sums: [Key: Sum] = [:]

  private struct Key: Hashable, Comparable {
    /// Of an hour, when it begins in seconds since 1970 in UTC; of a day, its number since then.
    var value: Int64
    /// Hours of which the file does not say the offset are apart.
    var isLocal = false

    static func < (left: Key, right: Key) -> Bool {
      left.value == right.value ? !left.isLocal && right.isLocal : left.value < right.value
    }
  }

  private struct Sum {
    var total = 0.0
    var first: AppleSample
  }

  init(ranks: [UInt16], settling: AppleSettling) {
    self.ranks = ranks
    self.settling = settling
  }

  mutating func take(_ sample: AppleSample) {
    if let previous, previous.repeats(sample) {
      settling.skip(sample, "it stands there twice")
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
    return settling.finish()
  }

  /// Whether the time of a sample matters, or only its beginning.
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
    case .measured: settling.measure(believed())
    case .summedAtMoment:
      let counted = believed()
      settling.sum(counted.reduce(0) { $0 + $1.value }, at: first)
    case .summedByHour, .summedByDay: addShares()
    case .slept: addSleep()
    }
  }

  /// Those of one moment that the most believed source gave.
  private mutating func believed() -> [AppleSample] {
    guard let best = cluster.map({ rank($0) }).min() else { return [] }
    for sample in cluster where rank(sample) != best { settling.skip(sample, Self.elsewhere) }
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
          settling.skip(sample, share > 0 ? Self.partly : Self.elsewhere)
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

  /// Stages of one source can overlap as well, so that time asleep is what they cover together.
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
          settling.skip(sample, free > 0 ? Self.partly : Self.elsewhere)
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
      // Who falls asleep after 18:00 wakes up tomorrow.
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
        settling.sum(sum.total, ofHourFrom: key.value, with: sum.first)
      } else {
        settling.sum(sum.total, onDay: Int(key.value), with: sum.first)
      }
    }
  }
}
