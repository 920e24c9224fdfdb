import LedgerJSON
import LedgerLog
import LedgerPlatform

/// An earlier report, to be measured against: what `--json` printed then.
struct Baseline {
  struct Times {
    var median: Duration
    var lowerQuartile: Duration
    var upperQuartile: Duration

    /// How far apart the middle half of the rounds lay, as a part of the median.
    var spread: Double { (upperQuartile - lowerQuartile) / median }
  }

  let events: Int
  let isSmoke: Bool
  let cases: [String: Times]

  /// - Throws: a sentence when the file is no such report.
  init(path: String) throws {
    guard let bytes = try AtomicFile.read(path) else {
      throw Failure(description: "there is no baseline at \(path)")
    }
    guard let report = (try? JSONValue(parsing: bytes))?.object,
      let events = report["events"]?.number.flatMap({ Int(exactly: $0) }),
      let list = report["cases"]?.array
    else { throw Failure(description: "\(path) is not what LedgerBenchmarks --json prints") }
    self.events = events
    isSmoke = report["smoke"]?.bool ?? false
    var cases: [String: Times] = [:]
    for case .object(let object) in list {
      guard let name = object["name"]?.string, let median = Self.time(object["median_ns"]),
        median > .zero
      else { continue }
      cases[name] = Times(
        median: median, lowerQuartile: Self.time(object["lower_quartile_ns"]) ?? median,
        upperQuartile: Self.time(object["upper_quartile_ns"]) ?? median)
    }
    self.cases = cases
  }

  private static func time(_ value: JSONValue?) -> Duration? {
    value?.number.map { .nanoseconds(Int64($0)) }
  }
}

/// What became faster or slower since a baseline, beyond noise.
struct Comparison {
  enum Verdict: String {
    case slower, faster, same
    case new
  }

  struct Row {
    var name: String
    var before: Duration?
    var now: Duration
    /// Now to before; 1 for as fast.
    var ratio: Double
    /// What a ratio must differ from 1 by to mean anything.
    var noise: Double
    var verdict: Verdict
  }

  let rows: [Row]

  /// A tenth is noise on any machine that does something else besides; more than that is, where the
  /// rounds of either run lay further apart.
  static let leastNoise = 0.1

  /// - Throws: when the baseline measured something else.
  init(_ report: Report, to baseline: Baseline) throws {
    guard baseline.events == report.options.events, baseline.isSmoke == report.options.isSmoke
    else {
      throw Failure(
        description: "the baseline measured \(baseline.events) events; give --events "
          + "\(baseline.events) to compare with it")
    }
    rows = report.results.map { result in
      guard let before = baseline.cases[result.name] else {
        return Row(
          name: result.name, before: nil, now: result.median, ratio: 1, noise: 0, verdict: .new)
      }
      let ratio = result.median / before.median
      let spread = (result.upperQuartile - result.lowerQuartile) / result.median
      let noise = max(Self.leastNoise, spread, before.spread)
      let verdict: Verdict =
        ratio > 1 + noise ? .slower : ratio < 1 / (1 + noise) ? .faster : .same
      return Row(
        name: result.name, before: before.median, now: result.median, ratio: ratio, noise: noise,
        verdict: verdict)
    }
  }

  var isSlower: Bool { rows.contains { $0.verdict == .slower } }

  var table: String {
    let titles = ["case", "before ms", "now ms", "ratio", "noise", "verdict"]
    let cells = rows.map { row in
      [
        row.name, row.before.map(milliseconds) ?? "–", milliseconds(row.now), twoDigits(row.ratio),
        "±" + twoDigits(row.noise), row.verdict.rawValue,
      ]
    }
    return Report.align([titles] + cells, leading: [0, 5]).joined(separator: "\n")
  }

  var json: JSONValue {
    .array(
      rows.map { row in
        .object([
          "name": .string(row.name), "ratio": .number((row.ratio * 1000).rounded() / 1000),
          "noise": .number((row.noise * 1000).rounded() / 1000),
          "verdict": .string(row.verdict.rawValue),
        ])
      })
  }
}

private func twoDigits(_ value: Double) -> String {
  let hundredths = Int((value * 100).rounded())
  let rest = hundredths % 100
  return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
}
