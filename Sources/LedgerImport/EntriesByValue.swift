import LedgerModel

/// The entries of a log that an import may have under another source and id, by their values: those that
/// sync pulled, since the backend keeps no source ids, and those of metrics that do not add up, since a
/// file may be written in another form.
struct EntriesByValue: Sendable {
  /// An entry of the log or of an import.
  struct Record: SortedRecord {
    enum Origin: UInt8 { case pulled, typed, imported }

    /// Of metric, moment and notes.
    var key: TextHash
    var quantity: Double
    /// Of the log's entry.
    var entry: LedgerUUID
    /// The event, or the place in the import.
    var place: Int
    var day: Int32
    var metric: UInt8
    /// Of the log's entry.
    private var originNumber: UInt8
    /// Whether the import has a sum that a later file may have more of.
    fileprivate var grows = false

    var origin: Origin { Origin(rawValue: originNumber) ?? .pulled }

    init(
      _ metric: Metric, _ quantity: Double, _ date: CalendarDate, _ moment: ZonedTime?,
      _ notes: String?, entry: LedgerUUID, place: Int, _ origin: Origin
    ) {
      var hasher = Hasher()
      hasher.combine(metric.index)
      hasher.combine(moment == nil)
      hasher.combine(Self.second(date, moment))
      hasher.combine((notes ?? "").trimmingSpaces)
      key = TextHash(hasher)
      (self.quantity, self.entry, self.place) = (quantity, entry, place)
      (day, self.metric, originNumber) = (date.daysSince1970, metric.index, origin.rawValue)
    }

    /// An entry timed at midnight UTC is sent with one second past it, since midnight there is no time.
    static func second(_ date: CalendarDate, _ moment: ZonedTime?) -> Int64 {
      guard let moment else { return Int64(date.daysSince1970) * 86_400 }
      let milliseconds = moment.instant(on: date).millisecondsSince1970
      let second = (milliseconds - (milliseconds % 1000 + 1000) % 1000) / 1000
      return (second % 86_400 + 86_400) % 86_400 == 1 ? second - 1 : second
    }

    static func isBefore(_ left: Record, _ right: Record) -> Bool {
      if left.key != right.key { return left.key < right.key }
      return left.quantity == right.quantity
        ? left.place < right.place : left.quantity < right.quantity
    }

    /// Whether a row of the log may be this entry: the backend or the file may have rounded the quantity
    /// to hundredths.
    fileprivate func isLike(_ row: Record) -> Bool {
      guard key == row.key else { return false }
      let distance = (quantity - row.quantity).magnitude
      if distance <= 1e-9 * max(quantity.magnitude, row.quantity.magnitude) { return true }
      return row.quantity.isHundredths(of: quantity) || quantity.isHundredths(of: row.quantity)
    }
  }

  /// In the order of the log.
  let rows: RecordSpool<Record>
  let changes: [EntryID: KnownEntries.Change]
  /// The events that were undone and count as never made.
  let undone: Set<Int>

  /// The rows that an import may have, and all pulled ones, since an import needs their days.
  ///
  /// - Parameter keys: those of the import.
  fileprivate func sorted(_ keys: KeyFilter) throws(ImportError) -> SortedRecords<Record> {
    let sorter = ExternalSorter<Record>(capacity: 50_000)
    try rows.visit { row throws(ImportError) in
      guard row.origin == .pulled || keys.mayHave(row.key), !isGone(row) else { return }
      try sorter.append(row)
    }
    return try sorter.sorted()
  }

  /// Whether an import restores the entry: sync deleted it, since the backend no longer had it, an undo took
  /// it back, or a person deleted what they had typed.
  fileprivate func isGone(_ row: Record) -> Bool {
    switch changes[EntryID(row.entry)] {
    case .deletedBySync, .undone: true
    case .deleted: row.origin == .typed
    case .grown, .resent, .touched, nil: undone.contains(row.place)
    }
  }
}

/// A set of keys that may also seem to have another one, in at most 16 MiB.
private struct KeyFilter {
  private static let bitsAtMost: UInt64 = 1 << 26

  private let mask: UInt64
  private var bits = Bitmap()

  init(count: Int) {
    var size: UInt64 = 1024
    while size < Self.bitsAtMost, size < 16 * count { size *= 2 }
    mask = size - 1
  }

  mutating func insert(_ key: TextHash) { bits.insert(Int(key.low & mask)) }

  func mayHave(_ key: TextHash) -> Bool { bits.contains(Int(key.low & mask)) }
}

extension Double {
  /// Whether it is a quantity as it is, or rounded to hundredths or finer, as spreadsheets show numbers.
  func isRounding(of exact: Double) -> Bool {
    if self == exact { return true }
    var scale = 100.0
    while scale < 1e10 {
      if (exact * scale).rounded() / scale == self { return true }
      scale *= 10
    }
    return isHundredths(of: exact)
  }

  /// Whether it is a quantity rounded to hundredths, as the backend and some files have it.
  func isHundredths(of exact: Double) -> Bool {
    let hundredths = self * 100
    return (self - exact).magnitude <= 0.005_001
      && (hundredths - hundredths.rounded()).magnitude <= 1e-9 * max(1, hundredths.magnitude)
  }
}

extension ImportResult {
  /// Counts those new entries as known that the ledger has with equal metric, moment, quantity and notes,
  /// each by an entry of its own. A sum of a day that was pulled and has grown is corrected, if the
  /// import also has other sums of that metric as they were pulled: another device imported an earlier
  /// export.
  ///
  /// - Returns: the days with pulled entries that the import does not have.
  mutating func drop(equalTo known: EntriesByValue) throws(ImportError) -> SourceDays {
    var matches = ValueMatches()
    guard !known.rows.isEmpty else { return matches.otherDays }
    let own = ExternalSorter<EntriesByValue.Record>(capacity: 50_000)
    var keys = KeyFilter(count: self.entries.count)
    var entries = self.entries.cursor()
    while let entry = try entries.next() {
      var record = EntriesByValue.Record(
        entry.metric, entry.quantity, entry.date, entry.moment, entry.notes,
        entry: entry.entry.uuid, place: entries.place, .imported)
      record.grows = entry.isTotal
      keys.insert(record.key)
      try own.append(record)
    }
    var rows = try known.sorted(keys).cursor()
    try own.visit { record throws(ImportError) in
      while let row = try rows.peek(), !record.isLike(row),
        EntriesByValue.Record.isBefore(row, record)
      {
        rows.advance()
        matches.note(row: row)
      }
      guard let row = try rows.peek(), record.isLike(row) else {
        return matches.note(new: record)
      }
      rows.advance()
      matches.note(record, equalTo: row)
      countKnown(record)
    }
    while let row = try rows.peek() {
      rows.advance()
      matches.note(row: row)
    }
    for (record, row) in matches.finish() { correct(row, to: record, known.changes) }
    return matches.otherDays
  }

  private mutating func countKnown(_ record: EntriesByValue.Record) {
    guard let metric = Metric(index: record.metric) else { return }
    entries.remove(record.place, metric)
    knownEntries[metric, default: 0] += 1
  }

  /// Corrects a pulled sum by a larger one, unless a person has changed it.
  private mutating func correct(
    _ row: EntriesByValue.Record, to record: EntriesByValue.Record,
    _ changes: [EntryID: KnownEntries.Change]
  ) {
    guard let metric = Metric(index: record.metric),
      let date = CalendarDate(daysSince1970: Int(record.day))
    else { return }
    let present: Double? =
      switch changes[EntryID(row.entry)] {
      case nil: row.quantity
      // A sum that is smaller now was corrected by a user on another device.
      case .grown(let quantity), .resent(let quantity): quantity < row.quantity ? nil : quantity
      case .touched, .deleted, .deletedBySync, .undone: nil
      }
    guard let present, record.quantity > present else {
      if let present, record.quantity < present {
        smallerSums[metric, default: SmallerSums()].add(date)
      }
      return countKnown(record)
    }
    entries.remove(record.place, metric)
    growths.append(
      GrownSum(
        entry: EntryID(row.entry), metric: metric, quantity: record.quantity, source: "",
        sourceID: "", known: present, date: date))
  }
}

/// What a walk over the rows of a log and the entries of an import, both sorted, has found.
private struct ValueMatches {
  typealias Record = EntriesByValue.Record

  /// The days of pulled rows that the import does not have.
  private(set) var otherDays = SourceDays()
  /// What is left of one key.
  private var key: TextHash?
  private var row: Record?
  private var record: Record?
  private var isPair = true
  /// Sums of the import and of the log, one of each for a key.
  private var pairs: [(record: Record, row: Record)] = []
  /// The metrics of pulled sums that are equal in the import.
  private var repeated: Set<UInt8> = []

  mutating func note(_ record: Record, equalTo row: Record) {
    begin(record.key)
    if record.grows, row.origin == .pulled { repeated.insert(record.metric) }
  }

  mutating func note(new record: Record) {
    begin(record.key)
    isPair = isPair && self.record == nil && record.grows
    self.record = record
  }

  mutating func note(row: Record) {
    begin(row.key)
    isPair = isPair && self.row == nil && row.origin == .pulled
    if let other = self.row { noteDay(other) }
    self.row = row
  }

  /// - Returns: sums of the import that are those of the log, grown or not.
  mutating func finish() -> [(record: Record, row: Record)] {
    begin(nil)
    for pair in pairs where !repeated.contains(pair.record.metric) { noteDay(pair.row) }
    return pairs.filter { repeated.contains($0.record.metric) }
  }

  private mutating func begin(_ next: TextHash?) {
    guard next != key else { return }
    if isPair, let record, let row {
      pairs.append((record, row))
    } else if let row {
      noteDay(row)
    }
    (key, record, row, isPair) = (next, nil, nil, true)
  }

  private mutating func noteDay(_ row: Record) {
    guard row.origin == .pulled, let metric = Metric(index: row.metric) else { return }
    otherDays.note(metric, CalendarDate(daysSince1970: Int(row.day)), .pulled)
  }
}

extension ProgressLogged {
  /// Whether a larger quantity of the day is a later total, as of a device. In a person's own table it may
  /// be another meal or run.
  var isTotalOfDay: Bool {
    guard moment == nil, metric.addsUp, !metric.isFood else { return false }
    return source != CSVMapping.usualSource || metric == .steps || metric == .caloriesOut
  }

  /// Whether a later export may have more of the day or the hour.
  fileprivate var isTotal: Bool {
    isTotalOfDay || sourceID?.hasPrefix(AppleResultBuilder.hourPrefix) == true
  }
}
