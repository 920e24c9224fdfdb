import LedgerModel

/// The entries of a log that sync pulled, by their values: the backend keeps no source ids, so that
/// an import of what another device imported can be known by nothing else.
struct PulledEntries: Sendable {
  /// An entry of the log or of an import.
  struct Record: SortedRecord {
    /// Of metric, moment and notes.
    var key: TextHash
    var quantity: Double
    /// Of the log's entry.
    var entry: LedgerUUID
    /// The event, or the place in the import.
    var place: Int
    var day: Int32
    var metric: UInt8

    init(
      _ metric: Metric, _ quantity: Double, _ date: CalendarDate, _ moment: ZonedTime?,
      _ notes: String?, entry: LedgerUUID, place: Int
    ) {
      key = TextHash(
        "\(metric.index) \(Self.second(date, moment)) \(moment == nil ? "day" : "time") "
          + (notes ?? "").trimmingSpaces)
      (self.quantity, self.entry, self.place) = (quantity, entry, place)
      (day, self.metric) = (date.daysSince1970, metric.index)
    }

    /// An entry timed at midnight UTC is sent with one second past it, since midnight there is no time.
    private static func second(_ date: CalendarDate, _ moment: ZonedTime?) -> Int64 {
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

    /// Whether a row of the backend may be this entry: it may have rounded the quantity to hundredths.
    func isLike(_ row: Record) -> Bool {
      guard key == row.key else { return false }
      let distance = (quantity - row.quantity).magnitude
      if distance <= 1e-9 * max(quantity.magnitude, row.quantity.magnitude) { return true }
      let hundredths = row.quantity * 100
      return distance <= 0.005_001
        && (hundredths - hundredths.rounded()).magnitude <= 1e-9 * max(1, hundredths.magnitude)
    }
  }

  let records: SortedRecords<Record>
  /// Those that sync deleted, since the backend no longer had them: an import restores them.
  let gone: Set<EntryID>
}

extension ImportResult {
  /// Counts those new entries as known that sync pulled with equal metric, moment, quantity and notes,
  /// each by a pulled entry of its own.
  ///
  /// - Returns: the days with pulled entries that none of the import is equal to.
  mutating func drop(equalTo pulled: PulledEntries) throws(ImportError) -> SourceDays {
    var days = SourceDays()
    guard pulled.records.count > 0 else { return days }
    let own = ExternalSorter<PulledEntries.Record>(capacity: 50_000)
    var entries = self.entries.cursor()
    while let entry = try entries.next() {
      try own.append(
        PulledEntries.Record(
          entry.metric, entry.quantity, entry.date, entry.moment, entry.notes,
          entry: entry.entry.uuid, place: entries.place))
    }
    var rows = pulled.records.cursor()
    func skip(_ row: PulledEntries.Record) {
      rows.advance()
      guard let metric = Metric(index: row.metric) else { return }
      if !pulled.gone.contains(EntryID(row.entry)) {
        days.note(metric, CalendarDate(daysSince1970: Int(row.day)), .pulled)
      }
    }
    try own.visit { record throws(ImportError) in
      while let row = try rows.peek(),
        pulled.gone.contains(EntryID(row.entry))
          || !record.isLike(row) && PulledEntries.Record.isBefore(row, record)
      {
        skip(row)
      }
      guard let row = try rows.peek(), record.isLike(row),
        let metric = Metric(index: record.metric)
      else { return }
      rows.advance()
      self.entries.remove(record.place, metric)
      knownEntries[metric, default: 0] += 1
    }
    while let row = try rows.peek() { skip(row) }
    return days
  }
}
