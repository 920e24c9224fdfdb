package struct Table: Sendable {
  package struct Column: Sendable {
    let title: String
    let alignsRight: Bool
    /// Whether the column is truncated when the terminal is too narrow.
    let shrinks: Bool
    /// Whether text that is too long goes on in further lines; only for the last column.
    let wraps: Bool
    /// The order in which columns are left out where the terminal is too narrow; `nil` to keep one.
    private(set) var leavesAt: Int?
    fileprivate var least = Table.leastShrunk

    /// The same column, left out where the terminal is too narrow; 1 is the first to go.
    package func leaving(_ order: Int) -> Column {
      var column = self
      column.leavesAt = order
      return column
    }

    /// The same column, for which others leave before it shrinks to fewer characters than this.
    package func keeping(_ columns: Int) -> Column {
      var column = self
      column.least = columns
      return column
    }

    package static func left(_ title: String, shrinks: Bool = false) -> Column {
      Column(title: title, alignsRight: false, shrinks: shrinks, wraps: false, leavesAt: nil)
    }

    package static func wrapping(_ title: String) -> Column {
      Column(title: title, alignsRight: false, shrinks: true, wraps: true, leavesAt: nil)
    }

    package static func right(_ title: String) -> Column {
      Column(title: title, alignsRight: true, shrinks: false, wraps: false, leavesAt: nil)
    }
  }

  package struct Cell: Sendable, ExpressibleByStringInterpolation {
    let text: String
    let style: Paint.Style?
    let width: Int

    /// Escapes control characters, so stored text may be passed.
    package init(_ text: String, _ style: Paint.Style? = nil) {
      self.text = escapedForTerminal(text)
      self.style = style
      self.width = displayWidth(self.text)
    }

    package init(stringLiteral text: String) {
      self.init(text)
    }
  }

  private var columns: [Column]
  private var rows: [[Cell]] = []

  package init(_ columns: [Column]) {
    self.columns = columns
  }

  package mutating func add(_ cells: Cell...) {
    add(cells)
  }

  package mutating func add(_ cells: [Cell]) {
    precondition(cells.count == columns.count, "a row needs a cell for every column")
    rows.append(cells)
  }

  /// All lines, the header first unless every title is empty; `width` nil lets lines be long.
  package func rendered(paint: Paint, width: Int? = nil) -> String {
    let table = width.map(fitted) ?? self
    var widths = table.widths
    if let width { table.shrink(&widths, to: width) }
    return table.lines.map { table.render($0, widths, paint) + "\n" }.joined()
  }

  /// Whether a column is there where the terminal has this width.
  func shows(_ title: String, width: Int) -> Bool {
    fitted(to: width).columns.contains { $0.title == title }
  }

  /// Without the columns that have no space; empty ones go first.
  private func fitted(to width: Int) -> Table {
    var table = self
    while table.leastWidth > width, let index = table.firstToLeave {
      table.columns.remove(at: index)
      for row in table.rows.indices { table.rows[row].remove(at: index) }
    }
    return table
  }

  private var firstToLeave: Int? {
    let leaving = columns.indices.filter { columns[$0].leavesAt != nil }
    let empty = leaving.filter { column in rows.allSatisfy { $0[column].text.isEmpty } }
    return (empty.isEmpty ? leaving : empty)
      .min { (columns[$0].leavesAt ?? 0) < (columns[$1].leavesAt ?? 0) }
  }

  private var leastWidth: Int {
    let least = zip(columns, widths).map { $0.shrinks ? min($1, $0.least) : $1 }
    return least.reduce(0, +) + Table.gap.count * (columns.count - 1)
  }

  /// Fewer columns would be useless; the line wraps instead.
  fileprivate static let leastShrunk = 8

  /// The columns that its longest line takes.
  var width: Int {
    let widths = self.widths
    return lines.map { cells in
      guard let last = Self.lastShown(cells) else { return 0 }
      let shown = columns[last].alignsRight ? widths[last] : cells[last].width
      return widths[..<last].reduce(shown) { $0 + $1 + Self.gap.count }
    }.max() ?? 0
  }

  private var lines: [[Cell]] {
    let header = columns.map { Cell($0.title, .dim) }
    return (columns.allSatisfy(\.title.isEmpty) ? [] : [header]) + rows
  }

  private var widths: [Int] {
    let lines = self.lines
    return columns.indices.map { column in lines.map { $0[column].width }.max() ?? 0 }
  }

  /// The last cell that is not empty: lines have no trailing blanks.
  private static func lastShown(_ cells: [Cell]) -> Int? {
    cells.lastIndex { !$0.text.isEmpty }
  }

  private func shrink(_ widths: inout [Int], to width: Int) {
    var excess = widths.reduce(0, +) + Table.gap.count * (widths.count - 1) - width
    for column in columns.indices.reversed() where columns[column].shrinks && excess > 0 {
      let given = min(excess, max(0, widths[column] - Self.leastShrunk))
      widths[column] -= given
      excess -= given
    }
  }

  private func render(_ cells: [Cell], _ widths: [Int], _ paint: Paint) -> String {
    let last = Self.lastShown(cells) ?? -1
    var parts: [String] = []
    for (index, cell) in cells.enumerated().prefix(last + 1) {
      if columns[index].wraps {
        let margin = widths[..<index].reduce(0) { $0 + $1 + Table.gap.count }
        let lines = wrapped(cell.text, width: widths[index]).map {
          paint.apply(cell.style, truncated($0, columns: widths[index]))
        }
        parts.append(
          lines.joined(separator: "\n" + String(repeating: " ", count: margin)))
        continue
      }
      let isCut = columns[index].shrinks && cell.width > widths[index]
      let text = isCut ? truncated(cell.text, columns: widths[index]) : cell.text
      let taken = isCut ? displayWidth(text) : cell.width
      let blanks = String(repeating: " ", count: max(0, widths[index] - taken))
      let painted = paint.apply(cell.style, text)
      if columns[index].alignsRight {
        parts.append(blanks + painted)
      } else {
        parts.append(painted + (index == last ? "" : blanks))
      }
    }
    return parts.joined(separator: Table.gap)
  }

  private static let gap = "  "
}
