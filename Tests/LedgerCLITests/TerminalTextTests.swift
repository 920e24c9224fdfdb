import LedgerCLI
import Testing

@Suite struct TerminalTextTests {
  @Test(
    "Invisible and control characters are escaped",
    arguments: [
      ("plain text", "plain text"), ("", ""), ("Grüße, 体重", "Grüße, 体重"),
      ("a\nb\tc\rd", #"a\nb\tc\rd"#), ("\u{1B}[31m", #"\u{1B}[31m"#),
      ("\u{7F}\u{9B}", #"\u{7F}\u{9B}"#),
      ("\u{202E}abc\u{2066}", #"\u{202E}abc\u{2066}"#),
      ("a\u{200B}b\u{FEFF}", #"a\u{200B}b\u{FEFF}"#),
      ("a\u{200D}b", #"a\u{200D}b"#), ("1\u{200D}2", #"1\u{200D}2"#), ("x\u{AD}y", #"x\u{AD}y"#),
      ("a\u{2028}b", #"a\u{2028}b"#), ("\u{E0041}", #"\u{E0041}"#), ("\u{3164}", #"\u{3164}"#),
      ("a\u{FE0F}", #"a\u{FE0F}"#), ("\u{0}", #"\u{0}"#), ("\u{61C}", #"\u{61C}"#),
      ("👨‍👩‍👧", "👨‍👩‍👧"), ("❤️", "❤️"), ("🏃🏽‍♀️", "🏃🏽‍♀️"), ("🇩🇪", "🇩🇪"), ("e\u{301}", "e\u{301}"),
      ("\r\n", #"\r\n"#),
    ])
  func escapesWhatHidesOrSteers(_ text: String, _ shown: String) {
    // Compared by scalars: equal characters may be made of different ones.
    #expect(Array(escapedForTerminal(text).unicodeScalars) == Array(shown.unicodeScalars))
  }

  @Test(
    "Wide and combining characters count by their columns",
    arguments: [
      ("", 0), ("abc", 3), ("Grüße", 5), ("e\u{301}", 1), ("体重", 4), ("ｱ", 1), ("Ａ", 2), ("한국", 4),
      ("\u{1112}\u{1161}\u{11AB}", 2), ("👍", 2), ("👨‍👩‍👧", 2), ("🇩🇪", 2), ("❤️", 2), ("1️⃣", 2),
      ("…", 1), ("−", 1), ("مرحبا", 5), ("हिन्दी", 5), ("a\u{200B}b", 2), ("𠀀", 2),
    ])
  func countsColumns(_ text: String, _ columns: Int) {
    #expect(displayWidth(text) == columns)
  }

  @Test(
    "Text is cut to columns",
    arguments: [
      ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("体重计", 5, "体重…"), ("体重计", 4, "体…"), ("abc", 1, "…"),
      ("abc", 0, ""), ("", 0, ""),
    ])
  func cutsToColumns(_ text: String, _ columns: Int, _ cut: String) {
    #expect(truncated(text, columns: columns) == cut)
  }

  @Test("Text is wrapped at spaces")
  func wrapsAtSpaces() {
    #expect(wrapped("one two three", width: 7) == ["one two", "three"])
    #expect(wrapped("  one two", width: 5, hanging: 2) == ["  one", "  two"])
    #expect(wrapped("unbreakable", width: 4) == ["unbreakable"])
    #expect(wrapped("", width: 4) == [""])
    #expect(wrapped("id 01fc-82e7-92f7 x", width: 10) == ["id 01fc-", "82e7-92f7", "x"])
    #expect(wrapped("体重 体重", width: 6) == ["体重", "体重"])
  }
}
