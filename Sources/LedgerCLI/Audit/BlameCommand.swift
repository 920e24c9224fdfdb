import LedgerJSON
import LedgerModel
import LedgerProjections
import LedgerStore

enum BlameCommand: Command {
  static let pages = true
  static let spec = CommandSpec(
    "blame", "tell which event set each field of the person, or each value of an entry",
    group: .look,
    arguments: [
      .optional(
        "FIELD|ENTRY",
        "profile.name, all fields of a group as in physical, or an entry (default: all fields)",
        hint: .words(BlameArgument.names))
    ],
    options: [ShowOptions.at],
    examples: [
      CommandExample("ledger blame profile.name"),
      CommandExample("ledger blame physical", "all fields of the group"),
      CommandExample("ledger blame 17", "the values of the entry that event 17 logged"),
      CommandExample("ledger blame --at yesterday --json", "every field, as of then"),
    ],
    notes: [
      "A value comes from an edit or an import on this device, from the backend, or from a conflict "
        + "that was decided. 'ledger explain SEQ' tells what became of the event.",
      "ENTRY is the number of the event that logged it, a unique start of its id, or @ for the entry "
        + "that you edited last.",
    ] + ShowOptions.notes)

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let argument = try BlameArgument(arguments.argument("FIELD|ENTRY"))
    let ledger = try ReadLedger(arguments, console)
    let (blame, units) = try ledger.ask(arguments) { state in
      let subject: Blame.Subject =
        switch argument {
        case .fields(let fields): .fields(fields)
        case .entry(let text):
          switch try EntryArgument.place(text, in: state, of: ledger.view) {
          case .entry(let row): .entry(row: row)
          case .session(let index): .session(index)
          }
        }
      return (
        try Blame(subject, state, in: ledger.view), state.profileView().unitSystem ?? .metric
      )
    }
    try console.answer(blame.values.map { json($0, blame) }) {
      let text = BlameText(
        blame: blame, times: TimeText(zone: try ledger.zone()),
        quantities: QuantityText(units: units))
      try text.write(to: console)
    }
    return .done
  }

  private static func json(_ value: Blame.Value, _ blame: Blame) -> JSONObject {
    let event = value.recorded?.event
    return JSONObject([
      "field": value.name.text, "value": JSONValue.orNull(value.value),
      "seq": JSONValue.orNull(value.recorded?.seq), "at": event?.at, "by": event?.by.rawValue,
      "type": event?.payload.type, "source": value.source?.name,
      "conflict": value.source?.conflict,
      "device": value.source?.isHere == true ? blame.device : nil, "status": value.status?.text,
    ])
  }
}

extension Blame.Value.Name {
  fileprivate var text: String {
    switch self {
    case .field(let field): field.qualifiedName
    case .part(let part, _): part.rawValue
    case .sleep(let part): part.rawValue
    }
  }
}

extension Blame.Value.Status {
  fileprivate var text: String {
    switch self {
    case .field(let status): status.rawValue
    case .entry(let status): status.rawValue
    }
  }
}

extension ValueSource {
  fileprivate var name: String {
    switch self {
    case .edit: "edit"
    case .imported: "import"
    case .pulled: "pulled"
    case .policy: "policy"
    case .decision: "decision"
    case .answer: "answer"
    }
  }

  fileprivate var conflict: Seq? {
    switch self {
    case .policy(let conflict), .decision(let conflict, _): conflict
    case .edit, .imported, .pulled, .answer: nil
    }
  }

  /// Whether the value was given on this device.
  fileprivate var isHere: Bool {
    switch self {
    case .edit, .imported, .decision: true
    case .pulled, .policy, .answer: false
    }
  }
}

/// The argument FIELD|ENTRY.
enum BlameArgument: Equatable {
  case fields([ProfileField])
  case entry(String)

  /// - Parameter text: `profile.name`, `name`, a field as `show profile` calls it, `profile` or `profile.*`, an entry; `nil` for all
  ///   fields.
  /// - Throws: a failure with exit code 2 for an unknown field.
  init(_ text: String?) throws(CommandFailure) {
    guard let text else {
      self = .fields(ProfileField.allCases)
      return
    }
    let name = text.lowercased()
    let group = name.hasSuffix(".*") ? String(name.dropLast(2)) : name
    if let subject = ProfileSubject(rawValue: group) {
      self = .fields(subject.fields)
    } else if let field = ProfileField.allCases.first(where: { field in
      let names = [field.qualifiedName, field.rawValue, field.words]
      return names.contains { $0.lowercased() == name.replacing("-", with: "_") }
    }) {
      self = .fields([field])
    } else if Self.mayBeEntry(name) {
      self = .entry(text)
    } else {
      throw Self.noField(text)
    }
  }

  /// Every field and group of fields.
  static var names: [String] {
    ProfileSubject.allCases.map(\.rawValue) + ProfileField.allCases.map(\.qualifiedName)
  }

  /// A number, an id or a prefix of one, or `@`.
  private static func mayBeEntry(_ text: String) -> Bool {
    text.hasPrefix("@")
      || text.utf8.allSatisfy { byte in
        isDigit(byte) || byte == UInt8(ascii: "-")
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
      }
  }

  private static func noField(_ text: String) -> CommandFailure {
    let names = ProfileField.allCases.map(\.qualifiedName)
    let groups = ProfileSubject.allCases.map(\.rawValue)
    let near =
      text.contains(".")
      ? nearest(to: text, among: names)
      : nearest(to: text, among: groups + ProfileField.allCases.map(\.rawValue)).map { name in
        ProfileField(rawValue: name)?.qualifiedName ?? name
      }
    if let metric = Metric(name: text) {
      return CommandFailure(
        .usage,
        "\(quoted(text)) is a metric, and an entry of it is named by the event that logged it",
        hint: "'ledger show progress --metric \(metric.name)' lists them")
    }
    let group = groups.first { text.lowercased().hasPrefix($0 + ".") }
    let choices = group.map { group in names.filter { $0.hasPrefix(group + ".") } } ?? groups
    return CommandFailure(
      .usage,
      "\(quoted(text)) is neither a field of the person nor an entry; "
        + (near.isEmpty ? "there are \(listed(choices))" : "did you mean \(listed(near))?"))
  }
}

/// The answer to `blame` as text, one row for each value.
private struct BlameText {
  let blame: Blame
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
    if let seq = blame.values.compactMap(\.recorded?.seq).max() {
      console.note("the history of an event: ledger explain \(seq)", .dim)
    }
  }

  private var table: Table {
    var table = Table([
      .left("field"), .left("value"), .right("seq"), .left("set"), .left("from"), .left(""),
    ])
    for value in blame.values {
      guard let recorded = value.recorded, let source = value.source else {
        table.add(.init(value.name.text), .init("never set", .dim), "", "", "", "")
        continue
      }
      table.add(
        .init(value.name.text), cell(value), .init("\(recorded.seq)", .dim),
        .init(times.minute(recorded.event.at)), .init(words(source)),
        .init(value.status?.text ?? "", style(value.status?.text)))
    }
    return table
  }

  /// For terminals too narrow for the table: the value, and its event on the next line.
  private func writeNarrow(to console: Console) throws(OutputFailure) {
    let paint = console.paint
    for value in blame.values {
      let name = value.name.text
      guard let recorded = value.recorded, let source = value.source else {
        try console.line("\(name): " + paint.dim("never set"))
        continue
      }
      let cell = cell(value)
      let room = max(8, console.width - displayWidth(name) - 2)
      try console.line("\(name): " + paint.apply(cell.style, truncated(cell.text, columns: room)))
      let origin =
        "#\(recorded.seq), \(times.minute(recorded.event.at)), \(words(source))"
        + (value.status.map { ", \($0.text)" } ?? "")
      for row in wrapped("  " + escapedForTerminal(origin), width: console.width, hanging: 2) {
        try console.line(paint.dim(row))
      }
    }
  }

  private func cell(_ value: Blame.Value) -> Table.Cell {
    guard let content = value.value, !content.isNull else { return Table.Cell("cleared", .dim) }
    switch value.name {
    case .field(let field):
      return Table.Cell(FieldText(field.rawValue, quantities).value(content))
    case .part(.quantity, let metric):
      return Table.Cell(quantities.words(content.number ?? 0, of: metric))
    case .part(.deleted, _), .sleep(.deleted): return Table.Cell("yes", .red)
    case .sleep(.stages): return Table.Cell(counted(content.array?.count ?? 0, "stage"))
    case .part, .sleep: return Table.Cell(content.string ?? content.serialized)
    }
  }

  private func words(_ source: ValueSource) -> String {
    let device = blame.device ?? "this device"
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
