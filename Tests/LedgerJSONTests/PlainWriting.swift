import LedgerJSON

/// A simple writer of canonical JSON, byte by byte, as the oracle.
enum PlainWriting {
  static func text(_ value: JSONValue) -> String {
    switch value {
    case .null: return "null"
    case .bool(let value): return value ? "true" : "false"
    case .number(let value): return number(value)
    case .string(let value): return string(value)
    case .array(let values): return "[" + values.map(text).joined(separator: ",") + "]"
    case .object(let object):
      let members = object.members.map { string($0.name) + ":" + text($0.value) }
      return "{" + members.joined(separator: ",") + "}"
    }
  }

  static func string(_ text: String) -> String {
    var bytes = [UInt8(ascii: "\"")]
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0A: bytes += #"\n"#.utf8
      case 0x0D: bytes += #"\r"#.utf8
      case 0x09: bytes += #"\t"#.utf8
      case 0x00..<0x20:
        let digits = String(byte, radix: 16)
        bytes += (#"\u00"# + (digits.count == 1 ? "0" : "") + digits).utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The digits of the standard library, without an exponent.
  static func number(_ value: Double) -> String {
    if value == 0 { return "0" }
    let parts = value.magnitude.description.split(separator: "e")
    let halves = parts[0].split(separator: ".")
    var digits = halves.joined()
    var point = halves[0].count + (parts.count > 1 ? Int(parts[1])! : 0)
    while digits.hasPrefix("0") {
      digits.removeFirst()
      point -= 1
    }
    while digits.hasSuffix("0") { digits.removeLast() }
    let whole =
      point <= 0
      ? "0" : digits.prefix(point) + String(repeating: "0", count: max(0, point - digits.count))
    let rest = String(repeating: "0", count: max(0, -point)) + digits.dropFirst(max(0, point))
    return (value < 0 ? "-" : "") + whole + (rest.isEmpty ? "" : "." + rest)
  }
}
