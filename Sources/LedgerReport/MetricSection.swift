import LedgerModel

extension String {
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

/// The charts: weight large, steps and sleep side by side, the rest small.
struct MetricSections {
  private static let large: [Metric] = [.weight, .steps, .sleepHours]

  private let content: ReportContent
  /// The days to show; `nil` for all.
  private let window: ClosedRange<CalendarDate>?
  /// Makes the ids unique, since the page has one of these for each period.
  private let suffix: String

  init(_ content: ReportContent, window: ClosedRange<CalendarDate>?, suffix: String) {
    self.content = content
    self.window = window
    self.suffix = suffix
  }

  func add(to html: inout HTML) {
    if let weight = chart(.weight, .wide) {
      addSection("weight", "Weight", to: &html) { html in
        addCard(weight, .wide, isNamed: false, to: &html)
      }
    }
    let daily = [Metric.steps, .sleepHours].compactMap { chart($0, .half) }
    if daily.count > 1 {
      addSection("daily", "Steps and sleep", to: &html) { html in
        html.raw("<div class=\"pair\">")
        for chart in daily { addCard(chart, .half, isNamed: true, to: &html) }
        html.raw("</div>")
      }
    } else if let metric = daily.first?.series.display.metric, let only = chart(metric, .wide) {
      addSection("daily", only.series.display.name.capitalizedFirst, to: &html) { html in
        addCard(only, .wide, isNamed: false, to: &html)
      }
    }
    let others = content.series.map(\.display.metric).filter { !Self.large.contains($0) }
      .compactMap { chart($0, .small) }
    if !others.isEmpty {
      addSection("more", "More of what was logged", to: &html) { html in
        html.raw("<div class=\"more\">")
        for chart in others { addCard(chart, .small, isNamed: true, to: &html) }
        html.raw("</div>")
      }
    }
  }

  private func chart(_ metric: Metric, _ size: MetricChart.Size) -> MetricChart? {
    content.series(of: metric).flatMap {
      MetricChart($0, size, window: window, goal: content.goals[metric], madeOn: content.madeOn)
    }
  }

  private func addSection(
    _ id: String, _ title: String, to html: inout HTML, _ body: (inout HTML) -> Void
  ) {
    html.raw("<section aria-labelledby=\"\(id)-\(suffix)\">")
    html.text(title, in: "h2", "id=\"\(id)-\(suffix)\"")
    body(&html)
    html.raw("</section>")
  }

  private func addCard(
    _ chart: MetricChart, _ size: MetricChart.Size, isNamed: Bool, to html: inout HTML
  ) {
    let display = chart.series.display
    let unit = display.unit.isEmpty ? "" : ", \(display.unit)"
    let name = display.name.capitalizedFirst
    // Short, since every column of a chart names it.
    let id = "c\(display.metric.index)\(suffix.prefix(1))"
    html.raw("<figure class=\"card\">")
    if isNamed { html.text(name, in: "h3") }
    html.raw("<figcaption>")
    for figure in chart.figures { html.text(figure, in: "span") }
    html.raw("</figcaption>")
    html.raw("<div class=\"chart\(chart.hasLongReadings ? " long" : "")\">")
    html.raw(chart.plot(id: id, title: "\(name)\(unit) by \(chart.period.noun)").markup)
    chart.readings(name: id, label: "\(name) by \(chart.period.noun)").add(to: &html)
    html.raw("</div>")
    addKey(chart, to: &html)
    if let unusual = chart.unusualSentence { html.text(unusual, in: "p", "class=\"note\"") }
    if size != .small {
      html.raw("<details>\n<summary>The same in numbers</summary>")
      html.raw("<div class=\"scroll\" tabindex=\"0\">")
      chart.addTable(to: &html)
      html.raw("</div>\n</details>")
    }
    html.raw("</figure>")
  }

  private func addKey(_ chart: MetricChart, to html: inout HTML) {
    html.raw("<ul class=\"key\">")
    for (kind, words) in chart.key {
      html.raw("<li>\(Self.sample(kind))\(HTML.escaped(words))</li>")
    }
    html.raw("</ul>")
  }

  private static func sample(_ kind: String) -> String {
    let shape =
      switch kind {
      case "dots": "<path class=\"dots\" d=\"M8 6h0\"/>"
      case "range": "<path class=\"range\" d=\"M8 0V12\"/>"
      case "line", "before", "goal": "<path class=\"\(kind)\" d=\"M0 6H16\"/>"
      case "goal-above": "<path class=\"goal beyond\" d=\"M2 11h12l-6 -9z\"/>"
      case "goal-below": "<path class=\"goal beyond\" d=\"M2 1h12l-6 9z\"/>"
      case "unusual": "<circle class=\"unusual\" cx=\"8\" cy=\"6\" r=\"4.5\"/>"
      default: "<path class=\"\(kind)\" d=\"M3 1h10v10H3z\"/>"
      }
    return "<svg width=\"16\" height=\"12\" aria-hidden=\"true\">\(shape)</svg>"
  }
}
