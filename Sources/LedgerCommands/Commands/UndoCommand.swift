import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// `undo`: takes an edit back by a new event, whether the backend has it or not.
enum UndoCommand: Command {
  static let spec = CommandSpec(
    "undo", "take back an edit: the last one, or the one you name", group: .write,
    arguments: [.optional("SEQ", "the edit, as 'ledger log' numbers it; else your last one")],
    examples: [
      CommandExample("ledger undo"),
      CommandExample("ledger undo 17"),
      CommandExample("ledger undo 19", "where 19 is an undoing: makes it again"),
    ],
    notes: [
      "What was never sent counts as never made. What the backend has is made up for by an edit "
        + "that puts back what was before, and the next 'ledger sync' carries it out. The log "
        + "itself only grows; 'ledger erase' removes content."
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let number = try arguments.integerArgument("SEQ", in: 1 ... .max)
    let opened = try OpenedLedger.open(arguments, console)
    var generator = SystemEntropy()
    let outcome = try opened.ledger.undo(
      number.map { Seq($0) }, at: opened.now, today: opened.today, using: &generator)
    let undoing = outcome.undoing
    // It is done: what cannot be told of it now must not look like a failure.
    let what = (try? words(undoing, arguments, console)) ?? "event \(undoing.target)"
    try AppendAnswer(outcome.appended, of: opened, on: console).give { event in
      sentence(undoing, what, event.seq)
    }
    for remark in undoing.remarks { console.note(remark) }
    return .done
  }

  /// What was undone, or is made again, as `log` tells it.
  private static func words(
    _ undoing: Undoing, _ arguments: ParsedArguments, _ console: Console
  ) throws -> String {
    let ledger = try ReadLedger(arguments, console)
    var seq = undoing.target
    var event = try ledger.view.line(seq).event().event
    if case .editUndone(let data) = event.payload {
      seq = data.event
      event = try ledger.view.line(seq).event().event
    }
    let words = EventWords(names: EntryNames(ledger)).sentence(event)
    return console.shown("event \(seq), \(words)")
  }

  private static func sentence(_ undoing: Undoing, _ what: String, _ seq: Seq) -> String {
    switch undoing.way {
    case .cancelled:
      "undid \(what) (event \(seq)): it was never sent, and nothing of it is to be sent"
    case .compensated:
      "undid \(what) (event \(seq)): the backend has it, and the next 'ledger sync' sends the change"
    case .compensatedInDoubt:
      "undid \(what) (event \(seq)): it was sent or is being sent, and no answer is known, so the "
        + "next 'ledger sync' sends the change"
    case .madeAgain: "made \(what), again (event \(seq)); the next 'ledger sync' sends it"
    }
  }
}

extension UndoRefusal: ReportableError {
  package var exitCode: ExitCode {
    switch self {
    case .noSuchEvent: .notFound
    case .nothingToUndo, .isUndone, .isErased, .notAnEdit, .entryIsDeleted, .entryIsUndone,
      .nothingLeft:
      .usage
    }
  }

  package var sentence: String { description + "; nothing was written" }

  package var hint: String? {
    switch self {
    case .isUndone(_, let later): "'ledger undo \(later)' makes it again"
    case .entryIsDeleted(_, let deletion?): "'ledger undo \(deletion)' brings it back"
    case .noSuchEvent: "'ledger log' lists the events"
    case .nothingToUndo:
      "'ledger log' lists the events; what was imported is undone by its number, 'ledger undo SEQ'"
    case .isErased, .notAnEdit, .entryIsDeleted, .entryIsUndone, .nothingLeft: nil
    }
  }
}
