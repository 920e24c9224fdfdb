import LedgerJSON
import LedgerModel
import LedgerProjections

/// `explain`: the whole life of one edit or one entry, calls and answers included.
enum ExplainCommand: Command {
  static let spec = CommandSpec(
    "explain", "tell the whole life of an edit or an entry, and where it stands",
    group: .look,
    arguments: [
      .required("SEQ|ENTRY", "an event by its number, or an entry by a unique start of its id")
    ],
    examples: [
      CommandExample("ledger explain 17"),
      CommandExample("ledger explain 019b6fbd-1c2a", "an entry, with its corrections"),
      CommandExample("ledger explain 17 --json", "its events as they are stored"),
    ],
    notes: [
      "An edit of an entry is told with the entry. A call or an answer is told with the edits that "
        + "it was about, an undoing or an erasure with what it concerned."
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let ledger = try ReadLedger(arguments, console)
    let zone = try ledger.zone()
    try console.write(
      bytes: ledger.ask { try answer(arguments, console, ledger, zone, $0) })
    return .done
  }

  private static func answer(
    _ arguments: ParsedArguments, _ console: Console, _ ledger: ReadLedger, _ zone: LocalZone,
    _ state: LedgerState
  ) throws -> [UInt8] {
    let subject = try ExplainedSubject.find(
      arguments.required("SEQ|ENTRY"), state, in: ledger.view)
    var search = EventHistory(subject, state)
    let lines = try search.run(ledger.view, state)
    let standing = try EditStatus(subject, state, lines, in: ledger.view)
    if console.json { return json(standing, lines) }
    let text = ExplainText(
      subject: subject, lines: lines, standing: standing, state: state,
      words: EventText(names: EntryNames(ledger)),
      times: TimeText(zone: zone))
    return text.lines(on: console).flatMap { Array("\($0)\n".utf8) }
  }

  /// The stored lines stand in it byte for byte.
  private static func json(_ standing: EditStatus, _ lines: [EventHistory.Line]) -> [UInt8] {
    var head = JSONObject()
    head["entry"] = standing.entry.map { .string($0.description) }
    head["backend_id"] = standing.backendID.map { .string($0.text) }
    head["status"] = .string(standing.status.rawValue)
    head["why"] = .string(standing.why)
    var bytes = Array(head.serialized.utf8.dropLast()) + Array(#","events":["#.utf8)
    bytes += lines.map(\.bytes).joined(separator: [UInt8(ascii: ",")])
    return bytes + Array("]}\n".utf8)
  }
}
