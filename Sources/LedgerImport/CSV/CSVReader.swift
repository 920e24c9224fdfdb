/// Reads records by RFC 4180: a delimiter, doubled quotes and line ends inside quotes. Lines end in
/// LF, CRLF or CR; a byte order mark is skipped.
///
/// A malformed record is returned with its defect, and reading continues at the next line.
struct CSVReader {
  /// What a byte is in a line without quotes.
  private enum Kind: UInt8 { case plain, delimiter, lineFeed, other }

  private enum Place {
    case fieldStart, plain, quoted, afterQuote
    /// After a quote that marks inches, as in `5'11"`, if the field ends there.
    case afterInches
  }

  static let recordLimitBytes = 1 << 20

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private let stream: ByteStream
  private let limitBytes: Int
  private let delimiter: UInt8
  /// Of each byte.
  private let kinds: [Kind]
  private var decoder: CSVDecoder
  private var hasEnded = false
  private var chunk: [UInt8] = []
  private var position = 0
  private var line = 1
  private var lastWasCR = false
  private var isAtStart = true

  init(
    _ stream: ByteStream, dialect: CSVDialect = CSVDialect(), limitBytes: Int = recordLimitBytes
  ) {
    self.stream = stream
    self.limitBytes = limitBytes
    let delimiter = dialect.delimiter
    self.delimiter = delimiter
    kinds = (UInt8.min...UInt8.max).map { byte in
      switch byte {
      case delimiter: .delimiter
      case 0x0A: .lineFeed
      case 0, 0x0D, 0x22, 0x80...: .other
      default: .plain
      }
    }
    decoder = CSVDecoder(dialect.encoding)
  }

  /// Reads the next record that is not a blank line.
  ///
  /// - Returns: false at the end of the file.
  mutating func next(into record: inout CSVRecord) throws(ImportError) -> Bool {
    repeat {
      guard try readLine(into: &record) else { return false }
    } while record.isBlank
    return true
  }

  private mutating func readLine(into record: inout CSVRecord) throws(ImportError) -> Bool {
    if isAtStart { try dropByteOrderMark() }
    guard try skipLineFeedOfCRLF() else { return false }
    record.begin(at: line)
    if takePlainLine(&record) { return true }
    var place = Place.fieldStart
    while true {
      if place != .afterQuote, place != .afterInches { takeRun(&place, &record) }
      guard let byte = try nextByte() else { break }
      let isLineEnd = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
      if isLineEnd, place != .quoted {
        finish(&record, at: line)
        count(byte)
        return true
      }
      if isLineEnd { count(byte) } else { lastWasCR = false }
      take(byte, &place, &record)
    }
    if place == .quoted { record.mark(.unclosedQuote) }
    finish(&record, at: line)
    return true
  }

  /// Takes the record at once if it is one line of ASCII text without quotes, as most are.
  ///
  /// - Returns: false for another one, of which nothing is taken.
  private mutating func takePlainLine(_ record: inout CSVRecord) -> Bool {
    let start = position
    let next = chunk.withUnsafeBufferPointer { bytes -> Int? in
      let end = min(bytes.count, start + limitBytes - 1)
      var place = start
      while place < end {
        switch kinds[Int(bytes[place])] {
        case .plain: break
        case .delimiter: record.endField(at: place - start)
        case .lineFeed:
          record.take(line: UnsafeBufferPointer(rebasing: bytes[start..<place]))
          return place + 1
        case .other: return nil
        }
        place += 1
      }
      return nil
    }
    guard let next else {
      record.begin(at: line)
      return false
    }
    position = next
    lastWasCR = false
    record.end(at: line)
    line += 1
    return true
  }

  /// Copies the run of bytes without special meaning at the current position.
  private mutating func takeRun(_ place: inout Place, _ record: inout CSVRecord) {
    let isQuoted = place == .quoted
    // The rest of a record that is too long is dropped.
    let isFull = record.sizeBytes >= limitBytes
    let room = isFull ? Int.max - position : max(0, limitBytes - 1 - record.sizeBytes)
    let end = chunk.withUnsafeBufferPointer { bytes in
      var end = position
      let limit = min(bytes.count, position + room)
      while end < limit {
        let byte = bytes[end]
        if byte == 0x22 || byte == 0x0A || byte == 0x0D || byte == 0 { break }
        if byte == delimiter, !isQuoted { break }
        end += 1
      }
      return end
    }
    guard end > position else { return }
    if isFull {
      record.mark(.tooLong(limitBytes: limitBytes))
    } else {
      record.append(chunk[position..<end])
    }
    position = end
    lastWasCR = false
    if !isQuoted { place = .plain }
  }

  private func take(_ byte: UInt8, _ place: inout Place, _ record: inout CSVRecord) {
    switch (place, byte) {
    case (.fieldStart, UInt8(ascii: "\"")):
      record.openQuote()
      place = .quoted
    case (.fieldStart, delimiter), (.plain, delimiter), (.afterQuote, delimiter),
      (.afterInches, delimiter):
      if fits(&record) { record.endField() }
      place = .fieldStart
    case (.quoted, UInt8(ascii: "\"")):
      place = .afterQuote
    case (.afterQuote, UInt8(ascii: "\"")):
      if fits(&record) { record.append(byte) }
      place = .quoted
    case (.afterQuote, _):
      record.mark(.textAfterQuote)
      place = .plain
    case (.plain, UInt8(ascii: "\"")) where record.endsInDigit:
      if fits(&record) { record.append(byte) }
      place = .afterInches
    case (.plain, UInt8(ascii: "\"")):
      record.mark(.strayQuote)
    case (.afterInches, _):
      record.mark(.strayQuote)
      place = .plain
    case (.quoted, _):
      if fits(&record) { record.append(byte) }
    case (.plain, _), (.fieldStart, _):
      if fits(&record) { record.append(byte) }
      place = .plain
    }
  }

  private func fits(_ record: inout CSVRecord) -> Bool {
    if record.sizeBytes < limitBytes { return true }
    record.mark(.tooLong(limitBytes: limitBytes))
    return false
  }

  private func finish(_ record: inout CSVRecord, at line: Int) {
    record.endField()
    record.end(at: line)
  }

  /// Counts a line end; CRLF is one.
  private mutating func count(_ lineEnd: UInt8) {
    if lineEnd == UInt8(ascii: "\r") || !lastWasCR { line += 1 }
    lastWasCR = lineEnd == UInt8(ascii: "\r")
  }

  /// - Returns: false at the end of the file.
  private mutating func skipLineFeedOfCRLF() throws(ImportError) -> Bool {
    guard try fill() else { return false }
    if lastWasCR, chunk[position] == UInt8(ascii: "\n") { position += 1 }
    lastWasCR = false
    return try fill()
  }

  /// The first bytes, to recognize the file's format before it is read.
  mutating func beginning() throws(ImportError) -> ArraySlice<UInt8> {
    while chunk.count < ForeignFile.neededBytes {
      guard let piece = try nextPiece() else { break }
      chunk += piece
    }
    return chunk.prefix(ForeignFile.neededBytes)
  }

  private mutating func dropByteOrderMark() throws(ImportError) {
    isAtStart = false
    _ = try beginning()
    if chunk.starts(with: Self.byteOrderMark) { position = Self.byteOrderMark.count }
  }

  private mutating func nextByte() throws(ImportError) -> UInt8? {
    guard try fill() else { return nil }
    defer { position += 1 }
    return chunk[position]
  }

  /// - Returns: false if there is no byte at `position`, because the file has ended.
  private mutating func fill() throws(ImportError) -> Bool {
    if position < chunk.count { return true }
    chunk = []
    while chunk.isEmpty {
      guard let piece = try nextPiece() else { return false }
      chunk = piece
    }
    position = 0
    return true
  }

  /// The next bytes in UTF-8, perhaps none; `nil` at the end.
  private mutating func nextPiece() throws(ImportError) -> [UInt8]? {
    guard !hasEnded else { return nil }
    let piece = try stream.next()
    hasEnded = piece.isEmpty
    return decoder.decode(piece)
  }
}

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
    case .textAfterQuote: "has text between a closing quote and the next delimiter"
    case .unclosedQuote: "opens a quote that never closes"
    case .nul: "holds a NUL byte"
    case .notUTF8: "is not valid UTF-8"
    }
  }
}

/// The unquoted fields of a record in one buffer, reused for each record to avoid allocations.
struct CSVRecord {
  /// First and last line, from 1. They differ if a quoted field contains line ends.
  private(set) var row = 1
  private(set) var lastLine = 1
  private(set) var defect: CSVDefect?
  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  /// Between the fields in `bytes`.
  private var gapBytes = 0
  private var hasQuotes = false
  private(set) var isASCII = true

  /// Tables have fewer columns; the names of more are not looked at.
  static let columnsAtMost = 1000

  var fieldCount: Int { ends.count }

  private func range(_ field: Int) -> Range<Int> {
    (field == 0 ? 0 : ends[field - 1] + gapBytes)..<ends[field]
  }

  func bytes(_ field: Int) -> ArraySlice<UInt8> { bytes[range(field)] }

  func text(_ field: Int) -> String { String(decoding: bytes(field), as: UTF8.self) }

  var texts: [String] { (0..<fieldCount).map { text($0) } }

  /// Whether all fields are empty.
  var isEmpty: Bool { (0..<fieldCount).allSatisfy { trimmed($0).isEmpty } }

  /// The text without surrounding spaces, no-break spaces and tabs.
  func trimmed(_ field: Int) -> String {
    func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    let range = range(field)
    let text = bytes.withUnsafeBufferPointer { bytes in
      var (start, end) = (range.lowerBound, range.upperBound)
      while start < end, isSpace(bytes[start]) { start += 1 }
      while start < end, isSpace(bytes[end - 1]) { end -= 1 }
      return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
    }
    return isASCII ? text : text.trimmingSpaces
  }

  var isBlank: Bool { ends.count == 1 && bytes.isEmpty && !hasQuotes && defect == nil }

  /// Includes a byte per separator, so that a file of commas is bounded too.
  var sizeBytes: Int { bytes.count + ends.count }

  mutating func begin(at line: Int) {
    row = line
    lastLine = line
    defect = nil
    hasQuotes = false
    isASCII = true
    gapBytes = 0
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  mutating func append(_ byte: UInt8) {
    if byte >= 0x80 { isASCII = false }
    if byte == 0 { mark(.nul) }
    bytes.append(byte)
  }

  /// Appends bytes without NUL.
  mutating func append(_ run: ArraySlice<UInt8>) {
    if isASCII, !run.allSatisfy({ $0 < 0x80 }) { isASCII = false }
    bytes.append(contentsOf: run)
  }

  /// Takes a line whose fields have ended at their delimiters, but the last one.
  mutating func take(line: UnsafeBufferPointer<UInt8>) {
    bytes.append(contentsOf: line)
    gapBytes = 1
    ends.append(line.count)
  }

  /// - Parameter place: in the line that is taken next.
  mutating func endField(at place: Int) { ends.append(place) }

  mutating func openQuote() { hasQuotes = true }

  var endsInDigit: Bool { bytes.last.map(isDigit) ?? false }

  mutating func endField() { ends.append(bytes.count) }

  /// Keeps the first defect, since later ones often follow from it.
  mutating func mark(_ found: CSVDefect) {
    if defect == nil { defect = found }
  }

  mutating func end(at line: Int) {
    lastLine = line
    // Field by field: two invalid halves may form a valid character when joined.
    guard !isASCII, defect == nil else { return }
    for field in 0..<fieldCount where String(validating: bytes(field), as: UTF8.self) == nil {
      mark(.notUTF8)
      return
    }
  }
}
