import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections

/// Days on which an import adds to a metric that adds up, and another source did so before.
struct SharedDays: Hashable, Sendable {
  var metric: Metric
  /// Who has entries there already, for a sentence.
  var origin: String
  var count: Int
  var firstDay: CalendarDate
  /// The sum of `origin` on the first day.
  var quantity: Double
}

/// The days of a ledger with entries of metrics that add up, by source: a bit each, since a log may have
/// any number of entries.
struct SourceDays: Sendable {
  /// Of entries that the backend had, whose source it does not tell.
  static let pulled: UInt64 = 1
  /// Of all sources beyond a number that no person has.
  private static let others: UInt64 = 2
  private static let sourcesAtMost = 64
  private static let firstDay = Int32(-25_567)

  private var days = [[UInt64: Bitmap]](repeating: [:], count: Metric.allCases.count)

  /// - Parameter source: its ``TextHash/short(_:)``.
  mutating func note(_ metric: Metric, _ date: CalendarDate?, _ source: UInt64) {
    guard metric.addsUp, let date, let place = Self.place(date) else { return }
    let index = Int(metric.index)
    let isKept = days[index].count < Self.sourcesAtMost || days[index][source] != nil
    _ = days[index][isKept ? source : Self.others, default: Bitmap()].insert(place)
  }

  /// Whether another source has entries of that day.
  func has(_ metric: Metric, _ date: CalendarDate, besides source: UInt64? = nil) -> Bool {
    guard metric.addsUp, let place = Self.place(date) else { return false }
    return days[Int(metric.index)].contains { $0.key != source && $0.value.contains(place) }
  }

  private static func place(_ date: CalendarDate) -> Int? {
    date.daysSince1970 < firstDay ? nil : Int(date.daysSince1970 - firstDay)
  }
}

extension ImportedSources {
  /// What new entries would be added to, by metric and source.
  ///
  /// - Parameter view: the log that was read; it is read again only if such days are found.
  /// - Throws: `LogError`; ``ImportError`` if a temporary file cannot be read.
  func sharedDays(with entries: ImportedEntries, in view: LogView) throws -> [SharedDays] {
    guard try meets(entries) else { return [] }
    var wanted: [SharedDayScan.Day: UInt64] = [:]
    var cursor = entries.cursor()
    while let entry = try cursor.next() {
      let source = TextHash.short(entry.source ?? "")
      guard days.has(entry.metric, entry.date, besides: source) else { continue }
      wanted[SharedDayScan.Day(metric: entry.metric, date: entry.date)] = source
    }
    guard !wanted.isEmpty else { return [] }
    var scan = SharedDayScan(wanted, self.entries)
    try scan.read(view)
    return scan.found
  }

  /// Whether new entries are of days that the ledger has, of any source.
  private func meets(_ entries: ImportedEntries) throws(ImportError) -> Bool {
    var cursor = entries.cursor()
    while let entry = try cursor.nextAmount() {
      if days.has(entry.metric, entry.date) { return true }
    }
    return false
  }
}

/// Sums what other sources have on the days of an import.
private struct SharedDayScan {
  struct Day: Hashable {
    var metric: Metric
    var date: CalendarDate
  }

  private struct Part: Hashable {
    var day: Day
    var source: UInt64
  }

  /// The source of the import.
  private let wanted: [Day: UInt64]
  private let known: KnownEntries
  private var sums: [Part: Double] = [:]
  private var names: [UInt64: String] = [:]
  /// Entries that are corrected later.
  private var changed: [EntryID: (part: Part, quantity: Double)] = [:]
  private var data = LoggedData()

  init(_ wanted: [Day: UInt64], _ known: KnownEntries) {
    (self.wanted, self.known) = (wanted, known)
    names[SourceDays.pulled] = "the backend"
    names[TextHash.short("")] = "your own entries"
  }

  mutating func read(_ view: LogView) throws(LogError) {
    var scan = EventScan(checks: .form)
    try view.forEachWindow { (window, offset) throws(LogError) in
      try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
        try take(envelope, in: window)
      }
    }
  }

  private mutating func take(_ envelope: Envelope, in window: RawSpan) throws(LineFault) {
    let type = window.extracting(envelope.type)
    let isPulled = type.isText("progress.pulled")
    guard !envelope.isErased,
      isPulled || type.isText("progress.logged") || type.isText("progress.corrected")
    else { return }
    // Most entries are of other days.
    let isOther = window.extracting(envelope.data).withUnsafeBytes { bytes in
      data.read(bytes)
        && data.date(in: bytes).map { wanted[Day(metric: data.metric, date: $0)] == nil } ?? false
    }
    if isOther { return }
    switch try EventReader.payload(envelope, in: window) {
    case .progressLogged(let data):
      let source = TextHash.short(data.source ?? "")
      if names[source] == nil { names[source] = data.source }
      add(data.entry, data.quantity, data.metric, data.date, source, envelope.seq)
    case .progressPulled(let data):
      add(data.entry, data.quantity, data.metric, data.date, SourceDays.pulled, envelope.seq)
    case .progressCorrected(let data): correct(data, envelope.seq)
    default: break
    }
  }

  private mutating func add(
    _ entry: EntryID, _ quantity: Double, _ metric: Metric, _ date: CalendarDate, _ source: UInt64,
    _ seq: Int
  ) {
    let part = Part(day: Day(metric: metric, date: date), source: source)
    guard let own = wanted[part.day], own != source, known.has(entry, loggedBy: seq) else { return }
    sums[part, default: 0] += quantity
    if known.hasChanges(entry) { changed[entry] = (part, quantity) }
  }

  private mutating func correct(_ data: ProgressCorrected, _ seq: Int) {
    guard let (part, before) = changed[data.entry], !known.isUndone(seq) else { return }
    if let quantity = data.quantity {
      sums[part, default: 0] += quantity - before
      changed[data.entry] = (part, quantity)
    }
  }

  var found: [SharedDays] {
    var found: [Part: SharedDays] = [:]
    for (part, sum) in sums.sorted(by: { $0.key.day.date < $1.key.day.date }) {
      let (metric, date) = (part.day.metric, part.day.date)
      let key = Part(day: Day(metric: metric, date: .first), source: part.source)
      let new = SharedDays(
        metric: metric, origin: names[part.source] ?? "another source", count: 0, firstDay: date,
        quantity: sum)
      found[key, default: new].count += 1
    }
    return found.values.sorted { ($0.metric.index, $0.origin) < ($1.metric.index, $1.origin) }
  }
}
