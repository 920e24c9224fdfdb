import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore

/// `diff`: what changed between two moments.
enum DiffCommand: Command {
  static let spec = CommandSpec(
    "diff", "show what changed between two moments: fields, entries, and where they stand",
    group: .look,
    arguments: [
      .required("A", "the one moment: an event's number, or a time"),
      .optional("B", "the other (default: now)"),
    ],
    options: [
      .value("count", "N", short: "n", "at most so many entries of each kind (default: 20)")
    ],
    examples: [
      CommandExample("ledger diff yesterday", "what happened since the end of yesterday"),
      CommandExample("ledger diff yesterday today", "what today changed"),
      CommandExample("ledger diff 120 164", "between two events"),
      CommandExample("ledger diff 0 now -n 1000 --json", "all there is, from the beginning on"),
    ],
    notes: [
      "A moment is the ledger as it was after an event: that of the number, or the last one "
        + "recorded by that time. A day alone is its end. 0, or a time before the first event, is "
        + "the empty ledger; now is the newest event. A moment may stand on either side: what "
        + "changed is told from the earlier to the later.",
      "TIME is 2025-01-31, 2025-01-31T08:00 on the wall clock here, or words: today, yesterday, "
        + "'yesterday 08:00', -3d, -12h, '2 weeks ago', 'last monday'.",
      "Counts are of everything; entries are the newest of each kind, up to N.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let limit = try arguments.integer("count", in: 0...1_000_000_000) ?? 20
    let ledger = try ReadLedger(arguments, console)
    let compared = try ComparedMoments(
      arguments.required("A"), arguments.argument("B") ?? "now", in: ledger, keeping: limit)
    let entries = try compared.difference.entries.map { entry throws(LogError) in
      try ShownDifference(entry, in: ledger.view)
    }
    let erasures = try ErasedBetween.find(compared, in: ledger.view)
    if console.json {
      let answer = DiffJSON(compared: compared, entries: entries, erasures: erasures, limit: limit)
      try console.line(answer.object.serialized)
    } else {
      let text = DiffText(
        compared: compared, entries: entries, erasures: erasures,
        times: TimeText(zone: try ledger.zone()), quantities: QuantityText(units: compared.units))
      try text.write(to: console)
    }
    return .done
  }
}

/// An entry at both moments, with the texts that only the log's lines hold.
struct ShownDifference {
  let kind: EntryDifference.Kind
  let before: ShownEntry?
  let after: ShownEntry?
  let edits: [Seq]

  init(_ difference: EntryDifference, in view: LogView) throws(LogError) {
    kind = difference.kind
    edits = difference.edits
    before = try difference.before.map { entry throws(LogError) in
      try ShownEntry(entry, in: view)
    }
    after = try difference.after.map { entry throws(LogError) in try ShownEntry(entry, in: view) }
  }
}

/// The removal of an event's content: it is gone from both moments, and only this tells of it.
struct ErasedBetween {
  let seq: Int
  let data: EventErased

  /// Those between two moments. Reads through that stretch of the log only where there are any.
  static func find(_ compared: ComparedMoments, in view: LogView) throws -> [ErasedBetween] {
    guard compared.difference.erasures > 0 else { return [] }
    var filter = LogFilter()
    filter.type = EventKind.eventErased.rawValue
    filter.since = Seq(exactly: compared.first.seq + 1).map { .seq($0) }
    filter.until = Seq(exactly: compared.last.seq).map { .seq($0) }
    var places: [LogSearch.Place] = []
    let search = LogSearch(view, filter)
    try search.run { _, matches in
      places += matches.places
      return true
    }
    return try places.compactMap { place throws(LogError) in
      let line = try view.line(at: place.offsetBytes, count: place.count)
      guard case .eventErased(let data) = try line.event().event.payload else { return nil }
      return ErasedBetween(seq: place.seq, data: data)
    }
  }
}
