import LedgerModel

/// The beginning of a file, tried with each delimiter.
struct CSVSample {
  private static let sampleBytes = 1 << 16
  private static let headerRowsAtMost = 30

  private let name: String
  private let bytes: [UInt8]
  private let isWhole: Bool
  private let encoding: CSVDialect.Encoding
  private var ranked: [(delimiter: UInt8, records: [CSVRecord])] = []

  init(_ source: ImportSource) throws(ImportError) {
    name = source.name
    let stream = try ByteStream(opening: source)
    var bytes: [UInt8] = []
    while bytes.count < Self.sampleBytes, case let piece = try stream.next(), !piece.isEmpty {
      bytes += piece
    }
    isWhole = bytes.count < Self.sampleBytes
    var encoding = CSVDialect.encoding(ofBeginning: bytes)
    if encoding == .utf8, let refusal = ForeignFile.refusal(of: bytes, named: name) {
      throw refusal
    }
    self.bytes = bytes
    // The sample may end within a character.
    if encoding == .utf8, String(validating: bytes.dropLast(isWhole ? 0 : 4), as: UTF8.self) == nil,
      !Self.hasUTF8(bytes)
    {
      encoding = .windows1252
    }
    self.encoding = encoding
    for delimiter in CSVDialect.delimiters {
      ranked.append((delimiter, try records(CSVDialect(encoding: encoding, delimiter: delimiter))))
    }
    ranked = ranked.enumerated().sorted { left, right in
      let (first, second) = (Self.score(left.element.records), Self.score(right.element.records))
      return first == second ? left.offset < right.offset : first > second
    }.map(\.element)
    guard !ranked[0].records.isEmpty else {
      throw ImportError(.unfit, "\(name) is empty; its first row must name the columns")
    }
  }

  /// Whether some bytes form a character of UTF-8, so that others are damage.
  private static func hasUTF8(_ bytes: [UInt8]) -> Bool {
    bytes.split { $0 < 0x80 }.contains { String(validating: $0, as: UTF8.self) != nil }
  }

  private func records(_ dialect: CSVDialect) throws(ImportError) -> [CSVRecord] {
    let stream = try ByteStream(opening: .bytes(bytes, name: name))
    var reader = CSVReader(stream, dialect: dialect)
    var records: [CSVRecord] = []
    var record = CSVRecord()
    while records.count < 100, try reader.next(into: &record) { records.append(record) }
    // The last record may be cut off.
    if !isWhole, records.count < 100, records.count > 1 { records.removeLast() }
    return records
  }

  /// How many rows have the most frequent number of fields, if that is more than one.
  private static func score(_ records: [CSVRecord]) -> Int {
    var counts: [Int: Int] = [:]
    for record in records where record.fieldCount > 1 { counts[record.fieldCount, default: 0] += 1 }
    return counts.values.max() ?? 0
  }

  typealias Header = (section: CSVLayout.Section, refusals: [Int: ImportError])

  /// The first header that can be read, and those above it that cannot.
  ///
  /// - Throws: ``ImportError`` of the first header if none can be read.
  func header(
    _ choose: CSVLayout.HeaderChoice
  ) throws(ImportError) -> (CSVDialect, Header)? {
    for (delimiter, records) in ranked {
      var refusals: [Int: ImportError] = [:]
      var first: ImportError?
      for record in records.prefix(Self.headerRowsAtMost)
      where record.defect == nil && record.fieldCount <= CSVRecord.columnsAtMost {
        do throws(ImportError) {
          guard let plan = try choose(record.texts, name) else { continue }
          let section = CSVLayout.Section(headerRow: record.row, plan: plan)
          return (
            CSVDialect(encoding: encoding, delimiter: delimiter), (section, refusals)
          )
        } catch {
          guard error.kind == .unfit else { throw error }
          refusals[record.row] = error
          first = first ?? error
        }
      }
      if let first { throw first }
    }
    return nil
  }

  func hasRow(where isHeader: ([String]) -> Bool) -> Bool {
    ranked.contains { _, records in
      records.prefix(Self.headerRowsAtMost).contains { $0.defect == nil && isHeader($0.texts) }
    }
  }

  /// Why the first row cannot be a header.
  var defect: ImportError? {
    ranked[0].records.first?.defect.map { defect in
      ImportError(
        .unfit,
        "the first row of \(name), which must name the columns, \(defect.sentence); save the file as "
          + "CSV in UTF-8")
    }
  }

  /// The most likely header with the most likely delimiter: a title above it has fewer fields, or
  /// leaves most of them empty.
  var columns: [String] {
    let records = ranked[0].records
    var counts: [Int: Int] = [:]
    for record in records where record.fieldCount > 1 { counts[record.fieldCount, default: 0] += 1 }
    let most = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
    let header = records.prefix(Self.headerRowsAtMost).first { record in
      let filled = (0..<record.fieldCount).count { !record.trimmed($0).isEmpty }
      return record.fieldCount == most && filled > 1 && filled * 2 > record.fieldCount
    }
    return (header ?? records.first)?.texts ?? []
  }
}
