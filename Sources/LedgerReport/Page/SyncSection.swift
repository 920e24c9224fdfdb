/// What the backend has, and what waits.
struct SyncSection {
  let history: SyncHistory

  func add(to html: inout HTML) {
    let chart = SyncChart(history)
    html.raw("<section aria-labelledby=\"sync\">\n<h2 id=\"sync\">Sync with the backend</h2>")
    guard !history.isLocal else {
      html.text(
        "Nobody has signed in to a backend: all of it is on this machine only.", in: "p",
        "class=\"quiet\"")
      html.raw("</section>")
      return
    }
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
    guard let lastSync = history.lastSync else {
      return chart.strips.isEmpty
        ? "The backend was never spoken to, and there is no edit to send."
        : "The backend was never spoken to: every edit waits for the first sync. "
          + chart.axisSentence
    }
    var words = "The last event of syncing was recorded \(lastSync). \(chart.axisSentence)"
    if chart.strips.count > 1 { words += " Each strip has a scale of its own." }
    if !chart.never.isEmpty { words += " No span ends with an edit \(list(chart.never))." }
    return words
  }

  private func list(_ names: [String]) -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " or " + last
  }
}
