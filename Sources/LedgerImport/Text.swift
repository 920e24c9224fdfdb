import LedgerJSON
import LedgerModel

/// Quantities for messages, rounded.
struct QuantityWords {
  let units: UnitSystem

  /// In the units of the person: `181.7 lb`.
  func words(_ quantity: Double, of metric: Metric) -> String {
    guard units == .imperial, let imperial = metric.imperialUnit else {
      return Self.words(quantity, decimals: 2, metric.unit)
    }
    return Self.words(quantity / imperial.factor, decimals: imperial.decimals, imperial.name)
  }

  /// As a file has it, then in the units of the person if these are others: `82.4 kg (181.7 lb)`.
  ///
  /// - Parameter unit: the file's; `nil` for the metric's own.
  func words(_ quantity: Double, of metric: Metric, in unit: String?) -> String {
    let shown = words(quantity, of: metric)
    let unit = unit ?? metric.unit
    guard let factor = try? Quantity.parse("1\(unit)", for: metric) else { return shown }
    let written = Self.words(quantity / factor, decimals: 4, unit)
    let imperial = units == .imperial ? metric.imperialUnit : nil
    return factor == imperial?.factor ?? 1 ? written : "\(written) (\(shown))"
  }

  /// A refusal, with a quantity that is out of range as the file has it and in the units of the person.
  ///
  /// - Parameter unit: the file's; `nil` for the metric's own.
  func words(
    _ refusal: Refusal, _ quantity: Double, of metric: Metric, in unit: String?
  ) -> String {
    guard units == .imperial, metric.imperialUnit != nil, case .quantity(let range)? = refusal.limit
    else { return refusal.description }
    return "quantity is \(words(quantity, of: metric, in: unit)); \(metric.name) must be "
      + (range.includesLowest ? "at least " : "more than ") + words(range.lowest, of: metric)
      + (range.includesHighest ? " and at most " : " and less than ")
      + words(range.highest, of: metric)
  }

  private static func words(_ number: Double, decimals: Int, _ unit: String) -> String {
    let scale = (0..<decimals).reduce(1.0) { power, _ in power * 10 }
    let rounded = (number * scale).rounded() / scale
    return JSONNumber.text(rounded == 0 ? number : rounded)
      + (unit.isEmpty || unit == "%" ? "" : " ") + unit
  }
}

/// A cell's text for a message, shortened to 60 characters.
func quoted(_ text: String) -> String {
  let shown = text.prefix(60)
  return shown.endIndex == text.endIndex ? "'\(text)'" : "'\(shown)…'"
}

func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

func isDigits(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(isDigit) }

func isSpace(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}

extension String {
  var trimmingSpaces: String {
    // Most texts begin and end with an ASCII character.
    if let first = utf8.first, let last = utf8.last, 0x21..<0x7F ~= first, 0x21..<0x7F ~= last {
      return self
    }
    var rest = self[...]
    while let first = rest.first, first.isWhitespace { rest.removeFirst() }
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    return String(rest)
  }
}

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
