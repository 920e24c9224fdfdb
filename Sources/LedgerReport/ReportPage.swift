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
      addWelcome(to: &html)
    } else {
      addCharts(content, to: &html)
    }
    html.raw("</div>\n<div class=\"view audit\">")
    SyncSection(history: content.sync).add(to: &html)
    AuditSection(trail: content.audit, madeAt: content.madeAt).add(to: &html)
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
    let days = content.series.flatMap { $0.days.map(\.date) }
    guard let first = days.min(), let last = days.max() else { return }
    let span = Int(last.daysSince1970 - first.daysSince1970) + 1
    let periods = Switch.periods.choices.filter { $0.days < span }
    guard !periods.isEmpty else { return MetricSections(content).add(to: &html) }
    let shown = Switch.periods.only(periods)
    shown.add(to: &html)
    for choice in shown.choices {
      html.raw("<div class=\"view \(choice.name)\">")
      MetricSections(content.last(choice.days, to: last))
        .add(to: &html, idSuffix: "-\(choice.name)")
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
      .init(name: "year", label: "A year", days: 365), all,
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

/// The first answers: each metric's latest value, how it changed, and its goal.
private struct KeyFigures {
  struct Tile {
    let name: String
    let value: String
    let unit: String
    let notes: [String]
  }

  let tiles: [Tile]

  init(_ content: ReportContent) {
    let first: [Metric] = [.weight, .steps, .sleepHours]
    let logged = content.series.filter { !$0.days.isEmpty }
    let series =
      first.compactMap { content.series(of: $0) }
      + logged.filter { !first.contains($0.display.metric) }
    tiles = series.compactMap { Self.tile($0, goal: content.goals[$0.display.metric]) }
  }

  /// The latest value, or the mean of a week's logged days for a metric that adds up; below it the
  /// changes of the mean from one week and one month to the next.
  private static func tile(_ series: MetricSeries, goal: String?) -> Tile? {
    guard let last = series.days.last else { return nil }
    let display = series.display
    let name = display.name.capitalizedFirst
    let week = mean(series, endingAt: last.date, days: 7)
    let value = display.addsUp ? week ?? last.value : last.value
    let when = (display.addsUp ? "7 days to " : "on ") + DateText.day(last.date)
    let changes = [(7, "week"), (30, "30 days")].compactMap { days, words in
      change(series, to: last.date, days: days, words)
    }
    return Tile(
      name: display.addsUp ? "\(name) a day" : name, value: display.text(value),
      unit: display.metric == .sleepHours ? "" : display.axisTitle,
      notes: [when] + (changes.isEmpty ? [] : [changes.joined(separator: ", ")])
        + (goal.map { ["Goal: \($0)"] } ?? []))
  }

  private static func mean(
    _ series: MetricSeries, endingAt last: CalendarDate, days: Int
  ) -> Double? {
    let first = last.adding(days: 1 - days)
    let values = series.days.filter { $0.date >= first && $0.date <= last }.map(\.value)
    return values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }

  /// `−0.4 in a week`: the mean of some days against that of as many before.
  private static func change(
    _ series: MetricSeries, to last: CalendarDate, days: Int, _ words: String
  ) -> String? {
    let before = mean(series, endingAt: last.adding(days: -days), days: days)
    guard let before, let now = mean(series, endingAt: last, days: days) else { return nil }
    let text = series.display.text(abs(now - before))
    let isSame = text == series.display.text(0)
    let period = days == 7 ? "a \(words)" : words
    return isSame ? "same in \(period)" : "\(now < before ? "−" : "+")\(text) in \(period)"
  }

  func add(to html: inout HTML) {
    guard !tiles.isEmpty else { return }
    html.raw("<dl class=\"tiles\">")
    for tile in tiles {
      html.raw("<div>")
      html.text(tile.name, in: "dt")
      let unit = tile.unit.isEmpty ? "" : " <small>\(HTML.escaped(tile.unit))</small>"
      html.raw("<dd class=\"value\">\(HTML.escaped(tile.value))\(unit)</dd>")
      for note in tile.notes { html.text(note, in: "dd", "class=\"note\"") }
      html.raw("</div>")
    }
    html.raw("</dl>")
  }
}
