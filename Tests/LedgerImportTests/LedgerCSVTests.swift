import LedgerModel
import Testing

@testable import LedgerImport

@Suite struct LedgerCSVTests {
  @Test(arguments: [
    "=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "'=1", "''=1", "'", "''", "plain", "it's", " =1",
    "'quoted'", "=\u{0301}x", "", "1=1", "ü",
  ])
  func formulasComeBack(text: String) {
    let guarded = LedgerCSV.guarded(text)
    #expect(LedgerCSV.unguarded(guarded) == text)
    let first = guarded.unicodeScalars.first
    #expect(!["=", "+", "-", "@", "\t", "\r"].contains(first))
  }

  @Test func quotesAreOneCharacterEach() {
    let row = LedgerCSV.row(
      EntryID(LedgerUUID(high: 1, low: 2)), .steps, 1, .first, nil, notes: "\"\u{0301},")
    #expect(row.hasSuffix(",\"\"\"\u{0301},\"\r\n"))
  }
}
