import LedgerModel
import LedgerProjections

/// What a correction alone does not say: what its entry measures, and in whose units to show it.
/// Folds the log when the first line asks for either, and not before.
final class EntryNames {
  private let ledger: ReadLedger
  private var state: LedgerState??
  private var metrics: [LedgerUUID: Metric]?
  /// Whether so few entries will be asked for that a table of all would not pay.
  private let isForFew: Bool

  /// - Parameter count: how many lines will be told.
  init(_ ledger: ReadLedger, forLines count: Int) {
    self.ledger = ledger
    isForFew = count <= 40
  }

  /// For few entries of a ledger that has been folded already.
  init(_ ledger: ReadLedger, folded state: LedgerState) {
    self.ledger = ledger
    self.state = .some(state)
    isForFew = true
  }

  /// The person's own units; metric ones where the log cannot be folded.
  private(set) lazy var units: UnitSystem = folded?.profileView().unitSystem ?? .metric

  func metric(of entry: EntryID) -> Metric? {
    if isForFew { return folded.flatMap { $0.entry(entry)?.metric } }
    if metrics == nil {
      var all: [LedgerUUID: Metric] = [:]
      if let rows = folded?.rows { for row in rows { all[row.id] = row.metric } }
      metrics = all
    }
    return metrics?[entry.uuid]
  }

  /// The one place that decides where entries and units are looked up. Damage is told by whoever
  /// reads the lines; here it only costs the units.
  private var folded: LedgerState? {
    if let state { return state }
    let folded = try? ledger.state()
    state = .some(folded)
    return folded
  }
}
