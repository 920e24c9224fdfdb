import LedgerImport
import LedgerJSON
import LedgerModel

enum ImportRun {
  /// Those of every import.
  static let options: [OptionSpec] = [
    .flag("dry-run", "show what would come in, and write nothing"),
    .flag("yes", "do not ask about unusual dates and quantities"),
    .flag("all", "list everything skipped, not just the first"),
  ]

  static func zone(_ arguments: ParsedArguments) throws(UsageError) -> MomentOptions.Zone? {
    guard let text = arguments.option("zone") else { return nil }
    return try MomentOptions.zone(text)
  }

  /// - Parameters:
  ///   - zone: the zone of the files' times; `nil` for the ledger's.
  ///   - namesEntries: whether the files contain entry ids that the ledger may have.
  ///   - totalBytes: the size of the files, if known.
  static func answer(
    _ arguments: ParsedArguments, _ console: Console, into opened: OpenedLedger,
    zone: MomentOptions.Zone? = nil, namesEntries: Bool = false, totalBytes: Int? = nil,
    read: (ImportContext) throws -> ImportResult
  ) throws -> ExitCode {
    let bar = console.progress("bytes read", total: totalBytes, estimates: true)
    defer { bar.finish() }
    let transaction = ImportTransaction(
      into: opened.ledger, at: opened.now, today: opened.today, namesEntries: namesEntries)
    let isDryRun = arguments.flag("dry-run")
    var warnings: [String] = []
    // Ctrl-C while events are written takes them back first; before that it ends the process at once.
    var signals: HeldSignals?
    defer { signals?.releaseAndDeliver() }
    let outcome = try transaction.run { context in
      try ZoneRules.with(zone, home: opened.zone) { rules in
        var context = context
        context.zone = rules.offset
        context.progress = { bytes in bar.advance(by: bytes) }
        return try read(context)
      }
    } approve: { found, usual in
      bar.finish()
      let review = try ImportReview(
        found, usual: usual, today: opened.today, units: transaction.unitSystem)
      warnings = review.warnings
      for warning in warnings { console.warn(warning) }
      if let people = found.people {
        let condition = ShellText.word("\(people.column)=\(people.value)")
        console.note("rows of one of them: ledger import csv FILE --where \(condition)")
      }
      guard !isDryRun else { return false }
      if !warnings.isEmpty, !arguments.flag("yes") { try confirm(console) }
      signals = HeldSignals()
      return true
    } checkContinues: {
      if HeldSignals.hasArrived { throw Interruption() }
    }
    return try ImportAnswer(
      outcome: outcome, warnings: warnings, showsAll: arguments.flag("all"), isDryRun: isDryRun,
      units: transaction.unitSystem
    ).give(console)
  }

  private struct Interruption: Error {}

  private static func confirm(_ console: Console) throws(CommandFailure) {
    guard try console.confirm("Import it all the same?", instead: "look, then give --yes") else {
      throw CommandFailure(.usage, "not imported; nothing was changed")
    }
  }
}

/// Reports an import: new entries by metric, and every skipped row.
private struct ImportAnswer {
  let outcome: ImportTransaction.Outcome
  /// What the person was asked about, or would be.
  let warnings: [String]
  let showsAll: Bool
  let isDryRun: Bool
  /// Those of the person.
  let units: () throws -> UnitSystem

  private static let shownAtMost = 20

  private var found: ImportResult { outcome.found }
  private var added: Int { found.counts.reduce(found.sessions.count) { $0 + $1.entries } }
  private var corrected: Int { found.growths.count + found.grownSessions.count }
  private var leftOut: Int { found.problems.count + found.unlistedProblems }

  func give(_ console: Console) throws -> ExitCode {
    for repair in outcome.repairs { console.tell(repair) }
    try console.answer(json) { try tell(console) }
    return leftOut > 0 ? .needsUser : .done
  }

  private struct Count: Equatable {
    var added = 0
    var corrected = 0
    var known = 0
  }

  private var counts: [Metric: Count] {
    var counts: [Metric: Count] = [:]
    for (metric, entries) in found.counts { counts[metric, default: Count()].added = entries }
    for grown in found.growths { counts[grown.metric, default: Count()].corrected += 1 }
    for (metric, known) in found.knownEntries { counts[metric, default: Count()].known = known }
    return counts.filter { $0.value != Count() }
  }

  private var sessions: Count {
    Count(
      added: found.sessions.count, corrected: found.grownSessions.count, known: found.knownSessions)
  }

  private var json: JSONObject {
    let counts = counts
    var byMetric = JSONObject()
    for metric in Metric.allCases {
      guard let count = counts[metric] else { continue }
      byMetric[metric.name] = .object(Self.json(count))
    }
    return JSONObject([
      "added": added, "known": found.known, "left_out": leftOut,
      "problems": found.problems.map { problem in
        JSONObject(["file": problem.file, "row": problem.row, "reason": problem.reasonWithAdvice])
      },
      "by_metric": byMetric, "corrected": corrected,
      "sleep_sessions": sessions == Count() ? nil : Self.json(sessions),
      "skipped": Self.json(found.skipped), "left_out_by_type": Self.json(found.leftOut),
      "profile": JSONObject([
        "filled": Self.json(outcome.profile.filled), "kept": Self.json(outcome.profile.kept),
      ]),
      "warnings": warnings.isEmpty ? nil : warnings, "dry_run": isDryRun ? true : nil,
    ])
  }

  private static func json(_ count: Count) -> JSONObject {
    JSONObject([
      "added": count.added, "known": count.known,
      "corrected": count.corrected > 0 ? count.corrected : nil,
    ])
  }

  private static func json(_ tally: SkipTally) -> [JSONObject] {
    tally.lines.map { JSONObject(["type": $0.type, "reason": $0.reason, "count": $0.count]) }
  }

  private static func json(_ fields: [ProfileImport.Field]) -> JSONObject {
    JSONObject(members: fields.map { .init(name: $0.name, value: $0.value) })
  }

  private func tell(_ console: Console) throws {
    for note in found.notes { console.note(note) }
    let repeated = found.duplicates.count + found.unlistedDuplicates
    if repeated > 0 {
      console.note(
        repeated == 1
          ? "1 value repeats an earlier one and is counted once"
          : "\(NumberText.count(repeated)) values repeat earlier ones and are counted once")
    }
    for field in outcome.profile.kept {
      let text = FieldText(field.name, QuantityText(units: .metric))
      console.note(
        "\(text.name) stays as it is; the file says \(console.shown(text.value(field.value)))")
    }
    if isDryRun { try writeSample(console) } else { try writeMetrics(console) }
    try writeCorrections(console)
    for field in outcome.profile.filled {
      let text = FieldText(field.name, QuantityText(units: .metric))
      try console.line(
        "\(isDryRun ? "would set" : "set") \(text.name): \(console.shown(text.value(field.value)))")
    }
    try console.line(summary(console.paint))
    tell(found.skipped, "not imported:", console)
    let groups = ProblemGroup.groups(of: showsAll ? [] : found.problems)
    // Otherwise the groups say the same.
    if showsAll && leftOut > Self.shownAtMost || groups.count > Self.shownAtMost {
      tell(found.leftOut, "problems, by reason:", console)
    }
    tell(groups, console)
    if added > 0, !isDryRun { console.note("next: ledger report", .dim) }
    if let appended = outcome.appended {
      let (first, last) = (appended.lowerBound, appended.upperBound)
      let events = first == last ? "\(first)" : "\(first)..\(last)"
      console.note("take it back: ledger undo \(events)", .dim)
    }
  }

  private func writeMetrics(_ console: Console) throws {
    let counts = counts
    guard !counts.isEmpty || sessions != Count() else { return }
    let grows = corrected > 0
    var table = Table(
      [.left("metric"), .right("added")] + (grows ? [.right("corrected")] : [])
        + [.right("known")])
    func add(_ name: String, _ count: Count) {
      let corrected = Table.Cell(NumberText.count(count.corrected))
      table.add(
        [.init(name), .init(NumberText.count(count.added))] + (grows ? [corrected] : [])
          + [.init(NumberText.count(count.known), .dim)])
    }
    for metric in Metric.allCases {
      if let count = counts[metric] { add(metric.words, count) }
    }
    if sessions != Count() { add("sleep sessions", sessions) }
    try console.write(table)
  }

  /// What was there before the first corrections, and is there now.
  private func writeCorrections(_ console: Console) throws {
    guard corrected > 0 else { return }
    let system = try units()
    let quantities = QuantityText(units: system)
    let sums = found.growths.lazy.map { grown in
      let zone = grown.moment.map { " \($0.time)" } ?? ""
      return "\(grown.metric.words) of \(grown.date)\(zone): "
        + "\(quantities.words(grown.known, of: grown.metric)) → "
        + quantities.words(grown.quantity, of: grown.metric)
    }
    let sessions = found.grownSessions.lazy.map { grown in
      let hours = grown.asleepSeconds
      return "sleep of \(grown.date): \(SleepText.duration(hours.before)) → "
        + SleepText.duration(hours.after)
    }
    let most = showsAll ? corrected : Self.shownAtMost / 4
    for line in (Array(sums.prefix(most)) + Array(sessions.prefix(most))).prefix(most) {
      try console.line("\(isDryRun ? "would correct" : "corrected") \(line)")
    }
    if corrected > most {
      try console.line("and \(NumberText.count(corrected - most)) more; see --all")
    }
  }

  /// What would come in: how many entries of each metric, of which days, and how large.
  private func writeSample(_ console: Console) throws {
    guard !found.entries.isEmpty || !found.sessions.isEmpty else { return }
    var table = Table([
      .left("metric"), .right("entries"), .left("first"), .left("last"), .right("least"),
      .right("most"), .left("unit"),
    ])
    let system = try units()
    let quantities = QuantityText(units: system)
    for summary in try found.entries.summaries() {
      let (least, most) = (summary.quantities.lowerBound, summary.quantities.upperBound)
      table.add([
        .init(summary.metric.words), .init(NumberText.count(summary.count)),
        .init("\(summary.days.lowerBound)"), .init("\(summary.days.upperBound)"),
        .init(quantities.number(least, of: summary.metric)),
        .init(quantities.number(most, of: summary.metric)),
        .init(quantities.unit(of: summary.metric), .dim),
      ])
    }
    if !found.sessions.isEmpty {
      let days = found.sessions.map(\.end.date).sorted()
      let hours = found.sessions.map { Double($0.asleepSeconds) / 3600 }.sorted()
      func text(_ hours: Double) -> String { JSONNumber.text((hours * 100).rounded() / 100) }
      table.add([
        .init("sleep sessions"), .init(NumberText.count(found.sessions.count)),
        .init("\(days[0])"), .init("\(days[days.count - 1])"), .init(text(hours[0])),
        .init(text(hours[hours.count - 1])), .init("h", .dim),
      ])
    }
    try console.write(table)
  }

  private func summary(_ paint: Paint) -> String {
    var parts: [String] = []
    if added > 0 {
      parts.append("\(NumberText.count(added)) \(isDryRun ? "would be added" : "added")")
    }
    if corrected > 0 { parts.append("\(NumberText.count(corrected)) corrected") }
    if !outcome.profile.filled.isEmpty {
      let count = outcome.profile.filled.count
      parts.append("\(count) \(count == 1 ? "field" : "fields") of the person filled")
    }
    if let appended = outcome.appended {
      let (first, last) = (appended.lowerBound, appended.upperBound)
      let events = first == last ? "event \(first)" : "events \(first) to \(last)"
      parts[parts.count - 1] += " (\(events))"
    }
    if parts.isEmpty { parts = ["nothing imported"] }
    if found.known > 0 { parts.append("\(NumberText.count(found.known)) known") }
    let problems = leftOut > 0 ? "; \(paint.yellow(counted(leftOut, "problem")))" : ""
    return "\(paint.green("✓")) \(parts.joined(separator: ", "))\(problems)"
  }

  private func tell(_ tally: SkipTally, _ heading: String, _ console: Console) {
    let lines = tally.lines
    guard !lines.isEmpty else { return }
    let shown = showsAll ? lines[...] : lines.prefix(Self.shownAtMost / 2)
    console.note(heading)
    for line in shown {
      console.note("  \(NumberText.count(line.count)) \(line.type): \(line.reason)")
    }
    if lines.count > shown.count {
      console.note("  and \(NumberText.count(lines.count - shown.count)) more; see --all")
    }
  }

  private func tell(_ groups: [ProblemGroup], _ console: Console) {
    guard !showsAll else {
      if !found.problems.isEmpty { console.diagnostic("problems:", .yellow) }
      for problem in found.problems { console.item(problem.sentence) }
      tellRest(leftOut - found.problems.count, console)
      return
    }
    if !groups.isEmpty { console.diagnostic("problems:", .yellow) }
    for group in groups.prefix(Self.shownAtMost) { console.item(group.sentence) }
    let shown = groups.prefix(Self.shownAtMost).reduce(0) { $0 + $1.count }
    tellRest(leftOut - shown, console)
  }

  private func tellRest(_ rest: Int, _ console: Console) {
    guard rest > 0 else { return }
    console.diagnostic("  and \(NumberText.count(rest)) more\(showsAll ? "" : "; see --all")")
  }
}

/// The problems of a file with one reason.
private struct ProblemGroup {
  private var first: RowProblem
  private var rows: [Int] = []
  private(set) var count = 0

  private struct Key: Hashable {
    var file: String
    var kind: String
  }

  /// In the order of their first problem.
  static func groups(of problems: [RowProblem]) -> [ProblemGroup] {
    var places: [Key: Int] = [:]
    var groups: [ProblemGroup] = []
    for problem in problems {
      let key = Key(
        file: problem.file, kind: problem.kind.isEmpty ? problem.description : problem.kind)
      let place = places[key] ?? groups.count
      if place == groups.count {
        places[key] = place
        groups.append(ProblemGroup(first: problem))
      }
      groups[place].add(problem)
    }
    return groups
  }

  private init(first: RowProblem) { self.first = first }

  private mutating func add(_ problem: RowProblem) {
    count += 1
    if rows.count < 3 { rows.append(problem.row) }
  }

  /// One problem as it is; several with their number and the first three rows.
  var sentence: String {
    guard count > 1 else { return first.sentence }
    let places = rows.map { "\($0)" }.joined(separator: ", ") + (count > rows.count ? ", …" : "")
    let rows = first.isOfTable ? "rows" : "lines"
    return
      "\(first.file), \(NumberText.count(count)) \(rows) (\(places)), the first: "
      + first.reasonWithAdvice
  }
}
