import LedgerModel

/// The charts of what was logged: weight large, steps and sleep beside one another, the rest small.
struct MetricSections {
  private static let large: [Metric] = [.weight, .steps, .sleepHours]

  private let weight: MetricSeries?
  private let daily: [MetricSeries]
  private let others: [MetricSeries]

  init(_ content: ReportContent) {
    weight = content.series(of: .weight)
    daily = [.steps, .sleepHours].compactMap { content.series(of: $0) }
    others = content.series.filter {
      !Self.large.contains($0.display.metric) && !$0.days.isEmpty
    }
  }

  func add(to html: inout HTML) {
    if let weight {
      html.raw("<section aria-labelledby=\"weight\">\n<h2 id=\"weight\">Weight</h2>")
      addCard(weight, .wide, isNamed: false, to: &html)
      html.raw("</section>")
    }
    if !daily.isEmpty {
      let title = daily.map { $0.display.name }.joined(separator: " and ").capitalizedFirst
      html.raw("<section aria-labelledby=\"daily\">")
      html.text(title, in: "h2", "id=\"daily\"")
      html.raw(daily.count > 1 ? "<div class=\"pair\">" : "<div>")
      for series in daily {
        addCard(series, daily.count > 1 ? .half : .wide, isNamed: daily.count > 1, to: &html)
      }
      html.raw("</div>\n</section>")
    }
    if !others.isEmpty {
      html.raw("<section aria-labelledby=\"more\">\n<h2 id=\"more\">More of what was logged</h2>")
      html.raw("<div class=\"more\">")
      for series in others { addCard(series, .small, isNamed: true, to: &html) }
      html.raw("</div>\n</section>")
    }
  }

  private func addCard(
    _ series: MetricSeries, _ size: MetricChart.Size, isNamed: Bool, to html: inout HTML
  ) {
    guard let chart = MetricChart(series, size) else { return }
    let unit = series.display.unit.isEmpty ? "" : ", \(series.display.unit)"
    let title = "\(series.display.name.capitalizedFirst)\(unit)"
    html.raw("<figure class=\"card\">")
    if isNamed { html.text(title, in: "h3") }
    html.raw("<figcaption>")
    html.text(chart.summary, in: "span")
    if let cut = chart.cutSentence { html.text(cut, in: "span") }
    html.raw("</figcaption>")
    html.raw(
      chart.plot(
        id: "chart-\(series.display.metric.name)", title: "\(title) by \(chart.period.noun)"
      )
      .markup)
    addKey(chart, to: &html)
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
      case "bar": "<rect class=\"bar\" x=\"5\" y=\"1\" width=\"6\" height=\"10\"/>"
      case "dot": "<circle class=\"dot\" cx=\"8\" cy=\"6\" r=\"3\"/>"
      case "range": "<line class=\"range\" x1=\"8\" x2=\"8\" y1=\"0\" y2=\"12\"/>"
      default: "<line class=\"line\" x1=\"0\" x2=\"16\" y1=\"6\" y2=\"6\"/>"
      }
    return "<svg width=\"16\" height=\"12\" aria-hidden=\"true\">\(shape)</svg>"
  }
}
