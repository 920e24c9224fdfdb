import LedgerModel
import LedgerProjections

/// What a correction alone does not say: what its entry measures, and in whose units to show it.
/// Folds the log when the first line asks for either, and not before.
///
/// Damage is told by whoever reads the lines; here it only costs names and units.
final class EntryNames {
  /// `nil` where everything was looked up beforehand.
  private let ledger: ReadLedger?
  /// Metrics that were asked for, of an entry; of all entries once so many were asked for that a
  /// table pays.
  private var metrics: [LedgerUUID: Metric?] = [:]
  private var mostAsked = 512
  private var hasAll = false

  init(_ ledger: ReadLedger) {
    self.ledger = ledger
  }

  /// For those who have the state: looks everything up in one pass over it.
  ///
  /// - Parameter events: those that will be told.
  init(_ state: LedgerState, for events: [Event]) {
    ledger = nil
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
    if let known = metrics[entry.uuid] { return known }
    guard let ledger, !hasAll else { return nil }
    guard metrics.count < mostAsked else {
      if let state = try? ledger.state() {
        for row in state.rows { metrics[row.id] = row.metric }
      }
      hasAll = true
      return metrics[entry.uuid] ?? nil
    }
    let answer = try? ledger.ask { ($0.metric(of: entry), $0.findsByOrder) }
    // Without an order of ids to look in, each question goes through all rows.
    if answer?.1 == false { mostAsked = 40 }
    metrics[entry.uuid] = .some(answer?.0)
    return answer?.0
  }
}
