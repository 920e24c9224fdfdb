/// The chain's head and how to verify it, event counts, and the newest events.
struct AuditSection {
  let trail: AuditTrail
  let madeAt: String

  func add(to html: inout HTML) {
    html.raw("<section aria-labelledby=\"audit\">\n<h2 id=\"audit\">Audit trail</h2>")
    html.raw("<div class=\"pair\">")
    addHead(to: &html)
    addTypes(to: &html)
    html.raw("</div>")
    if !trail.newest.isEmpty { addEvents(to: &html) }
    html.raw("</section>")
  }

  private func addHead(to html: inout HTML) {
    html.raw("<div class=\"card\">")
    html.text("Head of the chain: event \(FigureText.count(trail.events))", in: "h3")
    html.text(trail.head, in: "p", "class=\"hash full\"")
    html.raw("<p><span class=\"verdict ok\">✓ Verified.</span>")
    html.raw("The chain was checked from the first event to this one when this page was made,")
    html.raw("<span class=\"nobr\">\(HTML.escaped(madeAt))</span>.</p>")
    html.raw(
      "<p>Keep the hash somewhere else. Anyone with the ledger can later check that nothing up to "
        + "this event was changed, left out or added:</p>")
    html.text("ledger verify --head \(trail.head)", in: "pre")
    html.raw("</div>")
  }

  private func addTypes(to html: inout HTML) {
    html.raw("<div class=\"card\">\n<h3>Events by type</h3>")
    html.table(
      caption: trail.erased == 0
        ? "The content of no event was erased."
        : "Of \(FigureText.counted(trail.erased, "event")) the content was erased; their place and "
          + "their proof are left.",
      head: ["Type", "Events"],
      rows: trail.byType.map { [$0.type, FigureText.count($0.count)] })
    html.raw("</div>")
  }

  private func addEvents(to html: inout HTML) {
    let shown = trail.newest.count
    let title =
      shown == trail.events
      ? shown == 1 ? "The only event" : "All \(FigureText.count(shown)) events"
      : "The newest \(FigureText.count(shown)) of \(FigureText.count(trail.events)) events"
    html.raw("<h2 id=\"events\">\(title)</h2>")
    html.raw("<div class=\"card\">\n<table class=\"events\">")
    html.raw("<caption>Newest first; a hash is shown by its first twelve digits.</caption>")
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
      html.raw(
        "<tr><th scope=\"row\" class=\"seq\">\(seqs)\(FigureText.count(newest.seq))</th>"
          + cell("time", newest.time) + cell("actor", newest.actor) + cell("what", words)
          + cell("hash", String(newest.hash.prefix(12))) + "</tr>")
    }
    html.raw("</tbody></table>\n</div>")
  }

  /// Events in a row that one import recorded at one time; any other event alone.
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
