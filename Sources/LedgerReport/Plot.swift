/// A drawing of variable width, divided into columns of equal width. So text and lines keep their size
/// on a phone and on paper without a script.
struct Plot {
  /// Unique on the page.
  let id: String
  let title: String
  /// The text alternative.
  let description: String
  let columns: Int
  let heightPixels: Double
  /// Shapes with horizontal positions in percent.
  private var below = ""
  private var above = ""
  /// A path cannot use percentages, so paths are in drawings that are stretched to the width. Integer
  /// coordinates keep the page small: ten to a column, two to a pixel of height.
  private var marks = ""
  /// Lines that may leave the plot, whose edge hides the rest.
  private var lines = ""

  init(id: String, title: String, description: String, columns: Int, heightPixels: Double) {
    self.id = id
    self.title = title
    self.description = description
    self.columns = max(1, columns)
    self.heightPixels = heightPixels
  }

  var markup: String {
    let height = Self.number(heightPixels)
    return """
      <svg class="plot" role="img" aria-labelledby="\(id)-title \(id)-desc" height="\(height)">
      <title id="\(id)-title">\(HTML.escaped(title))</title>
      <desc id="\(id)-desc">\(HTML.escaped(description))</desc>
      \(below)\(stretched(marks, "off"))\(stretched(lines, "lines"))\(above)</svg>

      """
  }

  private func stretched(_ paths: String, _ kind: String) -> String {
    guard !paths.isEmpty else { return "" }
    return """
      <svg class="\(kind)" width="100%" height="\(Self.number(heightPixels))" \
      viewBox="0 0 \(columns * 10) \(Self.half(heightPixels))" preserveAspectRatio="none">
      \(paths)</svg>

      """
  }

  // MARK: Places

  /// 0 at the bottom of the plot, 1 at its top.
  func pixels(up share: Double) -> Double { heightPixels * (1 - share) }

  private func percent(_ column: Double) -> String {
    Self.number(column / Double(columns) * 100) + "%"
  }

  /// At most two decimals.
  static func number(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
    let sign = hundredths < 0 ? "-" : ""
    if rest == 0 { return "\(sign)\(whole)" }
    return rest % 10 == 0
      ? "\(sign)\(whole).\(rest / 10)" : "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }

  /// In half pixels.
  private static func half(_ pixels: Double) -> Int {
    Int((min(max(pixels, -1e4), 1e4) * 2).rounded())
  }

  private static func tenth(_ column: Double) -> Int { Int((column * 10).rounded()) }

  // MARK: Axes

  /// Grid lines with their labels on the left and the unit above. Only a line at zero is solid.
  mutating func addAxis(_ scale: NiceScale, title: String) {
    var grid = ""
    for tick in scale.ticks {
      let y = pixels(up: scale.share(tick)).rounded()
      // In the middle of a pixel, of the last one for the bottom.
      let line = "M0 \(min(Self.half(y), Self.half(heightPixels) - 2) + 1)h\(columns * 10)"
      if tick == 0 { addPath(line, "base") } else { grid += line }
      below += "<text class=\"up\" y=\"\(Self.number(y))\">"
      below += "\(HTML.escaped(scale.label(tick)))</text>\n"
    }
    if !grid.isEmpty { addPath(grid, "grid") }
    guard !title.isEmpty else { return }
    below += "<text class=\"up\" y=\"-18\">\(HTML.escaped(title))</text>\n"
  }

  /// The axis length on the narrowest page, 320 pixels wide.
  static let leastWidthPixels = 185.0

  /// Labels below the plot. If they do not fit a narrow page, every other one is hidden there.
  mutating func addTicks(_ ticks: [DateTicks.Tick], _ column: (DateTicks.Tick) -> Double) {
    let isTight = DateTicks.width(ticks) > Self.leastWidthPixels
    for (index, tick) in ticks.enumerated() {
      addTick(at: column(tick), tick.label, isSpare: isTight && index % 2 == 1)
    }
  }

  /// - Parameter isSpare: whether it is hidden on a narrow page.
  mutating func addTick(at column: Double, _ label: String, isSpare: Bool = false) {
    let x = percent(column)
    let y = Self.number(heightPixels + 19)
    let foot = Self.number(heightPixels)
    let spare = isSpare ? " spare" : ""
    below += "<line class=\"mark\(spare)\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(foot)\" "
    below += "y2=\"\(Self.number(heightPixels + 4))\"/>"
    below += "<text class=\"tick\(spare)\" x=\"\(x)\" y=\"\(y)\">"
    below += "\(HTML.escaped(label))</text>\n"
  }

  // MARK: Marks

  /// A vertical extent in a column, in pixels from the top.
  struct Extent {
    let column: Int
    let top: Double
    let bottom: Double
  }

  struct Point {
    /// With the fraction, the middle of the first column being 0.5.
    let column: Double
    let y: Double
  }

  mutating func addBars(_ bars: [Extent], _ kind: String) {
    guard !bars.isEmpty else { return }
    let path = bars.map { bar in
      let (top, bottom) = (Self.half(bar.top), Self.half(bar.bottom))
      return "M\(bar.column * 10 + 1) \(bottom)V\(top)h8V\(bottom)"
    }
    addPath(path.joined(), kind)
  }

  /// Dots keep their size although the drawing is stretched: each is the round end of a line without
  /// length.
  mutating func addDots(_ dots: [Point], _ kind: String) {
    let path = dots.map { "M\(Self.tenth($0.column)) \(Self.half($0.y))h0" }
    addPath(path.joined(), kind)
  }

  mutating func addRanges(_ ranges: [Extent]) {
    guard !ranges.isEmpty else { return }
    let path = ranges.map { range in
      "M\(range.column * 10 + 5) \(Self.half(range.top))V\(Self.half(range.bottom))"
    }
    addPath(path.joined(), "range")
  }

  /// Joins the points of each piece; a piece of one point draws nothing.
  ///
  /// - Parameter hasHalo: whether a rim sets it off from bars.
  mutating func addLine(_ pieces: [[Point]], _ kind: String, hasHalo: Bool) {
    var path = ""
    for piece in pieces where piece.count > 1 {
      var last = (x: Self.tenth(piece[0].column), y: Self.half(piece[0].y))
      path += "M\(last.x) \(last.y)l"
      for point in piece.dropFirst() {
        let next = (x: Self.tenth(point.column), y: Self.half(point.y))
        path += "\(next.x - last.x) \(next.y - last.y) "
        last = next
      }
    }
    guard !path.isEmpty else { return }
    guard hasHalo else {
      lines += "<path class=\"\(kind)\" d=\"\(path)\"/>\n"
      return
    }
    // The path has no class, so that the copy and the original can differ.
    lines += "<use class=\"\(kind) halo\" href=\"#\(id)-\(kind)\"/>"
    lines += "<g class=\"\(kind)\"><path id=\"\(id)-\(kind)\" d=\"\(path)\"/></g>\n"
  }

  private mutating func addPath(_ path: String, _ kind: String) {
    marks += "<path class=\"\(kind)\" d=\"\(path)\"/>\n"
  }

  /// A ring around a point on the axis; for one off it a triangle at the edge.
  mutating func addUnusual(at column: Double, share: Double, isOnAxis: Bool) {
    let x = percent(column)
    guard !isOnAxis else {
      let y = Self.number(pixels(up: share))
      above += "<circle class=\"unusual\" cx=\"\(x)\" cy=\"\(y)\" r=\"5.5\"/>\n"
      return
    }
    let shape = share > 1 ? "M-6 10h12L0 1z" : "M-6 -10h12L0 -1z"
    above += "<svg class=\"off\" x=\"\(x)\" y=\"\(share > 1 ? "0" : Self.number(heightPixels))\">"
    above += "<path class=\"unusual\" d=\"\(shape)\"/></svg>\n"
  }

  /// A triangle at the right end of the upper or lower edge, for a level beyond it.
  mutating func addArrow(_ kind: String, isUp: Bool) {
    let (edge, shape) =
      isUp ? ("0", "M-13 11h12l-6 -9z") : (Self.number(heightPixels), "M-13 -11h12l-6 9z")
    above += "<svg class=\"off\" x=\"100%\" y=\"\(edge)\">"
    above += "<path class=\"\(kind) beyond\" d=\"\(shape)\"/></svg>\n"
  }

  /// A line across the plot.
  ///
  /// - Parameter hasHalo: whether a rim sets it off from bars; it would cut points on the line.
  mutating func addLevel(share: Double, _ kind: String, hasHalo: Bool) {
    let y = Self.number(pixels(up: share))
    for kind in hasHalo ? ["\(kind) halo", kind] : [kind] {
      above += "<line class=\"\(kind)\" x1=\"0\" x2=\"100%\" y1=\"\(y)\" y2=\"\(y)\"/>\n"
    }
  }
}

/// The values of a chart, shown without a script: one radio button for each column, which shows its
/// label while it is chosen or pointed at. Tab reaches the whole group, and the arrow keys move from
/// column to column.
struct Readings {
  /// Unique on the page.
  let name: String
  let label: String
  /// `nil` for a column without a value.
  let columns: [String?]

  func add(to html: inout HTML) {
    let last = columns.lastIndex { $0 != nil }
    var buttons = ""
    for (index, reading) in columns.enumerated() {
      guard let reading else {
        buttons += "<i></i>"
        continue
      }
      buttons += "<input type=radio name=\(name) aria-label=\"\(HTML.escaped(reading))\""
      buttons += index == last ? " checked>" : ">"
    }
    html.raw(
      "<div class=\"readings\" role=\"radiogroup\" aria-label=\"\(HTML.escaped(label))\">"
        + "\(buttons)</div>")
  }
}
