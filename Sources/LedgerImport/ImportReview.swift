package import LedgerModel

/// What a person should look at before an import is written: dates and quantities that a wrong
/// reading of a file makes.
package struct ImportReview {
  /// One sentence each, with numbers and an example.
  package private(set) var warnings: [String] = []

  /// How far the dates of the last hundred years are ahead in the Buddhist calendar.
  private static let buddhistDays = Int32(161_800)...198_328
  /// A share of the person's usual quantity that a unit or a decimal mark mistaken would make.
  private static let unusualRatio = 100.0
  /// With fewer entries, nothing is usual.
  private static let usualEntriesAtLeast = 5

  /// - Parameter today: the day in the ledger's zone.
  package init(_ result: ImportResult, today: CalendarDate) {
    addFutureDates(result, today)
    for (metric, entries) in result.counts where entries >= Self.usualEntriesAtLeast {
      addUnusual(metric, result.edits.filter { $0.metric == metric })
    }
    addShiftedZone(result)
  }

  private mutating func addFutureDates(_ result: ImportResult, _ today: CalendarDate) {
    let tomorrow = today.adding(days: 1)
    let late = (result.edits.map(\.date) + result.sessions.map(\.end.date))
      .filter { $0 > tomorrow }
    guard let last = late.max() else { return }
    let isBuddhist = late.allSatisfy {
      Self.buddhistDays.contains($0.daysSince1970 - today.daysSince1970)
    }
    let reason =
      isBuddhist ? "; years of the Buddhist calendar are 543 larger" : ""
    warnings.append(
      "\(Self.entries(late.count)) later than tomorrow, the last of \(last)\(reason)")
  }

  private mutating func addUnusual(_ metric: Metric, _ edits: [ProgressLogged]) {
    let sorted = edits.map(\.quantity).sorted()
    // Sums of hours are mostly small, so the larger ones are usual.
    let usual = sorted[
      metric.isCounted ? max(sorted.count / 2, sorted.count * 9 / 10 - 1) : sorted.count / 2]
    guard usual > 0 else { return }
    let odd = edits.filter {
      $0.quantity > usual * Self.unusualRatio
        || ($0.quantity > 0 && $0.quantity * Self.unusualRatio < usual && !metric.isCounted)
    }
    guard let first = odd.first else { return }
    warnings.append(
      "\(Self.entries(odd.count)) \(metric.name) a hundred times more or less than usual: "
        + "\(Self.text(first.quantity)) on \(first.date), usual is \(Self.text(usual)) \(metric.unit)"
    )
  }

  /// Days are cut elsewhere in another zone, so that sums of many days differ; a late watch changes
  /// a few.
  private mutating func addShiftedZone(_ result: ImportResult) {
    let grown = result.growths.count
    guard grown >= 10, grown * 5 > result.known + grown else { return }
    warnings.append(
      "\(grown) of \(result.known + grown) known sums would grow; the file may be in another zone than "
        + "the earlier import: give --zone")
  }

  private static func entries(_ count: Int) -> String {
    count == 1 ? "1 entry is" : "\(count) entries are"
  }

  private static func text(_ quantity: Double) -> String { "\(quantity)" }
}

extension Metric {
  /// Whether small quantities are as usual as large ones: an hour with three steps.
  fileprivate var isCounted: Bool {
    switch self {
    case .weight, .height, .bmi, .bodyFatPercentage, .restingHeartRate: false
    default: true
    }
  }
}
