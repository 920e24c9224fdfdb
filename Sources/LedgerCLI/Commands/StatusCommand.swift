import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore

/// `status`: the ledger at a glance.
enum StatusCommand: Command {
  static let spec = CommandSpec(
    "status", "show how much there is, what waits for the backend, and who is signed in",
    group: .look,
    examples: [
      CommandExample("ledger status"),
      CommandExample("ledger status --json"),
    ],
    notes: [
      "Each edit is counted once: pending, in doubt (sent, the answer unknown), held, rejected or "
        + "in conflict. 'ledger show sync' lists them, 'ledger conflicts' what you have to decide.",
      "'verified' says when the log was last checked whole, by verify, doctor, report or, while it "
        + "rests, sync --watch. status itself checks nothing.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let ledger = try ReadLedger(arguments, console)
    let status = try ledger.ask { try LedgerStatus($0, in: ledger.directory, ledger.view) }
    if console.json {
      try console.line(status.json.serialized)
    } else {
      try StatusText(status: status, zone: ledger.zone()).write(to: console)
    }
    return .done
  }
}

/// What `status` has found.
struct LedgerStatus {
  let directory: LedgerDirectory
  let head: ChainPosition
  let lastAt: Timestamp?
  let counts: SyncCounts
  /// What is held.
  let held: [Outbox.Item]
  let entries: EntryCounts
  /// Conflicts and suspected duplicates that wait for a person.
  let openConflicts: Int
  let openSuspicions: Int
  let lastSyncAt: Timestamp?
  /// Who is signed in: the log says who, and the credentials are here.
  let account: AccountSignedIn?
  /// When the log was last checked whole, and up to which event.
  let verified: VerificationRecord.Whole?
  /// Damage that the last check has found.
  let broken: VerificationRecord.Broken?
  /// Whether anybody has ever signed in.
  let belongsToAccount: Bool

  init(_ state: LedgerState, in directory: LedgerDirectory, _ view: LogView) throws(LogError) {
    self.directory = directory
    head = state.position
    lastAt = state.tally.lastAt
    var counts = state.syncCounts()
    counts.pending += try state.rowsToDelete(view.boundID).count
    self.counts = counts
    held = counts.held == 0 ? [] : try Outbox(state, in: view).items.filter { $0.state == .held }
    entries = state.entryCounts()
    openConflicts = state.openConflicts().count
    openSuspicions = state.openSuspicions().count
    lastSyncAt = state.tally.lastSyncAt
    verified = VerificationRecord.lastWhole(of: view)
    broken = VerificationRecord(directory).broken
    // Deleting the credentials is a way to sign out that leaves no event (log-format.md).
    belongsToAccount = state.account.owner != nil
    account = directory.hasCredentials ? state.account.current : nil
  }

  var json: JSONObject {
    var object: JSONObject = [
      "events": JSONValue(head.seq), "head": .object(head.json),
      "pending": JSONValue(counts.pending), "in_doubt": JSONValue(counts.inDoubt),
      "held": JSONValue(counts.held), "rejected": JSONValue(counts.rejected),
      "conflicts": JSONValue(counts.conflicts), "suspected": JSONValue(openSuspicions),
      "open_conflicts": JSONValue(openConflicts), "signed_in": .bool(account != nil),
    ]
    object["verified"] = verified.map {
      .object(["seq": JSONValue($0.position.seq), "at": .string($0.at.description)])
    }
    object["damage"] = broken.map {
      .object(["problem": .string($0.problem), "at": .string($0.at.description)])
    }
    object["last_sync"] = lastSyncAt.map { .string($0.description) }
    return object
  }
}

extension ChainPosition {
  var json: JSONObject { ["seq": JSONValue(seq), "hash": .string(hash.description)] }
}
