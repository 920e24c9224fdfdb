import LedgerJSON
import LedgerModel

/// Sums over a whole state, as they were when it was written.
struct SnapshotCounts: Sendable {
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
    for index in state.rows.indices {
      if let key = state.dayKey(ofRow: index) { liveByMetric[Int(key.metricIndex)] += 1 }
    }
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

  init(json: JSONObject) throws(SnapshotFault) {
    entries.live = try json.integer("live")
    entries.deleted = try json.integer("deleted")
    entries.pending = try json.integer("entries_pending")
    entries.synced = try json.integer("synced")
    entries.failed = try json.integer("failed")
    edits.pending = try json.integer("pending")
    edits.inDoubt = try json.integer("in_doubt")
    edits.held = try json.integer("held")
    edits.rejected = try json.integer("rejected")
    edits.conflicts = try json.integer("conflicts")
    for value in try json.array("in_conflict") { inConflict.insert(try value.whole()) }
    let live = try json.array("live_by_metric").map { value throws(SnapshotFault) in
      try value.whole()
    }
    guard live.count == liveByMetric.count else { throw SnapshotFault() }
    liveByMetric = live
  }
}
