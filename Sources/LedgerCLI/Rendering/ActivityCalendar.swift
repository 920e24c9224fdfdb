import LedgerModel

/// How much was logged on each day, as a grid: a column a week from Monday to Sunday, below each
/// other as many weeks as have room.
struct ActivityCalendar {
  /// Entries by day.
  let counts: [CalendarDate: Int]
  let first: CalendarDate
  let last: CalendarDate
  let isUnicode: Bool

  private static let labelWidth = 4
  private static let weekdays = ["Mon", "", "Wed", "", "Fri", "", "Sun"]

  private var marks: [Character] {
    isUnicode ? ["·", "░", "▒", "▓", "█"] : [".", "1", "2", "3", "4"]
  }

  func lines(width: Int, paint: Paint) -> [String] {
    let room = max(8, width - Self.labelWidth)
    let monday = Self.monday(of: first)
    let weeks = Int(last.daysSince1970 - monday.daysSince1970) / 7 + 1
    // Squares are easier to see apart from one another, where a year of them has room.
    let cellWidth = min(weeks, 53) * 2 <= room ? 2 : 1
    let weeksALine = room / cellWidth
    var lines: [String] = []
    for start in stride(from: 0, to: weeks, by: weeksALine) {
      let shown = (start..<min(weeks, start + weeksALine)).map { monday.adding(days: $0 * 7) }
      if !lines.isEmpty { lines.append("") }
      lines.append(truncated(title(shown), columns: width))
      lines.append(header(shown, cellWidth, width: width, paint))
      for weekday in 0..<7 {
        let label = Self.weekdays[weekday].padded(to: Self.labelWidth)
        let cells = shown.map { cell($0.adding(days: weekday)) }
        lines.append(paint.dim(label) + row(cells, cellWidth, paint))
      }
    }
    return lines + [""] + wrapped(legend, width: width)
  }

  private func title(_ weeks: [CalendarDate]) -> String {
    guard let from = weeks.first, let to = weeks.last else { return "" }
    return "\(max(first, from)) to \(min(last, to.adding(days: 6)))"
  }

  private static func monday(of date: CalendarDate) -> CalendarDate {
    date.adding(days: 1 - date.weekday)
  }

  /// The names of months over the weeks that they begin in.
  private func header(
    _ weeks: [CalendarDate], _ cellWidth: Int, width: Int, _ paint: Paint
  ) -> String {
    var text = ""
    for (index, monday) in weeks.enumerated() {
      let begun = (0..<7).map { monday.adding(days: $0) }.first { $0.components.day == 1 }
      let place = Self.labelWidth + index * cellWidth
      guard let day = begun, text.count <= place, place + 3 <= width else { continue }
      text = text.padded(to: place) + EntryText.month(day.components.month) + " "
    }
    return paint.dim(String(text.dropLast()))
  }

  /// 0 to 4; `nil` for a day outside of those asked for.
  private func cell(_ date: CalendarDate) -> Int? {
    guard date >= first, date <= last else { return nil }
    return level(of: counts[date] ?? 0)
  }

  private var most: Int { counts.values.max() ?? 0 }

  private func level(of count: Int) -> Int {
    guard count > 0 else { return 0 }
    return max(1, (count * 4 + most - 1) / most)
  }

  private func row(_ cells: [Int?], _ cellWidth: Int, _ paint: Paint) -> String {
    var text = ""
    var run = ""
    var runIsEmpty = true
    func flush() { text += paint.apply(runIsEmpty ? .dim : .green, run) }
    let end = cells.lastIndex { $0 != nil } ?? -1
    for (index, level) in cells.prefix(end + 1).enumerated() {
      let isEmpty = (level ?? 0) == 0
      if isEmpty != runIsEmpty {
        flush()
        (run, runIsEmpty) = ("", isEmpty)
      }
      run.append(level.map { marks[$0] } ?? " ")
      if cellWidth == 2, index < end { run.append(" ") }
    }
    flush()
    return text
  }

  private var legend: String {
    guard most > 0 else { return "nothing was logged on any of these days" }
    let ranges = (1...4).compactMap { level -> String? in
      let (low, high) = (most * (level - 1) / 4 + 1, most * level / 4)
      guard low <= high else { return nil }
      let count =
        low == high
        ? NumberText.count(low) : "\(NumberText.count(low)) to \(NumberText.count(high))"
      return "\(marks[level]) \(count)"
    }
    return "entries a day: \(marks[0]) none, " + ranges.joined(separator: ", ")
  }
}
