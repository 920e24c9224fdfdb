public import LedgerModel

/// Reads what Apple's Health app exports: `export.xml`, or the zip that it comes in.
///
/// docs/import.md says what is read and what it becomes.
public enum AppleHealthImport {
  /// - Parameter today: in the ledger's zone; nobody is born after it.
  /// - Throws: ``ImportError`` when the file is none of Apple's, is cut off or cannot be read; then
  ///   nothing of it counts. Records that cannot be read are in ``ImportResult/problems``.
  public static func read(
    _ source: ImportSource, today: CalendarDate, context: ImportContext
  ) throws(ImportError) -> ImportResult {
    try read(
      ByteStream(opening: source, progress: context.progress), name: source.name, today: today,
      context: context)
  }

  /// The same from the export's zip.
  public static func read(
    _ export: ZippedExport, today: CalendarDate, context: ImportContext
  ) throws(ImportError) -> ImportResult {
    let stream = try export.stream(progress: context.progress)
    do throws(ImportError) {
      return try read(stream, name: export.name, today: today, context: context)
    } catch {
      // A damaged zip unpacks to nonsense, and that it is damaged shows at its end: so says `unzip`,
      // whose verdict is thrown first.
      if error.kind == .unfit { while try !stream.next().isEmpty {} }
      throw error
    }
  }

  static func read(
    _ stream: ByteStream, name: String, today: CalendarDate, context: ImportContext,
    samplesInMemory: Int = 400_000
  ) throws(ImportError) -> ImportResult {
    let store = AppleSampleStore(capacity: samplesInMemory)
    var records = AppleRecords(file: name, store: store, zone: context.zone)
    try walk(XMLReader(stream, name: name), &records)
    let found = records.finish(today: today)
    var entries = AppleEntries(
      ranks: records.sources.ranks,
      settling: AppleSettling(file: name, context: context, result: found))
    try store.visit { (sample) throws(ImportError) in entries.take(sample) }
    var result = entries.finish()
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
      if tag.isNamed("Me") {
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
      ? "the export has it beside the file that is wanted, export.xml"
      : "an export begins with <HealthData>"
    throw ImportError(
      .unfit, "\(name) is no export of Apple's Health app: it begins with <\(root)>; \(advice)")
  }
}
