import LedgerPlatform

/// A tag of an XML file with the text before it. Reused for each tag, to avoid allocations.
struct XMLTag {
  enum Kind { case start, end, empty }

  struct Attribute {
    var name: Range<Int>
    var value: Range<Int>
  }

  var kind = Kind.start
  /// The whole tag, from `<` to `>`.
  var bytes: [UInt8] = []
  var name = 0..<0
  var attributes: [Attribute] = []
  /// The text between the previous tag and this one, up to ``textLimitBytes``.
  var text: [UInt8] = []
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

  /// An attribute's value; the first one if the tag repeats it.
  func value(_ wanted: StaticString) -> Range<Int>? {
    attributes.first { has(wanted, at: $0.name) }?.value
  }

  /// A value with references such as `&amp;` and `&#10;` resolved.
  func decoded(_ range: Range<Int>) -> String { XMLText.decoded(bytes[range]) }
}

/// Resolves predefined and numeric references only: a file's own entities are never expanded, so
/// none can grow or read other files.
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

/// Parses one tag in place.
struct TagScan {
  enum Outcome {
    /// The index after the tag.
    case done(Int)
    case unfinished
    case wrong(String)
  }

  let bytes: UnsafeRawBufferPointer
  /// The index of `<`.
  let start: Int

  /// Ranges are relative to `start`.
  func run(_ tag: inout XMLTag) -> Outcome {
    var place = start + 1
    guard place < bytes.count else { return .unfinished }
    let isEnd = bytes[place] == UInt8(ascii: "/")
    if isEnd { place += 1 }
    let name = place
    while place < bytes.count, !endsName(bytes[place]) { place += 1 }
    guard place < bytes.count else { return .unfinished }
    guard place > name else { return .wrong("a tag has no name") }
    tag.name = name - start..<place - start
    if isEnd {
      tag.kind = .end
      while place < bytes.count, isSpace(bytes[place]) { place += 1 }
      guard place < bytes.count else { return .unfinished }
      guard bytes[place] == UInt8(ascii: ">") else { return .wrong("an end tag has attributes") }
      return .done(place + 1)
    }
    return attributes(&tag, from: place)
  }

  private func attributes(_ tag: inout XMLTag, from first: Int) -> Outcome {
    var place = first
    while true {
      while place < bytes.count, isSpace(bytes[place]) { place += 1 }
      guard place < bytes.count else { return .unfinished }
      if bytes[place] == UInt8(ascii: ">") {
        tag.kind = .start
        return .done(place + 1)
      }
      if bytes[place] == UInt8(ascii: "/") {
        guard place + 1 < bytes.count else { return .unfinished }
        guard bytes[place + 1] == UInt8(ascii: ">") else { return .wrong("a '/' ends no tag") }
        tag.kind = .empty
        return .done(place + 2)
      }
      switch attribute(&tag, from: place) {
      case .done(let end): place = end
      case .unfinished: return .unfinished
      case .wrong(let what): return .wrong(what)
      }
    }
  }

  private func attribute(_ tag: inout XMLTag, from first: Int) -> Outcome {
    var place = first
    // The system's oldest versions have written names with spaces.
    while place < bytes.count, bytes[place] != UInt8(ascii: "=") {
      let byte = bytes[place]
      if byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "\"") {
        return .wrong("an attribute has no '='")
      }
      place += 1
    }
    var end = place
    while end > first, isSpace(bytes[end - 1]) { end -= 1 }
    place += 1
    while place < bytes.count, isSpace(bytes[place]) { place += 1 }
    guard place < bytes.count else { return .unfinished }
    let quote = bytes[place]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      return .wrong("the value of an attribute is not quoted")
    }
    guard let close = find(quote, from: place + 1) else { return .unfinished }
    if let stray = find(UInt8(ascii: "<"), from: place + 1, to: close) {
      return .wrong("a '<' in a value, \(stray - start) bytes after the tag's own")
    }
    tag.attributes.append(
      .init(name: first - start..<end - start, value: place + 1 - start..<close - start))
    return .done(close + 1)
  }

  private func find(_ byte: UInt8, from: Int, to: Int? = nil) -> Int? {
    let end = to ?? bytes.count
    guard from < end, let base = bytes.baseAddress,
      let mark = memchr(base + from, Int32(byte), end - from)
    else { return nil }
    return base.distance(to: mark)
  }

  private func endsName(_ byte: UInt8) -> Bool {
    isSpace(byte) || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/")
      || byte == UInt8(ascii: "<")
  }
}
