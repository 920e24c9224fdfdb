import LedgerModel

/// Calls that go one after the other: those of one entry, or those of the person. What comes later
/// in a lane leaves only when what came before it was accepted.
struct CallQueue: Sendable {
  var calls: ArraySlice<PlannedCall>
  /// How often the call in front was tried in this run.
  var tries = 0

  var entry: EntryID? { calls.first?.entry }
  var group: RowGroup? { calls.first?.key?.group }

  /// Whether the call in front makes a row.
  var makesRow: Bool {
    if case .logProgress? = calls.first?.kind { true } else { false }
  }

  /// Lanes in the order of a plan.
  static func lanes(of plan: Plan) -> [CallQueue] {
    var lanes: [CallQueue] = []
    for call in plan.calls {
      if let entry = call.entry, lanes.last?.entry == entry {
        lanes[lanes.count - 1].calls.append(call)
      } else {
        lanes.append(CallQueue(calls: [call]))
      }
    }
    return lanes
  }

  var isOfPerson: Bool { calls.first.map { $0.entry == nil } ?? false }
}
