import LedgerPlatform

/// One tag of an XML file, with the text that stood before it. Reused from tag to tag, so that
/// reading a long file makes no garbage.
struct XMLTag {
  enum Kind { case start, end, empty }

  struct Attribute {
    var name: Range<Int>
    var value: Range<Int>
  }

  var kind = Kind.start
  /// The tag as it stands, from `<` to `>`.
  var bytes: [UInt8] = []
  var name = 0..<0
  var attributes: [Attribute] = []
  /// The text between the tag before and this one; only the beginning of a long one.
  var text: [UInt8] = []
  /// The line that it begins on.
  var line = 0

  static let textLimitBytes = 256

  func isNamed(_ wanted: StaticString) -> Bool { has(wanted, at: name) }

  var nameText: String { String(decoding: bytes[name], as: UTF8.self) }

  func has(_ wanted: StaticString, at range: Range<Int>) -> Bool {
    guard range.count == wanted.utf8CodeUnitCount else { return false }
    return bytes.withUnsafeBytes { all in
      guard let base = all.baseAddress else { return false }
      return memcmp(base + range.lowerBound, wanted.utf8Start, range.count) == 0
    }
  }

  /// Where the value of an attribute stands; that of the first one if a file has it twice.
  func value(_ wanted: StaticString) -> Range<Int>? {
    attributes.first { has(wanted, at: $0.name) }?.value
  }

  /// A value as it is meant: references such as `&amp;` and `&#10;` resolved.
  func decoded(_ range: Range<Int>) -> String { XMLText.decoded(bytes[range]) }
}

/// Text with its references resolved. Only those that every XML file has: what a file declares
/// itself is never expanded, so that no reference can grow or read other files.
enum XMLText {
  static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
    var text = ""
    var rest = bytes
    while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
      text += String(decoding: rest[rest.startIndex..<mark], as: UTF8.self)
      rest = rest[mark...]
      let reference = rest.dropFirst().prefix(10).prefix { $0 != UInt8(ascii: ";") }
      let end = reference.endIndex
      guard end < rest.endIndex, rest[end] == UInt8(ascii: ";"),
        let character = character(String(decoding: reference, as: UTF8.self))
      else {
        text += "&"
        rest = rest.dropFirst()
        continue
      }
      text.unicodeScalars.append(character)
      rest = rest[(end + 1)...]
    }
    return text + String(decoding: rest, as: UTF8.self)
  }

  private static func character(_ name: String) -> Unicode.Scalar? {
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default: break
    }
    guard name.utf8.first == UInt8(ascii: "#") else { return nil }
    let digits = name.dropFirst()
    let number =
      digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits, radix: 10)
    return number.flatMap { Unicode.Scalar($0) }
  }
}
