import LedgerJSON
import LedgerModel
import LedgerProjections

/// `conflicts` for people.
struct ConflictsText {
  let conflicts: [KnownConflict]
  let isAll: Bool
  /// How many more there are, which are decided.
  let decided: Int
  let units: UnitSystem

  func write(times: TimeText, to console: Console) throws(OutputFailure) {
    guard !conflicts.isEmpty else { return try writeEmpty(to: console) }
    let rows = conflicts.map { row($0, times) }
    let shares = shares(of: rows, width: console.isTerminal ? console.width : nil)
    var table = Table([
      .right("seq"), .left("found"), .left("field"), .left("agreed on"), .left("yours"),
      .left("backend's"), .left("decided"),
    ])
    for row in rows {
      let values = zip(row[Self.values], shares).map { cell, share in
        Table.Cell(truncated(cell.text, columns: share), cell.style)
      }
      table.add(row[..<Self.values.lowerBound] + values + row[Self.values.upperBound...])
    }
    try console.write(table)
    if let advice { console.note(advice, .dim) }
  }

  private static let values = 3..<6

  private func row(_ conflict: KnownConflict, _ times: TimeText) -> [Table.Cell] {
    let view = conflict.view
    let field = FieldWords(view.fieldName, QuantityText(units: units))
    func cell(_ value: JSONValue, wins side: ConflictDecision?) -> Table.Cell {
      let text = value.isNull ? "nothing" : field.value(value)
      return Table.Cell(text, view.decision == side ? .green : value.isNull ? .dim : nil)
    }
    return [
      .init("\(view.seq)", .dim), .init(String(times.minute(conflict.at).prefix(10))),
      .init(view.field == nil ? "\(view.subject) \(field.name)" : field.name),
      cell(view.base, wins: nil), cell(view.local, wins: .local), cell(view.remote, wins: .remote),
      decided(view),
    ]
  }

  /// How wide each of the three values may be: what one does not need is the others'.
  private func shares(of rows: [[Table.Cell]], width: Int?) -> [Int] {
    guard let width else { return Self.values.map { _ in .max } }
    let widest = rows[0].indices.map { column in
      rows.map { displayWidth($0[column].text) }.max() ?? 0
    }
    let fixed = widest.indices.filter { !Self.values.contains($0) }.map { max(5, widest[$0]) }
    var room = width - fixed.reduce(0, +) - 2 * (widest.count - 1)
    var shares = widest
    let byNeed = Self.values.sorted { widest[$0] < widest[$1] }
    for (index, column) in byNeed.enumerated() {
      // The titles need nine columns, and less would say nothing.
      shares[column] = max(9, min(widest[column], room / (byNeed.count - index)))
      room -= shares[column]
    }
    return Array(shares[Self.values])
  }

  private func decided(_ view: ConflictView) -> Table.Cell {
    switch (view.decision, view.resolution) {
    case (.open, _):
      view.replacedBy.map { Table.Cell("see \($0)", .dim) } ?? Table.Cell("open", .red)
    case (let decision, nil): Table.Cell("\(decision.rawValue) (policy)", .dim)
    case (let decision, _?): Table.Cell("\(decision.rawValue) (you)")
    }
  }

  private var advice: String? {
    if let open = conflicts.first(where: { $0.view.isOpen && $0.view.field != nil }) {
      return "decide: ledger resolve \(open.view.seq) --take local, or --take remote"
    }
    guard let last = conflicts.last(where: { $0.view.field != nil }) else { return nil }
    return "every decision can be made again, as by: ledger resolve \(last.view.seq) --take "
      + (last.view.decision == .local ? "remote" : "local")
  }

  private func writeEmpty(to console: Console) throws(OutputFailure) {
    try console.line(isAll ? "There never was a conflict." : "No conflict waits for you.")
    guard decided > 0 else { return }
    console.note(
      "\(counted(decided, "conflict")) \(decided == 1 ? "is" : "are") decided: "
        + "ledger conflicts --all", .dim)
  }
}
