import Foundation
import LedgerModel
import ReferenceBackend
import Testing

/// What Schemathesis cannot check: that the API page's ranges equal the server's, metric by metric,
/// and that the faults are documented.
@Suite(.blocks) struct PageTests {
  @Test("The API page lists every metric with its range")
  func thePageHasEveryMetricWithItsRange() throws {
    let page = try read("docs/api/openapi.yaml")
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

  @Test("The command line's page has every kind of fault and every value that a lie can change")
  func faultsAreDocumented() throws {
    let page = try read("docs/cli.md")
    for kind in ScriptedFault.kinds { #expect(page.contains("\n| `\(kind)` |"), "\(kind)") }
    for lie in ScriptedFault.Lie.allCases { #expect(page.contains("`\(lie.rawValue)`"), "\(lie)") }
  }

  private func read(_ path: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private func range(_ range: QuantityRange) -> String {
    let low = range.includesLowest ? "minimum" : "exclusiveMinimum"
    let high = range.includesHighest ? "maximum" : "exclusiveMaximum"
    return "\(low): \(Int(range.lowest)), \(high): \(Int(range.highest))"
  }
}
