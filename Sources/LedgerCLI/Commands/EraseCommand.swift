import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerStore

/// `erase`: removes content for good, and keeps the proof that it was there.
enum EraseCommand: Command {
  static let spec = CommandSpec(
    "erase", "remove an entry's content for good; the chain of proof stays", group: .write,
    usage: ["SEQ|ENTRY --reason R [--yes]"],
    arguments: [
      .required("SEQ|ENTRY", "an event by its number, or an entry by a unique start of its id")
    ],
    options: [
      .value("reason", "R", "why: all that the log will tell of it"),
      .flag("yes", "do not ask"),
    ],
    examples: [
      CommandExample("ledger erase 12 --reason 'logged somebody else'"),
      CommandExample("ledger erase 019b6fbd-1c2a --reason 'private' --yes"),
    ],
    notes: [
      "An entry goes with its corrections, its conflicts and the copies in quarantine/. If the "
        + "backend has it, its deletion is recorded, and the next 'ledger sync' sends it. An edit "
        + "of the profile can go once a later one has reached the backend.",
      "It cannot be undone. Copies elsewhere, such as exports, backups and ledgers on other devices, "
        + "are yours to delete.",
    ])

  /// As long as `sync` waits for another run.
  private static let syncWaitSeconds = 30

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    guard let reason = arguments.option("reason") else {
      throw CommandFailure(.usage, "say why: --reason R; it is all that the log will tell")
    }
    let opened = try OpenedLedger.open(arguments, console)
    let seq = try subject(arguments.required("SEQ|ENTRY"), of: opened.ledger)
    let planned = try opened.ledger.erasure(of: seq)
    let isOwned = try opened.ledger.state().account.owner != nil
    if !arguments.flag("yes") { try confirm(planned, opened, arguments, console) }
    let lock = try FileLock(
      opened.directory.syncLock, .exclusive, waitSeconds: syncWaitSeconds)
    var generator = SystemEntropy()
    let bar = console.progress(
      "rewriting the log", total: 3 * (try LogView.open(opened.directory).endBytes))
    let outcome = try opened.ledger.erase(
      seq, reason: reason, holding: lock, at: opened.now, using: &generator,
      onBytes: { bar.advance(by: $0) })
    bar.finish()
    for repair in outcome.repairs { console.tell(repair) }
    try EraseAnswer(outcome, isOwned: isOwned).give(console)
    return .done
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
    _ erasure: Erasure, _ opened: OpenedLedger, _ arguments: ParsedArguments, _ console: Console
  ) throws {
    let ledger = try ReadLedger(arguments, console)
    let event = try ledger.view.line(erasure.subject).event().event
    let what = EventWords(names: EntryNames(ledger)).sentence(event)
    console.diagnostic("event \(erasure.subject): \(what)")
    let others = erasure.seqs.filter { $0 != erasure.subject }
    if !others.isEmpty {
      let numbers = others.map { "\($0)" }.joined(separator: ", ")
      console.diagnostic("and with it \(counted(others.count, "event")): \(numbers)")
    }
    guard try console.confirm("Erase it for good?", instead: "give --yes") else {
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
      "name the entry by \(logged) to erase all of it, and log what counts anew"
    case .inDoubt: "'ledger sync' finds out; erase it then"
    case .notAcknowledged(let seq): "'ledger undo \(seq)' cancels it; then it can be erased"
    case .inForce: "set another value, sync, and erase it then"
    case .notReplaced: "'ledger sync' sends the later one; erase it then"
    case .inConflict: "'ledger conflicts' shows it; decide it first"
    case .entangled: "set all fields of that group anew, sync, and try again"
    }
  }
}
