import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections

/// Days on which an import adds to a metric that adds up, and another series did so before.
struct SharedDays: Hashable, Sendable {
  var metric: Metric
  /// Who has entries there already, for a sentence.
  var origin: String
  var count: Int
  var firstDay: CalendarDate
  /// The sum of `origin` on the first day.
  var quantity: Double
}

/// Entries that are parts of one count: those of a source with ids of one form. Two series of a day,
/// as sums of hours and the sum of the day, count the same thing twice.
struct Series: Hashable, Sendable {
  /// What the ids of a series name.
  enum Form: UInt8, Sendable {
    case day, moment, instant, row
  }

  /// The ``TextHash/short(_:)`` of the source.
  var source: UInt64
  /// That of the importer, by which ids begin, and of the conditions on rows, by which they end.
  private var origin: UInt64 = 0
  private(set) var form = Form.row

  /// Entries that the backend had, whose source it does not tell.
  static let pulled = Series(source: 1)
  /// Those of all series beyond a number that no person has.
  static let others = Series(source: 2)

  private init(source: UInt64) { self.source = source }

  /// All series of a source as one.
  init(wholeOf series: Series) { self.init(source: series.source) }

  /// - Parameters:
  ///   - source: its ``TextHash/short(_:)``.
  ///   - id: the source id, as `csv:steps:2026-01-05T08:00:00`; any other is that of a row.
  init(source: UInt64, id: UnsafeRawBufferPointer, of metric: Metric) {
    self.source = source
    let colon = UInt8(ascii: ":")
    guard let first = id.firstIndex(of: colon),
      id[(first + 1)...].starts(with: metric.name.utf8),
      case let start = first + 2 + metric.name.utf8.count, start + 10 <= id.count,
      id[start - 1] == colon,
      id[start..<start + 10].allSatisfy({ isDigit($0) || $0 == UInt8(ascii: "-") })
    else { return }
    let end = id[start...].firstIndex(of: UInt8(ascii: "?")) ?? id.count
    origin =
      TextHash.short(UnsafeRawBufferPointer(rebasing: id[..<first]))
      ^ TextHash.short(UnsafeRawBufferPointer(rebasing: id[end...])) &* 3
    form =
      end == start + 10 ? .day : id[end - 1] == UInt8(ascii: "Z") ? .instant : .moment
  }

  init(_ entry: ProgressLogged) {
    var id = entry.sourceID ?? ""
    let source = TextHash.short(entry.source ?? "")
    self = id.withUTF8 { Series(source: source, id: UnsafeRawBufferPointer($0), of: entry.metric) }
  }

  /// For a sentence about several series of one source.
  var words: String {
    switch form {
    case .day: "sums of days"
    case .moment: "entries with a time"
    case .instant: "entries with a time and zone"
    case .row: "rows with ids"
    }
  }
}

/// The days of entries of metrics that add up, by series: a bit each, since a log may have any number of
/// entries.
struct SourceDays: Sendable {
  private static let seriesAtMost = 64
  private static let firstDay = Int32(-25_567)

  private var days = [[Series: Bitmap]](repeating: [:], count: Metric.allCases.count)

  mutating func note(_ metric: Metric, _ date: CalendarDate?, _ series: Series) {
    guard metric.addsUp, let date, let place = Self.place(date) else { return }
    let index = Int(metric.index)
    let isKept = days[index].count < Self.seriesAtMost || days[index][series] != nil
    _ = days[index][isKept ? series : .others, default: Bitmap()].insert(place)
  }

  /// Whether any series has entries of that day.
  func has(_ metric: Metric, _ date: CalendarDate) -> Bool {
    guard metric.addsUp, let place = Self.place(date) else { return false }
    return days[Int(metric.index)].contains { $0.value.contains(place) }
  }

  /// Whether entries of a series would be added to those of another one. If a series of the same source
  /// was added to before, it is not asked about again.
  func has(_ metric: Metric, _ date: CalendarDate, besides series: Series) -> Bool {
    guard metric.addsUp, let place = Self.place(date) else { return false }
    let own = days[Int(metric.index)][series]?.contains(place) == true
    return days[Int(metric.index)].contains { other, days in
      (other.source != series.source || other != series && !own) && days.contains(place)
    }
  }

  /// Whether several series have entries of that day.
  func isShared(_ metric: Metric, _ date: CalendarDate) -> Bool {
    let series = days[Int(metric.index)]
    guard series.count > 1, let place = Self.place(date) else { return false }
    return series.count { $0.value.contains(place) } > 1
  }

  /// Whether a metric has several series.
  var hasSeveralSeries: Bool { days.contains { $0.count > 1 } }

  private static func place(_ date: CalendarDate) -> Int? {
    date.daysSince1970 < firstDay ? nil : Int(date.daysSince1970 - firstDay)
  }
}

extension ImportedEntries {
  /// The days that several series of the import itself have, a sentence for each metric. A drink or a
  /// meal with a time and one without are two, not two counts of one.
  ///
  /// - Throws: ``ImportError`` if a temporary file cannot be read; what `units` throws.
  func sharedDays(units: () throws(ImportError) -> UnitSystem) throws(ImportError) -> [String] {
    guard Metric.allCases.contains(where: { $0.addsUp && count(of: $0) > 1 }) else { return [] }
    func series(_ entry: ProgressLogged) -> Series {
      entry.metric.isFood ? Series(wholeOf: Series(entry)) : Series(entry)
    }
    var days = SourceDays()
    var cursor = cursor()
    while let entry = try cursor.next() {
      if entry.metric.addsUp { days.note(entry.metric, entry.date, series(entry)) }
    }
    guard days.hasSeveralSeries else { return [] }
    var sums: [SharedDay: [Series: Double]] = [:]
    var names: [UInt64: String] = [:]
    cursor = self.cursor()
    while let entry = try cursor.next() {
      guard entry.metric.addsUp, days.isShared(entry.metric, entry.date) else { continue }
      let series = series(entry)
      names[series.source] = entry.source
      let day = SharedDay(metric: entry.metric, date: entry.date)
      sums[day, default: [:]][series, default: 0] += entry.quantity
    }
    var sentences: [String] = []
    for metric in Metric.allCases {
      let shared = sums.filter { $0.key.metric == metric }
      guard let (first, parts) = shared.min(by: { $0.key.date < $1.key.date }) else { continue }
      let words = QuantityWords(units: try units())
      let listed = parts.map { series, sum in
        "\(words.words(sum, of: metric)) from \(names[series.source] ?? "") (\(series.words))"
      }.sorted().joined(separator: " and ")
      let days = shared.count == 1 ? "1 day" : "\(shared.count) days"
      sentences.append(
        "the import has \(metric.name) of \(days) twice, such as of \(first.date) "
          + "\(listed); they would be added up")
    }
    return sentences
  }
}

extension Metric {
  /// Whether several quantities of a moment are parts of a meal.
  var isFood: Bool {
    switch self {
    case .caloriesIn, .proteinG, .carbsG, .fatG, .waterLiters: true
    default: false
    }
  }
}

private struct SharedDay: Hashable {
  var metric: Metric
  var date: CalendarDate
}

extension ImportedSources {
  /// What new entries would be added to, by metric and source.
  ///
  /// - Parameters:
  ///   - pulled: the days of pulled entries that the import does not have.
  ///   - view: the log that was read; it is read again only if such days are found.
  /// - Throws: `LogError`; ``ImportError`` if a temporary file cannot be read.
  func sharedDays(
    with entries: ImportedEntries, pulled: SourceDays, in view: LogView
  ) throws -> [SharedDays] {
    guard try meets(entries, pulled) else { return [] }
    var wanted: [SharedDay: Series] = [:]
    var cursor = entries.cursor()
    while let entry = try cursor.next() {
      let series = Series(entry)
      guard
        days.has(entry.metric, entry.date, besides: series) || pulled.has(entry.metric, entry.date)
      else { continue }
      wanted[SharedDay(metric: entry.metric, date: entry.date)] = series
    }
    guard !wanted.isEmpty else { return [] }
    var scan = SharedDayScan(wanted, self.entries)
    try scan.read(view)
    return scan.found
  }

  /// Whether new entries are of days that the ledger has, of any source.
  private func meets(
    _ entries: ImportedEntries, _ pulled: SourceDays
  ) throws(ImportError) -> Bool {
    var cursor = entries.cursor()
    while let entry = try cursor.nextAmount() {
      if days.has(entry.metric, entry.date) || pulled.has(entry.metric, entry.date) { return true }
    }
    return false
  }
}

/// Sums what other series have on the days of an import.
private struct SharedDayScan {
  private struct Part: Hashable {
    var day: SharedDay
    var series: Series
    /// Whether the import is of the same source.
    var isOwnSource = false
  }

  /// The series of the import.
  private let wanted: [SharedDay: Series]
  private let known: KnownEntries
  private var sums: [Part: Double] = [:]
  private var names: [UInt64: String] = [:]
  /// Entries that are corrected later.
  private var changed: [EntryID: (part: Part, quantity: Double)] = [:]
  private var data = LoggedData()

  init(_ wanted: [SharedDay: Series], _ known: KnownEntries) {
    (self.wanted, self.known) = (wanted, known)
    names[Series.pulled.source] = "the backend"
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
        && data.date(in: bytes).map {
          wanted[SharedDay(metric: data.metric, date: $0)] == nil
        } ?? false
    }
    if isOther { return }
    switch try EventReader.payload(envelope, in: window) {
    case .progressLogged(let data):
      let series = Series(data)
      if names[series.source] == nil { names[series.source] = data.source }
      add(data.entry, data.quantity, data.metric, data.date, series, envelope.seq)
    case .progressPulled(let data):
      add(data.entry, data.quantity, data.metric, data.date, .pulled, envelope.seq)
    case .progressCorrected(let data): correct(data, envelope.seq)
    default: break
    }
  }

  private mutating func add(
    _ entry: EntryID, _ quantity: Double, _ metric: Metric, _ date: CalendarDate, _ series: Series,
    _ seq: Int
  ) {
    let day = SharedDay(metric: metric, date: date)
    guard let own = wanted[day], own != series, known.has(entry, loggedBy: seq) else { return }
    let part = Part(day: day, series: series, isOwnSource: own.source == series.source)
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

  /// Other sources by name; other series of the same source also by what they are.
  var found: [SharedDays] {
    var sums: [Part: Double] = [:]
    for (part, sum) in self.sums {
      var part = part
      if !part.isOwnSource { part.series = Series(wholeOf: part.series) }
      sums[part, default: 0] += sum
    }
    var found: [Part: SharedDays] = [:]
    for (part, sum) in sums.sorted(by: { $0.key.day.date < $1.key.day.date }) {
      let (metric, date) = (part.day.metric, part.day.date)
      var key = part
      key.day.date = .first
      let name = names[part.series.source] ?? "another source"
      let new = SharedDays(
        metric: metric, origin: part.isOwnSource ? "\(name) (\(part.series.words))" : name,
        count: 0, firstDay: date, quantity: sum)
      found[key, default: new].count += 1
    }
    return found.values.sorted { ($0.metric.index, $0.origin) < ($1.metric.index, $1.origin) }
  }
}
