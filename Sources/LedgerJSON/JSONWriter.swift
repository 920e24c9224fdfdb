/// Canonical writing: no white space, members in their order, the shortest digits that read back
/// as the same number, no exponent, and only the escapes that JSON demands.
extension JSONValue {
  /// The value as canonical JSON text.
  public var serialized: String {
    var sink = ByteSink(capacity: 256)
    write(into: &sink)
    return sink.text
  }

  public func write(into bytes: inout [UInt8]) {
    var sink = ByteSink(capacity: 256)
    write(into: &sink)
    sink.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  public func write(into bytes: inout ByteSink) {
    switch self {
    case .null: bytes.append("null")
    case .bool(let value): bytes.append(value ? "true" : "false")
    case .number(let value): JSONNumber.write(value, into: &bytes)
    case .string(let value): JSONText.write(value, into: &bytes)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        value.write(into: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object): object.write(into: &bytes)
    }
  }
}

extension JSONObject {
  public var serialized: String { JSONValue.object(self).serialized }

  public func write(into bytes: inout [UInt8]) { JSONValue.object(self).write(into: &bytes) }

  public func write(into bytes: inout ByteSink) {
    bytes.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      JSONText.write(member.name, into: &bytes)
      bytes.append(UInt8(ascii: ":"))
      member.value.write(into: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }
}

/// Strings as JSON writes them.
public enum JSONText {
  public static func write(_ text: String, into bytes: inout ByteSink) {
    var text = text
    text.withUTF8 { write(UnsafeRawBufferPointer($0), into: &bytes) }
  }

  private static func write(_ text: UnsafeRawBufferPointer, into bytes: inout ByteSink) {
    bytes.append(UInt8(ascii: "\""))
    var position = 0
    while true {
      bytes.appendPlain(text, from: &position)
      guard position < text.count else { break }
      escape(text[position], into: &bytes)
      position += 1
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func escape(_ byte: UInt8, into bytes: inout ByteSink) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x00..<0x20:
      bytes.append("u00")
      bytes.append(hex: UInt32(byte), digits: 2)
    default: bytes.append(byte)
    }
  }
}

extension ByteSink {
  /// Appends a string's bytes up to its end or to the next one that needs an escape, eight at a
  /// time.
  fileprivate mutating func appendPlain(
    _ text: UnsafeRawBufferPointer, from position: inout Int
  ) {
    // Whole words are stored before it is known how much of them counts.
    reserve(text.count - position + 8)
    while position + 8 <= text.count {
      let word = text.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      start.storeBytes(of: word, toByteOffset: filled, as: UInt64.self)
      let marked = Self.needsEscape(UInt64(littleEndian: word))
      let plain = marked == 0 ? 8 : marked.trailingZeroBitCount >> 3
      position += plain
      filled += plain
      if plain < 8 { return }
    }
    while position < text.count {
      let byte = text[position]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
      start.storeBytes(of: byte, toByteOffset: filled, as: UInt8.self)
      position += 1
      filled += 1
    }
  }

  /// Sets the top bit of each byte that is a control character, a quote or a backslash. A borrow can
  /// set bits above the lowest right one, so only that one counts.
  private static func needsEscape(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones &* 0x22)
    let backslashes = word ^ (ones &* 0x5C)
    let controls = (word &- ones &* 0x20) & ~word
    let found = controls | ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
    return found & (ones &* 0x80)
  }
}
