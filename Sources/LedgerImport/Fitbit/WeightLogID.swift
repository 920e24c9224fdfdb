/// The number that Fitbit gave a weight: the wall clock of the weighing in milliseconds, as if it
/// were UTC. That holds for all 67 weights of the published file, so it can settle which day and
/// which half of the day a row means; where it agrees with no reading, the row contradicts itself.
struct WeightLogID: Hashable {
  private let lowest: Double
  private let highest: Double

  /// Whole numbers, or what a spreadsheet made of them: `1.46223E+12` stands for all the numbers
  /// that round to it. `nil` for anything else, which then proves nothing.
  init?(_ text: String) {
    guard let split = text.firstIndex(where: { $0 == "E" || $0 == "e" }) else {
      guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy(isDigit),
        let value = Double(text)
      else { return nil }
      // Rows give seconds, so the milliseconds within one are no disagreement.
      (lowest, highest) = (value - 999, value)
      return
    }
    let digits = text[..<split]
    let fraction = digits.drop { $0 != "." }.dropFirst()
    let power = text[text.index(after: split)...].drop { $0 == "+" }
    guard digits.utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") }),
      power.utf8.allSatisfy(isDigit), power.utf8.count <= 2, digits.utf8.count <= 16,
      let value = Double(text), let half = Double("5e\((Int(power) ?? 0) - fraction.count - 1)")
    else { return nil }
    (lowest, highest) = (value - half - 999, value + half)
  }

  func agrees(with moment: Moment) -> Bool {
    let milliseconds = Double(moment.wallSeconds) * 1000
    return milliseconds >= lowest && milliseconds <= highest
  }
}

private func isDigit(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}
