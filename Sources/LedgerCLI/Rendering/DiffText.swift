import LedgerJSON
import LedgerModel
import LedgerProjections
import LedgerStore

/// `diff` for people: what the two moments are, then what is not the same at both.
struct DiffText {
  let compared: ComparedMoments
  let entries: [ShownDifference]
  let erasures: [ErasedBetween]
  let times: TimeText
  let quantities: QuantityText

  private var difference: LedgerDifference { compared.difference }

  func write(to console: Console) throws(OutputFailure) {
    if compared.wereSwapped {
      console.note("the first moment is the later one; this is from the earlier to it", .dim)
    }
    guard !difference.isEmpty else { return try writeEmpty(to: console) }
    let width = console.isTerminal ? max(20, console.width) : Int.max
    for row in wrapped(headline, width: width) { try console.line(row) }
    try writeFields(to: console)
    try writeEntries(to: console)
    try writeRest(to: console)
  }

  private func writeEmpty(to console: Console) throws(OutputFailure) {
    guard compared.first.seq < compared.last.seq else {
      return try console.line("Nothing changed: both are \(words(compared.first)).")
    }
    try console.line(
      "Nothing changed from \(words(compared.first)) to \(words(compared.last)).")
    console.note("in between: \(events)", .dim)
  }

  private var headline: String {
    "From \(words(compared.first)) to \(words(compared.last)), "
      + "\(counted(compared.last.seq - compared.first.seq, "event")):"
  }

  private func words(_ moment: LedgerMoment) -> String {
    guard let at = moment.at else { return "the empty ledger" }
    return "event \(moment.seq) (\(times.second(at)))"
  }

  private var events: String {
    difference.byType.map { "\(NumberText.count($0.count)) \($0.type)" }.joined(separator: ", ")
  }

  private func writeFields(to console: Console) throws(OutputFailure) {
    guard !difference.fields.isEmpty else { return }
    try console.line(console.paint.bold("fields"))
    var rows = DiffRows()
    for field in difference.fields {
      let words = FieldText(field.field.rawValue, quantities)
      let value =
        field.before == field.after
        ? words.value(field.after)
        : "\(field.before.map(words.value) ?? "unset") → \(field.after.map(words.value) ?? "unset")"
      rows.add(
        .init(
          lead: .init(field.field.qualifiedName), what: value,
          standing: standing(field.statusBefore?.rawValue, field.statusAfter?.rawValue),
          number: field.setBy.map { "#\($0)" } ?? ""))
    }
    try rows.write(to: console)
  }

  private func writeEntries(to console: Console) throws(OutputFailure) {
    guard !difference.entryCounts.isEmpty else { return }
    let counts = EntryDifference.Kind.allCases.compactMap { kind in
      difference.entryCounts[kind].map { "\(NumberText.count($0)) \(kind.words)" }
    }
    try writeTitled("entries", counts.joined(separator: ", "), to: console)
    var rows = DiffRows()
    for entry in entries {
      guard let known = entry.after ?? entry.before else { continue }
      rows.add(
        .init(
          lead: .init(entry.kind.mark, entry.kind.style),
          what: EntryDifferenceText(quantities: quantities).sentence(entry),
          standing: standing(
            entry.before?.entry.status.rawValue, entry.after?.entry.status.rawValue),
          number: "#\(known.entry.seq)" + (changer(of: entry).map { " by #\($0)" } ?? "")))
    }
    try rows.write(to: console)
    let left = difference.entryCounts.values.reduce(0, +) - entries.count
    if left > 0 {
      console.note(
        "\(counted(left, "older entry", "older entries")) left out: see more with -n", .dim)
    }
  }

  /// The last event that changed an entry, unless it is the one that made it.
  private func changer(of entry: ShownDifference) -> Seq? {
    entry.edits.last { $0 != (entry.after ?? entry.before)?.entry.seq }
  }

  private func standing(_ before: String?, _ after: String?) -> Table.Cell {
    guard let before, before != after else { return Table.Cell(after ?? "", .dim) }
    return Table.Cell("\(before) → \(after ?? "never made")", .yellow)
  }

  private func writeRest(to console: Console) throws(OutputFailure) {
    var lines: [(String, String)] = []
    if !difference.moves.isEmpty {
      lines.append(("edits", difference.moves.map(words).joined(separator: "; ")))
    }
    for conflict in difference.conflicts { lines.append(("conflict", words(conflict))) }
    for erasure in erasures {
      lines.append(
        (
          "erased",
          "the content of event \(erasure.data.event) (#\(erasure.seq)): "
            + erasure.data.reason
        ))
    }
    if difference.accountBefore != difference.accountAfter {
      let account = difference.accountAfter.map { "signed in as \($0.account) at \($0.origin)" }
      lines.append(("account", account ?? "signed out"))
    }
    for (title, text) in lines { try writeTitled(title, text, to: console) }
  }

  private func writeTitled(
    _ title: String, _ text: String, to console: Console
  ) throws(OutputFailure) {
    let shown = escapedForTerminal(text)
    let width = console.isTerminal ? max(20, console.width - title.count - 2) : Int.max
    for (index, row) in wrapped(shown, width: width).enumerated() {
      let margin = String(repeating: " ", count: title.count + 2)
      try console.line((index == 0 ? console.paint.bold(title) + ": " : margin) + row)
    }
  }

  private func words(_ move: LedgerDifference.Move) -> String {
    let count = NumberText.count(move.count)
    let after = move.after.words
    return move.before.map { "\(count) \($0.words) → \(after)" } ?? "\(count) made, now \(after)"
  }

  private func words(_ conflict: LedgerDifference.Conflict) -> String {
    let view = conflict.after
    let what = "#\(view.seq) over \(view.subject).\(view.fieldName)"
    let decision =
      switch view.decision {
      case .open: "waits for you"
      case .local: "your value stands"
      case .remote: "the backend's value stands"
      }
    guard conflict.before == nil else { return "\(what) was decided: \(decision)" }
    let field = FieldText(view.fieldName, quantities)
    return "\(what) was found: here \(field.value(view.local)), there "
      + "\(field.value(view.remote)); \(decision)"
  }
}

extension EditState {
  var words: String { self == .inDoubt ? "in doubt" : name }
}
