import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerStore

enum EraseCommand: Command {
  static let spec = CommandSpec(
    "erase", "remove entries' content for good; the hash chain stays valid", group: .write,
    usage: [
      "SEQ|ENTRY|A..B … --reason R [--yes]",
      "[--metric METRIC] [--from DAY] [--to DAY] --reason R [--yes]",
    ],
    arguments: [
      .anyNumber(
        "SEQ|ENTRY",
        "an event by its number, an entry by a unique start of its id, the one that you edited last by @ "
          + "(@2 is the one before), or the entries that the events of a range logged")
    ],
    options: [
      .value("reason", "R", "why; it stays in the log"),
      ShowOptions.metric, ShowOptions.from, ShowOptions.to,
      .flag("yes", "do not ask"),
    ],
    examples: [
      CommandExample("ledger erase 12 --reason 'not my measurement'"),
      CommandExample("ledger erase 019b6fbd-1c2a --reason 'private' --yes"),
      CommandExample(
        "ledger erase --metric weight --to 2024-12-31 --reason 'private'",
        "what 'show progress' lists with these options"),
      CommandExample("ledger erase --metric sleep --reason 'private'", "nights, too"),
    ],
    notes: [
      "An entry goes with its corrections, its conflicts and the copies in quarantine/. If the "
        + "backend has it, its deletion is recorded, and the next 'ledger sync' sends it. An edit "
        + "of the profile can go once a later one has reached the backend.",
      "--from and --to without --metric, and with --metric sleep, take the sleep sessions that end "
        + "on these days as well. The backend has no call that deletes a session: each that it has "
        + "is named.",
      "Many are erased at once: all of them or, if one is refused, none.",
      "It cannot be undone. Copies elsewhere, such as exports, backups and ledgers on other devices, "
        + "are yours to delete.",
    ])

  /// The same wait as for a second `sync`.
  private static let syncWaitSeconds = 30

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    guard let reason = arguments.option("reason") else {
      throw CommandFailure(.usage, "give a reason: --reason R; it stays in the log")
    }
    let opened = try OpenedLedger.open(arguments, console)
    let seqs = try subjects(arguments, of: opened.ledger, console)
    let isOwned = try opened.ledger.verifiedState().account.owner != nil
    if !arguments.flag("yes") {
      try confirm(opened.ledger.erasures(of: seqs), arguments, console)
    }
    let lock = try FileLock(
      opened.directory.syncLock, .exclusive, waitSeconds: syncWaitSeconds)
    var generator = SystemEntropy()
    let bar = console.progress(
      "rewriting the log", total: 2 * (try LogView.open(opened.directory).endBytes))
    let outcome = try opened.ledger.erase(
      seqs, reason: reason, holding: lock, at: opened.now, using: &generator,
      onBytes: { bar.advance(by: $0) })
    bar.finish()
    for repair in outcome.repairs { console.tell(repair) }
    try EraseAnswer(outcome, isOwned: isOwned).give(console)
    return .done
  }

  /// The events named by the arguments or found by the options.
  private static func subjects(
    _ arguments: ParsedArguments, of store: LedgerStore, _ console: Console
  ) throws -> [Seq] {
    let words = arguments.rest("SEQ|ENTRY")
    let options = ["metric", "from", "to"].filter { arguments.option($0) != nil }
    guard words.isEmpty != options.isEmpty else {
      throw CommandFailure(
        .usage,
        words.isEmpty
          ? "say what to erase: events or entries, or --metric, --from and --to"
          : "give either events and entries, or --\(options[0])")
    }
    guard words.isEmpty else { return try words.flatMap { try named($0, of: store) } }
    var query = try ShowOptions.query(arguments, in: ReadLedger(arguments, console))
    query.limit = .max
    let state = try store.verifiedState()
    var found = state.progress(query).entries.map(\.seq)
    if query.metric ?? .sleepHours == .sleepHours {
      found += state.sleep(from: query.from, to: query.to).sessions.map(\.seq)
    }
    let remark = remarkOnDeleted(query, in: state)
    guard !found.isEmpty else {
      throw CommandFailure(
        .notFound, "no entry or sleep session is there to erase", hint: remark,
        code: "unknown-entry")
    }
    if let remark, !console.json { console.note(remark) }
    return found
  }

  /// Names the deleted and undone entries and sessions that a query does not list; `nil` for none.
  private static func remarkOnDeleted(_ query: ProgressQuery, in state: LedgerState) -> String? {
    func isOfPeriod(_ date: CalendarDate) -> Bool {
      (query.from.map { $0 <= date } ?? true) && (query.to.map { date <= $0 } ?? true)
    }
    var seqs: [Seq] = []
    if query.metric ?? .sleepHours == .sleepHours {
      seqs = state.sessions.map(state.session(at:))
        .filter {
          ($0.isDeleted || state.edits.state($0.seq.number) == .undone) && isOfPeriod($0.end.date)
        }
        .map(\.seq)
    }
    for row in 0..<state.rows.count {
      let isUndone = state.edits.state(Int(state.rows[row].seq)) == .undone
      let entry = state.entry(at: row)
      guard entry.isDeleted || isUndone else { continue }
      if query.metric.map({ $0 == entry.metric }) ?? true, isOfPeriod(entry.date) {
        seqs.append(entry.seq)
      }
    }
    guard let first = seqs.first else { return nil }
    guard seqs.count > 1 else {
      return "event \(first) is deleted or undone and still has its content; "
        + "erase it by its number if needed"
    }
    let numbers = seqs.prefix(shownAtMost).map { "\($0)" }.joined(separator: ", ")
    let more = seqs.count > shownAtMost ? ", …" : ""
    return "\(NumberText.count(seqs.count)) deleted or undone entries still have their content; "
      + "erase them by their numbers if needed: \(numbers)\(more)"
  }

  private static func named(_ text: String, of ledger: LedgerStore) throws -> [Seq] {
    if text.contains("..") {
      return try EntryArgument.find(
        [text], includesDeleted: true, in: ledger.verifiedState(), of: ledger.view()
      ).map(\.seq)
    }
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return [try EntryArgument.find(text, in: ledger.verifiedState(), of: ledger.view()).seq]
    }
    guard let seq = Int(text).flatMap({ Seq(exactly: $0) }) else {
      throw CommandFailure(
        .notFound, "there is no event \(text)", hint: "'ledger log' lists the events",
        code: "unknown-event")
    }
    return [seq]
  }

  private static let shownAtMost = 10

  private static func confirm(
    _ erasures: [Erasure], _ arguments: ParsedArguments, _ console: Console
  ) throws {
    let ledger = try ReadLedger(arguments, console)
    let text = EventText(names: EntryNames(ledger), home: try ledger.zone())
    for erasure in erasures.prefix(shownAtMost) {
      let recorded = try ledger.view.line(erasure.subject).event()
      let sentence = try text.presentSentence(recorded, in: ledger.view)
      console.diagnostic("event \(erasure.subject): \(sentence)")
      let others = erasure.seqs.filter { $0 != erasure.subject }
      if !others.isEmpty {
        let numbers = others.map { "\($0)" }.joined(separator: ", ")
        console.diagnostic("and with it \(counted(others.count, "event")): \(numbers)")
      }
    }
    let more = erasures.count - shownAtMost
    if more > 0 { console.diagnostic("and \(NumberText.count(more)) more") }
    let what = erasures.count == 1 ? "it" : "these \(NumberText.count(erasures.count))"
    guard try console.confirm("Erase \(what) for good?", instead: "give --yes") else {
      throw CommandFailure(.usage, "not erased; nothing was changed")
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
    case .goalInForce: "remove the goal first: ledger append goal METRIC --remove"
    case .notReplaced: "'ledger sync' sends the later one; erase it then"
    case .inConflict: "'ledger conflicts' shows it; decide it first"
    case .contradicted: "leave it out, and others can be erased"
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
    var left: [Leftover] = []
    var name = ""
    func note(_ place: String, _ what: String) {
      left.append(Leftover(place: place, what: name + what))
    }
    for erasure in outcome.erasures {
      if outcome.erasures.count > 1 { name = "event \(erasure.subject): " }
      for row in erasure.rows {
        note(
          "backend",
          erasure.isSession
            ? "the backend still has session \(row), and has no call that deletes one"
            : "the backend still has row \(row); its deletion goes with the next 'ledger sync'")
      }
      for row in erasure.suspectedRows {
        note(
          "backend",
          "row \(row) there is suspected to be a double of it; decide it: ledger conflicts")
      }
      for seq in erasure.repeatedBy {
        note("log", "event \(seq) has the same values; erase it too if needed")
      }
    }
    name = ""
    for file in outcome.foreignFiles {
      note(
        "folder",
        "\(file) next to the log contains it and is not a file of the ledger; delete it yourself")
    }
    // A table of 'export csv' names entries by ids, which stay known.
    let sources = Set(outcome.erasures.compactMap(\.source)).subtracting([LedgerCSV.source])
    for source in sources.sorted() {
      note("import", "it was imported (\(source)); importing that again brings it back")
    }
    if isOwned, outcome.erasures.contains(where: \.isOfProfile) {
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

  private static let shownAtMost = 10

  private func write(_ console: Console) throws {
    guard !console.json else { return try console.line(json.serialized) }
    let copies =
      outcome.removedCopies.isEmpty
      ? "" : " and \(counted(outcome.removedCopies.count, "copy", "copies")) in quarantine"
    let deletions = outcome.erasures.count { $0.queuesDeletion && !$0.isSession }
    let sending =
      switch deletions {
      case 0: "nothing is to be sent"
      case 1: "its deletion is to be sent"
      default: "\(NumberText.count(deletions)) deletions are to be sent"
      }
    try console.done(
      "erased the content of \(events)\(copies); the chain still verifies; \(sending)")
    for item in left.prefix(Self.shownAtMost) { console.warn(item.what) }
    let more = left.count - Self.shownAtMost
    if more > 0 {
      console.warn("\(NumberText.count(more)) more such places; --json names them all")
    }
    console.note("copies elsewhere (other devices, exports, backups) are not touched", .dim)
  }

  private var seqs: [Seq] { Set(outcome.erasures.flatMap(\.seqs)).sorted() }

  private var events: String {
    let seqs = seqs
    guard seqs.count <= Self.shownAtMost else { return "\(NumberText.count(seqs.count)) events" }
    let numbers = seqs.map { "\($0)" }.joined(separator: ", ")
    return seqs.count == 1 ? "event \(numbers)" : "events \(numbers)"
  }

  private var json: JSONObject {
    let erasures = outcome.erasures
    return JSONObject([
      "erased": seqs, "entry": erasures.count == 1 ? erasures[0].entry : nil,
      "entries": erasures.compactMap(\.entry), "events": outcome.recorded.map(\.seq),
      "to_send": erasures.contains(where: \.queuesDeletion),
      "backend_ids": erasures.flatMap(\.rows), "removed": outcome.removedCopies,
      "left": left.map { JSONObject(["where": $0.place, "what": $0.what]) },
    ])
  }
}
