/// The chain's head, a checkpoint of it, and the event counts.
struct ChainSection {
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
        : "Of \(FigureText.counted(trail.erased, "event")) the content was erased; their place and "
          + "their proof are left.",
      head: ["Type", "Events"],
      rows: trail.byType.map { [$0.type, FigureText.count($0.count)] })
    html.raw("</div>")
  }
}
