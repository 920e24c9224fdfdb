import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore

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
      "'verified' says when the log was last checked whole, by verify, doctor, report or an "
        + "idle sync --watch. status itself checks nothing.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let ledger = try ReadLedger(arguments, console)
    let zone = try ledger.zone()
    let today = zone.today(at: console.now())
    let status = try ledger.ask {
      try LedgerStatus($0, in: ledger.directory, ledger.view, today: today)
    }
    try console.answer(status.json) {
      try StatusText(status: status, zone: zone, today: today).write(to: console)
    }
    return .done
  }
}

private struct LedgerStatus {
  let directory: LedgerDirectory
  let head: ChainPosition
  let lastAt: Timestamp?
  let counts: SyncCounts
  let held: [Outbox.Item]
  let entries: EntryCounts
  /// Sleep sessions that are not deleted.
  let sessions: Int
  /// Conflicts and suspected duplicates for the user to decide.
  let openConflicts: Int
  let openSuspicions: Int
  let lastSyncAt: Timestamp?
  /// When a sync reached the backend, as far as known.
  let reachedAt: Timestamp?
  /// Why syncs stop until the user decides.
  let stopped: LastSync?
  /// Rows of the backend that the last full listing could not read, and synced sleep sessions that it did
  /// not have.
  let leftOut: (rows: Int, sessions: Int)
  /// The account, if the log has a sign-in and the credentials exist.
  let account: AccountSignedIn?
  /// When the whole log was last verified, and up to which event.
  let verified: VerificationRecord.Whole?
  /// Damage found by the last verification.
  let broken: VerificationRecord.Broken?
  /// The account that the ledger belongs to.
  let owner: AccountSignedIn?
  let goals: [GoalView]
  /// The user's; looked up only for goals.
  let units: UnitSystem

  init(
    _ state: LedgerState, in directory: LedgerDirectory, _ view: LogView, today: CalendarDate
  ) throws(LogError) {
    self.directory = directory
    head = state.position
    lastAt = state.tally.lastAt
    counts = try state.syncCounts(view.boundID)
    held = counts.held == 0 ? [] : try Outbox(state, in: view, of: [.held]).items
    entries = state.entryCounts()
    sessions = state.sleep(limit: 0).total
    openConflicts = state.openConflicts().count
    openSuspicions = state.openSuspicions().count
    // A run without news is in no event.
    let lastRun = LastSync(in: directory)
    let lastRunAt = lastRun.flatMap { $0.stopped == LastSync.accountDeleted ? nil : $0.at }
    lastSyncAt = [state.tally.lastSyncAt, lastRunAt].compactMap(\.self).max()
    reachedAt = lastRunAt ?? state.tally.lastSyncAt
    leftOut = (lastRun?.unreadable ?? 0, lastRun?.missingSessions ?? 0)
    // A sign-in shows that the account was created again before the next sync stops for it.
    let userIDs = [state.account.owner, state.account.current].compactMap { $0?.userID }
    let signIn = Set(userIDs).count > 1 ? state.tally.lastAt : nil
    let replaced = signIn.map { LastSync(at: $0, stopped: "account-replaced") }
    stopped = lastRun?.stopped == nil ? replaced : lastRun
    verified = VerificationRecord.lastWhole(of: view)
    broken = VerificationRecord(directory).broken
    // Deleting the credentials signs out without an event (docs/log-format.md).
    owner = state.account.owner
    account = directory.hasCredentials ? state.account.current : nil
    goals = state.goals(today: today)
    units = goals.isEmpty ? .metric : state.profileView().unitSystem ?? .metric
  }

  var json: JSONObject {
    JSONObject([
      "ledger": directory.path, "events": head.seq, "last_event": lastAt,
      "entries": entries.live, "sleep_sessions": sessions,
      "account": account.map { JSONObject(["email": $0.account, "origin": $0.origin]) },
      "verified": verified.map { JSONObject(["seq": $0.position.seq, "at": $0.at]) },
      "head": head.json, "pending": counts.pending, "in_doubt": counts.inDoubt,
      "held": counts.held, "rejected": counts.rejected, "conflicts": counts.conflicts,
      "suspected": openSuspicions, "open_conflicts": openConflicts, "signed_in": account != nil,
      "damage": broken.map { JSONObject(["problem": $0.problem, "at": $0.at]) },
      "last_sync": lastSyncAt,
      "unreadable": leftOut.rows > 0 ? leftOut.rows : nil,
      "missing_sessions": leftOut.sessions > 0 ? leftOut.sessions : nil,
      "stopped": stopped.map { JSONObject(["reason": $0.stopped, "at": $0.at]) },
      "goals": goals.map(\.json),
    ])
  }
}

extension GoalView {
  var json: JSONObject {
    JSONObject([
      "metric": metric, "quantity": quantity, "by": by, "daily": isDaily ? true : nil,
      "at_most": isAtMost ? true : nil,
      "latest": latest?.rounded9, "remaining": remaining?.rounded9, "reached": isReached,
      "streak": isDaily ? streakDays : nil,
    ])
  }
}

extension ChainPosition {
  var json: JSONObject { ["seq": JSONValue(seq), "hash": .string(hash.description)] }
}

private struct StatusText {
  let status: LedgerStatus
  let zone: LocalZone
  let today: CalendarDate

  func write(to console: Console) throws(OutputFailure) {
    let times = TimeText(zone: zone)
    var table = Table([.left(""), .wrapping("")])
    table.add(.init("ledger", .dim), .init(status.directory.path))
    let last = status.lastAt.map { ", the last on \(times.minute($0))" } ?? ""
    table.add(.init("events", .dim), .init(NumberText.count(status.head.seq) + last))
    table.add(.init("entries", .dim), .init(entries))
    if status.sessions > 0 {
      table.add(.init("sleep", .dim), .init(counted(status.sessions, "session")))
    }
    let goals = GoalText(quantities: QuantityText(units: status.units))
    for goal in status.goals {
      let progress = goals.progress(goal, today: today)
      table.add(.init("goal", .dim), .init("\(goals.target(goal)): \(progress)"))
    }
    table.add(.init("backend", .dim), waiting)
    if let stopped = status.stopped {
      table.add(.init("stopped", .dim), .init(Self.reason(stopped, times), .red))
    }
    if let leftOut { table.add(.init("left out", .dim), .init(leftOut, .red)) }
    for text in held.prefix(3) { table.add(.init("held", .dim), .init(text, .yellow)) }
    if let toDecide { table.add(.init("to decide", .dim), .init(toDecide, .red)) }
    table.add(.init("last sync", .dim), .init(status.reachedAt.map(times.minute) ?? "never"))
    table.add(.init(status.broken == nil ? "verified" : "damaged", .dim), verified(times))
    table.add(.init("account", .dim), .init(account))
    table.add(.init("head", .dim), .init(status.head.hash.description.prefix(16) + "…", .dim))
    try console.write(table)
    console.note(advice, .dim)
  }

  private static func reason(_ stopped: LastSync, _ times: TimeText) -> String {
    let why =
      switch stopped.stopped {
      case "rows-missing": "many rows are missing at the backend"
      case LastSync.accountDeleted:
        "the account was deleted at the backend with its data, which only your ledgers have now"
      case "rows-returned": "deleted rows are at the backend again"
      default: "the account was created again, or its data is missing"
      }
    return "since \(times.minute(stopped.at)): \(why)"
  }

  private var entries: String {
    let deleted = status.entries.deleted
    return NumberText.count(status.entries.live)
      + (deleted > 0 ? ", and \(NumberText.count(deleted)) deleted" : "")
  }

  private var waiting: Table.Cell {
    let counts = status.counts
    let parts = [
      (counts.pending, "pending"), (counts.inDoubt, "in doubt"), (counts.held, "held"),
      (counts.rejected, "rejected"), (counts.conflicts, "in conflict"),
    ]
    let present = parts.filter { $0.0 > 0 }.map { "\(NumberText.count($0.0)) \($0.1)" }
    guard !present.isEmpty else {
      return status.stopped == nil
        ? Table.Cell("nothing to send", .green) : Table.Cell("nothing to send")
    }
    let needsUser = counts.rejected > 0 || counts.conflicts > 0
    return Table.Cell(present.joined(separator: ", "), needsUser ? .red : .yellow)
  }

  /// Without repetitions: all sessions have the same reason.
  private var held: [String] {
    status.held.reduce(into: []) { texts, item in
      let text = [item.words, item.cause, item.remedy].compactMap(\.self).joined(separator: ": ")
      if !texts.contains(text) { texts.append(text) }
    }
  }

  private var toDecide: String? {
    var parts: [String] = []
    if status.openConflicts > 0 { parts.append(counted(status.openConflicts, "conflict")) }
    if status.openSuspicions > 0 {
      parts.append(counted(status.openSuspicions, "suspected duplicate"))
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  private func verified(_ times: TimeText) -> Table.Cell {
    if let broken = status.broken {
      return Table.Cell(
        "\(broken.problem), found on \(times.minute(broken.at)): ledger doctor", .red)
    }
    guard let verified = status.verified else { return Table.Cell("never: ledger doctor") }
    let seq = verified.position.seq
    let reach = seq == status.head.seq ? "all" : "up to event \(NumberText.count(seq))"
    return Table.Cell("\(reach), on \(times.minute(verified.at))")
  }

  private var leftOut: String? {
    let (rows, sessions) = status.leftOut
    let parts = [
      rows > 0 ? "\(counted(rows, "row")) of the backend cannot be read" : nil,
      sessions > 0 ? "\(counted(sessions, "synced sleep session")) missing there" : nil,
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ") + ": ledger sync"
  }

  private var account: String {
    guard let account = status.account else { return "not signed in" }
    return "\(account.account) at \(account.origin)"
  }

  private var advice: String {
    let counts = status.counts
    if status.broken != nil { return "what is damaged: ledger doctor" }
    if let toDecide { return "\(toDecide): ledger conflicts" }
    if counts.rejected > 0 {
      return "\(counted(counts.rejected, "edit")) rejected: ledger show sync"
    }
    if status.stopped != nil, status.account != nil { return "decide what to do: ledger sync" }
    if status.account != nil, status.lastSyncAt == nil { return "next: ledger sync" }
    if status.entries.live == 0, status.entries.deleted == 0, status.sessions == 0,
      status.account == nil || counts.pending + counts.inDoubt == 0
    {
      return "next: ledger append weight 75.5"
    }
    if status.account == nil, status.stopped?.stopped == LastSync.accountDeleted {
      return "view it: ledger report; make an account: ledger register"
    }
    if status.account == nil, let owner = status.owner {
      return "signed out; sign in with: \(signIn(at: owner.origin)), "
        + "or make an account: ledger register"
    }
    // A sync alone lifts no hold.
    if counts.pending + counts.inDoubt == 0 { return "view it: ledger report" }
    return status.account == nil
      ? "view it: ledger report; sync it: \(signIn()), or ledger register" : "next: ledger sync"
  }

  private func signIn(at origin: String? = nil) -> String {
    // Unreadable settings are for the sign-in to report.
    (try? Settings.read(status.directory))?.signIn(at: origin) ?? "ledger login"
  }
}
