import LedgerModel
import LedgerProjections

/// What a correction alone does not say: what its entry measures, and in whose units to show it.
/// Folds the log when it is first asked.
final class EntryNames {
  private let ledger: ReadLedger
  private var state: LedgerState??
  private var metrics: [LedgerUUID: Metric]?
  /// Whether so few entries will be asked for that a table of all would not pay.
  private let isForFew: Bool

  init(_ ledger: ReadLedger) {
    self.ledger = ledger
    isForFew = false
  }

  /// For few entries of a ledger that has been folded already.
  init(_ ledger: ReadLedger, folded state: LedgerState) {
    self.ledger = ledger
    self.state = .some(state)
    isForFew = true
  }

  /// The person's own units; metric ones where the log cannot be folded.
  var units: UnitSystem { folded?.profileView().unitSystem ?? .metric }

  func metric(of entry: EntryID) -> Metric? {
    if isForFew { return folded.flatMap { $0.entry(entry)?.metric } }
    if metrics == nil {
      var all: [LedgerUUID: Metric] = [:]
      if let rows = folded?.rows { for row in rows { all[row.id] = row.metric } }
      metrics = all
    }
    return metrics?[entry.uuid]
  }

  /// Damage is told by whoever reads the lines; here it only costs the units.
  private var folded: LedgerState? {
    if let state { return state }
    let folded = try? ledger.state()
    state = .some(folded)
    return folded
  }
}
