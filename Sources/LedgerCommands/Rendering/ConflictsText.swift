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
    var table = Table([
      .right("seq"), .left("found"), .left("field"), .left("agreed on", shrinks: true),
      .left("yours", shrinks: true), .left("the backend's", shrinks: true), .left("decided"),
    ])
    for conflict in conflicts {
      let view = conflict.view
      let field = FieldWords(view.fieldName, QuantityText(units: units))
      func cell(_ value: JSONValue, wins side: ConflictDecision) -> Table.Cell {
        let text = value.isNull ? "nothing" : field.value(value)
        return Table.Cell(text, view.decision == side ? .green : value.isNull ? .dim : nil)
      }
      table.add(
        .init("\(view.seq)", .dim), .init(times.minute(conflict.at)),
        .init(view.field == nil ? "\(view.subject) \(field.name)" : field.name),
        .init(view.base.isNull ? "nothing" : field.value(view.base), .dim),
        cell(view.local, wins: .local), cell(view.remote, wins: .remote), decided(view))
    }
    try console.write(table)
    if let advice { console.note(advice, .dim) }
  }

  private func decided(_ view: ConflictView) -> Table.Cell {
    switch (view.decision, view.resolution) {
    case (.open, _):
      view.replacedBy.map { Table.Cell("see \($0)", .dim) } ?? Table.Cell("open", .red)
    case (let decision, nil): Table.Cell("\(decision.rawValue), by policy", .dim)
    case (let decision, _?): Table.Cell("\(decision.rawValue), by you")
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
