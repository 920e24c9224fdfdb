/// What a file is by its first bytes, for an import without a named kind.
package enum FileKind: Hashable, Sendable {
  case appleHealth
  /// Of Apple's, or of something that is refused.
  case zip
  /// JSON of the old app.
  case legacy
  /// The stored events of a ledger.
  case events
  case csv

  /// - Throws: ``ImportError`` if the file cannot be read.
  package init(of source: ImportSource) throws(ImportError) {
    let stream = try ByteStream(opening: source, chunkBytes: 4096)
    var first: [UInt8] = []
    while first.count < ForeignFile.neededBytes, case let piece = try stream.next(), !piece.isEmpty
    {
      first += piece
    }
    // Only tables are read in UTF-16; other kinds are recognized, so that their readers refuse it.
    var decoder = CSVDecoder(CSVDialect.encoding(ofBeginning: first))
    let text = String(decoding: decoder.decode(first), as: UTF8.self)
      .drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    switch true {
    case ForeignFile.isZip(first): self = .zip
    // A table's reader refuses all that is no text.
    case text.hasPrefix("{\\rtf"), ForeignFile.isPage(String(text)): self = .csv
    case text.hasPrefix("<"): self = .appleHealth
    case text.hasPrefix("{") && text.prefix(300).contains("\"type\":\"ledger.created\""):
      self = .events
    case text.hasPrefix("{"), text.hasPrefix("["): self = .legacy
    default: self = .csv
    }
  }
}

/// The tables of a vendor's download, a folder or zip, that the rules of vendors know.
package struct VendorTables {
  /// Each is an import of its own: several may have rows of the same moments.
  package let sources: [ImportSource]
  /// The names of tables that an import could read by their columns.
  package let readable: [String]
  /// The names of the other tables, without a date and a metric.
  package let others: [String]
  /// Tables that cannot be read.
  package let failures: [(name: String, error: ImportError)]

  /// Whether some are those of the published Fitbit data set, which is of several people.
  package var hasFitbitStudy: Bool {
    FitbitTable.dailyActivity.fileNames.contains { (readable + others).contains($0) }
  }

  /// - Parameters:
  ///   - vendor: whose rules; `nil` for those of all.
  ///   - own: a person's rules, which come before those of all.
  /// - Returns: `nil` for what is neither a folder nor a zip, a download of Takeout, and if there is no
  ///   table.
  /// - Throws: ``ImportError`` if the folder or zip cannot be read.
  package init?(
    _ path: String, vendor: String? = nil, own: [CSVRules] = []
  ) throws(ImportError) {
    guard try TakeoutFiles(path) == nil,
      let download = try DownloadFiles(path, where: { $0.lowercased().hasSuffix(".csv") })
    else { return nil }
    let rules =
      if let vendor {
        try VendorRules.named(vendor, in: "")
      } else {
        try own + VendorRules.all()
      }
    var sources: [ImportSource] = []
    var (readable, others): ([String], [String]) = ([], [])
    var failures: [(name: String, error: ImportError)] = []
    for file in download.files {
      do throws(ImportError) {
        let source = try file.source()
        switch try CSVImport.recognition(of: source, rules) {
        case .rules: sources.append(source)
        case .columns: readable.append(file.name)
        case .nothing: others.append(file.name)
        }
      } catch {
        failures.append((file.name, error))
      }
    }
    guard !download.files.isEmpty else { return nil }
    (self.sources, self.failures) = (sources, failures)
    (self.readable, self.others) = (readable, others)
  }
}
