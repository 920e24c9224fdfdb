import LedgerModel

/// Finds foods and drinks that are sums of the others of their day, as `Total` below a day's meals, which
/// would count twice.
struct TotalRows {
  private struct Day: Hashable {
    var day: Int32
    var metric: Metric
    var source: String

    init(_ draft: EntryDraft) {
      (day, metric, source) = (draft.date.daysSince1970, draft.metric, draft.source)
    }
  }

  /// The rows of a day that do not say that they are a sum.
  private struct Parts {
    var sum = 0.0
    var count = 0
  }

  private struct Total {
    var draft: EntryDraft
    var place: Int
  }

  private static let daysAtMost = 200_000
  private static let totalsAtMost = 50_000
  private static let rowsShown = 5

  private var parts: [Day: Parts] = [:]
  private var totals: [Total] = []

  mutating func add(_ draft: EntryDraft, place: Int) {
    // Rows that are not summed do not count twice.
    guard draft.sameMoment == .sum, parts.count < Self.daysAtMost else { return }
    if draft.saysTotal {
      if totals.count < Self.totalsAtMost { totals.append(Total(draft: draft, place: place)) }
      return
    }
    let day = Day(draft)
    parts[day, default: Parts()].sum += draft.quantity
    parts[day, default: Parts()].count += 1
  }

  /// Takes such quantities out of the result of one file. A row that says `Total` and is no sum is read: it
  /// may be a food of that name.
  ///
  /// - Returns: the places of the entries that were removed.
  func drop(from result: inout ImportResult) -> Bitmap {
    var dropped = Bitmap()
    guard parts.count < Self.daysAtMost else { return dropped }
    var rows: [Int] = []
    var rest = totals[...]
    while let first = rest.first {
      let row = rest.prefix { $0.draft.row == first.draft.row }
      rest = rest.dropFirst(row.count)
      guard row.contains(where: { isSum($0.draft) }) else { continue }
      for total in row where isSum(total.draft, rounded: true) {
        dropped.insert(total.place)
        result.entries.remove(total.place, total.draft.metric)
      }
      rows.append(first.draft.row)
    }
    if let file = totals.first?.draft.file, !rows.isEmpty {
      let shown = rows.prefix(Self.rowsShown).map { "\($0)" }.joined(separator: ", ")
      let more = rows.count > Self.rowsShown ? " and \(rows.count - Self.rowsShown) more" : ""
      result.notes.append(
        rows.count == 1
          ? "\(file): foods of 1 row are the totals of the others of its day, and are left out: row "
            + shown
          : "\(file): foods of \(rows.count) rows are the totals of the others of their days, and are "
            + "left out: rows \(shown)\(more)")
    }
    return dropped
  }

  /// Whether a quantity is the sum of the others, within 2 %.
  ///
  /// - Parameter isRounded: whether it may also differ by what rounding each part and the sum to whole
  ///   numbers makes; that is much of a small sum, so only where another quantity of the row is a sum.
  private func isSum(_ draft: EntryDraft, rounded isRounded: Bool = false) -> Bool {
    guard let parts = parts[Day(draft)], parts.count > 1 else { return false }
    let rounding = isRounded ? 0.5 * Double(parts.count + 1) : 0
    return (draft.quantity - parts.sum).magnitude <= max(0.02 * parts.sum, rounding)
  }

  /// Whether a cell says that its row is a sum.
  static func isWord(_ cell: String) -> Bool {
    guard let first = cell.utf8.first, "tTsSgGiI".utf8.contains(first) else { return false }
    return words.contains(ColumnName.words(cell).joined(separator: " "))
  }

  private static let words: Set<String> = [
    "total", "totals", "sum", "day total", "daily total", "total of day", "total for the day",
    "grand total", "summe", "gesamt", "insgesamt", "gesamtsumme", "tagessumme", "tagesgesamt",
    "somme", "total du jour", "total journalier", "suma", "total del dia", "total diario", "soma",
    "total do dia", "totale",
  ]
}
