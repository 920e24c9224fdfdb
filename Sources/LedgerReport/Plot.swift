/// A drawing of variable width: horizontal positions are shares of the width, vertical ones pixels.
/// So text and lines keep their size on a phone and on paper without a script.
struct Plot {
  /// Unique on the page.
  let id: String
  let title: String
  /// The text alternative.
  let description: String
  let heightPixels: Double
  private var shapes = ""

  init(id: String, title: String, description: String, heightPixels: Double) {
    self.id = id
    self.title = title
    self.description = description
    self.heightPixels = heightPixels
  }

  var markup: String {
    let height = Self.number(heightPixels)
    return """
      <svg class="plot" role="img" aria-labelledby="\(id)-title \(id)-desc" height="\(height)">
      <title id="\(id)-title">\(HTML.escaped(title))</title>
      <desc id="\(id)-desc">\(HTML.escaped(description))</desc>
      \(shapes)</svg>

      """
  }

  // MARK: Places

  /// 0 at the bottom of the plot, 1 at its top.
  func pixels(up share: Double) -> Double { heightPixels * (1 - share) }

  static func percent(_ share: Double) -> String { number(share * 100) + "%" }

  /// At most two decimals.
  static func number(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
    let sign = hundredths < 0 ? "-" : ""
    if rest == 0 { return "\(sign)\(whole)" }
    return rest % 10 == 0
      ? "\(sign)\(whole).\(rest / 10)" : "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }

  // MARK: Axes

  /// Grid lines with their labels on the left and the unit above.
  mutating func addAxis(_ scale: NiceScale, title: String) {
    for tick in scale.ticks {
      let y = Self.number(pixels(up: scale.share(tick)).rounded() + 0.5)
      let kind = tick == scale.low ? "base" : "grid"
      shapes += "<line class=\"\(kind)\" x1=\"0\" x2=\"100%\" y1=\"\(y)\" y2=\"\(y)\"/>"
      shapes += "<text class=\"tick up\" x=\"-6\" y=\"\(y)\" dy=\".32em\">"
      shapes += "\(HTML.escaped(scale.label(tick)))</text>\n"
    }
    shapes += "<text class=\"unit\" x=\"0\" y=\"-9\">\(HTML.escaped(title))</text>\n"
  }

  /// The axis length on the narrowest page, 320 pixels wide.
  static let leastWidthPixels = 185.0

  /// Labels below the plot. If they do not fit a narrow page, every other one is hidden there.
  mutating func addTicks(_ ticks: [DateTicks.Tick], _ place: (DateTicks.Tick) -> Double) {
    let isTight = DateTicks.width(ticks) > Self.leastWidthPixels
    for (index, tick) in ticks.enumerated() {
      addTick(at: place(tick), tick.label, isSpare: isTight && index % 2 == 1)
    }
  }

  /// - Parameter isSpare: whether it is hidden on a narrow page.
  mutating func addTick(at share: Double, _ label: String, isSpare: Bool = false) {
    let x = Self.percent(share)
    let y = Self.number(heightPixels + 19)
    let foot = Self.number(heightPixels)
    let spare = isSpare ? " spare" : ""
    shapes += "<line class=\"mark\(spare)\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(foot)\" "
    shapes += "y2=\"\(Self.number(heightPixels + 4))\"/>"
    shapes += "<text class=\"tick\(spare)\" x=\"\(x)\" y=\"\(y)\">"
    shapes += "\(HTML.escaped(label))</text>\n"
  }

  // MARK: Marks

  /// - Parameter tip: the tooltip.
  mutating func addBar(
    from left: Double, to right: Double, top: Double, bottom: Double? = nil, _ kind: String,
    tip: String
  ) {
    let bottom = bottom ?? heightPixels
    shapes += "<rect class=\"\(kind)\" x=\"\(Self.percent(left))\" y=\"\(Self.number(top))\" "
    shapes += "width=\"\(Self.percent(right - left))\" "
    shapes += "height=\"\(Self.number(max(0, bottom - top)))\">"
    shapes += "<title>\(HTML.escaped(tip))</title></rect>\n"
  }

  mutating func addDot(at share: Double, y: Double, radius: Double, tip: String) {
    shapes += "<circle class=\"dot\" cx=\"\(Self.percent(share))\" cy=\"\(Self.number(y))\" "
    shapes += "r=\"\(Self.number(radius))\"><title>\(HTML.escaped(tip))</title></circle>\n"
  }

  mutating func addRange(at share: Double, top: Double, bottom: Double) {
    let x = Self.percent(share)
    shapes += "<line class=\"range\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(Self.number(top))\" "
    shapes += "y2=\"\(Self.number(bottom))\"/>\n"
  }

  /// Joins the points of each piece. Shares across, pixels down.
  mutating func addLine(_ pieces: [[(share: Double, y: Double)]]) {
    let drawn = pieces.filter { $0.count > 1 }
    guard !drawn.isEmpty else { return }
    let path = drawn.map { piece in
      let points = piece.map { "\(Self.number($0.share * 1000)) \(Self.number($0.y))" }
      return "M" + points.joined(separator: "L")
    }.joined()
    let height = Self.number(heightPixels)
    // A path cannot use percentages, so it is 1000 units wide and stretched; its stroke is not.
    shapes += "<svg width=\"100%\" height=\"\(height)\" viewBox=\"0 0 1000 \(height)\" "
    shapes += "preserveAspectRatio=\"none\"><path class=\"line\" d=\"\(path)\"/></svg>\n"
  }
}
