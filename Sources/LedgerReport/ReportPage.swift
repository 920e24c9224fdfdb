import LedgerModel

/// Renders a report as one self-contained page: no scripts, fonts, images or network.
package enum ReportPage {
  /// The whole document. The same content gives the same bytes.
  package static func html(_ content: ReportContent) -> String {
    var html = HTML()
    html.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")
    // First, since the policy applies to what follows it.
    html.raw(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        + "style-src '\(Stylesheet.digest)'; base-uri 'none'; form-action 'none'\">")
    html.raw("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">")
    html.raw("<meta name=\"referrer\" content=\"no-referrer\">")
    html.text(title(content), in: "title")
    html.raw("<style>\(Stylesheet.text)</style>\n</head>\n<body>")
    addHeader(content, to: &html)
    html.raw("<main>")
    Switch.views.add(to: &html)
    html.raw("<div class=\"view person\">")
    KeyFigures(content).add(to: &html)
    if content.series.allSatisfy(\.days.isEmpty) {
      if let span = content.loggedSpan {
        addEmptyPeriod(logged: span, to: &html)
      } else {
        addWelcome(to: &html)
      }
    } else {
      addCharts(content, to: &html)
    }
    html.raw("</div>\n<div class=\"view audit\">")
    ChainSection(trail: content.audit, madeAt: content.madeAt).add(to: &html)
    SyncSection(history: content.sync).add(to: &html)
    EventsSection(trail: content.audit).add(to: &html)
    html.raw("</div>\n</main>")
    html.raw("<footer>")
    html.text(
      "This page holds everything it shows. It loads nothing, sends nothing and runs no script.",
      in: "p")
    html.raw("</footer>\n</body>\n</html>")
    return html.markup
  }

  /// The charts of the last month, quarter and year, as far as the entries reach back, and of all days.
  private static func addCharts(_ content: ReportContent, to html: inout HTML) {
    let days = content.series.flatMap { $0.days.map(\.date) }.filter {
      $0 >= content.from ?? .first
    }
    guard let first = days.min(), let last = days.max() else { return }
    let span = (first...last).dayCount
    let shown = Switch.periods.only(Switch.periods.choices.filter { $0.days < span })
    if shown.choices.count > 1 { shown.add(to: &html) }
    html.raw(
      "<p class=\"hint quiet\">Tap a chart to read a day’s value, or use the arrow keys.</p>")
    for choice in shown.choices {
      // Only a chosen first day makes all days a period that has one before it.
      let window =
        choice.days < .max
        ? last.adding(days: 1 - choice.days)...last : content.from.map { min($0, last)...last }
      html.raw(shown.choices.count > 1 ? "<div class=\"view \(choice.name)\">" : "<div>")
      MetricSections(content, window: window, suffix: choice.name).add(to: &html)
      html.raw("</div>")
    }
  }

  private static func title(_ content: ReportContent) -> String {
    "Ledger report" + (content.person.map { ": \($0)" } ?? "")
  }

  private static func addHeader(_ content: ReportContent, to html: inout HTML) {
    html.raw("<header>")
    html.text(title(content), in: "h1", "class=\"name\"")
    var words = "Made \(content.madeAt)"
    if let device = content.device { words += " from the ledger begun on \(device)" }
    words += "."
    if let span = content.audit.span {
      words += " Its events were recorded from \(span.first) to \(span.last)."
    }
    html.text(words, in: "p", "class=\"quiet words\"")
    html.raw("</header>")
  }

  private static func addEmptyPeriod(
    logged: ClosedRange<CalendarDate>, to html: inout HTML
  ) {
    html.raw("<section>\n<h2>Nothing is logged in this period</h2>\n<div class=\"card\">")
    let span = DateText.span(logged.lowerBound, logged.upperBound)
    html.text(
      "There are entries on other days, \(span). Make the page again with another --from or --to.",
      in: "p")
    html.raw("</div>\n</section>")
  }

  private static func addWelcome(to html: inout HTML) {
    html.raw("<section>\n<h2>Nothing is logged yet</h2>\n<div class=\"card\">")
    html.raw(
      "<p>Here will be weight and its trend, steps, sleep and whatever else you log. Begin with "
        + "one, and make the page again:</p>\n<pre>ledger append weight 75.5kg\nledger report</pre>"
    )
    html.raw("</div>\n</section>")
  }
}

/// Radio buttons that show one of several parts of the page, by the style sheet alone.
struct Switch {
  struct Choice {
    /// The class of the part that it shows.
    let name: String
    let label: String
    var days = Int.max
  }

  /// The name of the radio buttons.
  let group: String
  let label: String
  let choices: [Choice]
  let checked: String

  static let views = Switch(
    group: "view", label: "View",
    choices: [.init(name: "person", label: "For you"), .init(name: "audit", label: "Audit")],
    checked: "person")
  static let periods = Switch(
    group: "period", label: "Period",
    choices: [
      .init(name: "month", label: "30 days", days: 30),
      .init(name: "quarter", label: "90 days", days: 90),
      .init(name: "year", label: "365 days", days: 365), all,
    ], checked: "quarter")
  private static let all = Choice(name: "all", label: "All")

  /// With these choices and that of everything; the quarter is shown first if it is one of them.
  func only(_ some: [Choice]) -> Switch {
    let names = some.map(\.name)
    return Switch(
      group: group, label: label, choices: some + [Self.all],
      checked: names.contains(checked) ? checked : Self.all.name)
  }

  /// The buttons precede what they show, as siblings.
  func add(to html: inout HTML) {
    for choice in choices {
      let state = choice.name == checked ? " checked" : ""
      html.raw(
        "<input type=\"radio\" class=\"choice\" name=\"\(group)\" "
          + "id=\"choose-\(choice.name)\"\(state)>")
    }
    html.raw("<div class=\"switch\" role=\"group\" aria-label=\"\(label)\">")
    for choice in choices {
      html.text(choice.label, in: "label", "for=\"choose-\(choice.name)\"")
    }
    html.raw("</div>")
  }

  /// What shows the checked choice and hides the others.
  static var style: String {
    [views, periods].flatMap(\.choices).map { choice in
      "#choose-\(choice.name):checked~.\(choice.name){display:block}\n"
        + "#choose-\(choice.name):checked~.switch [for=choose-\(choice.name)]"
        + "{background:var(--accent);color:var(--card);border-color:var(--accent)}\n"
        + "#choose-\(choice.name):focus-visible~.switch [for=choose-\(choice.name)]"
        + "{outline:2px solid var(--ink);outline-offset:2px}\n"
    }.joined()
  }
}
