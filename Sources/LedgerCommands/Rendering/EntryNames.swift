import LedgerModel
import LedgerProjections

/// What a correction alone does not say: what its entry measures, and in whose units to show it.
/// Folds the log when the first line asks for either, and not before.
///
/// Damage is told by whoever reads the lines; here it only costs names and units.
final class EntryNames {
  /// `nil` where everything was looked up beforehand.
  private let ledger: ReadLedger?
  /// Metrics that were asked for, of an entry; of all entries once so many will be asked for that a
  /// table pays.
  private var metrics: [LedgerUUID: Metric?] = [:]
  private let isForFew: Bool
  private var hasAll = false

  /// - Parameter count: how many lines will be told.
  init(_ ledger: ReadLedger, forLines count: Int) {
    self.ledger = ledger
    isForFew = count <= 40
  }

  /// For those who have the state: looks everything up in one pass over it.
  ///
  /// - Parameter events: those that will be told.
  init(_ state: LedgerState, for events: [Event]) {
    ledger = nil
    isForFew = true
    units = state.profileView().unitSystem ?? .metric
    let wanted = Set(
      events.compactMap { event -> LedgerUUID? in
        switch event.payload {
        case .progressCorrected(let data): data.entry.uuid
        case .progressDeleted(let data): data.entry.uuid
        default: nil
        }
      })
    guard !wanted.isEmpty else { return }
    for row in state.rows where wanted.contains(row.id) { metrics[row.id] = row.metric }
  }

  /// The person's own units; metric ones where the log cannot be folded.
  private(set) lazy var units: UnitSystem =
    (try? ledger?.ask { $0.profileView().unitSystem }).flatMap(\.self) ?? .metric

  func metric(of entry: EntryID) -> Metric? {
    if !isForFew, !hasAll {
      if let state = try? ledger?.state() {
        for row in state.rows { metrics[row.id] = row.metric }
      }
      hasAll = true
    }
    if let known = metrics[entry.uuid] { return known }
    let metric = hasAll ? nil : (try? ledger?.ask { $0.entry(entry)?.metric }).flatMap(\.self)
    metrics[entry.uuid] = .some(metric)
    return metric
  }
}
