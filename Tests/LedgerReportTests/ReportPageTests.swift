import CSHA256
import LedgerModel
import Testing

@testable import LedgerReport

@Suite struct ReportPageTests {
  private let page = ReportPage.html(.sample())

  @Test("The same content gives the same page")
  func isTheSameForTheSameContent() {
    #expect(ReportPage.html(.sample()) == page)
    #expect(ReportPage.html(.sample(person: "Bob")) != page)
  }

  @Test("A page loads nothing, links nowhere and runs no script")
  func needsNothingFromAnywhere() {
    let markup = Markup(page)
    for name in [
      "script", "link", "img", "iframe", "object", "embed", "base", "form", "a", "image",
    ] {
      #expect(markup.count(name) == 0, "\(name)")
    }
    for word in ["http:", "https:", "//", "url(", "@import", "@font-face", "javascript:", "src="] {
      #expect(!page.contains(word), "\(word)")
    }
    #expect(markup.values("href").allSatisfy { $0.hasPrefix("#") })
    // The policy would drop them in silence.
    #expect(!page.contains(" style=\""))
    #expect(
      !markup.tags.contains { $0.attributes.contains(" on") && $0.attributes.contains("=\"") })
  }

  @Test("The content security policy allows the page's own style alone")
  func allowsItsOwnStyleAlone() throws {
    let policies = Markup(page).tags.filter {
      $0.value("http-equiv") == "Content-Security-Policy"
    }
    let policy = try #require(policies.first?.value("content"))
    #expect(policies.count == 1)
    let style = page.components(between: "<style>", and: "</style>")
    #expect(style == Stylesheet.text)
    #expect(
      policy
        == "default-src 'none'; style-src 'sha256-\(base64(sha256(style)))'; base-uri 'none'; "
        + "form-action 'none'",
      "set Stylesheet.digest to sha256-\(base64(sha256(style)))")
  }

  @Test("Tags are balanced, ids unique, and labels refer to ids")
  func tagsAreBalancedAndIDsUnique() {
    for content in [ReportContent.sample(), .sample(days: 900), .sample(days: 1), .empty] {
      let markup = Markup(ReportPage.html(content))
      var open: [String] = []
      for tag in markup.tags where !["meta", "!doctype", "input", "br"].contains(tag.name) {
        if tag.attributes.hasSuffix("/") { continue }
        if tag.isClosing { #expect(open.popLast() == tag.name) } else { open.append(tag.name) }
      }
      #expect(open.isEmpty)
      let ids = markup.tags.compactMap { $0.value(" id") }
      #expect(Set(ids).count == ids.count)
      for tag in markup.tags {
        for id in (tag.value("aria-labelledby") ?? "").split(separator: " ") {
          #expect(ids.contains(String(id)), "\(id)")
        }
      }
    }
  }

  @Test("Headings begin with one h1 and skip no level")
  func headingsComeInOrder() {
    for content in [ReportContent.sample(), .sample(days: 1), .empty] {
      let markup = Markup(ReportPage.html(content))
      let levels = markup.tags.filter {
        !$0.isClosing && ["h1", "h2", "h3", "h4"].contains($0.name)
      }
      .compactMap { Int($0.name.dropFirst()) }
      #expect(levels.first == 1)
      #expect(levels.count { $0 == 1 } == 1)
      for (level, next) in zip(levels, levels.dropFirst()) { #expect(next <= level + 1) }
      #expect(markup.tags.first { $0.name == "html" }?.value("lang") == "en")
    }
  }

  @Test("The legend names the mean line only where one is drawn")
  func aLineIsNamedWhereOneIsDrawn() {
    for (days, isDrawn) in [(1, false), (90, true)] {
      let page = ReportPage.html(.sample(days: days))
      #expect(page.contains("<path class=\"line\"") == isDrawn)
      #expect(page.contains("</svg>mean of 7 days</li>") == isDrawn)
    }
  }

  @Test("Without an account and a sync no edit is called pending")
  func whereNobodySignedInNothingWaitsToLeave() {
    var content = ReportContent.sample()
    #expect(ReportPage.html(content).contains("Edits pending"))
    content.sync.hasAccount = false
    #expect(ReportPage.html(content).contains("Edits pending"))
    content.sync.lastSync = nil
    let page = ReportPage.html(content)
    #expect(page.contains("everything is on this machine only"))
    #expect(!page.contains("Edits pending"))
  }

  @Test("Every chart has a title, a description and a table of its numbers")
  func drawingsAreToldInWords() {
    let markup = Markup(page)
    let drawings = markup.tags.indices.filter {
      markup.tags[$0].name == "svg" && markup.tags[$0].value("role") == "img"
    }
    // Four metrics, of a month and of all days, and three counts that edits were ever in.
    #expect(drawings.count == 2 * 4 + 3)
    for index in drawings {
      #expect(markup.tags[index + 1].name == "title")
      #expect(markup.tags[index + 3].name == "desc")
    }
    // Large ones have their numbers beside them, and so has the history of sync.
    #expect(markup.count("details") == 2 * 3 + 1)
    #expect(page.contains("On average 8,011 steps a day logged, from 7,280 to 8,720 steps."))
    #expect(page.contains("The axis begins at 65 kg, not at zero."))
  }

  @Test("A page of sixty years stays under 200 kB")
  func staysSmallHoweverLongTheLifeIs() {
    // Every day of sixty years, and one of the year 1.
    var long = ReportContent.sample(days: 22_000)
    let first = DayValue(date: .first, value: 70, low: 70, high: 70)
    long.series[0] = MetricSeries(.weight, days: [first] + long.series[0].days)
    let page = ReportPage.html(long)
    #expect(page.utf8.count < 200_000)
    // Of each large chart those of a month, a quarter, a year and all, and of the small one.
    #expect(Markup(page).count("input") < 3 * (30 + 90 + 53 + 190) + (30 + 14 + 53 + 64) + 10)
  }

  @Test("A page names the verified head and counts erased events")
  func saysWhatIsVerified() {
    let head = String(repeating: "0123456789abcdef", count: 4)
    #expect(page.contains("<pre>ledger verify --head \(head)</pre>"))
    #expect(page.contains("✓ Verified."))
    #expect(ReportPage.html(.sample(erased: 2)).contains("Of 2 events the content was erased"))
  }

  @Test("A ledger without entries gives the command to begin with, and no chart")
  func aLedgerWithoutEntriesIsToldSoKindly() {
    let page = ReportPage.html(.empty)
    #expect(page.contains("There are no entries"))
    #expect(page.contains("ledger append weight 75.5kg"))
    #expect(Markup(page).count("svg") == 0)
  }

  @Test("Edit statuses that never occurred are named in a sentence")
  func standingsThatNeverWereAreNamed() {
    #expect(page.contains("No span ends with an edit in doubt, held or in conflict."))
    var empty = ReportContent.empty
    empty.sync.hasAccount = true
    #expect(
      ReportPage.html(empty).contains(
        "The ledger has never synced, and there is no edit to send."))
  }
}

extension String {
  fileprivate func components(between first: String, and second: String) -> String {
    guard let start = firstRange(of: first)?.upperBound,
      let end = self[start...].firstRange(of: second)?.lowerBound
    else { return "" }
    return String(self[start..<end])
  }
}

private func sha256(_ text: String) -> [UInt8] {
  let bytes = Array(text.utf8)
  var digest = [UInt8](repeating: 0, count: 32)
  bytes.withUnsafeBytes { csha256_digest($0.baseAddress, $0.count, &digest) }
  return digest
}

private func base64(_ bytes: [UInt8]) -> String {
  let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  var text = ""
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let group = Array(bytes[start..<min(start + 3, bytes.count)])
    let padded = group + [UInt8](repeating: 0, count: 3 - group.count)
    let word = Int(padded[0]) << 16 | Int(padded[1]) << 8 | Int(padded[2])
    for place in 0..<4 {
      text.append(place <= group.count ? digits[(word >> (18 - 6 * place)) & 63] : "=")
    }
  }
  return text
}
