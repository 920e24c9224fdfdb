import Foundation
import LedgerModel
import Testing

/// What Schemathesis cannot tell from outside: that the page's ranges are neither wider nor narrower
/// than the server's, metric by metric.
@Suite struct PageTests {
  @Test func thePageHasEveryMetricWithItsRange() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = root.appending(path: "docs/api/openapi.yaml")
    let page = try String(contentsOf: file, encoding: .utf8)
    let branch = /type: \{ (?:const: (\w+)|enum: \[([\w, ]+)\]) \}\n +quantity: \{ (.+) \}/
    var ranges: [String: String] = [:]
    for match in page.matches(of: branch) {
      for name in (match.1 ?? match.2 ?? "").split(separator: ", ") {
        ranges[String(name)] = String(match.3)
      }
    }
    let wanted = Metric.allCases.map { ($0.name, range($0.range)) }
    #expect(ranges == Dictionary(uniqueKeysWithValues: wanted))
  }

  private func range(_ range: QuantityRange) -> String {
    let low = range.includesLowest ? "minimum" : "exclusiveMinimum"
    let high = range.includesHighest ? "maximum" : "exclusiveMaximum"
    return "\(low): \(Int(range.lowest)), \(high): \(Int(range.highest))"
  }
}
