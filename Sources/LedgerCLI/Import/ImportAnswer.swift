import LedgerImport
import LedgerJSON
import LedgerModel

enum ImportRun {
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
    let outcome = try transaction.run { context in
      try ZoneRules.with(zone, home: opened.zone) { rules in
        var context = context
        context.zone = rules.offset
        context.progress = { bytes in bar.advance(by: bytes) }
        return try read(context)
      }
    }
    bar.finish()
    return try ImportAnswer(outcome: outcome, showsAll: arguments.flag("all")).give(console)
  }
}

/// Reports an import: new entries by metric, and every skipped row.
private struct ImportAnswer {
  let outcome: ImportTransaction.Outcome
  let showsAll: Bool

  private static let shownAtMost = 20

  private var found: ImportResult { outcome.found }
  private var added: Int { found.counts.reduce(0) { $0 + $1.entries } }
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

  private var json: JSONObject {
    let counts = counts
    var byMetric = JSONObject()
    for metric in Metric.allCases {
      guard let count = counts[metric] else { continue }
      byMetric[metric.name] = .object(
        JSONObject([
          "added": count.added, "known": count.known,
          "corrected": count.corrected > 0 ? count.corrected : nil,
        ]))
    }
    return JSONObject([
      "added": added, "known": found.known, "left_out": leftOut,
      "problems": found.problems.map { problem in
        JSONObject(["file": problem.file, "row": problem.row, "reason": problem.reason])
      },
      "by_metric": byMetric, "corrected": found.growths.count,
      "skipped": Self.json(found.skipped), "left_out_by_type": Self.json(found.leftOut),
      "profile": JSONObject([
        "filled": Self.json(outcome.profile.filled), "kept": Self.json(outcome.profile.kept),
      ]),
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
      let rows = repeated == 1 ? "1 row repeats" : "\(NumberText.count(repeated)) rows repeat"
      console.note("\(rows) an earlier one and counted once")
    }
    for field in outcome.profile.kept {
      console.note(
        "\(field.name) stays as it is; the file says \(field.value.serialized)")
    }
    try writeMetrics(console)
    for field in outcome.profile.filled {
      try console.line("\(field.name) is now \(console.shown(field.value.serialized))")
    }
    try console.line(summary(console.paint))
    tell(found.skipped, "not imported:", console)
    // A few are listed one by one instead.
    if leftOut > Self.shownAtMost { tell(found.leftOut, "skipped, by reason:", console) }
    tellProblems(console)
    if added > 0 { console.note("next: ledger report", .dim) }
  }

  private func writeMetrics(_ console: Console) throws {
    let counts = counts
    guard !counts.isEmpty else { return }
    let grows = !found.growths.isEmpty
    var table = Table(
      [.left("metric"), .right("added")] + (grows ? [.right("corrected")] : [])
        + [.right("known")])
    for metric in Metric.allCases {
      guard let count = counts[metric] else { continue }
      let corrected = Table.Cell(NumberText.count(count.corrected))
      table.add(
        [.init(metric.name), .init(NumberText.count(count.added))] + (grows ? [corrected] : [])
          + [.init(NumberText.count(count.known), .dim)])
    }
    try console.write(table)
  }

  private func summary(_ paint: Paint) -> String {
    var parts: [String] = []
    if added > 0 { parts.append("\(NumberText.count(added)) added") }
    if !found.growths.isEmpty {
      parts.append("\(NumberText.count(found.growths.count)) corrected")
    }
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
    let skipped = leftOut > 0 ? "; \(paint.yellow("\(rows(leftOut)) skipped"))" : ""
    return "\(paint.green("✓")) \(parts.joined(separator: ", "))\(skipped)"
  }

  private func rows(_ count: Int) -> String {
    counted(count, found.problems.allSatisfy(\.isOfTable) ? "row" : "record")
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

  private func tellProblems(_ console: Console) {
    let shown = showsAll ? found.problems[...] : found.problems.prefix(Self.shownAtMost)
    if !shown.isEmpty { console.diagnostic("skipped:", .yellow) }
    for problem in shown { console.diagnostic("  \(problem)") }
    let rest = leftOut - shown.count
    if rest > 0 {
      console.diagnostic("  and \(NumberText.count(rest)) more\(showsAll ? "" : "; see --all")")
    }
  }
}
