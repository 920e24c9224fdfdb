import LedgerJSON

extension Quantity {
  /// A larger unit and a smaller one behind it.
  private struct Pair {
    var larger: [String]
    /// The empty name is the one left unsaid, as in `5ft11`.
    var smaller: [String]
    /// How many of the smaller are one of the larger.
    var ratio: Int
    /// What one of the smaller is in the metric's own unit.
    var factor: Double
  }

  private static func pair(of metric: Metric) -> Pair? {
    switch metric {
    case .height:
      Pair(
        larger: ["ft", "'", "’", "foot", "feet"],
        smaller: ["in", "\"", "”", "''", "inch", "inches", ""], ratio: 12, factor: 2.54)
    case .weight:
      Pair(
        larger: ["st", "stone", "stones"], smaller: ["lb", "lbs", "pound", "pounds", ""],
        ratio: 14, factor: 0.453_592_37)
    case .sleepHours:
      Pair(
        larger: ["h", "hr", "hrs", "hour", "hours", ":"],
        smaller: ["min", "mins", "minute", "minutes", "m", ""], ratio: 60, factor: 1.0 / 60)
    case .activeMinutes:
      Pair(
        larger: ["h", "hr", "hrs", "hour", "hours"],
        smaller: ["min", "mins", "minute", "minutes", "m", ""], ratio: 60, factor: 1)
    default: nil
    }
  }

  /// Reads what people say in two units: `5ft 11in`, `5'11"`, `11st 4lb`, `7h 30min`, and `7:30` for
  /// hours of sleep. The larger is counted in whole numbers, and of the smaller there are fewer than
  /// make one of the larger.
  ///
  /// - Returns: the value in the metric's own unit; `nil` for a text of another form.
  static func inTwoUnits(_ text: String, for metric: Metric) throws(Refusal) -> Double? {
    guard let pair = pair(of: metric) else { return nil }
    var rest = text.lowercased()[...]
    let large = number(&rest)
    let larger = unit(&rest)
    let small = number(&rest)
    let smaller = unit(&rest)
    guard rest.isEmpty, pair.larger.contains(larger), pair.smaller.contains(smaller),
      let large = Int(large), large < 1000, small.first != ".", small.last != ".",
      let small = Double(small)
    else { return nil }
    guard small < Double(pair.ratio) else {
      throw .rule(
        "quantity is \"\(text)\"; \(pair.ratio) \(pair.smaller[0]) are 1 \(pair.larger[0]), so fewer "
          + "than that go behind it")
    }
    return JSONNumber.writable((Double(large * pair.ratio) + small) * pair.factor)
  }

  private static func number(_ rest: inout Substring) -> String {
    take(&rest) { $0.isASCII && ($0.isNumber || $0 == ".") }
  }

  private static func unit(_ rest: inout Substring) -> String {
    take(&rest) { !($0.isASCII && $0.isNumber) && $0 != " " && $0 != "." }
  }

  /// What fits, and takes it away, with the blanks behind it.
  private static func take(
    _ rest: inout Substring, while fits: (Character) -> Bool
  ) -> String {
    let taken = rest.prefix(while: fits)
    rest = rest.dropFirst(taken.count).drop { $0 == " " }
    return String(taken)
  }
}
