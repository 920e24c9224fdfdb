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
    KeyFigures(content).add(to: &html)
    if content.series.allSatisfy(\.days.isEmpty) {
      addWelcome(to: &html)
    } else {
      MetricSections(content).add(to: &html)
    }
    SyncSection(history: content.sync).add(to: &html)
    AuditSection(trail: content.audit, madeAt: content.madeAt).add(to: &html)
    html.raw("</main>")
    html.raw("<footer>")
    html.text(
      "This page holds everything it shows. It loads nothing, sends nothing and runs no script.",
      in: "p")
    html.raw("</footer>\n</body>\n</html>")
    return html.markup
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

private struct KeyFigures {
  struct Tile {
    let name: String
    let value: String
    let unit: String
    let note: String
  }

  let tiles: [Tile]

  init(_ content: ReportContent) {
    var tiles: [Tile] = []
    if let weight = content.series(of: .weight) { tiles.append(Self.latest(weight)) }
    if let steps = content.series(of: .steps) { tiles.append(Self.recent(steps)) }
    if let sleep = content.series(of: .sleepHours) { tiles.append(Self.recent(sleep)) }
    let now = content.sync.counts.last ?? SyncHistory.Counts()
    tiles.append(
      Tile(
        name: "Events", value: FigureText.count(content.audit.events), unit: "",
        note: content.sync.isLocal
          ? "on this machine only"
          : "edits: \(FigureText.count(now.acknowledged)) acknowledged, "
            + "\(FigureText.count(now.waiting)) waiting"))
    self.tiles = tiles
  }

  /// The latest moving average.
  private static func latest(_ series: MetricSeries) -> Tile {
    let average = MovingAverage.points(series.days).last
    let day = series.days.last
    return Tile(
      name: series.display.name.capitalizedFirst,
      value: average.map { series.display.text($0.value) } ?? "", unit: series.display.axisTitle,
      note: "mean of the 7 days to \(day.map { DateText.day($0.date) } ?? "")")
  }

  /// The mean over the logged days of the last thirty.
  private static func recent(_ series: MetricSeries) -> Tile {
    guard let last = series.days.last?.date else {
      return Tile(name: series.display.name, value: "", unit: "", note: "")
    }
    let first = last.adding(days: -29)
    let days = series.days.filter { $0.date >= first }
    let mean = days.reduce(0) { $0 + $1.value } / Double(days.count)
    return Tile(
      name: "\(series.display.name.capitalizedFirst) a day", value: series.display.text(mean),
      unit: series.display.axisTitle,
      note: days.count == 1
        ? "on \(DateText.day(last))"
        : "mean of the last 30 days, to \(DateText.day(last)); \(days.count) were logged")
  }

  func add(to html: inout HTML) {
    html.raw("<dl class=\"tiles\">")
    for tile in tiles {
      html.raw("<div>")
      html.text(tile.name, in: "dt")
      let unit = tile.unit.isEmpty ? "" : " <small>\(HTML.escaped(tile.unit))</small>"
      html.raw("<dd class=\"value\">\(HTML.escaped(tile.value))\(unit)</dd>")
      html.text(tile.note, in: "dd", "class=\"note\"")
      html.raw("</div>")
    }
    html.raw("</dl>")
  }
}
