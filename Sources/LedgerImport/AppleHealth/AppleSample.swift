/// A usable record in 32 bytes without references, so that millions can be sorted and written to a
/// file as they are in memory.
struct AppleSample: SortedRecord, Equatable {
  /// In the metric's unit; for sleep, the number of the stage.
  var value: Double
  /// Seconds since 1970 in UTC.
  var start: Int64
  var durationSeconds: UInt32
  var line: UInt32
  var offsetMinutes: Int16
  var source: UInt16
  var metric: UInt8
  /// Whether the file gives no offset and the ledger's zone was used.
  var isLocal: Bool

  var end: Int64 { start + Int64(durationSeconds) }
  var wallSeconds: Int { Int(start) + Int(offsetMinutes) * 60 }

  /// By metric, then start; exact repetitions are adjacent.
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

  /// Whether both are the same measurement.
  func repeats(_ other: AppleSample) -> Bool {
    metric == other.metric && start == other.start && durationSeconds == other.durationSeconds
      && source == other.source && value == other.value
  }
}
