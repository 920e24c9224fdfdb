package import LedgerModel
import LedgerPlatform

/// The new entries of an import, in file order. Beyond a mebibyte they are in an unnamed temporary file,
/// so that their number is not limited by memory.
///
/// Copies share the file: append to one of them only.
package struct ImportedEntries: Sendable {
  private static let heldBytes = 1 << 20

  /// The encoded entries that are not in the file yet.
  private var held: [UInt8] = []
  private var file: OpenFile?
  private var fileBytes = 0
  private var failure: ImportError?
  /// Appended entries, removed ones included.
  private var total = 0
  private var removed = Bitmap()
  private var metrics = [Int](repeating: 0, count: Metric.allCases.count)
  /// Of the entries as they were appended.
  private var samples = [QuantitySample](repeating: QuantitySample(), count: Metric.allCases.count)

  /// An entry without its texts, as it is encoded.
  private struct Header: BitwiseCopyable {
    var entry: LedgerUUID
    var quantity: Double
    var day: Int32
    /// Since midnight; -1 for no time.
    var second: Int32
    var zone: Int16
    var metric: UInt8
    /// A bit for each text that is there.
    var texts: UInt8
    var lengths: (UInt32, UInt32, UInt32, UInt32)

    static let entryIDOffset = MemoryLayout<Header>.offset(of: \.entry)!
    static let quantityOffset = MemoryLayout<Header>.offset(of: \.quantity)!
    static let textsOffset = MemoryLayout<Header>.offset(of: \.texts)!
    static let notesBit: UInt8 = 1
  }

  /// The number of entries.
  package private(set) var count = 0
  package var isEmpty: Bool { count == 0 }

  /// The number of entries of a metric.
  func count(of metric: Metric) -> Int { metrics[Int(metric.index)] }

  /// Quantities of a metric, by its index: of the entries as they are now, not of those that were removed
  /// or became parts of a sum.
  func currentSamples() throws(ImportError) -> [QuantitySample] {
    guard count < total else { return samples }
    var current = [QuantitySample](repeating: QuantitySample(), count: Metric.allCases.count)
    guard count > 0 else { return current }
    var cursor = cursor()
    while let entry = try cursor.nextAmount() {
      current[Int(entry.metric.index)].add(entry.quantity)
    }
    return current
  }

  /// A temporary file that cannot be written is reported when the entries are read.
  ///
  /// - Returns: the entry's place, for ``remove(_:_:)``.
  @discardableResult
  mutating func append(_ entry: ProgressLogged) -> Int {
    let claim = entry.claimedBackendID?.description
    var header = Header(
      entry: entry.entry.uuid, quantity: entry.quantity, day: entry.date.daysSince1970,
      second: entry.moment?.time.secondsSinceMidnight ?? -1, zone: entry.moment?.zone.minutes ?? 0,
      metric: entry.metric.index, texts: 0, lengths: (0, 0, 0, 0))
    func measure(_ text: String?, _ bit: UInt8) -> UInt32 {
      guard let text else { return 0 }
      header.texts |= 1 << bit
      return UInt32(text.utf8.count)
    }
    header.lengths = (
      measure(entry.notes, 0), measure(entry.source, 1), measure(entry.sourceID, 2),
      measure(claim, 3)
    )
    withUnsafeBytes(of: header) { held.append(contentsOf: $0) }
    hold(entry.notes)
    hold(entry.source)
    hold(entry.sourceID)
    hold(claim)
    if held.count >= Self.heldBytes { spill() }
    metrics[Int(entry.metric.index)] += 1
    samples[Int(entry.metric.index)].add(entry.quantity, isDay: entry.moment == nil)
    count += 1
    total += 1
    return total - 1
  }

  private mutating func hold(_ text: String?) {
    guard var text else { return }
    text.withUTF8 { held.append(contentsOf: $0) }
  }

  private mutating func spill() {
    do throws(ImportError) {
      try temporaryFile { () throws(IOFailure) in
        let file = if let file { file } else { try OpenFile.makeTemporary() }
        self.file = file
        try file.write(held, at: fileBytes)
      }
    } catch {
      if failure == nil { failure = error }
    }
    fileBytes += held.count
    held.removeAll(keepingCapacity: true)
  }

  /// Takes an entry back.
  ///
  /// - Returns: false if it was taken back before.
  @discardableResult
  mutating func remove(_ place: Int, _ metric: Metric) -> Bool {
    guard removed.insert(place) else { return false }
    metrics[Int(metric.index)] -= 1
    count -= 1
    return true
  }

  /// Changes an entry that a cursor has just passed.
  mutating func change(
    _ passed: Cursor, quantity: Double, dropsNotes: Bool
  ) throws(ImportError) {
    try withUnsafeBytes(of: quantity) { bytes throws(ImportError) in
      try overwrite(Array(bytes), at: passed.entryOffset + Header.quantityOffset)
    }
    guard dropsNotes else { return }
    try overwrite(
      [passed.texts & ~Header.notesBit], at: passed.entryOffset + Header.textsOffset)
  }

  /// Gives another id to an entry that a cursor has just passed.
  mutating func change(_ passed: Cursor, entry: EntryID) throws(ImportError) {
    try withUnsafeBytes(of: entry.uuid) { bytes throws(ImportError) in
      try overwrite(Array(bytes), at: passed.entryOffset + Header.entryIDOffset)
    }
  }

  private mutating func overwrite(_ bytes: [UInt8], at offset: Int) throws(ImportError) {
    guard let file, offset < fileBytes else {
      let start = offset - fileBytes
      held.replaceSubrange(start..<start + bytes.count, with: bytes)
      return
    }
    try temporaryFile { () throws(IOFailure) in try file.write(bytes, at: offset) }
  }

  /// Reads the entries in order.
  package func cursor() -> Cursor { Cursor(self) }

  /// All entries at once.
  func all() throws(ImportError) -> [ProgressLogged] {
    var cursor = cursor()
    var entries: [ProgressLogged] = []
    entries.reserveCapacity(count)
    while let entry = try cursor.next() { entries.append(entry) }
    return entries
  }

  /// An entry without its moment and texts.
  struct Amount {
    var metric: Metric
    var quantity: Double
    var date: CalendarDate
    /// Whether it has no time.
    var isDay: Bool
  }

  /// What is new of one metric.
  package struct Summary {
    package var metric: Metric
    package var count = 0
    package var days: ClosedRange<CalendarDate>
    package var quantities: ClosedRange<Double>

    fileprivate init(_ entry: Amount) {
      metric = entry.metric
      days = entry.date...entry.date
      quantities = entry.quantity...entry.quantity
    }

    fileprivate mutating func add(_ entry: Amount) {
      count += 1
      days = min(days.lowerBound, entry.date)...max(days.upperBound, entry.date)
      quantities =
        min(quantities.lowerBound, entry.quantity)...max(quantities.upperBound, entry.quantity)
    }
  }

  /// In the metrics' order.
  package func summaries() throws(ImportError) -> [Summary] {
    var found: [Metric: Summary] = [:]
    var cursor = cursor()
    while let entry = try cursor.nextAmount() {
      found[entry.metric, default: Summary(entry)].add(entry)
    }
    return Metric.allCases.compactMap { found[$0] }
  }

  package struct Cursor {
    private let entries: ImportedEntries
    private var bytes: [UInt8] = []
    private var offset = 0
    /// The offset in the file after `bytes`.
    private var readBytes = 0
    /// Of the entry that was returned last.
    private(set) var place = -1
    fileprivate private(set) var entryOffset = 0
    fileprivate private(set) var texts: UInt8 = 0

    fileprivate init(_ entries: ImportedEntries) { self.entries = entries }

    package mutating func next() throws(ImportError) -> ProgressLogged? {
      try advance { cursor, header in cursor.entry(header) }
    }

    /// The next entry, whose texts are not decoded.
    mutating func nextAmount() throws(ImportError) -> Amount? {
      try advance { _, header in
        Amount(
          metric: Metric(index: header.metric) ?? .weight, quantity: header.quantity,
          date: CalendarDate(daysSince1970: Int(header.day)) ?? .first, isDay: header.second < 0)
      }
    }

    @inline(__always)
    private mutating func advance<Value>(
      _ read: (borrowing Cursor, Header) -> Value
    ) throws(ImportError) -> Value? {
      if let failure = entries.failure { throw failure }
      while entries.count > 0, place + 1 < entries.total {
        place += 1
        try fill(MemoryLayout<Header>.size)
        let header = bytes.withUnsafeBytes {
          $0.loadUnaligned(fromByteOffset: offset, as: Header.self)
        }
        let lengths = header.lengths
        let textBytes = Int(lengths.0) + Int(lengths.1) + Int(lengths.2) + Int(lengths.3)
        entryOffset = readBytes - bytes.count + offset
        texts = header.texts
        offset += MemoryLayout<Header>.size
        try fill(textBytes)
        defer { offset += textBytes }
        if !entries.removed.contains(place) { return read(self, header) }
      }
      return nil
    }

    /// Reads on until there are this many bytes.
    private mutating func fill(_ count: Int) throws(ImportError) {
      guard bytes.count - offset < count else { return }
      bytes.removeFirst(offset)
      offset = 0
      while bytes.count < count {
        let end = min(entries.fileBytes, readBytes + ImportedEntries.heldBytes)
        if let file = entries.file, readBytes < end {
          bytes += try temporaryFile { () throws(IOFailure) in
            try file.wholeRange(readBytes..<end)
          }
          readBytes = end
        } else {
          bytes += entries.held
          readBytes += entries.held.count
        }
      }
    }

    private func entry(_ header: Header) -> ProgressLogged {
      var start = offset
      func text(_ bit: UInt8, _ length: UInt32) -> String? {
        let end = start + Int(length)
        defer { start = end }
        guard header.texts & 1 << bit != 0 else { return nil }
        return bytes.withUnsafeBytes { String(decoding: $0[start..<end], as: UTF8.self) }
      }
      let (notes, source) = (text(0, header.lengths.0), text(1, header.lengths.1))
      let (id, claim) = (text(2, header.lengths.2), text(3, header.lengths.3))
      let time = ClockTime(secondsSinceMidnight: Int(header.second))
      var entry = ProgressLogged(
        entry: EntryID(header.entry), metric: Metric(index: header.metric) ?? .weight,
        quantity: header.quantity, date: CalendarDate(daysSince1970: Int(header.day)) ?? .first,
        moment: time.map {
          ZonedTime(time: $0, zone: ZoneOffset(minutes: Int(header.zone)) ?? .utc)
        },
        notes: notes, source: source, sourceID: id)
      entry.claimedBackendID = claim.flatMap { BackendID($0) }
      return entry
    }
  }
}

/// A set of small numbers, a bit each.
struct Bitmap: Sendable {
  private var words: [UInt64] = []

  func contains(_ number: Int) -> Bool {
    number >> 6 < words.count && words[number >> 6] & 1 << UInt64(number & 63) != 0
  }

  /// - Returns: false if it was there.
  @discardableResult
  mutating func insert(_ number: Int) -> Bool {
    guard !contains(number) else { return false }
    if number >> 6 >= words.count {
      words += [UInt64](repeating: 0, count: max(number >> 6 + 1 - words.count, words.count))
    }
    words[number >> 6] |= 1 << UInt64(number & 63)
    return true
  }
}
