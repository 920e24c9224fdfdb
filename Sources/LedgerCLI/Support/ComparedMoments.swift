import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore

/// A moment in a ledger's life: behind which event.
struct LedgerMoment: Equatable {
  /// 0 is before the first event.
  let seq: Int
  /// When that event was recorded, by the clock it had.
  let at: Timestamp?
}

/// Two moments of a ledger and what it was at each, the earlier one first.
struct ComparedMoments {
  let first: LedgerMoment
  let last: LedgerMoment
  /// Whether they were named the other way round.
  let wereSwapped: Bool
  let difference: LedgerDifference
  /// The person's own units at the later moment.
  let units: UnitSystem

  /// Folds the log once: up to the first moment, and from there to the last.
  ///
  /// - Parameter limit: how many entries of each kind are kept.
  init(_ a: String, _ b: String, in ledger: ReadLedger, keeping limit: Int) throws {
    let named = (try ledger.point(a, of: "A"), try ledger.point(b, of: "B"))
    wereSwapped = named.0.seq > named.1.seq
    (first, last) = wereSwapped ? (named.1, named.0) : named
    let (before, after) = try ledger.states(Seq(exactly: first.seq), Seq(exactly: last.seq))
    difference = LedgerDifference(from: before, to: after, keeping: limit)
    units = after.profileView().unitSystem ?? .metric
  }
}

extension ReadLedger {
  /// A moment as a person names it; one before the first event is the empty ledger.
  ///
  /// - Throws: a failure with exit code 4 for the number of an event that is not there.
  fileprivate func point(_ text: String, of argument: String) throws -> LedgerMoment {
    if text == "0" { return LedgerMoment(seq: 0, at: nil) }
    guard text.lowercased() != "now" else { return try point(view.lastLine()) }
    switch try moment(text, of: argument, as: .end) {
    case .seq(let seq): return try point(view.line(seq))
    case .time(let time): return try point(lastSeq(notAfter: time).map { try view.line($0) })
    }
  }

  private func point(_ line: LogView.StoredLine?) throws(LogError) -> LedgerMoment {
    guard let line else { return LedgerMoment(seq: 0, at: nil) }
    return LedgerMoment(seq: line.seq, at: try line.event().event.at)
  }
}
