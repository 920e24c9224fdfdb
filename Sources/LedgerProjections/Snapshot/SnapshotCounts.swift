import LedgerJSON
import LedgerModel

/// Sums over a whole state. Those of a snapshot are as they were when it was written.
struct SnapshotCounts: Hashable, Sendable {
  var entries = EntryCounts()
  var edits = SyncCounts()
  /// The edits that waited for a decision.
  var inConflict: Set<Int> = []
  /// Live entries by the place of their metric.
  var liveByMetric = [Int](repeating: 0, count: Metric.allCases.count)

  init(_ state: LedgerState) {
    entries = state.entryCounts()
    edits = state.syncCounts()
    inConflict = state.editsInConflict()
    if let opened = state.opened {
      liveByMetric = opened.counts.liveByMetric
      for index in state.touchedRows() {
        count(opened.state.dayKey(ofRow: index), -1)
        count(state.dayKey(ofRow: index), 1)
      }
    }
    for index in state.rows.countInSnapshot..<state.rows.count {
      count(state.dayKey(ofRow: index), 1)
    }
  }

  private mutating func count(_ key: DayKey?, _ change: Int) {
    if let key { liveByMetric[Int(key.metricIndex)] += change }
  }

  var json: JSONObject {
    [
      "live": JSONValue(entries.live), "deleted": JSONValue(entries.deleted),
      "entries_pending": JSONValue(entries.pending), "synced": JSONValue(entries.synced),
      "failed": JSONValue(entries.failed), "pending": JSONValue(edits.pending),
      "in_doubt": JSONValue(edits.inDoubt), "held": JSONValue(edits.held),
      "rejected": JSONValue(edits.rejected), "conflicts": JSONValue(edits.conflicts),
      "in_conflict": .array(inConflict.sorted().map { JSONValue($0) }),
      "live_by_metric": .array(liveByMetric.map { JSONValue($0) }),
    ]
  }

  init(json: JSONObject, in bounds: SnapshotBounds) throws(SnapshotFault) {
    func count(_ name: String) throws(SnapshotFault) -> Int {
      try json.required(name).count(in: bounds)
    }
    entries.live = try count("live")
    entries.deleted = try count("deleted")
    entries.pending = try count("entries_pending")
    entries.synced = try count("synced")
    entries.failed = try count("failed")
    edits.pending = try count("pending")
    edits.inDoubt = try count("in_doubt")
    edits.held = try count("held")
    edits.rejected = try count("rejected")
    edits.conflicts = try count("conflicts")
    for value in try json.array("in_conflict") { inConflict.insert(try value.seq(in: bounds)) }
    let live = try json.array("live_by_metric").map { value throws(SnapshotFault) in
      try value.count(in: bounds)
    }
    guard live.count == liveByMetric.count else { throw SnapshotFault() }
    liveByMetric = live
  }
}
