import LedgerModel

/// Edits by sync status over time: a labelled strip with its own scale for each status that
/// occurred, readable without colours.
private struct SyncChart {
  struct Strip {
    let name: String
    let meaning: String
    let id: String
    let values: [Int]

    var most: Int { values.max() ?? 0 }
    var now: Int { values.last ?? 0 }
  }

  private static let stripPixels = 40.0
  let history: SyncHistory
  let strips: [Strip]
  /// Statuses that no strip shows because no edit had them.
  let never: [String]

  init(_ history: SyncHistory) {
    self.history = history
    func strip(
      _ name: String, _ id: String, _ meaning: String, _ value: (SyncHistory.Counts) -> Int
    ) -> Strip {
      Strip(name: name, meaning: meaning, id: id, values: history.counts.map(value))
    }
    let all = [
      strip("acknowledged", "acknowledged", "the backend has said that it has them") {
        $0.acknowledged
      },
      strip("pending", "pending", "they leave with the next sync") { $0.pending },
      strip("in doubt", "doubt", "sent, and no answer is on record; the next sync finds out") {
        $0.inDoubt
      },
      strip("held", "held", "they wait for another edit, or stay here") { $0.held },
      strip("rejected", "rejected", "the backend refused them; a correction sends them again") {
        $0.rejected
      },
      strip("in conflict", "conflict", "changed on both sides; a person decides") { $0.conflicts },
    ]
    strips = all.filter { $0.most > 0 }
    never = all.filter { $0.most == 0 }.map(\.name)
  }

  /// Draws a strip with a scale from zero to its own maximum.
  func plot(_ strip: Strip, isLast: Bool) -> Plot {
    var plot = Plot(
      id: "sync-\(strip.id)", title: "Edits \(strip.name)", description: description(strip),
      columns: history.counts.count, heightPixels: Self.stripPixels)
    // A strip has space for one tick.
    let scale = NiceScale.fromZero(to: Double(max(strip.most, 1)), ticks: 1)
    plot.addAxis(scale, title: "")
    let bars = strip.values.enumerated().filter { $0.element > 0 }.map { index, value in
      // At least a pixel.
      let share = max(scale.share(Double(value)), 1 / Self.stripPixels)
      return Plot.Extent(column: index, top: plot.pixels(up: share), bottom: Self.stripPixels)
    }
    plot.addBars(bars, "bar \(strip.id)")
    if isLast { addTicks(to: &plot) }
    return plot
  }

  private func description(_ strip: Strip) -> String {
    "\(FigureText.counted(strip.now, "edit")) \(strip.name) now, at most "
      + "\(FigureText.count(strip.most)) at the end of any span shown."
  }

  private func addTicks(to plot: inout Plot) {
    switch history.axis {
    case .days(let days):
      let first = Int(days.lowerBound.daysSince1970)
      let span = Double(Int(days.upperBound.daysSince1970) - first + 1)
      let room = Plot.leastWidthPixels * 2
      let ticks = DateTicks.ticks(from: days.lowerBound, to: days.upperBound, roomPixels: room)
      let columns = Double(history.counts.count)
      plot.addTicks(ticks) { Double(Int($0.date.daysSince1970) - first) / span * columns }
    case .events(let events):
      let scale = NiceScale.fromZero(to: Double(events.upperBound), ticks: 3)
      for tick in scale.ticks where tick >= 1 && Int(tick) <= events.upperBound {
        guard tick == tick.rounded() else { continue }
        let share = tick / Double(events.upperBound)
        plot.addTick(
          at: share * Double(history.counts.count), "#\(FigureText.count(Int(tick)))")
      }
    }
  }

  /// The span that a bar covers.
  private func place(_ index: Int) -> String {
    let share = Double(index + 1) / Double(max(history.counts.count, 1))
    switch history.axis {
    case .days(let days):
      let first = Int(days.lowerBound.daysSince1970)
      let span = Double(Int(days.upperBound.daysSince1970) - first + 1)
      let date = days.lowerBound.adding(days: Int(span * share - 0.5))
      return "up to \(DateText.day(date))"
    case .events(let events):
      return "up to event \(FigureText.count(Int(Double(events.upperBound) * share)))"
    }
  }

  /// The same as a table, a row for each span.
  func addTable(to html: inout HTML) {
    html.table(
      caption: "Edits at the end of each span", head: ["Span"] + strips.map(\.name),
      rows: history.counts.indices.map { index in
        [place(index)] + strips.map { FigureText.count($0.values[index]) }
      })
  }

  var axisSentence: String {
    switch history.axis {
    case .days(let days):
      "Over time, \(DateText.span(days.lowerBound, days.upperBound))."
    case .events(let events):
      "Over the log's \(FigureText.counted(events.upperBound, "event")), since all of them were "
        + "recorded within two days."
    }
  }
}

/// How many edits the backend has, and how many wait.
struct SyncSection {
  let history: SyncHistory

  func add(to html: inout HTML) {
    let chart = SyncChart(history)
    html.raw("<section aria-labelledby=\"sync\">\n<h2 id=\"sync\">Sync with the backend</h2>")
    guard !history.isLocal else {
      html.text(
        "Not signed in to a backend: everything is on this machine only.", in: "p",
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
      html.raw("<div class=\"chart\">")
      html.raw(chart.plot(strip, isLast: strip.id == last.id).markup)
      html.raw("</div>")
      html.raw("</div>")
    }
    html.raw("<details>\n<summary>The same in numbers</summary>")
    html.raw("<div class=\"scroll\" tabindex=\"0\">")
    chart.addTable(to: &html)
    html.raw("</div>\n</details>\n</div>")
    addDays(to: &html)
    html.raw("</section>")
  }

  /// What sync recorded on each of the newest days, with a bar for the answers.
  private func addDays(to html: inout HTML) {
    guard !history.days.isEmpty else { return }
    let most = history.days.map(\.marked).max() ?? 0
    html.raw("<h3 id=\"sync-days\">Day by day</h3>\n<div class=\"card list\">")
    html.raw("<table class=\"days\" aria-labelledby=\"sync-days\">")
    html.raw(
      "<caption>\(history.days.count < SyncDay.mostDays ? "Days" : "The newest \(SyncDay.mostDays) days")"
        + " on which sync recorded anything, newest first.</caption>")
    html.raw("<thead><tr><th scope=\"col\">Day</th><th scope=\"col\">What was recorded</th></tr>")
    html.raw("</thead><tbody>")
    for day in history.days {
      html.raw(
        "<tr><th scope=\"row\">\(DateText.day(day.date))</th><td>\(bar(day, most: most))"
          + "\(HTML.escaped(day.words))</td></tr>")
    }
    html.raw("</tbody></table>\n</div>")
  }

  /// The outcomes of a day side by side; the busiest day has the full width.
  private func bar(_ day: SyncDay, most: Int) -> String {
    var start = 0.0
    let parts = day.outcomes.compactMap { outcome -> String? in
      guard let mark = outcome.mark else { return nil }
      let width = Double(day.count(outcome)) / Double(max(most, 1)) * 100
      defer { start += width }
      return "<rect class=\"bar \(mark)\" x=\"\(Plot.number(start))%\" "
        + "width=\"\(Plot.number(width))%\" height=\"8\"/>"
    }
    guard !parts.isEmpty else { return "" }
    return "<svg class=\"share\" height=\"8\" aria-hidden=\"true\">\(parts.joined())</svg>"
  }

  private func words(_ chart: SyncChart) -> String {
    guard let lastSync = history.lastSync else {
      return chart.strips.isEmpty
        ? "The ledger has never synced, and there is no edit to send."
        : "The ledger has never synced: every edit waits for the first sync. "
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
