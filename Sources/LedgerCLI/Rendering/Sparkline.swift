/// Values as a row of bars, one character each: `▂▄▁ █`.
enum Sparkline {
  private static let bars: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// - Parameters:
  ///   - values: `nil` leaves a gap.
  ///   - scale: what the lowest and the highest bar stand for; one value alone is drawn half high.
  static func text(_ values: [Double?], scale: ClosedRange<Double>) -> String {
    String(values.map { $0.map { bar($0, scale) } ?? " " })
  }

  private static func bar(_ value: Double, _ scale: ClosedRange<Double>) -> Character {
    let span = scale.upperBound - scale.lowerBound
    guard span > 0 else { return bars[3] }
    let share = (value - scale.lowerBound) / span
    return bars[max(0, min(7, Int((share * 7).rounded())))]
  }
}

/// One value as a bar that grows to the right, or as a place on a line.
enum ScaleBar {
  private static let eighths: [Character] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"]

  /// A bar from 0, to the eighth of a column; `columns` of them for `highest`.
  static func bar(_ value: Double, highest: Double, columns: Int) -> String {
    guard highest > 0, value > 0 else { return "" }
    let all = max(1, Int((value / highest * Double(columns * 8)).rounded()))
    let rest = all % 8
    return String(repeating: "█", count: all / 8) + (rest > 0 ? String(eighths[rest - 1]) : "")
  }

  /// Where a value lies between two others.
  static func place(_ value: Double, scale: ClosedRange<Double>, columns: Int) -> String {
    let span = scale.upperBound - scale.lowerBound
    let share = span > 0 ? (value - scale.lowerBound) / span : 0.5
    let dots = Int((share * Double(columns - 1)).rounded())
    return String(repeating: "·", count: max(0, dots)) + "●"
  }
}
