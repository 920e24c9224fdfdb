import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// Erasures by hand whose records claim what other lines contradict: another entry, or an edit that was
/// taken back (docs/log-format.md, Erasing).
@Suite struct ErasureClaimTests {
  private typealias Rule = ErasureRuleTests
  typealias Line = ErasureRuleTests.Line

  static let cases = repeatedCases

  private static let asEntry = Rule.asEntry

  /// An id that is used again after an erasure.
  static let repeatedCases: [(String, [Line], [Int])] = [
    (
      "an entry erased again, whose correction in between stays",
      [
        Rule.erased("progress.logged"), Rule.record(2, asEntry), Rule.erased("progress.logged"),
        Rule.corrected, Rule.record(4, asEntry),
      ], [4]
    ),
    (
      "an entry erased again",
      [
        Rule.erased("progress.logged"), Rule.record(2, asEntry), Rule.erased("progress.logged"),
        Rule.erased("progress.corrected"), Rule.record(4, asEntry), Rule.record(5, asEntry),
      ], []
    ),
    (
      "an entry logged again after its erasure",
      [
        Rule.erased("progress.logged"), Rule.record(2, asEntry), Rule.logged, Rule.corrected,
      ], []
    ),
  ]

  @Test("Records agree with the lines that are left", arguments: cases.indices)
  func claims(_ index: Int) throws {
    let (name, lines, damaged) = Self.cases[index]
    let found = try ErasureReaders.damage(Rule.log(lines), in: TemporaryFolder())
    #expect(found == damaged, "\(name)")
  }
}
