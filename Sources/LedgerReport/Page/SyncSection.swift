/// What the backend has, and what waits.
struct SyncSection {
  let history: SyncHistory

  func add(to html: inout HTML) {
    let chart = SyncChart(history)
    html.raw("<section aria-labelledby=\"sync\">\n<h2 id=\"sync\">Sync with the backend</h2>")
    html.text(words(chart), in: "p", "class=\"quiet\"")
    guard let last = chart.strips.last else {
      html.raw("</section>")
      return
    }
    html.raw("<div class=\"card\">")
    for strip in chart.strips {
      html.raw("<div class=\"strip\">")
      html.raw(
        "<h3><span>Edits \(HTML.escaped(strip.name))</span><span class=\"now\">"
          + "\(FigureText.count(strip.now)) now</span></h3>")
      html.text(strip.meaning.capitalizedFirst + ".", in: "p", "class=\"note\"")
      html.raw(chart.plot(strip, isLast: strip.id == last.id).markup)
      html.raw("</div>")
    }
    html.raw("</div>\n</section>")
  }

  private func words(_ chart: SyncChart) -> String {
    let spoken =
      history.lastSync.map { "The last event of syncing was recorded \($0)." }
      ?? "The backend was never spoken to."
    guard !chart.strips.isEmpty else { return "\(spoken) There is no edit to send." }
    let never =
      chart.never.isEmpty
      ? "" : " At the end of none of the spans shown was an edit \(list(chart.never))."
    return "\(spoken) \(chart.axisSentence) Each strip has a scale of its own.\(never)"
  }

  private func list(_ names: [String]) -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " or " + last
  }
}
