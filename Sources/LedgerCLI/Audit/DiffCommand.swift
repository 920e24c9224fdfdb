import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore

enum DiffCommand: Command {
  static let pages = true
  static let spec = CommandSpec(
    "diff", "show what changed between two moments: fields, entries and their status",
    group: .look,
    arguments: [
      .required("A", "the one moment: an event's number, @ for your last edit, or a time"),
      .optional("B", "the other (default: now)"),
    ],
    options: [
      .value(
        "limit", "N", aliases: ["count"], short: "n",
        "at most so many entries of each kind (default: 20)")
    ],
    examples: [
      CommandExample("ledger diff yesterday", "what happened since the end of yesterday"),
      CommandExample("ledger diff yesterday today", "what today changed"),
      CommandExample("ledger diff 120 164", "between two events"),
      CommandExample("ledger diff 0 now -n 1000 --json", "all there is, from the beginning on"),
    ],
    notes: [
      "A moment is the ledger as it was after an event: that of the number, or the last one "
        + "recorded by that time; @2 is the edit before the last one. A day alone is its end. 0, or a time before the first event, is "
        + "the empty ledger; now is the newest event. The order of A and B does not matter: changes are "
        + "shown from the earlier to the later.",
      "TIME is 2025-01-31, 2025-01-31T08:00 on the wall clock here, or words: today, yesterday, "
        + "'yesterday 08:00', -3d, -12h, '2 weeks ago', 'last monday'.",
      "Counts are of everything; entries are the newest of each kind, up to N.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let limit = try arguments.integer("limit", in: 0...Int(Int32.max)) ?? 20
    let ledger = try ReadLedger(arguments, console)
    let a = try ledger.point(arguments.required("A"), of: "A")
    let b = try ledger.point(arguments.argument("B") ?? "now", of: "B")
    let isReversed = a.number > b.number
    let (first, last) = isReversed ? (b, a) : (a, b)
    let comparison = try ledger.compare(first, last, keeping: limit)
    try console.answer(DiffJSON(comparison: comparison, limit: limit).object) {
      let zone = try ledger.zone()
      let text = DiffText(
        comparison: comparison, isReversed: isReversed, times: TimeText(zone: zone),
        quantities: QuantityText(units: comparison.units))
      try text.write(to: console)
      let today = zone.today(at: console.now())
      if arguments.argument("B") == nil,
        try NamedDay(arguments.required("A"))?.date(today: today) == today
      {
        console.note("a day alone is its end; 'ledger diff yesterday' is what today changed", .dim)
      }
    }
    return .done
  }
}

extension ReadLedger {
  /// The moment that an argument names; one before the first event is the empty ledger.
  ///
  /// - Throws: a failure with exit code 4 for the number of an unknown event.
  fileprivate func point(_ text: String, of argument: String) throws -> LedgerMoment {
    if text == "0" { return try LedgerMoment(after: nil) }
    if text.hasPrefix("@"), let number = text == "@" ? 1 : Int(text.dropFirst()), number > 0 {
      return try LedgerMoment(after: view.line(LedgerStore(directory).edit(lastBut: number - 1)))
    }
    guard text.lowercased() != "now" else { return try LedgerMoment(after: view.lastLine()) }
    switch try moment(text, of: argument, as: .end) {
    case .seq(let seq): return try LedgerMoment(after: view.line(seq))
    case .time(let time):
      return try LedgerMoment(after: lastSeq(notAfter: time).map { try view.line($0) })
    }
  }
}

/// The answer to `diff` as text: the two moments, then the changes.
private struct DiffText {
  let comparison: LedgerComparison
  /// Whether the later moment was given first.
  let isReversed: Bool
  let times: TimeText
  let quantities: QuantityText

  private var difference: LedgerDifference { comparison.difference }

  func write(to console: Console) throws(OutputFailure) {
    if isReversed {
      let (first, last) = (comparison.first.number, comparison.last.number)
      console.note(
        "event \(last) is the later one: these are the changes of 'ledger diff \(first) \(last)'",
        .dim)
    }
    guard !difference.isEmpty else { return try writeEmpty(to: console) }
    let width = console.isTerminal ? max(20, console.width) : Int.max
    for row in wrapped(headline, width: width) { try console.line(row) }
    try writeFields(to: console)
    try writeEntries(to: console)
    try writeSessions(to: console)
    try writeRest(to: console)
  }

  private func writeEmpty(to console: Console) throws(OutputFailure) {
    guard comparison.first.number < comparison.last.number else {
      return try console.line("Nothing changed: both are \(words(comparison.first)).")
    }
    try console.line(
      "Nothing changed from \(words(comparison.first)) to \(words(comparison.last)).")
    console.note("in between: \(events)", .dim)
  }

  private var headline: String {
    "From \(words(comparison.first)) to \(words(comparison.last)), "
      + "\(counted(comparison.last.number - comparison.first.number, "event")):"
  }

  private func words(_ moment: LedgerMoment) -> String {
    guard let at = moment.at else { return "the empty ledger" }
    return "event \(moment.number) (\(times.second(at)))"
  }

  private var events: String {
    difference.byType.map { "\(NumberText.count($0.count)) \($0.type)" }.joined(separator: ", ")
  }

  private func writeFields(to console: Console) throws(OutputFailure) {
    guard !difference.fields.isEmpty else { return }
    try console.line(console.paint.bold("fields"))
    var rows = DiffRows()
    for field in difference.fields {
      let words = FieldText(field.field.rawValue, quantities)
      let value =
        field.before == field.after
        ? words.value(field.after)
        : "\(field.before.map(words.value) ?? "unset") → \(field.after.map(words.value) ?? "unset")"
      rows.add(
        .init(
          lead: .init(field.field.qualifiedName), what: value,
          status: status(field.statusBefore?.rawValue, field.statusAfter?.rawValue),
          number: field.setBy.map { "#\($0)" } ?? ""))
    }
    try rows.write(to: console)
  }

  private func writeEntries(to console: Console) throws(OutputFailure) {
    guard !difference.entryCounts.isEmpty else { return }
    let counts = EntryDifference.Kind.allCases.compactMap { kind in
      difference.entryCounts[kind].map { "\(NumberText.count($0)) \(kind.words)" }
    }
    try writeTitled("entries", counts.joined(separator: ", "), to: console)
    var rows = DiffRows()
    for entry in comparison.entries {
      guard let known = entry.after ?? entry.before else { continue }
      rows.add(
        .init(
          lead: entry.kind.label,
          what: EntryDifferenceText(quantities: quantities, home: times.zone).sentence(entry),
          status: status(
            entry.before?.entry.status.rawValue, entry.after?.entry.status.rawValue),
          number: "#\(known.entry.seq)" + (entry.changedBy.map { " by #\($0)" } ?? "")))
    }
    try rows.write(to: console)
    let left = difference.entryCounts.values.reduce(0, +) - comparison.entries.count
    if left > 0 {
      console.note(
        "\(counted(left, "older entry", "older entries")) left out: see more with -n", .dim)
    }
  }

  private func writeSessions(to console: Console) throws(OutputFailure) {
    guard !difference.sessions.isEmpty else { return }
    try writeTitled("sleep", counted(difference.sessionCount, "session"), to: console)
    var rows = DiffRows()
    for session in difference.sessions {
      guard let known = session.after ?? session.before else { continue }
      var what = SleepText.period(known.start, known.end)
      if session.kind == .corrected, let before = session.before {
        what = "\(SleepText.period(before.start, before.end)) → \(what)"
        if before.stagesIn != known.stagesIn {
          what += known.stagesIn == nil ? ", without stages" : ", other stages"
        }
      }
      rows.add(
        .init(
          lead: session.kind.label, what: what,
          status: status(session.before?.status.rawValue, session.after?.status.rawValue),
          number: "#\(known.seq)"))
    }
    try rows.write(to: console)
    let left = difference.sessionCount - difference.sessions.count
    if left > 0 {
      console.note("\(counted(left, "older session")) left out: see more with -n", .dim)
    }
  }

  private func status(_ before: String?, _ after: String?) -> Table.Cell {
    guard let before, before != after else { return Table.Cell(after ?? "", .dim) }
    return Table.Cell("\(before) → \(after ?? "never made")", .yellow)
  }

  private func writeRest(to console: Console) throws(OutputFailure) {
    let goals = GoalText(quantities: quantities)
    var lines = difference.goals.map { ("goal", goals.change($0)) }
    if !difference.moves.isEmpty {
      lines.append(("edits", difference.moves.map(words).joined(separator: "; ")))
    }
    for conflict in difference.conflicts { lines.append(("conflict", words(conflict))) }
    for erasure in comparison.erasures {
      let data = erasure.data
      let text = "the content of event \(data.event) (#\(erasure.seq)): \(data.reason)"
      lines.append(("erased", text))
    }
    if difference.accountBefore != difference.accountAfter {
      let account = difference.accountAfter.map { "signed in as \($0.account) at \($0.origin)" }
      lines.append(("account", account ?? "signed out"))
    }
    for (title, text) in lines { try writeTitled(title, text, to: console) }
  }

  private func writeTitled(
    _ title: String, _ text: String, to console: Console
  ) throws(OutputFailure) {
    let shown = escapedForTerminal(text)
    let width = console.isTerminal ? max(20, console.width - title.count - 2) : Int.max
    for (index, row) in wrapped(shown, width: width).enumerated() {
      let margin = String(repeating: " ", count: title.count + 2)
      try console.line((index == 0 ? console.paint.bold(title) + ": " : margin) + row)
    }
  }

  private func words(_ move: LedgerDifference.Move) -> String {
    let count = NumberText.count(move.count)
    let after = move.after.words
    return move.before.map { "\(count) \($0.words) → \(after)" } ?? "\(count) made, now \(after)"
  }

  private func words(_ conflict: LedgerDifference.Conflict) -> String {
    let view = conflict.after
    let text = ConflictText(
      view, conflict.entry, conflict.session, comparison.units, times)
    let what = "#\(view.seq) over \(text.subject)"
    let decision =
      switch view.decision {
      case .open:
        conflict.isOpen
          ? "waits for you"
          : view.replacedBy.map { "replaced by #\($0)" } ?? "settled, since the entry is deleted"
      case .local: "your value was kept"
      case .remote: "the backend's value was taken"
      }
    guard conflict.before == nil else { return "\(what) was decided: \(decision)" }
    return "\(what) was found: here \(text.value(view.local)), there "
      + "\(text.value(view.remote)); \(decision)"
  }
}

extension EditState {
  fileprivate var words: String { self == .inDoubt ? "in doubt" : name }
}

/// A table, or two lines for each row on a narrow terminal.
private struct DiffRows {
  struct Row {
    var lead: Table.Cell
    var what: String
    var status: Table.Cell
    /// The event that made the change.
    var number: String
  }

  private var rows: [Row] = []

  mutating func add(_ row: Row) { rows.append(row) }

  func write(to console: Console) throws(OutputFailure) {
    guard console.isTerminal, console.width < 70 else { return try console.write(table) }
    for row in rows {
      let paint = console.paint
      let status = row.status.text.isEmpty ? "" : ", \(row.status.text)"
      let first = "\(row.lead.text)\(row.number.isEmpty ? "" : " \(row.number)")\(status)"
      for (index, line) in wrapped(first, width: console.width - 2, hanging: 2).enumerated() {
        try console.line("  " + (index == 0 ? paint.apply(row.lead.style, line) : line))
      }
      let what = escapedForTerminal(row.what)
      for line in wrapped("    " + what, width: console.width, hanging: 4) {
        try console.line(truncated(line, columns: console.width))
      }
    }
  }

  private var table: Table {
    var table = Table([.left(""), .left(""), .left("", shrinks: true), .left(""), .left("")])
    for row in rows {
      table.add("", row.lead, .init(row.what), row.status, .init(row.number, .dim))
    }
    return table
  }
}

/// Sentences for the differences of an entry.
private struct EntryDifferenceText {
  let quantities: QuantityText
  /// Times of other offsets are shown with them.
  let home: LocalZone

  func sentence(_ difference: LedgerComparison.Entry) -> String {
    switch (difference.before, difference.after) {
    case (let before?, let after?) where difference.kind == .corrected:
      corrected(before, after)
    case (let before?, let after?) where difference.kind == .statusChanged:
      words(after)
        + (before.entry.status == after.entry.status ? ", another row at the backend" : "")
    case (_, let after?): words(after)
    case (let before?, nil): words(before)
    case (nil, nil): ""
    }
  }

  private func words(_ shown: DetailedEntry) -> String {
    let entry = shown.entry
    return "\(entry.metric.words) \(quantities.words(entry.quantity, of: entry.metric)) on "
      + EntrySentence.moment(entry.date, entry.moment, home: home)
      + (shown.notes.map { " “\($0)”" } ?? "")
  }

  private func corrected(_ before: DetailedEntry, _ after: DetailedEntry) -> String {
    let (old, new) = (before.entry, after.entry)
    let metric = new.metric
    let isOther = old.quantity != new.quantity
    var text = "\(metric.words) "
    if isOther { text += "\(quantities.number(old.quantity, of: metric)) → " }
    text += quantities.words(new.quantity, of: metric)
    text += old.date == new.date ? " on \(new.date)" : ", \(old.date) → \(new.date)"
    if old.moment != new.moment { text += ", time \(words(old.moment)) → \(words(new.moment))" }
    if before.notes != after.notes {
      text += ", notes \(words(before.notes)) → \(words(after.notes))"
    }
    return text
  }

  private func words(_ moment: ZonedTime?) -> String {
    moment.map { "\($0.shortText)\($0.zone)" } ?? "none"
  }

  private func words(_ notes: String?) -> String { notes.map { "“\($0)”" } ?? "none" }
}

extension EntryDifference.Kind {
  /// For a list of counts.
  fileprivate var words: String {
    switch self {
    case .added: "added"
    case .cameAndWent: "added and deleted again"
    case .corrected: "corrected"
    case .deleted: "deleted"
    case .restored: "no longer deleted"
    case .unmade: "undone"
    case .statusChanged: "whose sync status alone changed"
    }
  }

  /// What precedes an entry.
  fileprivate var label: Table.Cell {
    switch self {
    case .cameAndWent: .init("added, deleted", .red)
    case .restored: .init("restored", .green)
    case .statusChanged: .init("status", .dim)
    case .added: .init(words, .green)
    case .corrected: .init(words, .yellow)
    case .deleted, .unmade: .init(words, .red)
    }
  }
}

private struct DiffJSON {
  let comparison: LedgerComparison
  let limit: Int

  var object: JSONObject {
    let difference = comparison.difference
    let byType = difference.byType.map {
      JSONObject.Member(name: $0.type, value: JSONValue($0.count))
    }
    let counts = EntryDifference.Kind.allCases.compactMap { kind in
      difference.entryCounts[kind].map {
        JSONObject.Member(name: kind.rawValue, value: JSONValue($0))
      }
    }
    var answer = JSONObject([
      "from": object(comparison.first), "to": object(comparison.last),
      "events": JSONObject(members: byType), "fields": difference.fields.map(object),
      "entry_counts": JSONObject(members: counts), "limit": limit,
      "entries": comparison.entries.map(object),
      "edits": difference.moves.map { move in
        JSONObject([
          "before": JSONValue.orNull(move.before?.name), "after": move.after.name,
          "count": move.count,
        ])
      },
      "conflicts": difference.conflicts.map(object),
      "erased": comparison.erasures.map { erasure in
        JSONObject([
          "event": erasure.data.event, "by": erasure.seq, "reason": erasure.data.reason,
        ])
      },
      "account": change(difference.accountBefore?.account, difference.accountAfter?.account),
    ])
    if !difference.sessions.isEmpty { answer["sessions"] = difference.sessions.map(object).json }
    if !difference.goals.isEmpty { answer["goals"] = difference.goals.map(\.json).json }
    return answer
  }

  private func object(_ difference: SessionDifference) -> JSONObject {
    let known = difference.after ?? difference.before
    return JSONObject([
      "entry": known?.id, "seq": known?.seq, "change": difference.kind.rawValue,
      "before": JSONValue.orNull(difference.before.map(values)),
      "after": JSONValue.orNull(difference.after.map(values)),
    ])
  }

  private func values(of session: SleepView) -> JSONObject {
    JSONObject([
      "start": session.start, "end": session.end, "status": session.status.rawValue,
      "deleted": session.isDeleted,
    ])
  }

  private func change(_ before: (any MemberValue)?, _ after: (any MemberValue)?) -> JSONObject {
    ["before": .orNull(before), "after": .orNull(after)]
  }

  private func object(_ moment: LedgerMoment) -> JSONObject {
    ["seq": JSONValue(moment.number), "at": .orNull(moment.at)]
  }

  private func object(_ field: LedgerDifference.Field) -> JSONObject {
    JSONObject([
      "field": field.field.qualifiedName, "before": JSONValue.orNull(field.before),
      "after": JSONValue.orNull(field.after),
      "status": change(field.statusBefore?.rawValue, field.statusAfter?.rawValue),
      "set_by": JSONValue.orNull(field.setBy),
    ])
  }

  private func object(_ difference: LedgerComparison.Entry) -> JSONObject {
    let known = (difference.after ?? difference.before)?.entry
    return JSONObject([
      "entry": known?.id, "seq": known?.seq, "type": known?.metric,
      "change": difference.kind.rawValue, "edits": difference.edits,
      "before": JSONValue.orNull(difference.before.map(values)),
      "after": JSONValue.orNull(difference.after.map(values)),
    ])
  }

  private func values(of shown: DetailedEntry) -> JSONObject {
    var values = shown.json
    values["entry"] = nil
    values["type"] = nil
    values["seq"] = nil
    values["deleted"] = .bool(shown.entry.isDeleted)
    return values
  }

  private func object(_ conflict: LedgerDifference.Conflict) -> JSONObject {
    JSONObject([
      "conflict": conflict.after.seq,
      "field": "\(conflict.after.subject).\(conflict.after.fieldName)",
      "local": conflict.after.local, "remote": conflict.after.remote,
      "before": JSONValue.orNull(conflict.before?.decision), "after": conflict.after.decision,
      "open": conflict.isOpen,
    ])
  }
}

extension EditState {
  /// The name in JSON answers.
  fileprivate var name: String {
    switch self {
    case .inDoubt: "in_doubt"
    case .acknowledged: "synced"
    case .differed: "conflict"
    case .none, .pending, .rejected, .held, .undone: "\(self)"
    }
  }
}
