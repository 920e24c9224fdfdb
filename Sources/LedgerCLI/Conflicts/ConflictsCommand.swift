import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore

enum ConflictsCommand: Command {
  static let pages = true
  static let spec = CommandSpec(
    "conflicts", "show conflicts with the backend and suspected duplicates that wait for you",
    group: .sync,
    options: [.flag("all", "also those that are decided")],
    examples: [
      CommandExample("ledger conflicts"),
      CommandExample("ledger conflicts --all", "decided ones, too"),
      CommandExample("ledger resolve 17 --take local", "decide the one that event 17 found"),
    ],
    notes: [
      "A conflict is over a field that has one value here and another at the backend; it is called "
        + "by the number of the event that found it. Where both sides changed a field, 'ledger "
        + "settings sync.conflicts' chooses whether it waits for you: ask, or local or remote, which "
        + "decide at once. Where the backend stored other values than were sent, it always waits; of a "
        + "deletion and a correction the correction always wins.",
      "A suspected duplicate is a row of the backend that may be the same measurement as an entry. "
        + "It counts in no view until you decide. That is a guess: the row has the entry's moment, or, "
        + "where the entry's row has changed, the same metric, quantity and notes as it had.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let ledger = try ReadLedger(arguments, console)
    let isAll = arguments.flag("all")
    func at(_ seq: Seq) throws(LogError) -> Timestamp {
      try ledger.view.line(seq).event().event.at
    }
    let rows = LastSync(in: ledger.directory)?.suspected ?? []
    let text = try ledger.ask { state in
      let (all, open) = (state.conflicts(), state.openConflicts())
      let suspicions = state.suspicions()
      let openSeqs = Set(open.map(\.seq))
      return ConflictsText(
        conflicts: try (isAll ? all : open).map { view in
          KnownConflict(
            view: try state.withLocalValue(view, in: ledger.view),
            isOpen: openSeqs.contains(view.seq),
            entry: view.entry.flatMap { state.entryView($0) },
            session: view.entry.flatMap { state.sessionView($0) }, at: try at(view.seq))
        },
        suspicions: try suspicions.filter { isAll || $0.isOpen }.map { view in
          KnownSuspicion(
            view: view, entry: state.entryView(view.entry), at: try at(view.seq),
            rows: rows.filter { view.backendIDs.contains($0.id) })
        },
        isAll: isAll,
        decided: (all.count - open.count, suspicions.count { !$0.isOpen }),
        units: state.profileView().unitSystem ?? .metric)
    }
    try console.answer(text.conflicts.map(\.json) + text.suspicions.map(\.json)) {
      try text.write(times: TimeText(zone: ledger.zone()), to: console)
    }
    return .done
  }
}

extension LedgerState {
  func entryView(_ id: EntryID) -> EntryView? { row(of: id).map { entry(at: $0) } }

  func sessionView(_ id: EntryID) -> SleepView? { session(of: id).map { session(at: $0) } }
}

/// A conflict and when it was detected.
private struct KnownConflict {
  let view: ConflictView
  /// Whether the user has to decide it.
  let isOpen: Bool
  /// The entry in conflict, in its present state.
  let entry: EntryView?
  /// The sleep session in conflict, in its present state.
  let session: SleepView?
  let at: Timestamp

  var json: JSONObject {
    JSONObject([
      "conflict": view.seq, "at": at, "subject": view.subject, "field": view.fieldName,
      "base": view.base, "local": view.local, "remote": view.remote,
      "decision": isOpen || view.decision != .open || view.replacedBy != nil
        ? view.decision.rawValue : "deleted",
      "entry": view.entry, "type": entry?.metric, "backend_id": view.backendID,
      "resolved_by": view.resolution?.seq, "replaced_by": view.replacedBy,
    ])
  }
}

/// Suspected duplicates of an entry and when they were detected.
private struct KnownSuspicion {
  let view: SuspicionView
  /// The entry that they may duplicate, in its present state.
  let entry: EntryView?
  let at: Timestamp
  /// As the last sync listed them.
  let rows: [LastSync.SuspectedRow]

  var json: JSONObject {
    JSONObject([
      "suspicion": view.seq, "at": at, "entry": view.entry, "type": entry?.metric,
      "backend_ids": view.backendIDs, "decision": view.decision?.rawValue ?? "open",
      "rows": rows.isEmpty ? nil : rows.map(\.json), "resolved_by": view.resolvedBy,
    ])
  }

  /// A row's id, with its values where they are known.
  func text(of id: BackendID, _ quantities: QuantityText, _ times: TimeText) -> String {
    guard let row = rows.first(where: { $0.id == id }), let metric = entry?.metric,
      let (day, time) = row.moment.localTime(at: .utc)
    else { return id.text }
    let moment = time == .midnight ? day.description : times.minute(row.moment)
    let notes = row.notes.map { " “\($0)”" } ?? ""
    return "\(id): \(quantities.words(row.quantity, of: metric)) on \(moment)\(notes)"
  }
}

private struct ConflictsText {
  let conflicts: [KnownConflict]
  let suspicions: [KnownSuspicion]
  let isAll: Bool
  /// The numbers of decided ones.
  let decided: (conflicts: Int, suspicions: Int)
  let units: UnitSystem

  func write(times: TimeText, to console: Console) throws(OutputFailure) {
    guard !conflicts.isEmpty || !suspicions.isEmpty else { return try writeEmpty(to: console) }
    if !conflicts.isEmpty { try writeConflicts(times, to: console) }
    if !suspicions.isEmpty {
      if !conflicts.isEmpty { try console.line() }
      try writeSuspicions(times, to: console)
    }
    for line in advice { console.note(line, .dim) }
  }

  // MARK: Conflicts

  private func writeConflicts(_ times: TimeText, to console: Console) throws(OutputFailure) {
    var titles = ["seq", "found", "field", "agreed on", "yours", "backend's", "decided"]
    var rows = conflicts.map { row($0, times) }
    if !conflicts.contains(where: hasBase), let place = titles.firstIndex(of: "agreed on") {
      titles.remove(at: place)
      for index in rows.indices { rows[index].remove(at: place) }
    }
    try write(rows, titles, to: console)
  }

  /// A table, or where it does not fit a block of lines for each row, in which values are whole.
  private func write(
    _ rows: [[Table.Cell]], _ titles: [String], leading: String = "", to console: Console
  ) throws(OutputFailure) {
    var table = Table(titles.enumerated().map { $0 == 0 ? .right($1) : .left($1) })
    for row in rows { table.add(row) }
    let width = console.width
    guard console.isTerminal, table.width > width else { return try console.write(table) }
    for row in rows {
      let indent = row[0].text.count + 1
      let margin = String(repeating: " ", count: indent)
      let subject = "\(row[0].text) \(leading)\(row[2].text)"
      for line in wrapped(subject, width: width, hanging: indent) { try console.line(line) }
      for (title, cell) in zip(titles, row).dropFirst(3) where !cell.text.isEmpty {
        // `decided: open` would contradict itself.
        let lead = title == titles.last ? "" : title + ": "
        let lines = wrapped(margin + lead + cell.text, width: width, hanging: indent + 2)
        for line in lines { try console.line(console.paint.apply(cell.style, line)) }
      }
    }
  }

  private func row(_ conflict: KnownConflict, _ times: TimeText) -> [Table.Cell] {
    let view = conflict.view
    let words = ConflictText(view, conflict.entry, conflict.session, units, times)
    func cell(_ value: JSONValue, wins side: ConflictDecision?) -> Table.Cell {
      Table.Cell(words.value(value), view.decision == side ? .green : value.isNull ? .dim : nil)
    }
    return [
      .init("\(view.seq)", .dim), .init(String(times.minute(conflict.at).prefix(10))),
      .init(words.subject),
      hasBase(conflict) ? cell(view.base, wins: nil) : Table.Cell(""),
      cell(view.local, wins: .local), cell(view.remote, wins: .remote), decided(conflict),
    ]
  }

  /// The base of an entry's conflict is not recorded.
  private func hasBase(_ conflict: KnownConflict) -> Bool { conflict.view.entry == nil }

  private func decided(_ conflict: KnownConflict) -> Table.Cell {
    let view = conflict.view
    switch (view.decision, view.resolution) {
    case (.open, _):
      if let later = view.replacedBy { return Table.Cell("see \(later)", .dim) }
      return conflict.isOpen ? Table.Cell("open", .red) : Table.Cell("deleted", .dim)
    // Whatever the policy, a correction wins over a deletion.
    case (let decision, nil) where view.fieldName == "entry":
      return Table.Cell("\(decision.rawValue) (correction wins)", .dim)
    case (let decision, nil): return Table.Cell("\(decision.rawValue) (policy)", .dim)
    case (let decision, _?): return Table.Cell("\(decision.rawValue) (you)")
    }
  }

  // MARK: Suspected duplicates

  private func writeSuspicions(_ times: TimeText, to console: Console) throws(OutputFailure) {
    let quantities = QuantityText(units: units)
    let rows = suspicions.map { suspicion -> [Table.Cell] in
      let entry = suspicion.entry.map {
        EntrySentence(units: units, home: times.zone).sentence($0)
          + ($0.isDeleted ? ", deleted" : "")
      }
      let decided =
        switch suspicion.view.decision {
        case nil: Table.Cell("open", .red)
        case .one?: Table.Cell("one (you)")
        case .both?: Table.Cell("both (you)")
        }
      return [
        .init("\(suspicion.view.seq)", .dim),
        .init(String(times.minute(suspicion.at).prefix(10))), .init(entry ?? "a removed entry"),
        .init(
          suspicion.view.backendIDs.map { suspicion.text(of: $0, quantities, times) }
            .joined(separator: ", ")), decided,
      ]
    }
    let of = "suspected duplicate of"
    try write(
      rows, ["seq", "found", of, "rows at the backend", "decided"], leading: of + " ", to: console)
  }

  // MARK: Advice

  private var advice: [String] {
    var lines: [String] = []
    let open = conflicts.filter {
      $0.isOpen && ($0.view.field != nil || $0.entry != nil || $0.session != nil)
    }
    if let first = open.first {
      let sides =
        first.view.takesRemote ? "--take local, or --take remote" : "--take local"
      lines.append("decide: ledger resolve \(first.view.seq) \(sides)")
      if open.count > 1 { lines.append("decide all of them: ledger resolve --all --take local") }
      if open.contains(where: { $0.session != nil }) {
        lines.append(
          "a decision for the local values of a sleep session counts here only: the backend keeps its own"
        )
      }
    }
    if let first = suspicions.first(where: { $0.view.isOpen }) {
      lines.append(
        "decide: ledger resolve \(first.view.seq) --take one deletes that row, --take both makes it an entry too"
      )
      lines.append(
        "that is a guess: the row has the entry's moment, or, where the entry's row has changed, the same "
          + "metric, quantity and notes as it had")
    }
    guard lines.isEmpty else { return lines }
    guard let last = conflicts.last(where: { $0.view.field != nil }) else { return [] }
    return [
      "the decision over a field of the profile can be made again, as by: ledger resolve \(last.view.seq) --take "
        + (last.view.decision == .local ? "remote" : "local")
    ]
  }

  private func writeEmpty(to console: Console) throws(OutputFailure) {
    try console.line(isAll ? "There has never been a conflict." : "No conflict waits for you.")
    let parts = [
      (decided.conflicts, "conflict"), (decided.suspicions, "suspected duplicate"),
    ].filter { $0.0 > 0 }
    guard !isAll, !parts.isEmpty else { return }
    let count = decided.conflicts + decided.suspicions
    console.note(
      parts.map { counted($0.0, $0.1) }.joined(separator: " and ")
        + " \(count == 1 ? "is" : "are") decided: ledger conflicts --all", .dim)
  }
}

extension ConflictView {
  /// Whether the backend's value can be chosen: an entry's type never changes.
  var takesRemote: Bool { entry == nil || fieldName != "type" }

  /// The command that decides it.
  var remedy: String {
    "ledger resolve \(seq) --take local" + (takesRemote ? ", or --take remote" : "")
  }
}

struct ConflictText {
  private let view: ConflictView
  private let entry: EntryView?
  private let session: SleepView?
  private let quantities: QuantityText
  private let times: TimeText

  init(
    _ view: ConflictView, _ entry: EntryView?, _ session: SleepView?, _ units: UnitSystem,
    _ times: TimeText
  ) {
    (self.view, self.entry, self.session, self.times) = (view, entry, session, times)
    quantities = QuantityText(units: units)
  }

  var subject: String {
    if let entry {
      let when = EntrySentence.moment(entry.date, entry.moment, home: times.zone)
      return "\(entry.metric.words) on \(when): \(view.fieldName)"
    }
    if let session { return "sleep of \(session.date): \(view.fieldName)" }
    let field = FieldText(view.fieldName, quantities)
    return view.field == nil ? "\(view.subject) \(field.name)" : field.name
  }

  func value(_ value: JSONValue) -> String {
    if session != nil, let text = value.string {
      return view.fieldName == "notes" ? "“\(text)”" : moment(text)
    }
    guard let entry, !value.isNull else {
      let field = FieldText(view.fieldName, quantities)
      return value.isNull ? "nothing" : field.value(value)
    }
    switch (view.fieldName, value) {
    case ("quantity", .number(let number)): return quantities.words(number, of: entry.metric)
    case ("moment", .string(let text)): return moment(text)
    case ("notes", .string(let text)): return "“\(text)”"
    case ("type", .string(let name)): return Metric(name: name)?.words ?? name
    case (_, .string(let text)): return text
    default: return value.serialized
    }
  }

  /// In the ledger's zone; midnight UTC stands for a date without a time.
  private func moment(_ text: String) -> String {
    guard let instant = Timestamp(rfc3339: text), let utc = instant.utc else { return text }
    return utc.time == .midnight ? "\(utc.date)" : times.minute(instant)
  }
}

struct EntrySentence {
  let units: UnitSystem
  /// Times of other offsets are shown with them.
  let home: LocalZone

  /// `weight 75.5 kg on 2026-01-02 08:00`
  func sentence(_ entry: EntryView) -> String {
    let quantity = QuantityText(units: units).words(entry.quantity, of: entry.metric)
    return "\(entry.metric.words) \(quantity) on "
      + Self.moment(entry.date, entry.moment, home: home)
  }

  /// `2026-01-02`, with the time if there is one, and with its offset where it is needed.
  static func moment(_ date: CalendarDate, _ moment: ZonedTime?, home: LocalZone) -> String {
    guard let moment else { return "\(date)" }
    return "\(date) \(moment.shortText)\(moment.offsetIfNeeded(on: date, home: home))"
  }
}
