import LedgerModel

/// A report as one page that needs nothing from anywhere: no script, no font, no picture, no network.
package enum ReportPage {
  /// The whole document. The same content gives the same bytes.
  package static func html(_ content: ReportContent) -> String {
    var html = HTML()
    html.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")
    // First of all that names anything: what follows is bound by it.
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
