import LedgerModel

/// The few numbers at the top.
struct KeyFigures {
  struct Tile {
    let name: String
    let value: String
    let unit: String
    let note: String
  }

  let tiles: [Tile]

  init(_ content: ReportContent) {
    var tiles: [Tile] = []
    if let weight = content.series(of: .weight) { tiles.append(Self.latest(weight)) }
    if let steps = content.series(of: .steps) { tiles.append(Self.recent(steps)) }
    if let sleep = content.series(of: .sleepHours) { tiles.append(Self.recent(sleep)) }
    let now = content.sync.standings.last ?? SyncHistory.Standing()
    tiles.append(
      Tile(
        name: "Events", value: FigureText.count(content.audit.events), unit: "",
        note: content.sync.isLocal
          ? "on this machine only"
          : "edits: \(FigureText.count(now.acknowledged)) acknowledged, "
            + "\(FigureText.count(now.waiting)) waiting"))
    self.tiles = tiles
  }

  /// The moving average of what does not add up, as it is at the end.
  private static func latest(_ series: MetricSeries) -> Tile {
    let average = MovingAverage.points(series.days).last
    let day = series.days.last
    return Tile(
      name: series.display.name.capitalizedFirst,
      value: average.map { series.display.text($0.value) } ?? "", unit: series.display.axisTitle,
      note: "mean of the 7 days to \(day.map { DateText.day($0.date) } ?? "")")
  }

  /// The mean of the days logged in the last thirty.
  private static func recent(_ series: MetricSeries) -> Tile {
    guard let last = series.days.last?.date else {
      return Tile(name: series.display.name, value: "", unit: "", note: "")
    }
    let first = last.adding(days: -29)
    let days = series.days.filter { $0.date >= first }
    let mean = days.reduce(0) { $0 + $1.value } / Double(days.count)
    return Tile(
      name: "\(series.display.name.capitalizedFirst) a day", value: series.display.text(mean),
      unit: series.display.axisTitle,
      note: days.count == 1
        ? "on \(DateText.day(last))"
        : "mean of the last 30 days, to \(DateText.day(last)); \(days.count) were logged")
  }

  func add(to html: inout HTML) {
    html.raw("<dl class=\"tiles\">")
    for tile in tiles {
      html.raw("<div>")
      html.text(tile.name, in: "dt")
      let unit = tile.unit.isEmpty ? "" : " <small>\(HTML.escaped(tile.unit))</small>"
      html.raw("<dd class=\"value\">\(HTML.escaped(tile.value))\(unit)</dd>")
      html.text(tile.note, in: "dd", "class=\"note\"")
      html.raw("</div>")
    }
    html.raw("</dl>")
  }
}

extension SyncHistory.Standing {
  /// Edits that the backend does not have.
  var waiting: Int { pending + inDoubt + held + rejected + conflicts }
}
