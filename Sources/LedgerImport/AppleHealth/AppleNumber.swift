/// Reads the number in a record.
enum AppleNumber {
  enum Fault: Error { case noNumber, ambiguousComma }

  /// - Throws: ``Fault`` for what is no number, or could be two.
  static func read(_ bytes: ArraySlice<UInt8>) throws(Fault) -> Double {
    if let plain = plain(bytes) { return plain }
    guard (1...64).contains(bytes.count) else { throw .noNumber }
    var text = String(decoding: bytes, as: UTF8.self)
    if bytes.contains(UInt8(ascii: ",")) { text = try withPoint(text) }
    // No names such as `inf`, and no hexadecimals.
    guard text.utf8.allSatisfy({ isNumeric($0) }), let value = Double(text), value.isFinite else {
      throw .noNumber
    }
    return value
  }

  /// A comma before three digits may mark thousands, all others only decimals.
  private static func withPoint(_ text: String) throws(Fault) -> String {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, !text.contains(".") else { throw .ambiguousComma }
    let before = parts[0].drop { $0 == "-" || $0 == "+" }
    let mayGroup = parts[1].utf8.count == 3 && (1...3).contains(before.utf8.count)
    guard !mayGroup || before.first == "0" else { throw .ambiguousComma }
    return "\(parts[0]).\(parts[1])"
  }

  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]

  /// Digits and a point, fifteen digits at most: exact in one division.
  private static func plain(_ bytes: ArraySlice<UInt8>) -> Double? {
    guard (1...16).contains(bytes.count) else { return nil }
    var value = 0
    var digits = 0
    var decimals = 0
    var hasPoint = false
    for byte in bytes {
      if byte == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
      } else if byte >= 0x30, byte <= 0x39 {
        value = value * 10 + Int(byte - 0x30)
        digits += 1
        if hasPoint { decimals += 1 }
      } else {
        return nil
      }
    }
    guard (1...15).contains(digits) else { return nil }
    return Double(value) / powers[decimals]
  }

  private static func isNumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "e"),
      UInt8(ascii: "E"):
      true
    default: false
    }
  }
}
