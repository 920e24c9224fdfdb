import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerStore

enum EraseCommand: Command {
  static let spec = CommandSpec(
    "erase", "remove an entry's content for good; the chain of proof stays", group: .write,
    usage: ["SEQ|ENTRY … --reason R [--yes]"],
    arguments: [
      .required("SEQ|ENTRY", "an event by its number, or an entry by a unique start of its id"),
      .anyNumber("MORE", "more of them; 12..17 names every entry that these events logged"),
    ],
    options: [
      .value("reason", "R", "why; the log keeps only this"),
      .flag("yes", "do not ask"),
    ],
    examples: [
      CommandExample("ledger erase 12 --reason 'not my measurement'"),
      CommandExample("ledger erase 019b6fbd-1c2a --reason 'private' --yes"),
    ],
    notes: [
      "An entry goes with its corrections, its conflicts and the copies in quarantine/. If the "
        + "backend has it, its deletion is recorded, and the next 'ledger sync' sends it. An edit "
        + "of the profile can go once a later one has reached the backend.",
      "It cannot be undone. Copies elsewhere, such as exports, backups and ledgers on other devices, "
        + "are yours to delete.",
    ])

  /// The same wait as for a second `sync`.
  private static let syncWaitSeconds = 30

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    guard let reason = arguments.option("reason") else {
      throw CommandFailure(.usage, "give a reason: --reason R; the log keeps only this")
    }
    let opened = try OpenedLedger.open(arguments, console)
    let words = [try arguments.required("SEQ|ENTRY")] + arguments.rest("MORE")
    let seqs = try subjects(words, of: opened.ledger)
    let planned = try seqs.map { try opened.ledger.erasure(of: $0) }
    let isOwned = try opened.ledger.state().account.owner != nil
    if !arguments.flag("yes") { try confirm(planned, opened, arguments, console) }
    let lock = try FileLock(
      opened.directory.syncLock, .exclusive, waitSeconds: syncWaitSeconds)
    for seq in seqs {
      try erase(seq, reason: reason, holding: lock, isOwned: isOwned, opened, console)
    }
    return .done
  }

  private static func erase(
    _ seq: Seq, reason: String, holding lock: FileLock, isOwned: Bool, _ opened: OpenedLedger,
    _ console: Console
  ) throws {
    var generator = SystemEntropy()
    let bar = console.progress(
      "rewriting the log", total: 3 * (try LogView.open(opened.directory).endBytes))
    let outcome = try opened.ledger.erase(
      seq, reason: reason, holding: lock, at: opened.now, using: &generator,
      onBytes: { bar.advance(by: $0) })
    bar.finish()
    for repair in outcome.repairs { console.tell(repair) }
    try EraseAnswer(outcome, isOwned: isOwned).give(console)
  }

  /// Each event once, in the given order.
  private static func subjects(_ words: [String], of ledger: LedgerStore) throws -> [Seq] {
    var seen: Set<Seq> = []
    let all = try words.flatMap { word in
      word.contains("..")
        ? try EntryArgument.find([word], includesDeleted: true, of: ledger).map(\.seq)
        : [try subject(word, of: ledger)]
    }
    return all.filter { seen.insert($0).inserted }
  }

  private static func subject(_ text: String, of ledger: LedgerStore) throws -> Seq {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return try EntryArgument.find(text, of: ledger).seq
    }
    guard let seq = Int(text).flatMap({ Seq(exactly: $0) }) else {
      throw CommandFailure(
        .notFound, "there is no event \(text)", hint: "'ledger log' lists the events")
    }
    return seq
  }

  private static func confirm(
    _ erasures: [Erasure], _ opened: OpenedLedger, _ arguments: ParsedArguments,
    _ console: Console
  ) throws {
    let ledger = try ReadLedger(arguments, console)
    for erasure in erasures { try describe(erasure, in: ledger, console) }
    let question = erasures.count == 1 ? "Erase it for good?" : "Erase them for good?"
    guard try console.confirm(question, instead: "give --yes") else {
      throw CommandFailure(.usage, "not erased; nothing was changed")
    }
  }

  private static func describe(
    _ erasure: Erasure, in ledger: ReadLedger, _ console: Console
  ) throws {
    let event = try ledger.view.line(erasure.subject).event().event
    let what = EventText(names: EntryNames(ledger)).sentence(event)
    console.diagnostic("event \(erasure.subject): \(what)")
    let others = erasure.seqs.filter { $0 != erasure.subject }
    if !others.isEmpty {
      let numbers = others.map { "\($0)" }.joined(separator: ", ")
      console.diagnostic("and with it \(counted(others.count, "event")): \(numbers)")
    }
  }
}

extension EraseRefusal: ReportableError {
  package var exitCode: ExitCode {
    if case .noSuchEvent = self { .notFound } else { .usage }
  }

  package var sentence: String { description }

  package var hint: String? {
    switch self {
    case .noSuchEvent: "'ledger log' lists the events"
    case .hasNoEntry, .isErased, .notContent, .newerVersion, .badReason: nil
    case .isPartOfEntry(_, let logged):
      "name the entry by \(logged) to erase all of it, and log the correct values again"
    case .inDoubt: "'ledger sync' finds out; erase it then"
    case .notAcknowledged(let seq): "'ledger undo \(seq)' cancels it; then it can be erased"
    case .inForce: "set another value, sync, and erase it then"
    case .notReplaced: "'ledger sync' sends the later one; erase it then"
    case .inConflict: "'ledger conflicts' shows it; decide it first"
    case .entangled: "set all fields of that group again, sync, and retry"
    }
  }
}

/// Reports an erasure and the places that may still hold the content.
private struct EraseAnswer {
  private struct Leftover {
    var place: String
    var what: String
  }

  private let outcome: ErasureOutcome
  private let left: [Leftover]

  /// - Parameter isOwned: whether the ledger has ever had an account.
  init(_ outcome: ErasureOutcome, isOwned: Bool) {
    self.outcome = outcome
    let erasure = outcome.erasure
    var left: [Leftover] = []
    func note(_ place: String, _ what: String) {
      left.append(Leftover(place: place, what: what))
    }
    for row in erasure.rows {
      note(
        "backend",
        erasure.isSession
          ? "the backend still has session \(row), and has no call that deletes one"
          : "the backend still has row \(row); its deletion goes with the next 'ledger sync'")
    }
    for row in erasure.doubles {
      note("backend", "row \(row) there was suspected to be a double of it; delete it there")
    }
    for seq in erasure.repeatedBy {
      note("log", "event \(seq) says the same; erase it too, if it is to go")
    }
    for name in outcome.foreignFiles {
      note(
        "folder",
        "\(name) next to the log repeats it and does not belong to the ledger; delete it yourself")
    }
    if let source = erasure.source {
      note("import", "it was imported (\(source)); importing that again brings it back")
    }
    if isOwned, erasure.entry == nil {
      note("backend", "whether the backend keeps older values, only it knows")
    }
    self.left = left
  }

  func give(_ console: Console) throws {
    do {
      try write(console)
      try console.flush()
    } catch let failure as OutputFailure where failure != .readerGone {
      console.warn("it is erased; only the answer could not be given")
      throw failure
    }
  }

  private func write(_ console: Console) throws {
    guard !console.json else { return try console.line(json.serialized) }
    let erasure = outcome.erasure
    let numbers = erasure.seqs.map { "\($0)" }.joined(separator: ", ")
    let events = erasure.seqs.count == 1 ? "event \(numbers)" : "events \(numbers)"
    let copies =
      outcome.removedCopies.isEmpty
      ? "" : " and \(counted(outcome.removedCopies.count, "copy", "copies")) in quarantine"
    let sends = erasure.queuesDeletion && !erasure.isSession
    let sending = sends ? "its deletion is to be sent" : "nothing is to be sent"
    let tick = console.paint.green("✓")
    try console.line(
      "\(tick) erased the content of \(events)\(copies); the chain still verifies; \(sending)")
    for item in left { console.warn(item.what) }
    console.note("copies elsewhere (other devices, exports, backups) are not touched", .dim)
  }

  private var json: JSONObject {
    let erasure = outcome.erasure
    return JSONObject([
      "erased": erasure.seqs, "entry": erasure.entry, "events": outcome.recorded.map(\.seq),
      "to_send": erasure.queuesDeletion, "backend_ids": erasure.rows,
      "removed": outcome.removedCopies,
      "left": left.map { JSONObject(["where": $0.place, "what": $0.what]) },
    ])
  }
}
