import LedgerImport
import LedgerJSON
import LedgerLog
import LedgerModel

/// How an import is answered: what came in by metric, and every row that was left out.
struct ImportAnswer {
  let run: ImportRun
  let showsAll: Bool

  private static let shownAtMost = 20

  private var found: ImportResult { run.found }
  private var added: Int { run.appended.events.count }
  private var leftOut: Int { found.problems.count + found.unlistedProblems }

  func give(_ console: Console) throws -> ExitCode {
    for repair in run.repairs { console.tell(repair) }
    if console.json {
      try console.line(json.serialized)
    } else {
      try tell(console)
    }
    return leftOut > 0 ? .needsPerson : .done
  }

  private func count(_ metric: Metric) -> (added: Int, known: Int) {
    (found.counts.first { $0.metric == metric }?.entries ?? 0, found.knownEntries[metric] ?? 0)
  }

  private var metrics: [Metric] {
    Metric.allCases.filter { count($0) != (0, 0) }
  }

  private var json: JSONObject {
    var byMetric = JSONObject()
    for metric in metrics {
      let (added, known) = count(metric)
      byMetric[metric.name] = ["added": JSONValue(added), "known": JSONValue(known)]
    }
    let problems = found.problems.map { problem -> JSONValue in
      [
        "file": .string(problem.file), "row": JSONValue(problem.row),
        "reason": .string(problem.reason),
      ]
    }
    return [
      "added": JSONValue(added), "known": JSONValue(found.known), "left_out": JSONValue(leftOut),
      "problems": .array(problems), "by_metric": .object(byMetric),
    ]
  }

  private func tell(_ console: Console) throws {
    for note in found.notes { console.note(note) }
    let repeated = found.duplicates.count + found.unlistedDuplicates
    if repeated > 0 {
      let rows = repeated == 1 ? "1 row repeats" : "\(NumberText.count(repeated)) rows repeat"
      console.note("\(rows) an earlier one and counted once")
    }
    if !metrics.isEmpty {
      var table = Table([.left("metric"), .right("added"), .right("known")])
      for metric in metrics {
        let (added, known) = count(metric)
        table.add(
          .init(metric.name), .init(NumberText.count(added)), .init(NumberText.count(known), .dim))
      }
      try console.write(table)
    }
    try console.line(summary(console.paint))
    tellProblems(console)
  }

  private func summary(_ paint: Paint) -> String {
    var parts = ["nothing new"]
    if let first = run.appended.events.first?.seq, let last = run.appended.events.last?.seq {
      let events = first == last ? "event \(first)" : "events \(first) to \(last)"
      parts = ["\(NumberText.count(added)) added (\(events))"]
    }
    parts.append("\(NumberText.count(found.known)) known")
    if leftOut > 0 { parts.append(paint.yellow("\(NumberText.count(leftOut)) left out")) }
    return "\(paint.green("✓")) \(parts.joined(separator: ", "))"
  }

  private func tellProblems(_ console: Console) {
    let shown = showsAll ? found.problems[...] : found.problems.prefix(Self.shownAtMost)
    if !shown.isEmpty { console.diagnostic("left out:", .yellow) }
    for problem in shown { console.diagnostic("  \(problem)") }
    let rest = leftOut - shown.count
    if rest > 0 {
      console.diagnostic("  and \(NumberText.count(rest)) more\(showsAll ? "" : "; see --all")")
    }
  }
}
