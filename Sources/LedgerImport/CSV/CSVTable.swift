/// A CSV file with a header: columns by name, rows in sequence.
struct CSVTable {
  let name: String
  let columns: [String]
  private var reader: CSVReader

  init(
    _ source: ImportSource, progress: ((Int) -> Void)? = nil
  ) throws(ImportError) {
    name = source.name
    reader = CSVReader(try ByteStream(opening: source, progress: progress))
    if let refusal = ForeignFile.refusal(of: try reader.beginning(), named: name) { throw refusal }
    var header = CSVRecord()
    guard try reader.next(into: &header) else {
      throw ImportError(.unfit, "\(name) is empty; its first row must name the columns")
    }
    if let defect = header.defect {
      throw ImportError(
        .unfit,
        "the first row of \(name), which must name the columns, \(defect.sentence); "
          + "save the file as CSV in UTF-8")
    }
    columns = (0..<header.fieldCount).map { header.text($0) }
  }

  /// A column's index.
  ///
  /// - Throws: ``ImportError`` that lists the columns if it is missing or repeated.
  func column(_ wanted: String) throws(ImportError) -> Int {
    try Self.column(wanted, of: columns, in: name)
  }

  static func column(
    _ wanted: String, of columns: [String], in name: String
  ) throws(ImportError) -> Int {
    let places = columns.indices.filter { columns[$0] == wanted }
    if let only = places.first, places.count == 1 { return only }
    throw missing(wanted, of: columns, in: name)
  }

  /// Why a column is not to be found, or not the only one.
  static func missing(_ wanted: String, of columns: [String], in name: String) -> ImportError {
    guard !columns.contains(wanted) else {
      return ImportError(
        .unfit, "\(name) has '\(wanted)' twice; its columns are \(listed(columns))")
    }
    return ImportError(
      .unfit,
      "\(name) has no column '\(wanted)'; "
        + HeaderGuess(columns).advice(seeking: wanted, listed: listed(columns)))
  }

  /// The first name that two columns have, among as many as a table may have.
  static func repeated(_ columns: [String]) -> String? {
    var seen: Set<String> = []
    return columns.prefix(CSVRecord.columnsAtMost).first {
      !$0.isEmpty && !seen.insert($0).inserted
    }
  }

  func has(_ wanted: String) -> Bool { columns.contains(wanted) }

  static func listed(_ columns: [String]) -> String {
    let shown = columns.prefix(40).map { "'\(String($0.prefix(60)))'" }.joined(separator: ", ")
    return columns.count > 40 ? "\(shown) and \(columns.count - 40) more" : shown
  }

  /// Reads the next row that fits the header and reports those that do not.
  ///
  /// - Returns: false at the end of the file.
  mutating func next(
    into record: inout CSVRecord, report: (RowProblem) -> Void
  ) throws(ImportError) -> Bool {
    while try reader.next(into: &record) {
      guard let reason = fault(of: record) else { return true }
      report(RowProblem(file: name, row: record.row, reason: reason))
    }
    return false
  }

  private func fault(of record: CSVRecord) -> String? {
    if let defect = record.defect { return "the row \(defect.sentence)\(record.span)" }
    guard record.fieldCount != columns.count else { return nil }
    return record.misfit(columns: columns.count)
  }
}

extension CSVRecord {
  /// A missing quote swallows following rows, so all of them are named.
  var span: String {
    lastLine > row ? "; lines \(row) to \(lastLine) were read as one row" : ""
  }

  func misfit(columns: Int) -> String {
    "the row has \(fieldCount) \(fieldCount == 1 ? "field" : "fields"), the header \(columns)\(span)"
  }
}

/// Guesses why a header lacks a column, for advice only.
private struct HeaderGuess {
  private let columns: [String]

  init(_ columns: [String]) {
    self.columns = columns
  }

  /// - Parameter listed: the column names for the message.
  func advice(seeking wanted: String, listed: String) -> String {
    if let near = columns.first(where: { plain($0) == plain(wanted) }) {
      return "its columns are \(listed); did you mean '\(near)'?"
    }
    guard let data = columns.first(where: looksLikeData) else { return "its columns are \(listed)" }
    return "its first row seems to be data ('\(data.prefix(60))'); put a row with the names of the "
      + "columns above it"
  }

  private func plain(_ name: String) -> String {
    String(name.filter { !$0.isWhitespace && $0 != "_" && $0 != "\u{FEFF}" }).lowercased()
  }

  private func looksLikeData(_ name: String) -> Bool {
    let text = name.trimmingSpaces
    guard text.utf8.first.map(isDigit) == true else { return false }
    return text.utf8.allSatisfy { byte in
      isDigit(byte) || Array("-/.:, T+".utf8).contains(byte)
    }
  }
}
