/// An axis of numbers whose ticks stand at round values: 1, 2 or 5 times a power of ten apart.
struct NiceScale: Hashable {
  let low: Double
  let high: Double
  let step: Double
  /// How many digits behind the point the ticks need.
  let decimals: Int

  /// An axis that begins at zero, as bars need it.
  ///
  /// - Parameter ticks: about how many are wanted, zero not counted.
  static func fromZero(to highest: Double, ticks: Int) -> NiceScale {
    NiceScale(0, max(highest, 0), ticks: ticks, leastSpan: 0)
  }

  /// An axis around what there is.
  ///
  /// - Parameter leastSpan: what the axis shows at least, so that a change of nothing does not look
  ///   like a mountain.
  static func around(
    _ lowest: Double, _ highest: Double, ticks: Int, leastSpan: Double
  ) -> NiceScale {
    NiceScale(lowest, highest, ticks: ticks, leastSpan: leastSpan)
  }

  private init(_ lowest: Double, _ highest: Double, ticks: Int, leastSpan: Double) {
    var (lowest, highest) = (lowest, highest)
    if highest - lowest < leastSpan {
      let middle = (lowest + highest) / 2
      let isAboveZero = lowest >= 0
      (lowest, highest) = (middle - leastSpan / 2, middle + leastSpan / 2)
      // What cannot be negative is not given room there.
      if isAboveZero, lowest < 0 { (lowest, highest) = (0, leastSpan) }
    }
    if !(highest > lowest) { highest = lowest + 1 }
    let (step, decimals) = Self.step((highest - lowest) / Double(max(ticks, 1)))
    self.step = step
    self.decimals = decimals
    // A hair's breadth of rounding is not worth another step.
    low = (lowest / step + 1e-9).rounded(.down) * step
    high = (highest / step - 1e-9).rounded(.up) * step
  }

  /// The smallest of 1, 2 and 5 times a power of ten that is not below, or only by a little: a tick
  /// more is better than half of an empty drawing.
  private static func step(_ wanted: Double) -> (step: Double, decimals: Int) {
    let least = wanted * 0.75
    var power = 1.0
    var decimals = 0
    while power > least, decimals < 9 {
      power /= 10
      decimals += 1
    }
    while power * 10 <= least { power *= 10 }
    for factor in [1.0, 2, 5] where power * factor >= least * (1 - 1e-9) {
      return (power * factor, decimals)
    }
    return (power * 10, max(0, decimals - 1))
  }

  var ticks: [Double] {
    let count = Int(((high - low) / step).rounded())
    return (0...max(0, count)).map { low + Double($0) * step }
  }

  /// Millions are shortened: an axis has room for seven characters.
  func label(_ tick: Double) -> String {
    guard high >= 1e6, tick != 0 else { return FigureText.fixed(tick, decimals: decimals) }
    return FigureText.fixed(tick / 1e6, decimals: step < 1e6 ? 1 : 0) + "M"
  }

  /// Where a value stands: 0 at the bottom, 1 at the top.
  func share(_ value: Double) -> Double {
    high > low ? min(1, max(0, (value - low) / (high - low))) : 0
  }
}
