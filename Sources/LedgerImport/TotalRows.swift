import LedgerModel

/// Finds rows that are sums of the other rows of their day, as `Total` below a day's meals, which would
/// count twice.
struct TotalRows {
  private struct Day: Hashable {
    var day: Int32
    var metric: Metric
  }

  /// The rows of a day without such a word.
  private struct Parts {
    var sum = 0.0
    var largest = 0.0

    mutating func add(_ quantity: Double) {
      sum += quantity
      largest = max(largest, quantity)
    }
  }

  private struct Total {
    var draft: EntryDraft
    var place: Int

    var day: Day { Day(day: draft.date.daysSince1970, metric: draft.metric) }
  }

  /// What a quantity of such a row is.
  private enum Finding { case sum, other, part, alone }

  private static let daysAtMost = 200_000
  private static let totalsAtMost = 50_000
  private static let rowsShown = 5

  private var parts: [Day: Parts] = [:]
  private var totals: [Total] = []
  /// Whether the table has a column that may have such words.
  var isNeeded = false

  mutating func add(_ draft: EntryDraft, place: Int) {
    guard isNeeded, draft.metric.addsUp, parts.count < Self.daysAtMost else { return }
    if draft.totalWord != nil {
      if totals.count < Self.totalsAtMost { totals.append(Total(draft: draft, place: place)) }
      return
    }
    let day = Day(day: draft.date.daysSince1970, metric: draft.metric)
    parts[day, default: Parts()].add(draft.quantity)
  }

  /// Takes such rows out of a result. One that is no sum of the others, and no part of the day as they
  /// are, is reported.
  ///
  /// - Returns: the places of the entries that were removed.
  func drop(
    from result: inout ImportResult, _ context: ImportContext
  ) throws(ImportError) -> Bitmap {
    var dropped = Bitmap()
    guard parts.count < Self.daysAtMost else { return dropped }
    var rows: [Int] = []
    var rest = totals[...]
    while let first = rest.first {
      let row = rest.prefix { $0.draft.row == first.draft.row }
      rest = rest.dropFirst(row.count)
      let found = row.map { ($0, finding($0)) }.filter { $0.1 != .alone }
      guard !found.isEmpty, !found.contains(where: { $0.1 == .part }) else { continue }
      for (total, finding) in found {
        if finding == .other { try report(total, to: &result, context) }
        dropped.insert(total.place)
        result.entries.remove(total.place, total.draft.metric)
      }
      if found.allSatisfy({ $0.1 == .sum }) { rows.append(first.draft.row) }
    }
    if let file = totals.first?.draft.file, !rows.isEmpty {
      let shown = rows.prefix(Self.rowsShown).map { "\($0)" }.joined(separator: ", ")
      let more = rows.count > Self.rowsShown ? " and \(rows.count - Self.rowsShown) more" : ""
      result.notes.append(
        rows.count == 1
          ? "\(file): 1 row is the total of the other rows of its day, and is left out: row \(shown)"
          : "\(file): \(rows.count) rows are the totals of the other rows of their days, and are left "
            + "out: rows \(shown)\(more)")
    }
    return dropped
  }

  private func finding(_ total: Total) -> Finding {
    guard let parts = parts[total.day] else { return .alone }
    let quantity = total.draft.quantity
    let rounding = max(parts.sum * 0.05, total.draft.metric.rounding)
    if (quantity - parts.sum).magnitude <= rounding { return .sum }
    // Rows of one moment that are not summed contradict each other.
    if quantity < parts.largest || total.draft.sameMoment != .sum { return .part }
    return .other
  }

  private func report(
    _ total: Total, to result: inout ImportResult, _ context: ImportContext
  ) throws(ImportError) {
    let (draft, words) = (total.draft, QuantityWords(units: try context.unitSystem()))
    func shown(_ quantity: Double) -> String {
      words.words(quantity, of: draft.metric, in: draft.unit)
    }
    var problem = draft.problem(
      "\(draft.column) is \(shown(draft.quantity)) in a row called \(quoted(draft.totalWord ?? "")), "
        + "but the other rows of \(draft.date) add up to \(shown(parts[total.day]?.sum ?? 0)); correct "
        + "or remove the row")
    problem.kind = "\(draft.column) of a row called a total is not the sum of its day"
    result.report(problem)
  }

  /// Whether a cell says that its row is a sum.
  static func isWord(_ cell: String) -> Bool {
    guard let first = cell.utf8.first, "tTsSgGiI".utf8.contains(first), cell.utf8.count <= 24 else {
      return false
    }
    return words.contains(ColumnName.words(cell).joined(separator: " "))
  }

  private static let words: Set<String> = [
    "total", "totals", "sum", "day total", "daily total", "total of day", "total for the day",
    "grand total", "summe", "gesamt", "insgesamt", "gesamtsumme", "tagessumme", "tagesgesamt",
    "somme", "total du jour", "total journalier", "suma", "total del dia", "total diario", "soma",
    "total do dia", "totale",
  ]
}

extension Metric {
  /// By how much a sum may differ from its rounded parts.
  fileprivate var rounding: Double {
    switch self {
    case .waterLiters, .distanceKM, .sleepHours: 0.1
    default: 1
    }
  }
}
