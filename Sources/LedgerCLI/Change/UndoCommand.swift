import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerStore

enum UndoCommand: Command {
  static let spec = CommandSpec(
    "undo", "take back edits: the last one, or those you name", group: .write,
    usage: ["[SEQ | A..B | @N] …"],
    arguments: [
      .anyNumber(
        "SEQ",
        "an edit, as 'ledger log' numbers it, @ for your last one, @2 for the one before, or a "
          + "range of them; else your last one")
    ],
    examples: [
      CommandExample("ledger undo"),
      CommandExample("ledger undo 17"),
      CommandExample("ledger undo @2", "the edit before the last one"),
      CommandExample("ledger undo 19", "where 19 is an undoing: what it undid counts again"),
      CommandExample("ledger undo 40..79", "every edit of a range, such as deletions by a sync"),
    ],
    notes: [
      "An edit that was never sent is not sent. For one that the backend has, an edit that restores "
        + "the value before is logged, and the next 'ledger sync' sends it. The log itself only "
        + "grows; 'ledger erase' removes content. Right after an import, 'ledger undo' alone names the "
        + "import's events instead of undoing an edit before it.",
      "A deletion that a sync took from the backend is undone by logging the entry again. In a range, "
        + "events that are not edits or cannot be undone are skipped; several edits are undone in "
        + "one write.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let words = arguments.rest("SEQ")
    guard words.count > 1 || words.contains(where: { $0.contains("..") }) else {
      return try undoOne(arguments, console)
    }
    let targets = try words.map { try UndoTarget($0) }
    let opened = try OpenedLedger.open(arguments, console)
    let selection = try UndoTarget.selection(targets, of: opened.ledger)
    var generator = SystemEntropy()
    let outcome = try opened.ledger.undo(
      selection, at: opened.now, today: opened.today, using: &generator)
    try summarize(outcome, "undid", of: opened, on: console)
    return .done
  }

  /// Reports several undone or restored edits.
  fileprivate static func summarize(
    _ outcome: UndoManyOutcome, _ verb: String, of opened: OpenedLedger, on console: Console
  ) throws {
    let seqs = outcome.appended.edits.map(\.seq)
    let events =
      seqs.count == 1 ? "event \(seqs[0])" : "events \(seqs[0]) to \(seqs[seqs.count - 1])"
    try AppendAnswer(outcome.appended, of: opened, on: console).giveSummary(
      "\(verb) \(counted(seqs.count, "edit")) (\(events))")
    guard !console.json else { return }
    if verb == redone, seqs.count > 1 {
      console.note("take them back: ledger undo \(seqs[0])..\(seqs[seqs.count - 1])", .dim)
    }
    for sentence in outcome.skipped.prefix(shownAtMost) { console.note("left: \(sentence)") }
    let more = outcome.skipped.count - shownAtMost
    if more > 0 { console.note("and \(NumberText.count(more)) more left as they are") }
    if outcome.undoings.contains(where: { $0.way != .cancelled }) {
      console.note("the next 'ledger sync' carries it out", .dim)
    }
  }

  private static let shownAtMost = 10
  fileprivate static let redone = "redid"

  private static func undoOne(
    _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode {
    let target = try arguments.argument("SEQ").map { try UndoTarget($0) }
    let opened = try OpenedLedger.open(arguments, console)
    let seq = try target?.first.seq(of: opened.ledger)
    var generator = SystemEntropy()
    let outcome = try opened.ledger.undo(
      seq, passesImports: false, at: opened.now, today: opened.today, using: &generator)
    try answer(outcome.undoing, outcome.appended, arguments, of: opened, on: console)
    return .done
  }

  fileprivate static func answer(
    _ undoing: Undoing, _ appended: LedgerStore.Outcome, _ arguments: ParsedArguments,
    of opened: OpenedLedger, on console: Console
  ) throws {
    // The edit is undone already, so a failure to describe it must not fail the command.
    let undone = try? undone(undoing, at: appended.edits.first?.seq, arguments, console)
    let what = undone?.words ?? "event \(undoing.target)"
    let verb = isRedo(arguments) ? redone : "undid"
    try AppendAnswer(appended, of: opened, on: console).give { event in
      sentence(
        undoing, "\(verb) \(what) (event \(event.seq))",
        again: isRedo(arguments)
          ? "redid \(what)" : "undid event \(undoing.target), so that \(what), counts again",
        event.seq, back: undone?.payload.deletedThing,
        unsent: isRedo(arguments) ? "its undoing" : "it", wasSent: undone?.wasSent == true)
    }
    for remark in undoing.remarks { console.note(remark) }
  }

  private static func isRedo(_ arguments: ParsedArguments) -> Bool {
    arguments.spec.name == RedoCommand.spec.name
  }

  /// The event that is undone, the sentence of the edit that is undone or restored, as `log` words it, and
  /// whether the event was ever sent.
  ///
  /// - Parameter appended: the event that undoes or restores it.
  private static func undone(
    _ undoing: Undoing, at appended: Seq?, _ arguments: ParsedArguments, _ console: Console
  ) throws -> (payload: Event.Payload, words: String, wasSent: Bool) {
    let ledger = try ReadLedger(arguments, console)
    let target = try ledger.view.line(undoing.target).event()
    var seq = undoing.target
    if case .editUndone(let data) = target.event.payload {
      seq = data.event
    } else if isRedo(arguments), let undone = target.undone {
      seq = undone
    }
    // What is made again has the values of later corrections.
    let isMadeAgain = undoing.way == .redone || isRedo(arguments) && undoing.payload.isLogging
    let shown = isMadeAgain ? appended ?? seq : seq
    let words = EventText(names: EntryNames(ledger), home: try ledger.zone()).words(
      try ledger.view.line(shown).event().event, at: shown)
    let attempts = try ledger.ask { $0.edits.attempts(undoing.target.number) }
    return (target.event.payload, console.shown("event \(seq), \(words)"), attempts > 0)
  }

  /// - Parameters:
  ///   - again: what happened if an edit counts again.
  ///   - back: what is there again, if a deletion was undone.
  ///   - unsent: what is not sent, if nothing is.
  ///   - wasSent: whether it was sent before, and the backend did not take it.
  private static func sentence(
    _ undoing: Undoing, _ undid: String, again: String, _ seq: Seq, back: String?, unsent: String,
    wasSent: Bool
  ) -> String {
    let result = back.map { ": the \($0) is back" } ?? ""
    let lead = back == nil ? "\(undid): \(unsent)" : "\(undid)\(result); its deletion"
    return switch undoing.way {
    case .cancelled where wasSent:
      "\(lead) was sent, and the backend did not take it; it is not sent again"
    case .cancelled: "\(lead) was never sent"
    case .compensated where undoing.payload.changesSession:
      "\(undid); \(HoldReason.backendCannotChangeSleep.cause)"
    case .compensated: "\(undid)\(result); the next 'ledger sync' sends the change"
    case .compensatedInDoubt:
      "\(lead) was sent or is being sent, and no answer is known, so the next 'ledger sync' sends "
        + "the change"
    case .redone:
      "\(again) (event \(seq)); the next 'ledger sync' sends what the backend lacks"
    }
  }
}

extension Event.Payload {
  /// Whether it changes or deletes a session, which the backend cannot.
  fileprivate var changesSession: Bool {
    switch self {
    case .sleepCorrected, .sleepDeleted: true
    default: false
    }
  }

  fileprivate var isLogging: Bool {
    switch self {
    case .progressLogged, .sleepLogged: true
    default: false
    }
  }

  /// What a deletion deletes; `nil` for other events.
  fileprivate var deletedThing: String? {
    switch self {
    case .progressDeleted: "entry"
    case .sleepDeleted: "session"
    default: nil
    }
  }
}

/// `redo`: makes again what was undone last.
enum RedoCommand: Command {
  static let spec = CommandSpec(
    "redo", "make again what was undone last", group: .write,
    examples: [CommandExample("ledger redo")],
    notes: [
      "Edits that one 'ledger undo' took back are made again together. "
        + "Repeat it to redo earlier undone edits, back to your newest other edit, "
        + "goal, decision or erasure. "
        + "'ledger undo SEQ' makes an earlier one again."
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let opened = try OpenedLedger.open(arguments, console)
    var generator = SystemEntropy()
    let outcome = try opened.ledger.redo(
      at: opened.now, today: opened.today, using: &generator)
    guard outcome.undoings.count == 1 else {
      try UndoCommand.summarize(outcome, UndoCommand.redone, of: opened, on: console)
      return .done
    }
    try UndoCommand.answer(
      outcome.undoings[0], outcome.appended, arguments, of: opened, on: console)
    for sentence in outcome.skipped { console.note("left: \(sentence)") }
    return .done
  }
}

/// An argument of `undo`: `17`, `@2` or a range of these such as `17..23`.
private struct UndoTarget {
  enum End {
    case seq(Seq)
    /// The newest edit that can be undone, but for so many later ones.
    case last(but: Int)

    init?(_ text: some StringProtocol) {
      let digits = text.hasPrefix("@") ? text.dropFirst() : text[...]
      guard text != "@" else {
        self = .last(but: 0)
        return
      }
      guard let number = Int(digits), number >= 1 else { return nil }
      self = text.hasPrefix("@") ? .last(but: number - 1) : .seq(Seq(number))
    }

    func seq(of ledger: LedgerStore) throws -> Seq {
      switch self {
      case .seq(let seq): return seq
      case .last(0): return try ledger.undoableEdit(lastBut: 0)
      case .last(let count): return try ledger.edit(lastBut: count)
      }
    }
  }

  let first: End
  /// `nil` for a single edit.
  private let last: End?

  init(_ word: String) throws(UsageError) {
    let ends = word.split(separator: "..", omittingEmptySubsequences: false)
    guard ends.count <= 2, let first = ends.first.flatMap({ End($0) }),
      let last = ends.last.flatMap({ End($0) })
    else { throw Self.wrong(word) }
    if case .seq(let first) = first, case .seq(let last) = last, first > last {
      throw Self.wrong(word)
    }
    (self.first, self.last) = (first, ends.count == 2 ? last : nil)
  }

  private static func wrong(_ word: String) -> UsageError {
    .badValue(
      option: "SEQ", value: word, why: .expected("an event like 17 or @2, or a range like 17..23"))
  }

  static func selection(_ targets: [UndoTarget], of ledger: LedgerStore) throws -> UndoSelection {
    var selection = UndoSelection()
    for target in targets {
      let first = try target.first.seq(of: ledger)
      if let last = try target.last?.seq(of: ledger) {
        selection.ranges.append(min(first, last)...max(first, last))
      } else {
        selection.seqs.insert(first)
      }
    }
    return selection
  }
}

extension LedgerStore {
  /// The edit that `@` names, or `@2` if `count` is 1.
  ///
  /// - Throws: a failure with exit code 4 if fewer were made.
  func edit(lastBut count: Int) throws -> Seq {
    do {
      return try undoableEdit(lastBut: count)
    } catch UndoRefusal.nothingToUndo {
      let (name, made) = count == 0 ? ("@", "none was") : ("@\(count + 1)", "fewer were")
      throw CommandFailure(
        .notFound, "'\(name)' names no edit: \(made) made",
        hint: "'ledger log' lists the events", code: "unknown-event")
    }
  }
}

extension UndoRefusal: ReportableError {
  package var exitCode: ExitCode {
    switch self {
    case .noSuchEvent: .notFound
    case .nothingToUndo, .nothingSelected, .nothingToRedo, .isSinceUndo, .undoIsUndone, .isUndone,
      .isRedone, .isErased, .notAnEdit, .entryIsDeleted, .entryIsUndone, .isInConflict,
      .isCorrectedElsewhere, .nothingLeft:
      .usage
    }
  }

  package var sentence: String { description + "; nothing was written" }

  package var hint: String? {
    switch self {
    case .notAnEdit(let seq, .pulledEntry): "'ledger append deletion \(seq)' deletes it"
    case .notAnEdit(let seq, .imported(let first)):
      "'ledger undo \(first == seq ? "\(seq)" : "\(first)..\(seq)")' takes back the import; 'ledger undo @' "
        + "takes back your last edit"
    case .notAnEdit(_, .goal):
      "'ledger append goal' sets or removes it again, 'ledger log --type goal.set' shows the earlier ones; "
        + "'ledger undo @' takes back the last edit that is no goal"
    case .notAnEdit(_, .conflictDecision(let conflict)):
      "'ledger resolve \(conflict) --take local|remote' decides over a field of the profile again, 'ledger "
        + "append correction' changes an entry; 'ledger undo @' takes back your last edit"
    case .notAnEdit(_, .duplicateDecision):
      "after --take both the next 'ledger sync' makes an entry of the row, which 'ledger rm' deletes; "
        + "after --take one log the measurement again"
    case .notAnEdit(_, .erasure): "'ledger undo @' takes back your last edit"
    case .undoIsUndone(let seq):
      "'ledger undo \(seq)' makes that undo again; 'ledger log' lists the events"
    case .isUndone(_, let later): "'ledger undo \(later)' redoes it"
    case .isRedone(_, let later): "'ledger undo \(later)' takes it back again"
    case .isInConflict(_, let conflict):
      "'ledger resolve \(conflict) --take remote' takes the backend's value instead"
    case .isCorrectedElsewhere(_, let kept):
      "'ledger append correction \(kept) …' changes the entry; 'ledger undo @2' takes back the edit before"
    case .entryIsDeleted(_, let deletion?): "'ledger undo \(deletion)' brings it back"
    case .noSuchEvent, .nothingToRedo, .isSinceUndo: "'ledger log' lists the events"
    case .nothingToUndo:
      "'ledger log' lists the events; what was imported is undone by its number, 'ledger undo SEQ'"
    case .nothingSelected, .isErased, .notAnEdit, .entryIsDeleted, .entryIsUndone, .nothingLeft:
      nil
    }
  }
}
