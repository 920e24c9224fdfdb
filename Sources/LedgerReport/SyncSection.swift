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
      strip("held", "held", "they wait for another edit") { $0.held },
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
      heightPixels: Self.stripPixels)
    // A strip has space for one tick.
    let scale = NiceScale.fromZero(to: Double(max(strip.most, 1)), ticks: 1)
    plot.addAxis(scale, title: "")
    let count = Double(max(strip.values.count, 1))
    for (index, value) in strip.values.enumerated() where value > 0 {
      let left = Double(index) / count
      let right = Double(index + 1) / count
      plot.addBar(
        from: left + 0.06 / count, to: right - 0.06 / count,
        top: plot.pixels(up: max(scale.share(Double(value)), 1 / Self.stripPixels)),
        "bar \(strip.id)",
        tip: "\(place(index)): \(FigureText.count(value)) \(strip.name)")
    }
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
      plot.addTicks(ticks) { Double(Int($0.date.daysSince1970) - first) / span }
    case .events(let events):
      let scale = NiceScale.fromZero(to: Double(events.upperBound), ticks: 3)
      for tick in scale.ticks where tick >= 1 && Int(tick) <= events.upperBound {
        guard tick == tick.rounded() else { continue }
        plot.addTick(at: tick / Double(events.upperBound), "#\(FigureText.count(Int(tick)))")
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
      html.raw(chart.plot(strip, isLast: strip.id == last.id).markup)
      html.raw("</div>")
    }
    html.raw("</div>\n</section>")
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
