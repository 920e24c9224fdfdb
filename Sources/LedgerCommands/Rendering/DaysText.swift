import LedgerModel
import LedgerProjections

/// `show days` for people: a narrow terminal gets the columns that say most.
struct DaysText {
  let days: [DayGroup]
  let units: UnitSystem
  let isFiltered: Bool

  func write(to console: Console) throws(OutputFailure) {
    guard !days.isEmpty else {
      try console.line(isFiltered ? "No day matches." : "Nothing is logged yet.")
      if !isFiltered { console.note("begin with one: ledger append steps 4200", .dim) }
      return
    }
    guard console.isTerminal else { return try console.write(table(Column.allCases)) }
    for columns in Column.choices.dropLast() where width(of: table(columns)) <= console.width {
      return try console.write(table(columns))
    }
    try console.write(table(Column.choices.last ?? []))
  }

  private func table(_ columns: [Column]) -> Table {
    var table = Table([.left("date"), .left("metric")] + columns.map(\.header) + [.left("")])
    var shownDate: CalendarDate?
    for day in days {
      let date = day.date == shownDate ? "" : day.date.description
      shownDate = day.date
      table.add(
        [.init(date), .init(day.metric.words)] + columns.map { .init(text($0, of: day)) }
          + [.init(QuantityText(units: units).unit(of: day.metric), .dim)])
    }
    return table
  }

  private func width(of table: Table) -> Int {
    table.rendered(paint: .plain).split(separator: "\n").map { displayWidth($0) }.max() ?? 0
  }

  private func text(_ column: Column, of day: DayGroup) -> String {
    let value: Double
    switch column {
    case .count: return NumberText.count(day.count)
    // The sum of two weighings is no weight.
    case .sum: if day.metric.addsUp { value = day.sum } else { return "" }
    case .min: value = day.min
    case .max: value = day.max
    case .mean: value = day.mean
    case .last: value = day.last
    }
    return QuantityText(units: units).number(value, of: day.metric)
  }

  private enum Column: String, CaseIterable {
    case count, sum, min, max, mean, last

    var header: Table.Column { .right(rawValue) }

    /// From the one that says most to the one that fits anywhere.
    static let choices: [[Column]] = [
      allCases, [.count, .sum, .mean, .last], [.count, .sum, .last],
    ]
  }
}
