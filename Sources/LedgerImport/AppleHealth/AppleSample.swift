import LedgerModel

/// One record that counts, in 32 bytes and without references, so that millions can be sorted and
/// set aside as they lie in memory.
struct AppleSample: BitwiseCopyable, Equatable {
  /// In the metric's own unit; of sleep, 1 for asleep and 0 for awake.
  var value: Double
  /// Seconds since 1970 in UTC.
  var start: Int64
  var durationSeconds: UInt32
  var line: UInt32
  var offsetMinutes: Int16
  var source: UInt16
  var metric: UInt8
  /// Whether the file names no offset, and the ledger's zone was taken.
  var isLocal: Bool

  var end: Int64 { start + Int64(durationSeconds) }
  var wallSeconds: Int { Int(start) + Int(offsetMinutes) * 60 }

  /// The order that everything behind it relies on: a metric's samples by their beginnings, exact
  /// repetitions next to one another.
  static func isBefore(_ left: AppleSample, _ right: AppleSample) -> Bool {
    if left.metric != right.metric { return left.metric < right.metric }
    if left.start != right.start { return left.start < right.start }
    if left.durationSeconds != right.durationSeconds {
      return left.durationSeconds < right.durationSeconds
    }
    if left.source != right.source { return left.source < right.source }
    if left.value != right.value { return left.value < right.value }
    return left.line < right.line
  }

  /// Whether the same measurement stands there twice.
  func repeats(_ other: AppleSample) -> Bool {
    metric == other.metric && start == other.start && durationSeconds == other.durationSeconds
      && source == other.source && value == other.value
  }
}
