import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerStore

enum ResolveCommand: Command {
  /// The value of `--take`.
  private enum Choice: Equatable {
    case side(ConflictSide)
    case duplicates(DuplicateDecision)

    static let all =
      ConflictSide.allCases.map(\.rawValue) + DuplicateDecision.allCases.map(\.rawValue)

    /// What `conflicts` calls the sides.
    static let ofTable = [
      "yours": "local", "mine": "local", "backend's": "remote", "backend": "remote",
      "theirs": "remote",
    ]

    init?(_ text: String) {
      if let side = ConflictSide(rawValue: text) {
        self = .side(side)
      } else if let decision = DuplicateDecision(rawValue: text) {
        self = .duplicates(decision)
      } else {
        return nil
      }
    }
  }

  /// Whether anything is to be sent or pulled after a decision: taking the backend's value may end it.
  private static func needsSync(_ choice: Choice, _ opened: OpenedLedger) throws -> Bool {
    if case .duplicates = choice { return true }
    let state = try opened.ledger.state()
    let counts = try state.syncCounts(LogView.open(opened.directory).boundID)
    return counts.pending + counts.inDoubt > 0
  }

  static let spec = CommandSpec(
    "resolve", "decide conflicts, or suspected duplicates",
    group: .sync,
    usage: ["SEQ …|--all --take local|remote", "SEQ …|--all --take one|both"],
    arguments: [
      .anyNumber(
        "SEQ", "its number in the first column of 'ledger conflicts'; several may be given")
    ],
    options: [
      .value(
        "take", "SIDE", allowed: Choice.all,
        "of a conflict: local keeps your value, remote takes the backend's; of a suspected duplicate: "
          + "one keeps your entry and deletes the backend's row, both makes the row an entry too",
        normalize: { Choice.ofTable[$0] ?? $0 }),
      .flag("all", "decide all that are open"),
    ],
    examples: [
      CommandExample("ledger resolve 17 --take local"),
      CommandExample("ledger resolve 17 --take remote", "or the other way"),
      CommandExample("ledger resolve --all --take remote", "all open conflicts at once"),
      CommandExample("ledger resolve 21 --take one", "a suspected duplicate: delete the row"),
    ],
    notes: [
      "With local, a value that you gave the field after the conflict was found counts more than "
        + "the one that it was found with. The decision is one more event, and the next 'ledger "
        + "sync' carries it out.",
      "Where the backend stored other values of an entry than were sent, local deletes its row and "
        + "sends the entry again, once all conflicts of the entry are decided. An entry's type never "
        + "changes, so a conflict over it takes only local.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let numbers = try arguments.integers("SEQ", in: 1 ... .max)
    let isAll = arguments.flag("all")
    if !numbers.isEmpty, isAll { throw UsageError.conflict("SEQ", "--all") }
    guard isAll || !numbers.isEmpty else { throw UsageError.missingArgument("SEQ") }
    guard let choice = arguments.option("take").flatMap(Choice.init) else {
      throw CommandFailure(
        .usage,
        "say what to take: --take local keeps your value, --take remote the backend's; of a "
          + "suspected duplicate --take one deletes that row, --take both makes it an entry too")
    }
    let opened = try OpenedLedger.open(arguments, console)
    let before = try opened.ledger.state()
    for number in numbers { try decide(Seq(number), choice, opened, console) }
    let isDecided = isAll ? try decideAll(choice, opened, console) : true
    if isAll, !console.json { try tellOthers(choice, opened, console) }
    guard isDecided, !console.json else { return .done }
    let decided = before.conflicts().filter { conflict in
      isAll ? conflict.isOpen : numbers.contains(conflict.seq.number)
    }
    let ofSessions = decided.count { $0.entry.flatMap(before.sessionView) != nil }
    if ofSessions > 0, choice == .side(.local) {
      console.note(HoldReason.backendCannotChangeSleep.cause)
      if ofSessions == decided.count { return .done }
    }
    if try needsSync(choice, opened) {
      console.note("the next 'ledger sync' carries it out", .dim)
    }
    return .done
  }

  private static func decide(
    _ seq: Seq, _ choice: Choice, _ opened: OpenedLedger, _ console: Console
  ) throws {
    let before = try opened.ledger.verifiedState()
    var generator = SystemEntropy()
    let outcome: LedgerStore.Outcome
    switch choice {
    case .side(let side):
      if before.suspicions().contains(where: { $0.seq == seq }) {
        throw CommandFailure(
          .usage, "event \(seq) is a suspected duplicate, not a conflict; nothing was written",
          hint: "decide it: ledger resolve \(seq) --take one, or --take both")
      }
      outcome = try opened.ledger.resolve(
        seq, taking: side, in: opened.zone, at: opened.now, using: &generator)
    case .duplicates(let decision):
      if let conflict = before.conflict(seq) {
        throw CommandFailure(
          .usage, "event \(seq) is a conflict, not a suspected duplicate; nothing was written",
          hint: "decide it: \(conflict.remedy)")
      }
      outcome = try opened.ledger.resolve(
        suspicion: seq, taking: decision, at: opened.now, using: &generator)
    }
    let words = DecisionWords(before, TimeText(zone: opened.zone))
    try AppendAnswer(outcome, of: opened, on: console).give(words.sentence)
  }

  /// What `--all` leaves, since it takes another decision.
  private static func tellOthers(
    _ choice: Choice, _ opened: OpenedLedger, _ console: Console
  ) throws {
    let state = try opened.ledger.state()
    let (seqs, what, sides) =
      switch choice {
      case .side: (state.openSuspicions().map(\.seq), "suspected duplicate", "one|both")
      case .duplicates: (state.openConflicts().map(\.seq), "conflict", "local|remote")
      }
    guard let first = seqs.first else { return }
    let isOne = seqs.count == 1
    console.note(
      "\(counted(seqs.count, what)) \(isOne ? "waits" : "wait") for you: ledger resolve "
        + "\(isOne ? first.description : "--all") --take \(sides)")
  }

  /// - Returns: false if there is nothing to decide.
  private static func decideAll(
    _ choice: Choice, _ opened: OpenedLedger, _ console: Console
  ) throws -> Bool {
    var generator = SystemEntropy()
    switch choice {
    case .side(let side):
      let outcome = try opened.ledger.resolveAll(
        taking: side, in: opened.zone, at: opened.now, using: &generator)
      if outcome.decided.isEmpty {
        if let refusal = outcome.skipped.first { throw refusal }
        try console.answer(JSONObject()) { try console.line("No conflict waits for you.") }
        return false
      }
      let whose = side == .local ? "your values are kept" : "the backend's values are taken"
      try AppendAnswer(outcome.appended, of: opened, on: console).giveSummary(
        "\(counted(outcome.decided.count, "conflict")) decided: \(whose)")
      for refusal in outcome.skipped { console.warn("skipped: \(refusal)") }
    case .duplicates(let decision):
      let outcome = try opened.ledger.resolveAllSuspicions(
        taking: decision, at: opened.now, using: &generator)
      if outcome.edits.isEmpty {
        try console.answer(JSONObject()) {
          try console.line("No suspected duplicate waits for you.")
        }
        return false
      }
      let isOne = outcome.edits.count == 1
      let what =
        switch decision {
        case .one: isOne ? "its row is deleted" : "their rows are deleted"
        case .both where isOne: "its row becomes an entry, which the next sync adds to its day"
        case .both: "their rows become entries, which the next sync adds to their days"
        }
      try AppendAnswer(outcome, of: opened, on: console).giveSummary(
        "\(counted(outcome.edits.count, "suspicion")) decided: \(what)")
    }
    return true
  }
}

/// Sentences for the events of a decision.
private struct DecisionWords {
  private let state: LedgerState
  private let units: UnitSystem
  private let times: TimeText

  /// - Parameter state: from before the decision.
  init(_ state: LedgerState, _ times: TimeText) {
    (self.state, self.times) = (state, times)
    units = state.profileView().unitSystem ?? .metric
  }

  func sentence(_ recorded: RecordedEvent) -> String {
    switch recorded.event.payload {
    case .conflictResolved(let data): resolved(data, recorded.seq)
    case .duplicateResolved(let data): resolved(data, recorded.seq)
    case .syncAcknowledged(let data):
      "dropped \(SyncText.list(data.events)), which was not sent (event \(recorded.seq))"
    case .progressCorrected(let data) where data.backendID != nil:
      "the entry is as the backend's row \(data.backendID?.text ?? "") has it "
        + "(event \(recorded.seq))"
    case .progressCorrected: "the entry is sent again (event \(recorded.seq))"
    case .progressDeleted: "the entry is deleted here, too (event \(recorded.seq))"
    case .sleepCorrected: "the session is as the backend has it (event \(recorded.seq))"
    default: "event \(recorded.seq)"
    }
  }

  private func resolved(_ data: ConflictResolved, _ seq: Seq) -> String {
    guard let conflict = state.conflict(data.conflict) else { return "" }
    let words = ConflictText(
      conflict, conflict.entry.flatMap(state.entryView), conflict.entry.flatMap(state.sessionView),
      units, times)
    let whose = data.decision == .local ? "your value is kept" : "the backend's value is taken"
    return "\(words.subject): \(whose), \(words.value(data.value ?? .null)) "
      + "(event \(seq), conflict \(data.conflict))"
  }

  private func resolved(_ data: DuplicateResolved, _ seq: Seq) -> String {
    let suspicion = state.suspicions().first { $0.seq == data.suspicion }
    let count = suspicion?.backendIDs.count ?? 1
    let rows = count == 1 ? "row" : counted(count, "row")
    let entry = suspicion.flatMap { state.entryView($0.entry) }
    let kept =
      entry.map {
        "; \(EntrySentence(units: units, home: times.zone).sentence($0)) "
          + ($0.isDeleted ? "is deleted" : "stays")
      } ?? ""
    let what =
      data.decision == .one
      ? "the other \(rows) will be deleted at the backend\(kept)"
      : "the other \(rows) will be \(count == 1 ? "an entry" : "entries") too"
        + (entry.map { $0.metric.addsUp ? ", in the day's sum" : ", the latest of its day" } ?? "")
        + kept
    return "\(what) (event \(seq), suspicion \(data.suspicion))"
  }
}
