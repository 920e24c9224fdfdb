package import LedgerModel

/// Reads an export of Apple's Health app: `export.xml`, or the zip that contains it. See
/// docs/import.md.
package enum AppleHealthImport {
  /// - Parameter today: in the ledger's zone; a later date of birth is refused.
  /// - Throws: ``ImportError`` if the file is no such export, is cut off or cannot be read.
  ///   Unreadable records are in ``ImportResult/problems``.
  package static func read(
    _ source: ImportSource, today: CalendarDate, context: ImportContext
  ) throws(ImportError) -> ImportResult {
    try read(
      ByteStream(opening: source, progress: context.progress), name: source.name, today: today,
      context: context)
  }

  /// Reads the export in a zip.
  package static func read(
    _ export: ZippedExport, today: CalendarDate, context: ImportContext
  ) throws(ImportError) -> ImportResult {
    let stream = try export.stream(progress: context.progress)
    do throws(ImportError) {
      return try read(stream, name: export.name, today: today, context: context)
    } catch {
      // A damaged zip unpacks to invalid XML, but `unzip` reports the damage only at the end;
      // prefer its error.
      if error.kind == .unfit { while try !stream.next().isEmpty {} }
      throw error
    }
  }

  /// The export in a folder that its zip was unpacked to; its name is in the phone's language.
  ///
  /// - Throws: ``ImportError`` if the folder cannot be read.
  package static func export(inFolder path: String) throws(ImportError) -> ImportSource? {
    let files = try DownloadFiles(path) { path in
      let name = path.lowercased()
      return name.hasSuffix(".xml") && !name.hasSuffix("_cda.xml")
    }
    for file in files?.files ?? [] where file.path.count(where: { $0 == "/" }) <= 1 {
      var head: [UInt8] = []
      let stream = try file.stream()
      while head.count < ZippedExport.longestHeadBytes, case let piece = try stream.next(),
        !piece.isEmpty
      { head += piece }
      if ZippedExport.isHealthData(head) { return try file.source() }
    }
    return nil
  }

  static func read(
    _ stream: ByteStream, name: String, today: CalendarDate, context: ImportContext,
    samplesInMemory: Int = 400_000
  ) throws(ImportError) -> ImportResult {
    let store = ExternalSorter<AppleSample>(capacity: samplesInMemory)
    var records = AppleRecords(file: name, store: store, zone: context.zone)
    try walk(XMLReader(stream, name: name), &records)
    let found = records.finish(today: today)
    var aggregator = AppleAggregator(
      ranks: records.sources.ranks,
      builder: AppleResultBuilder(file: name, context: context, result: found))
    try store.visit { (sample) throws(ImportError) in aggregator.take(sample) }
    var result = aggregator.finish()
    if result.rows == 0 { result.notes.append("\(name): there are no records in it") }
    return result
  }

  private static func walk(
    _ reader: XMLReader, _ records: inout AppleRecords
  ) throws(ImportError) {
    var reader = reader
    var tag = XMLTag()
    var isInRoot = false
    var isInMe = false
    while try reader.next(&tag) {
      guard isInRoot else {
        try checkRoot(tag, reader.name)
        isInRoot = true
        continue
      }
      if tag.isNamed("ExportDate") {
        records.takeExportDate(tag)
      } else if tag.isNamed("Me") {
        isInMe = tag.kind == .start
        records.takeCharacteristic(tag)
      } else if isInMe {
        records.takeCharacteristic(tag)
      } else if tag.kind != .end {
        try records.take(tag)
      }
    }
  }

  private static func checkRoot(_ tag: XMLTag, _ name: String) throws(ImportError) {
    guard !tag.isNamed("HealthData") else { return }
    let root = String(tag.nameText.prefix(60))
    let advice =
      root == "ClinicalDocument"
      ? "the export contains the right file, export.xml, next to it"
      : "an export begins with <HealthData>"
    throw ImportError(
      .unfit, "\(name) is not an export of Apple's Health app: it begins with <\(root)>; \(advice)")
  }
}

/// The personal data in an export: attributes of `<Me/>` with or without a type prefix, elements in
/// it, or records.
struct AppleCharacteristics {
  private static let prefix = "HKCharacteristicTypeIdentifier"

  private var sex: String?
  private var birth: String?
  /// The line of the last characteristic read.
  private(set) var line = 0

  /// Takes `<Me …/>` or an element inside it.
  mutating func take(_ tag: XMLTag) {
    if tag.isNamed("Me") {
      for attribute in tag.attributes where tag.kind != .end {
        set(
          String(decoding: tag.bytes[attribute.name], as: UTF8.self),
          tag.decoded(attribute.value), tag.line)
      }
      // `<Me type="…" value="…"/>` has the form of a record.
      if let type = tag.value("type") { _ = takeRecord(tag, type: type) }
      return
    }
    if let value = tag.value("value"), tag.kind != .end {
      set(tag.nameText, tag.decoded(value), tag.line)
    } else if tag.kind == .end {
      set(tag.nameText, XMLText.decoded(tag.text[...]), tag.line)
    }
  }

  /// - Returns: whether the record is a characteristic.
  mutating func takeRecord(_ tag: XMLTag, type: Range<Int>) -> Bool {
    let name = String(decoding: tag.bytes[type], as: UTF8.self)
    guard name.hasPrefix(Self.prefix) else { return false }
    if let value = tag.value("value") { set(name, tag.decoded(value), tag.line) }
    return true
  }

  private mutating func set(_ name: String, _ value: String, _ line: Int) {
    let bare = name.hasPrefix(Self.prefix) ? String(name.dropFirst(Self.prefix.count)) : name
    let text = value.trimmingSpaces
    guard !text.isEmpty else { return }
    switch bare.lowercased() {
    case "biologicalsex": sex = text
    case "dateofbirth": birth = text
    default: return
    }
    self.line = line
  }

  /// - Parameters:
  ///   - height: from the newest height record, in centimetres.
  ///   - report: called for values that cannot be understood.
  func profile(
    height: Double?, today: CalendarDate, report: (_ type: String, _ sentence: String) -> Void
  ) -> ImportedProfile {
    var fields = ImportedProfile()
    if let sex {
      let bare = sex.hasPrefix("HKBiologicalSex") ? String(sex.dropFirst(15)) : sex
      switch bare.lowercased() {
      case "female", "1": fields.biologicalSex = .female
      case "male", "2": fields.biologicalSex = .male
      case "other", "3": fields.biologicalSex = .other
      case "notset", "0": break
      default: report("BiologicalSex", "the biological sex is \(quoted(sex)), which is not known")
      }
    }
    if let birth {
      if let date = Self.day(birth), date <= today {
        fields.dateOfBirth = date
      } else {
        report(
          "DateOfBirth",
          "the date of birth is \(quoted(birth)); it must be a day such as 1985-03-04, not after "
            + "today")
      }
    }
    fields.heightCM = height.map { ($0 * 10_000).rounded() / 10_000 }
      .flatMap { Metric.height.accepts($0) ? $0 : nil }
    return fields
  }

  /// A date, optionally followed by a time, which is ignored.
  private static func day(_ text: String) -> CalendarDate? {
    let day = text.prefix(10)
    guard day.endIndex == text.endIndex || text[day.endIndex] == " " || text[day.endIndex] == "T"
    else { return nil }
    return CalendarDate(day)
  }
}
