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
        addEmptyPeriod(content, logged: span, to: &html)
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
    if let period = period(content) { html.text(period, in: "p", "class=\"quiet words\"") }
    if let later = later(content) { html.text(later, in: "p", "class=\"quiet words\"") }
    html.raw("</header>")
  }

  private static func later(_ content: ReportContent) -> String? {
    guard content.laterEntries > 0 else { return nil }
    let (entries, verb) =
      content.laterEntries == 1
      ? ("1 entry", "is") : ("\(FigureText.count(content.laterEntries)) entries", "are")
    let today = DateText.day(content.today)
    return
      "The page ends on \(today): \(entries) \(verb) dated later and \(verb) not shown without --to."
  }

  /// The days that were chosen; `nil` for all.
  private static func period(_ content: ReportContent) -> String? {
    if let from = content.from, from <= content.today {
      return "The charts are of \(DateText.span(from, content.today))."
    }
    return content.today == content.madeOn
      ? nil : "The charts are of the days to \(DateText.day(content.today))."
  }

  private static func addEmptyPeriod(
    _ content: ReportContent, logged: ClosedRange<CalendarDate>, to html: inout HTML
  ) {
    html.raw("<section>\n<h2>Nothing is logged in this period</h2>\n<div class=\"card\">")
    let span = DateText.span(logged.lowerBound, logged.upperBound)
    let option =
      content.from == nil && logged.lowerBound > content.today ? "--to" : "another --from or --to"
    html.text(
      "There are entries on other days, \(span). Make the page again with \(option).", in: "p")
    html.raw("</div>\n</section>")
  }

  private static func addWelcome(to html: inout HTML) {
    html.raw("<section>\n<h2>There are no entries</h2>\n<div class=\"card\">")
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

/// The chain's head, a checkpoint of it, and the event counts.
private struct ChainSection {
  let trail: AuditTrail
  let madeAt: String

  func add(to html: inout HTML) {
    html.raw("<section aria-labelledby=\"chain\">\n<h2 id=\"chain\">Chain of events</h2>")
    html.raw("<div class=\"pair top\">\n<div class=\"stack\">")
    addHead(to: &html)
    addCheckpoint(to: &html)
    html.raw("</div>")
    addTypes(to: &html)
    html.raw("</div>\n</section>")
  }

  private func addHead(to html: inout HTML) {
    html.raw("<div class=\"card\">")
    html.text("Head: event \(FigureText.count(trail.events))", in: "h3")
    html.text(trail.head, in: "p", "class=\"hash full\"")
    html.raw("<p><span class=\"verdict ok\">✓ Verified.</span>")
    html.raw("The chain was checked from the first event to this one when this page was made,")
    html.raw("<span class=\"nobr\">\(HTML.escaped(madeAt))</span>.</p>")
    if let before = trail.checkedBefore {
      html.text(
        "The check before that was on \(before.time), up to event \(FigureText.count(before.seq)).",
        in: "p", "class=\"quiet\"")
    }
    html.raw("</div>")
  }

  private func addCheckpoint(to html: inout HTML) {
    html.raw("<div class=\"card\">\n<h3>Checkpoint</h3>")
    html.raw(
      "<p>Keep this hash elsewhere, or the lines below as a file. Anyone with the ledger can then "
        + "check later that nothing up to this event was changed, left out or added:</p>")
    html.text("ledger verify --head \(trail.head)", in: "pre")
    if let checkpoint = trail.checkpoint {
      let lines = checkpoint.split(separator: "\n").map { HTML.escaped(String($0)) }
      html.raw("<pre>\(lines.joined(separator: "\n"))</pre>")
      html.raw("<pre>ledger verify --checkpoint ledger.checkpoint</pre>")
      html.raw("<p>The ledger writes such a file itself, and signs it with an SSH key:</p>")
      html.raw("<pre>ledger checkpoint -o ledger.checkpoint --key ~/.ssh/id_ed25519</pre>")
    }
    html.raw("</div>")
  }

  private func addTypes(to html: inout HTML) {
    html.raw("<div class=\"card\">\n<h3>Events by type</h3>")
    html.table(
      caption: trail.erased == 0
        ? "The content of no event was erased."
        : "Of \(FigureText.counted(trail.erased, "event")) the content was erased; place and "
          + "proof are left.",
      head: ["Type", "Events"],
      rows: trail.byType.map { [$0.type, FigureText.count($0.count)] })
    html.raw("</div>")
  }
}

/// The newest events; those of one import share a row.
private struct EventsSection {
  let trail: AuditTrail

  func add(to html: inout HTML) {
    let shown = trail.newest.count
    guard shown > 0 else { return }
    let title =
      shown == trail.events
      ? shown == 1 ? "The only event" : "All \(FigureText.count(shown)) events"
      : "The newest \(FigureText.count(shown)) of \(FigureText.count(trail.events)) events"
    html.raw("<section aria-labelledby=\"events\">\n<h2 id=\"events\">\(title)</h2>")
    html.raw("<div class=\"card list\">\n<table class=\"events\">")
    let groups = groups
    html.raw(
      "<caption>Newest first; a hash is shown by its first twelve digits."
        + (groups.count < shown
          ? " Events that imports recorded in the same second share a row, with the hashes of the "
            + "first and the last." : "") + "</caption>")
    html.raw("<thead><tr>")
    for (kind, name) in [
      ("seq", "Event"), ("time", "Recorded"), ("actor", "By"), ("what", "What"), ("hash", "Hash"),
    ] {
      html.raw("<th scope=\"col\" class=\"\(kind)\">\(name)</th>")
    }
    html.raw("</tr></thead><tbody>")
    for group in groups {
      guard let newest = group.first, let oldest = group.last else { continue }
      let seqs = group.count == 1 ? "" : "\(FigureText.count(oldest.seq))–"
      let words =
        group.count == 1
        ? newest.words
        : "\(FigureText.count(group.count)) events, from \(oldest.words) to \(newest.words)"
      let hashes = (group.count == 1 ? [newest] : [oldest, newest]).map { $0.hash.prefix(12) }
      html.raw(
        "<tr><th scope=\"row\" class=\"seq\">\(seqs)\(FigureText.count(newest.seq))</th>"
          + cell("time", newest.time) + cell("actor", newest.actor) + cell("what", words)
          + "<td class=\"hash\">\(hashes.joined(separator: " –<br>"))</td>"
          + "</tr>")
    }
    html.raw("</tbody></table>\n</div>\n</section>")
  }

  /// Events in a row that imports recorded at one time; any other event alone.
  private var groups: [ArraySlice<AuditTrail.Event>] {
    var groups: [ArraySlice<AuditTrail.Event>] = []
    var rest = trail.newest[...]
    while let first = rest.first {
      let run = rest.prefix { $0.actor == "import" && $0.time == first.time }
      let group = rest.prefix(run.count < 3 ? 1 : run.count)
      groups.append(group)
      rest = rest.dropFirst(group.count)
    }
    return groups
  }

  private func cell(_ kind: String, _ text: String) -> String {
    "<td class=\"\(kind)\">\(HTML.escaped(text))</td>"
  }
}
