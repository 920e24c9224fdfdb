/// Reads records as RFC 4180 has them: commas, quotes doubled inside quotes, line ends inside
/// quotes. Lines end in LF, CRLF or CR; a byte order mark at the start is dropped.
///
/// A record that breaks the rules is given with its defect, and reading goes on at the next line:
/// one bad row must not hide the others.
struct CSVReader {
  private enum Place {
    case fieldStart, plain, quoted, afterQuote
  }

  /// The most that one record may hold.
  static let recordLimitBytes = 1 << 20

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private let stream: ByteStream
  private let limitBytes: Int
  private var chunk: [UInt8] = []
  private var position = 0
  private var line = 1
  private var lastWasCR = false
  private var isAtStart = true

  init(_ stream: ByteStream, limitBytes: Int = recordLimitBytes) {
    self.stream = stream
    self.limitBytes = limitBytes
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
    var place = Place.fieldStart
    while let byte = try nextByte() {
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

  private func take(_ byte: UInt8, _ place: inout Place, _ record: inout CSVRecord) {
    switch (place, byte) {
    case (.fieldStart, UInt8(ascii: "\"")):
      record.openQuote()
      place = .quoted
    case (.fieldStart, UInt8(ascii: ",")), (.plain, UInt8(ascii: ",")),
      (.afterQuote, UInt8(ascii: ",")):
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
    case (.plain, UInt8(ascii: "\"")):
      record.mark(.strayQuote)
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

  /// Counts a line end; the LF behind a CR belongs to it.
  private mutating func count(_ lineEnd: UInt8) {
    if lineEnd == UInt8(ascii: "\r") || !lastWasCR { line += 1 }
    lastWasCR = lineEnd == UInt8(ascii: "\r")
  }

  /// - Returns: false when nothing follows.
  private mutating func skipLineFeedOfCRLF() throws(ImportError) -> Bool {
    guard try fill() else { return false }
    if lastWasCR, chunk[position] == UInt8(ascii: "\n") { position += 1 }
    lastWasCR = false
    return try fill()
  }

  /// The first bytes, for a look at what the file is before it is read.
  mutating func beginning() throws(ImportError) -> ArraySlice<UInt8> {
    while chunk.count < ForeignFile.neededBytes {
      let piece = try stream.next()
      if piece.isEmpty { break }
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

  /// Makes sure that a byte stands at `position`.
  private mutating func fill() throws(ImportError) -> Bool {
    if position < chunk.count { return true }
    chunk = try stream.next()
    position = 0
    return !chunk.isEmpty
  }
}
