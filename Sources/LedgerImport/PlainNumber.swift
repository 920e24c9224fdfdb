import LedgerModel

/// The usual form of a number, read without a general parser: digits, and digits after a point.
enum PlainNumber {
  private static let powers: [Double] = (0...15).map { count in
    (0..<count).reduce(1.0) { power, _ in power * 10 }
  }

  /// - Returns: `nil` for another form, among them a sign, an exponent, a leading zero, or more than 15
  ///   digits. Up to 15 digits both numbers are exact, and so their quotient is rounded correctly.
  static func value(_ text: UnsafeRawBufferPointer) -> Double? {
    guard !text.isEmpty, text.count <= 16 else { return nil }
    var number = 0
    var point: Int?
    for (place, byte) in text.enumerated() {
      if byte == UInt8(ascii: "."), point == nil {
        point = place
      } else {
        guard isDigit(byte) else { return nil }
        number = number * 10 + Int(byte & 15)
      }
    }
    let whole = point ?? text.count
    guard whole > 0, whole == 1 || text[0] != UInt8(ascii: "0") else { return nil }
    guard let point else { return text.count <= 15 ? Double(number) : nil }
    let decimals = text.count - point - 1
    return decimals > 0 ? Double(number) / powers[decimals] : nil
  }

  static func value(_ text: String) -> Double? {
    var text = text
    return text.withUTF8 { value(UnsafeRawBufferPointer($0)) }
  }
}

/// A sample of quantities in bounded memory: all of them, or every second, fourth and so on.
package struct QuantitySample: Sendable {
  private static let atMost = 4096
  private static let daysAtMost = 1000
  private static let daysAtLeast = 5

  private var quantities: [Double] = []
  private var stride = 1
  private(set) var count = 0
  /// Those of whole days.
  private var days: [Double] = []

  mutating func add(_ quantity: Double, isDay: Bool = false) {
    // The first ones suffice to tell what is usual.
    if isDay, quantity > 0, days.count < Self.daysAtMost { days.append(quantity) }
    defer { count += 1 }
    guard count & (stride - 1) == 0 else { return }
    quantities.append(quantity)
    guard quantities.count == Self.atMost else { return }
    quantities = quantities.indices.filter { $0 % 2 == 0 }.map { quantities[$0] }
    stride *= 2
  }

  /// The middle one of the days; `nil` if there are too few.
  var usualDay: Double? {
    days.count < Self.daysAtLeast ? nil : days.sorted()[days.count / 2]
  }

  /// What is usual: the middle one; of metrics whose small quantities are as usual as large ones, as an
  /// hour with three steps, a large one.
  func usual(for metric: Metric) -> Double? {
    guard !quantities.isEmpty else { return nil }
    let sorted = quantities.sorted()
    return sorted[
      metric.isCounted ? max(sorted.count / 2, sorted.count * 9 / 10 - 1) : sorted.count / 2]
  }
}

extension Metric {
  var isCounted: Bool {
    switch self {
    case .weight, .height, .bmi, .bodyFatPercentage, .restingHeartRate: false
    default: true
    }
  }
}
