/// Header fields in the order they came; names are compared without case.
struct HTTPHeaders: Sendable, Equatable {
  struct Field: Sendable, Equatable {
    /// In lower case.
    let name: String
    let value: String
  }

  private(set) var fields: [Field] = []

  func values(_ lowerCaseName: String) -> [String] {
    fields.filter { $0.name == lowerCaseName }.map(\.value)
  }

  /// The elements of a list-valued header, over all its lines, in lower case.
  func tokens(_ lowerCaseName: String) -> [String] {
    values(lowerCaseName).flatMap { value in
      value.split(separator: ",").map { trimmed(Array($0.utf8)[...]).lowercased() }
    }
  }

  /// Takes one header line, without its line end (RFC 9112, 5).
  mutating func append(line: ArraySlice<UInt8>) throws(HTTPProblem) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
      throw .malformed("A header line has no colon")
    }
    let name = line[..<colon]
    // White space here is either a folded line or a name that proxies read in different ways.
    guard !name.isEmpty, name.allSatisfy(isTokenByte) else {
      throw .malformed("A header's name is not a token")
    }
    let value = line[(colon + 1)...]
    guard value.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else {
      throw .malformed("A header's value holds a control character")
    }
    fields.append(
      Field(name: String(decoding: name, as: UTF8.self).lowercased(), value: trimmed(value)))
  }
}

/// Whether the byte may stand in a token: a method or a header's name (RFC 9110, 5.6.2).
func isTokenByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"):
    true
  default:
    "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }
}

/// The text without spaces and tabs around it.
private func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
  let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
  var rest = bytes.drop(while: isSpace)
  while let last = rest.last, isSpace(last) { rest.removeLast() }
  return String(decoding: rest, as: UTF8.self)
}
