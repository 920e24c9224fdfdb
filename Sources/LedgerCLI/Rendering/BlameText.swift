import LedgerJSON
import LedgerModel
import LedgerProjections
import LedgerStore

/// `blame` for people: a row a value.
struct BlameText {
  let lines: BlamedLines
  let times: TimeText
  let quantities: QuantityText

  func write(to console: Console) throws(OutputFailure) {
    let table = table
    let needed = table.rendered(paint: .plain).split(separator: "\n").map { displayWidth($0) }.max()
    if console.isTerminal, console.width < needed ?? 0 {
      try writeNarrow(to: console)
    } else {
      try console.write(table)
    }
    if let seq = lines.all.compactMap(\.recorded?.seq).max() {
      console.note("the life of an event: ledger explain \(seq)", .dim)
    }
  }

  private var table: Table {
    var table = Table([
      .left("field"), .left("value"), .right("seq"), .left("set"), .left("from"), .left(""),
    ])
    for line in lines.all {
      guard let recorded = line.recorded, let source = line.source else {
        table.add(.init(name(line)), .init("never set", .dim), "", "", "", "")
        continue
      }
      table.add(
        .init(name(line)), value(line), .init("\(recorded.seq)", .dim),
        .init(times.minute(recorded.event.at)), .init(words(source)),
        .init(line.value.status ?? "", style(line.value.status)))
    }
    return table
  }

  /// Where there is no room for all columns: the value, and under it who gave it.
  private func writeNarrow(to console: Console) throws(OutputFailure) {
    let paint = console.paint
    for line in lines.all {
      let name = name(line)
      guard let recorded = line.recorded, let source = line.source else {
        try console.line("\(name): " + paint.dim("never set"))
        continue
      }
      let cell = value(line)
      let room = max(8, console.width - displayWidth(name) - 2)
      try console.line("\(name): " + paint.apply(cell.style, truncated(cell.text, columns: room)))
      let told =
        "#\(recorded.seq), \(times.minute(recorded.event.at)), \(words(source))"
        + (line.value.status.map { ", \($0)" } ?? "")
      for row in wrapped("  " + escapedForTerminal(told), width: console.width, hanging: 2) {
        try console.line(paint.dim(row))
      }
    }
  }

  private func name(_ line: BlamedLines.Line) -> String {
    switch line.value.what {
    case .field(let field): field.qualifiedName
    case .part(let name, _): name
    }
  }

  private func value(_ line: BlamedLines.Line) -> Table.Cell {
    guard let value = line.value.value, !value.isNull else { return Table.Cell("cleared", .dim) }
    switch line.value.what {
    case .field(let field):
      return Table.Cell(FieldText(field.rawValue, quantities).value(value))
    case .part("quantity", let metric):
      return Table.Cell(quantities.words(value.number ?? 0, of: metric))
    case .part("deleted", _): return Table.Cell("yes", .red)
    case .part: return Table.Cell(value.string ?? value.serialized)
    }
  }

  private func words(_ source: ValueSource) -> String {
    let device = lines.device ?? "this device"
    switch source {
    case .edit: return "an edit on \(device)"
    case .imported: return "an import on \(device)"
    case .pulled: return "pulled from the backend"
    case .policy(let conflict): return "conflict \(conflict): sync.conflicts took the backend's"
    case .decision(let conflict, let side):
      return "conflict \(conflict): you took \(side == .local ? "yours" : "the backend's")"
    case .answer: return "the backend's answer"
    }
  }

  private func style(_ status: String?) -> Paint.Style? {
    status == "synced" ? .dim : status == "failed" || status == "rejected" ? .red : .yellow
  }
}
