import Testing

@testable import LedgerReport

@Suite struct HostileTextTests {
  private static let texts = [
    "</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>",
    "</title></style><svg onload=alert(1)>", "' onmouseover='alert(1)", "<!-- ", "]]>", "&lt;b&gt;",
    "&amp;", "abc\u{202E}fed", "\u{2066}x\u{2069}", "a\u{0000}b", "a\nb\tc\r", "\u{1B}[31m",
    "\u{200B}\u{FEFF}", "\u{2028}", "javascript:alert(1)", "`${1}`", "<",
    "\"\u{0301}\"", "<\u{0301}b>", "&\u{0338}",
  ]

  @Test(
    "Escaped text holds no markup, control or format character",
    arguments: texts)
  func nothingOfItIsMarkup(text: String) {
    let escaped = HTML.escaped(text)
    for character in ["<", ">", "\"", "'"] {
      #expect(!escaped.unicodeScalars.contains(Unicode.Scalar(character) ?? " "))
    }
    // Only what the reader sees as text is left: every reference is one of the five.
    for piece in escaped.split(separator: "&").dropFirst(escaped.hasPrefix("&") ? 0 : 1) {
      #expect(
        ["amp;", "lt;", "gt;", "quot;", "#39;"].contains { piece.utf8.starts(with: $0.utf8) })
    }
    for scalar in escaped.unicodeScalars {
      #expect(scalar.properties.generalCategory != .control)
      #expect(scalar.properties.generalCategory != .format)
    }
    #expect(unescaped(escaped).unicodeScalars.count >= text.unicodeScalars.count)
  }

  @Test(
    "Hostile text changes no tag or attribute of the page",
    arguments: texts)
  func changesNothingOfThePage(text: String) {
    var plain = ReportContent.sample(person: "x", words: ["x"])
    var hostile = ReportContent.sample(person: text, words: [text])
    plain.device = "x"
    hostile.device = text
    hostile.audit.byType[0].type = text
    hostile.audit.newest[0].actor = text
    let (before, after) = (Markup(ReportPage.html(plain)), Markup(ReportPage.html(hostile)))
    #expect(before.tags.map(\.attributes) == after.tags.map(\.attributes))
    #expect(after.text.contains(HTML.escaped(text)))
  }

  @Test("Characters that reorder text are shown as escapes")
  func showsWhatWouldTurnTextAround() {
    #expect(HTML.escaped("abc\u{202E}fed") == "abc\\u{202E}fed")
    #expect(HTML.escaped("Zoë Ünal 👩‍👩‍👧 שלום") == "Zoë Ünal 👩‍👩‍👧 שלום")
  }

  private func unescaped(_ text: String) -> String {
    text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
      .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
  }
}
