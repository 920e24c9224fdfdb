/// The newest events; those of one import share a row.
struct EventsSection {
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
