/// Rows of a `diff`: columns where there is room for them, else two lines a row.
struct DiffRows {
  struct Row {
    var lead: Table.Cell
    var what: String
    var standing: Table.Cell
    /// The event to look at.
    var number: String
  }

  private var rows: [Row] = []

  mutating func add(_ row: Row) { rows.append(row) }

  func write(to console: Console) throws(OutputFailure) {
    guard console.isTerminal, console.width < 70 else { return try console.write(table) }
    for row in rows {
      let paint = console.paint
      let standing = row.standing.text.isEmpty ? "" : ", \(row.standing.text)"
      let first = "\(row.lead.text)\(row.number.isEmpty ? "" : " \(row.number)")\(standing)"
      for (index, line) in wrapped(first, width: console.width - 2, hanging: 2).enumerated() {
        try console.line("  " + (index == 0 ? paint.apply(row.lead.style, line) : line))
      }
      let what = escapedForTerminal(row.what)
      for line in wrapped("    " + what, width: console.width, hanging: 4) {
        try console.line(truncated(line, columns: console.width))
      }
    }
  }

  private var table: Table {
    var table = Table([.left(""), .left(""), .left("", shrinks: true), .left(""), .left("")])
    for row in rows {
      table.add("", row.lead, .init(row.what), row.standing, .init(row.number, .dim))
    }
    return table
  }
}
