import LedgerTestSupport
import Testing

@testable import LedgerImport

@Suite struct CSVReaderTests {
  struct Row: Equatable {
    var row: Int
    var fields: [String]
    var defect: CSVDefect?
  }

  func rows(
    _ bytes: [UInt8], chunkBytes: Int = 1 << 18, limitBytes: Int = CSVReader.recordLimitBytes
  ) throws -> [Row] {
    let stream = try ByteStream(opening: .bytes(bytes, name: "t"), chunkBytes: chunkBytes)
    var reader = CSVReader(stream, limitBytes: limitBytes)
    var record = CSVRecord()
    var rows: [Row] = []
    while try reader.next(into: &record) {
      rows.append(
        Row(
          row: record.row, fields: (0..<record.fieldCount).map { record.text($0) },
          defect: record.defect))
    }
    return rows
  }

  func rows(_ text: String) throws -> [Row] { try rows(Array(text.utf8)) }

  @Test(
    "Lines end with LF, CRLF or CR",
    arguments: ["\n", "\r\n", "\r"])
  func everyLineEnd(_ end: String) throws {
    let expected = [
      Row(row: 1, fields: ["a", "b"]), Row(row: 2, fields: ["", "2"]),
      Row(row: 4, fields: ["x", ""]),
    ]
    let lines = ["a,b", ",2", "", "x,"]
    #expect(try rows(lines.joined(separator: end)) == expected)
    #expect(try rows(lines.joined(separator: end) + end) == expected)
  }

  @Test("A quoted field holds commas, quotes and line ends")
  func quotesHoldCommasQuotesAndLines() throws {
    let text = "a,\"b,\"\"c\"\"\"\r\n\"two\r\nlines\",\"\"\r\nz,9"
    #expect(
      try rows(text) == [
        Row(row: 1, fields: ["a", "b,\"c\""]), Row(row: 2, fields: ["two\r\nlines", ""]),
        Row(row: 4, fields: ["z", "9"]),
      ])
  }

  @Test("An empty quoted field is a record; a blank line is not")
  func aQuotedNothingIsARecordAndABlankLineIsNone() throws {
    #expect(
      try rows("\"\"\n\n\r\n\nb\n") == [Row(row: 1, fields: [""]), Row(row: 5, fields: ["b"])])
    #expect(try rows("").isEmpty)
    #expect(try rows("\n\r\n\r").isEmpty)
    #expect(try rows("\u{FEFF}").isEmpty)
  }

  @Test("A byte order mark is dropped at the beginning of a file only")
  func aByteOrderMarkIsDroppedBeforeAQuoteToo() throws {
    #expect(try rows("\u{FEFF}\"a\",b") == [Row(row: 1, fields: ["a", "b"])])
    #expect(try rows("x\n\u{FEFF}a").last?.fields == ["\u{FEFF}a"])
  }

  @Test("Chunks of any size give the same records")
  func piecesOfAnySizeGiveTheSameRecords() throws {
    let text = "\u{FEFF}Id,\"Na\"\"me\"\r\n1,\"ä\r\nö\"\r\r\n2,\"\"\n\"3\"x,4\n5,6\"\n\"7,8"
    let whole = try rows(text)
    #expect(whole.count == 6)
    for chunkBytes in 1...text.utf8.count {
      #expect(try rows(Array(text.utf8), chunkBytes: chunkBytes) == whole, "\(chunkBytes)")
    }
  }

  @Test("A defect in one row leaves the other rows readable")
  func oneBadRowDoesNotHideTheOthers() throws {
    let text = "a\"b,1\n\"a\"b,2\nc\u{0},3\nd,4\n"
    #expect(
      try rows(text).map(\.defect) == [.strayQuote, .textAfterQuote, .nul, nil])
    #expect(try rows(text).last == Row(row: 4, fields: ["d", "4"]))
  }

  @Test("A quote behind a digit at the end of a field stands for inches")
  func inches() throws {
    #expect(
      try rows("5'11\",a\n5'11\"\n") == [
        Row(row: 1, fields: ["5'11\"", "a"]), Row(row: 2, fields: ["5'11\""]),
      ])
    #expect(try rows("1\"2,a\n1\"\",a\n").map(\.defect) == [.strayQuote, .strayQuote])
  }

  @Test("An unclosed quote is reported at the row that opens it")
  func aQuoteThatNeverClosesIsReportedWhereItOpens() throws {
    let rows = try rows("a\n\"b\nc\nd\n")
    #expect(rows.map(\.row) == [1, 2])
    #expect(rows.last?.defect == .unclosedQuote)
  }

  @Test("UTF-8 is checked field by field")
  func encodingIsCheckedFieldByField() throws {
    let broken: [[UInt8]] = [
      [0xFF, 0x61], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80],
      // Two halves of an ä, each in a field of its own.
      [0xC3, 0x2C, 0xA4],
    ]
    for bytes in broken { #expect(try rows(bytes).map(\.defect) == [.notUTF8]) }
    #expect(try rows("ä,🥐").map(\.defect) == [nil])
  }

  @Test("A record over the limit is cut, and the next one is read")
  func aRecordBeyondTheLimitIsCutButReadToItsEnd() throws {
    let long = String(repeating: "x", count: 50)
    let bytes = Array(
      "a,b\n\(long),1\n\"\(long)\n\(long)\",2\n\(long.map { _ in "," }.joined())\nc,d".utf8)
    let rows = try rows(bytes, limitBytes: 40)
    #expect(rows.map(\.row) == [1, 2, 3, 5, 6])
    #expect(rows.map { $0.defect != nil } == [false, true, true, true, false])
    #expect(rows[1].defect == .tooLong(limitBytes: 40))
    #expect(rows.allSatisfy { $0.fields.joined().utf8.count <= 40 })
  }

  @Test("A field up to the record's limit is read whole")
  func aMegabyteInOneFieldIsRead() throws {
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: CSVReader.recordLimitBytes - 2)
    #expect(try rows(long + Array(",1\n".utf8)).map(\.defect) == [nil])
    #expect(
      try rows(long + Array("xxx,1\n2,3".utf8)).map(\.defect) == [
        .tooLong(limitBytes: CSVReader.recordLimitBytes), nil,
      ])
  }

  @Test("The rest of a record that is too long is counted, not kept")
  func restOfALongRecord() throws {
    let long = String(repeating: "x", count: 500)
    let text = "a,b\n\(long),\"\(long)\n\(long)\"\"\",2\n3,4"
    for chunkBytes in [1, 7, 1 << 18] {
      let rows = try rows(Array(text.utf8), chunkBytes: chunkBytes, limitBytes: 40)
      #expect(rows.map(\.row) == [1, 2, 4])
      #expect(rows.map(\.defect) == [nil, .tooLong(limitBytes: 40), nil])
      #expect(rows[2].fields == ["3", "4"])
    }
  }

  @Test("Any bytes end in records or defects, with ascending row numbers")
  func noiseIsSurvived() throws {
    var generator = SplitMix(7)
    let alphabet = Array("\",\r\na1\u{0}é\u{FEFF}".utf8) + [0xFF]
    for _ in 0..<2000 {
      let count = Int.random(in: 0..<40, using: &generator)
      let bytes = (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
      let whole = try rows(bytes)
      #expect(try rows(bytes, chunkBytes: 1) == whole, "\(bytes)")
      #expect(zip(whole, whole.dropFirst()).allSatisfy { $0.row < $1.row }, "\(bytes)")
    }
  }
}
