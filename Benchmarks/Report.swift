import LedgerJSON

/// Everything a run found out, to be read by a person or by a program.
struct Report {
  let options: Options
  let bytes: Int
  /// Of the last line: equal ones mean that two runs measured equal logs.
  let hash: String
  let results: [CaseResult]

  var table: String {
    let titles = ["case", "median ms", "min ms", "max ms", "events/s", "what"]
    let rows = results.map { result in
      [
        result.name, milliseconds(result.median), milliseconds(result.min),
        milliseconds(result.max),
        result.eventsPerSecond.map { grouped(Int($0.rounded())) } ?? "–", result.about,
      ]
    }
    let lines = Self.align([titles] + rows, leading: [0, 5])
    return ([heading] + lines).joined(separator: "\n")
  }

  private var heading: String {
    "\(grouped(options.events)) events, \(grouped(bytes)) bytes, seed \(options.seed), "
      + "\(options.rounds) rounds, last hash \(hash.prefix(16))…\n"
  }

  func json(_ comparison: Comparison?) -> String {
    let cases = results.map { result -> JSONValue in
      .object([
        "name": .string(result.name), "about": .string(result.about),
        "median_ns": nanoseconds(result.median), "min_ns": nanoseconds(result.min),
        "max_ns": nanoseconds(result.max),
        "lower_quartile_ns": nanoseconds(result.lowerQuartile),
        "upper_quartile_ns": nanoseconds(result.upperQuartile),
        "events_per_second": result.eventsPerSecond.map { .number($0.rounded()) } ?? .null,
      ])
    }
    var report: JSONObject = [
      "seed": .string(String(options.seed)), "events": JSONValue(options.events),
      "bytes": JSONValue(bytes), "last_hash": .string(hash), "rounds": JSONValue(options.rounds),
      "smoke": .bool(options.isSmoke), "cases": .array(cases),
    ]
    report["compared"] = comparison?.json
    return report.serialized
  }

  /// Columns two spaces apart; numbers end at the same place, so that sizes catch the eye.
  static func align(_ rows: [[String]], leading: Set<Int>) -> [String] {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = row.indices.map { column in
        let space = String(repeating: " ", count: widths[column] - row[column].count)
        guard column < row.count - 1 else { return row[column] }
        return leading.contains(column) ? row[column] + space : space + row[column]
      }
      return cells.joined(separator: "  ")
    }
  }
}

private func nanoseconds(_ time: Duration) -> JSONValue {
  .number((time / .nanoseconds(1)).rounded())
}

func milliseconds(_ time: Duration) -> String {
  let microseconds = Int((time / .microseconds(1)).rounded())
  let fraction = String(microseconds % 1000)
  return "\(grouped(microseconds / 1000))." + String(repeating: "0", count: 3 - fraction.count)
    + fraction
}

private func grouped(_ number: Int) -> String {
  var text = ""
  for (index, digit) in String(number).reversed().enumerated() {
    if index > 0, index % 3 == 0 { text.append(",") }
    text.append(digit)
  }
  return String(text.reversed())
}
