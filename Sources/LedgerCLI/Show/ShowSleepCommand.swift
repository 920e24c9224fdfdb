import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore

enum ShowSleepCommand: Command {
  static let pages = true
  static let spec = CommandSpec(
    "show sleep", "show sleep sessions, newest first, corrections applied",
    group: .look,
    options: [
      ShowOptions.from, ShowOptions.to,
      .value("limit", "N", aliases: ["count"], short: "n", ShowOptions.limitHelp),
      .value("offset", "N", "skip this many"),
      .value("notes", "TEXT", "only sessions whose notes contain this, in any case"),
      ShowOptions.at,
    ],
    examples: [
      CommandExample("ledger show sleep"),
      CommandExample("ledger show sleep --notes 'late coffee'"),
      CommandExample("ledger show sleep --from -7d --json", "with stages and minutes"),
    ],
    notes: [
      "A session belongs to the day on which it ends. Without stages all of it counts as sleep; a "
        + "pulled session has the backend's minutes."
    ] + ShowOptions.notes)

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let limit = try arguments.integer("limit", in: 1...Int(Int32.max)) ?? 20
    let offset = try arguments.integer("offset", in: 0...Int(Int32.max)) ?? 0
    let ledger = try ReadLedger(arguments, console)
    let days = try ShowOptions.days(arguments, in: ledger)
    let text = arguments.option("notes")
    let (page, inConflict, held) = try ledger.ask(arguments) { state in
      let page = try state.sleep(
        from: days.from, to: days.to, limit: limit, offset: offset, notes: text, in: ledger.view)
      return (
        page, Set(state.openConflicts().compactMap(\.entry)),
        Set(page.sessions.filter(state.isHeld).map(\.id))
      )
    }
    let sessions = try page.sessions.map { session throws(LogError) in
      try DetailedSession(session, in: ledger.view)
    }
    let answer = JSONObject([
      "sessions": sessions.map(\.json), "total": page.total, "limit": limit, "offset": offset,
    ])
    try console.answer(answer) {
      let isFiltered = days.from != nil || days.to != nil || text != nil
      guard !sessions.isEmpty else { return try writeEmpty(page, isFiltered: isFiltered, console) }
      try write(sessions, (inConflict, held), page, offset, home: ledger.zone(), console)
    }
    return .done
  }

  private static func writeEmpty(
    _ page: SleepPage, isFiltered: Bool, _ console: Console
  ) throws(OutputFailure) {
    try console.line(
      page.total > 0
        ? "There are \(counted(page.total, "session")), fewer than --offset."
        : isFiltered ? "No session matches." : "There are no sleep sessions.")
  }

  /// Sessions in an open conflict, and those whose edits are held.
  private typealias Waiting = (inConflict: Set<EntryID>, held: Set<EntryID>)

  private static func write(
    _ sessions: [DetailedSession], _ waiting: Waiting, _ page: SleepPage, _ offset: Int,
    home: LocalZone, _ console: Console
  ) throws(OutputFailure) {
    try console.write(table(sessions, waiting, home: home))
    let last = offset + sessions.count
    guard page.total > sessions.count else { return }
    console.note(
      "\(NumberText.count(offset + 1)) to \(NumberText.count(last)) of "
        + NumberText.count(page.total)
        + (last < page.total ? "; go on with --offset \(last)" : ""), .dim)
  }

  private static func table(
    _ sessions: [DetailedSession], _ waiting: Waiting, home: LocalZone
  ) -> Table {
    let hasNotes = sessions.contains { $0.texts.notes != nil }
    let hasStages = sessions.contains { $0.session.durations.hasStages }
    let stages: [Table.Column] = [
      .right("awake").leaving(1), .right("rem").leaving(2), .right("core").leaving(3),
      .right("deep").leaving(4),
    ]
    var table = Table(
      [.right("#"), .left("start"), .left("end").leaving(7), .right("asleep")]
        + (hasStages ? stages : []) + [.left("status").leaving(6)]
        + (hasNotes ? [.left("notes", shrinks: true).leaving(5)] : []))
    func moment(_ moment: ZonedTimestamp) -> Table.Cell {
      .init(SleepText.minute(moment) + moment.moment.offsetIfNeeded(on: moment.date, home: home))
    }
    func duration(_ seconds: Int) -> Table.Cell {
      .init(seconds == 0 ? "" : SleepText.duration(seconds))
    }
    for shown in sessions {
      let session = shown.session
      let times = session.durations
      let ofStages = [times.awake, times.rem, times.core, times.deep].map(duration)
      table.add(
        [
          .init(session.seq.description, .dim), moment(session.start), moment(session.end),
          duration(times.totalSleep),
        ] + (hasStages ? ofStages : [])
          + [status(session, waiting)]
          + (hasNotes ? [.init(shown.texts.notes ?? "")] : []))
    }
    return table
  }

  private static func status(_ session: SleepView, _ waiting: Waiting) -> Table.Cell {
    let isInConflict = waiting.inConflict.contains(session.id)
    return !isInConflict && waiting.held.contains(session.id)
      ? Table.Cell("held", .yellow)
      : session.status.cell(session.failure, isInConflict: isInConflict)
  }
}

extension DetailedSession {
  fileprivate var json: JSONObject {
    JSONObject([
      "entry": session.id, "backend_id": backendID, "start": session.start, "end": session.end,
      "stages": texts.stages.isEmpty ? nil : texts.stages, "minutes": session.durations.minutes,
      "notes": texts.notes, "status": session.status.rawValue,
      "reason": session.failure?.rawValue, "seq": session.seq,
    ])
  }
}

extension SleepDurations {
  fileprivate var hasStages: Bool { awake + rem + core + deep > 0 }

  /// Minutes to two decimals.
  fileprivate var minutes: JSONObject {
    func minutes(_ seconds: Int) -> Double { (Double(seconds) * 100 / 60).rounded() / 100 }
    return JSONObject([
      "time_in_bed": minutes(timeInBed), "total_sleep": minutes(totalSleep),
      "awake": minutes(awake), "rem": minutes(rem), "core": minutes(core), "deep": minutes(deep),
    ])
  }
}
