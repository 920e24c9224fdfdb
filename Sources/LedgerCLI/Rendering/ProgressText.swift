import LedgerModel
import LedgerProjections

/// `show progress` for people.
struct ProgressText {
  let page: ProgressPage
  let entries: [ShownEntry]
  let units: UnitSystem
  let isFiltered: Bool

  func write(to console: Console) throws(OutputFailure) {
    guard !entries.isEmpty else { return try writeEmpty(to: console) }
    // A narrow terminal has no room for remarks.
    let hasNotes =
      entries.contains { $0.notes != nil } && (!console.isTerminal || console.width >= 78)
    try console.write(table(hasNotes: hasNotes))
    let last = page.offset + entries.count
    guard page.total > entries.count else { return }
    let first = page.offset + 1
    console.note(
      "\(NumberText.count(first)) to \(NumberText.count(last)) of \(NumberText.count(page.total))"
        + (last < page.total ? "; go on with --offset \(last)" : ""), .dim)
  }

  private func table(hasNotes: Bool) -> Table {
    let quantities = QuantityText(units: units)
    let columns: [Table.Column] = [
      .right("#"), .left("date"), .left("time"), .left("metric", shrinks: true),
      .right("quantity"), .left(""), .left("status"),
    ]
    var table = Table(columns + (hasNotes ? [.left("notes", shrinks: true)] : []))
    for shown in entries {
      let entry = shown.entry
      let cells: [Table.Cell] = [
        .init(entry.seq.description, .dim), .init(entry.date.description),
        .init(entry.moment?.minuteText ?? ""), .init(entry.metric.words),
        .init(quantities.number(entry.quantity, of: entry.metric)),
        .init(quantities.unit(of: entry.metric)),
        .init(entry.failure?.rawValue ?? entry.status.rawValue, entry.status.style),
      ]
      table.add(cells + (hasNotes ? [.init(shown.notes ?? "")] : []))
    }
    return table
  }

  private func writeEmpty(to console: Console) throws(OutputFailure) {
    if page.total > 0 {
      try console.line("There are \(counted(page.total, "entry", "entries")), fewer than --offset.")
    } else if isFiltered {
      try console.line("No entry matches.")
    } else {
      try console.line("Nothing is logged yet.")
      console.note("begin with one: ledger append weight 75.5kg", .dim)
    }
  }
}

extension EntryStatus {
  var style: Paint.Style {
    switch self {
    case .synced: .dim
    case .pending, .syncing: .yellow
    case .failed: .red
    }
  }
}
