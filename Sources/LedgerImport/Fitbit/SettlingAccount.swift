import LedgerModel

/// Counts what settled the rows of a file: whoever reads the ledger later can judge the proofs.
struct SettlingAccount {
  private var days: [FitbitSettling.Proof: Int] = [:]
  private var halves: [FitbitSettling.Proof: Int] = [:]

  mutating func count(_ settled: FitbitSettling.Settled) {
    days[settled.day, default: 0] += 1
    halves[settled.half, default: 0] += 1
  }

  /// Sentences for the summary; none where every row said all by itself.
  func notes(_ file: String, _ window: ClosedRange<CalendarDate>) -> [String] {
    var notes: [String] = []
    if days.contains(where: { $0.key != .plain }) {
      let total = days.values.reduce(0, +)
      let span = "by the span \(window.lowerBound) to \(window.upperBound)"
      notes.append("\(file): \(total) dates read: " + listed(days, span: span))
    }
    if halves.contains(where: { $0.key != .plain }) {
      let doubted = halves.filter { $0.key != .plain }
      notes.append(
        "\(file): AM and PM are wrong in some rows; there, the half of the day is read "
          + listed(doubted, span: ""))
    }
    return notes
  }

  private func listed(_ counts: [FitbitSettling.Proof: Int], span: String) -> String {
    [
      counts[.plain].map { "\($0) by their spelling alone" },
      counts[.window].map { "\($0) \(span)" },
      counts[.logID].map { "\($0) by their LogId" },
      counts[.order].map { "\($0) by the order of the rows" },
    ].compactMap(\.self).joined(separator: ", ")
  }
}
