/// Why a record of a CSV file cannot be read.
enum CSVDefect: Hashable, Sendable {
  case tooLong(limitBytes: Int)
  case strayQuote
  case textAfterQuote
  case unclosedQuote
  case nul
  case notUTF8

  var sentence: String {
    switch self {
    case .tooLong(let limit): "is longer than \(limit) bytes"
    case .strayQuote:
      "has a quote inside a field that does not begin with one; such a field must be quoted and "
        + "its quotes doubled"
    case .textAfterQuote: "has text between a closing quote and the next comma"
    case .unclosedQuote: "opens a quote that never closes"
    case .nul: "holds a NUL byte"
    case .notUTF8: "is not valid UTF-8"
    }
  }
}

/// One record: the bytes of its fields, quotes undone, behind one another. It is filled anew for
/// each record, so that reading a large file does not allocate for every field.
struct CSVRecord {
  /// The lines where it begins and ends, from 1. They differ when a quoted field holds line ends.
  private(set) var row = 1
  private(set) var lastLine = 1
  private(set) var defect: CSVDefect?
  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  private var hasQuotes = false
  private var isASCII = true

  var fieldCount: Int { ends.count }

  func bytes(_ field: Int) -> ArraySlice<UInt8> {
    bytes[(field == 0 ? 0 : ends[field - 1])..<ends[field]]
  }

  func text(_ field: Int) -> String { String(decoding: bytes(field), as: UTF8.self) }

  /// The text without the spaces and tabs around it: they say nothing about a number or a date.
  func trimmed(_ field: Int) -> String {
    func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    var rest = bytes(field)
    rest = rest.drop(while: isSpace)
    while let last = rest.last, isSpace(last) { rest.removeLast() }
    return String(decoding: rest, as: UTF8.self)
  }

  /// A line with nothing on it: no record at all to most writers, so none here.
  var isBlank: Bool { ends.count == 1 && bytes.isEmpty && !hasQuotes && defect == nil }

  /// How much of the record is kept, counting a byte for every separator, so that a file of commas
  /// cannot fill the memory either.
  var sizeBytes: Int { bytes.count + ends.count }

  mutating func begin(at line: Int) {
    row = line
    lastLine = line
    defect = nil
    hasQuotes = false
    isASCII = true
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  mutating func append(_ byte: UInt8) {
    if byte >= 0x80 { isASCII = false }
    if byte == 0 { mark(.nul) }
    bytes.append(byte)
  }

  mutating func openQuote() { hasQuotes = true }

  mutating func endField() { ends.append(bytes.count) }

  /// Keeps the first defect: what follows it is often its consequence.
  mutating func mark(_ found: CSVDefect) {
    if defect == nil { defect = found }
  }

  mutating func end(at line: Int) {
    lastLine = line
    // Field by field: two broken halves may look whole when they stand behind one another.
    guard !isASCII, defect == nil else { return }
    for field in 0..<fieldCount where String(validating: bytes(field), as: UTF8.self) == nil {
      mark(.notUTF8)
      return
    }
  }
}
