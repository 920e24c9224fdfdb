import LedgerJSON
import LedgerModel
import LedgerStore
import Testing

@Suite struct LedgerCSVTests {
  @Test(
    "A text that a spreadsheet would run is guarded, and read back unchanged",
    arguments: [
      "=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "'=1", "''=1", "'", "''", "plain", "it's",
      " =1",
      "'quoted'", "=\u{0301}x", "", "1=1", "ü", "\0=1", "\n=1", "  +1", "\n\r\n -1", "' @x", " '=1",
      "'\0'=1", "\u{1}=1", "\u{7F}=1", " ", "\0", "\n",
    ])
  func formulasComeBack(text: String) {
    let guarded = LedgerCSV.guarded(text)
    #expect(LedgerCSV.unguarded(guarded) == text)
    let first = guarded.unicodeScalars.first { $0.value > 0x20 && $0.value != 0x7F }
    #expect(!["=", "+", "-", "@"].contains(first))
    #expect(!["\t", "\r"].contains(guarded.unicodeScalars.first))
  }

  @Test("A quote with a combining mark is escaped as a quote")
  func quotesAreOneCharacterEach() {
    var row = ByteSink(capacity: 100)
    LedgerCSV.write(
      EntryID(LedgerUUID(high: 1, low: 2)), .steps, 1, .first, nil,
      texts: ["\"\u{0301},", nil, nil], into: &row)
    #expect(row.text.hasSuffix(",\"\"\"\u{0301},\",,\r\n"))
  }
}
