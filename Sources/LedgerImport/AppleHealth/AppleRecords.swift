import LedgerModel

/// Turns the records of an export into samples and reports those that it cannot use.
struct AppleRecords {
  /// The offset for a wall time that has none in the file.
  typealias Zone = (ClockTime, CalendarDate) -> ZoneOffset

  private let file: String
  private let zone: Zone
  private let store: ExternalSorter<AppleSample>
  private(set) var sources = AppleSources()
  private var characteristics = AppleCharacteristics()
  private var result = ImportResult()
  private var lastType: [UInt8] = []
  private var lastMetric: Metric?
  /// Unsupported records of the last type, not yet added to the tally.
  private var foreign = 0
  private var newestHeight: (start: Int64, centimetres: Double)?

  private static let noMetric = "the ledger has no metric for it"

  init(file: String, store: ExternalSorter<AppleSample>, zone: @escaping Zone) {
    self.file = file
    self.store = store
    self.zone = zone
  }

  mutating func take(_ tag: XMLTag) throws(ImportError) {
    if tag.isNamed("Record") {
      result.rows += 1
      try takeRecord(tag)
    } else if tag.isNamed("ClinicalRecord") || tag.isNamed("Workout")
      || tag.isNamed("ActivitySummary") || tag.isNamed("Audiogram")
      || tag.isNamed("VisionPrescription")
    {
      // A workout's steps and energy are separate records too.
      result.skipped.add(tag.nameText, "only records are read")
    }
  }

  /// `<ExportDate value="2026-11-21 10:00:00 +0100"/>`.
  mutating func takeExportDate(_ tag: XMLTag) {
    guard let value = tag.value("value") else { return }
    result.exportedOn = CalendarDate(tag.decoded(value).prefix(10))
  }

  mutating func takeCharacteristic(_ tag: XMLTag) { characteristics.take(tag) }

  /// Everything the file contained except the entries.
  mutating func finish(today: CalendarDate) -> ImportResult {
    countForeign()
    result.profile = characteristics.profile(
      height: newestHeight?.centimetres, today: today
    ) { type, sentence in
      result.report(
        RowProblem(
          file: file, row: characteristics.line, reason: sentence, isOfTable: false), type: type,
        as: "it cannot be read")
    }
    return result
  }

  private mutating func takeRecord(_ tag: XMLTag) throws(ImportError) {
    guard let type = tag.value("type") else {
      return leaveOut(tag, "Record", "it has no type", "a record has no type")
    }
    let name = tag.bytes[type]
    if !lastType.elementsEqual(name) {
      countForeign()
      lastType = Array(name)
      lastMetric = AppleMetric.metric(ofType: name)
    }
    guard let metric = lastMetric else {
      if !characteristics.takeRecord(tag, type: type) { foreign += 1 }
      return
    }
    let sample: AppleSample
    do throws(AppleRecordFault) {
      sample = try self.sample(tag, metric)
    } catch {
      return leaveOut(tag, Self.shown(lastType), error.reason, error.sentence)
    }
    try store.append(sample)
  }

  private mutating func countForeign() {
    if foreign > 0 { result.skipped.add(Self.shown(lastType), Self.noMetric, foreign) }
    foreign = 0
  }

  private mutating func leaveOut(
    _ tag: XMLTag, _ type: String, _ reason: String, _ sentence: String
  ) {
    result.report(
      RowProblem(file: file, row: tag.line, reason: sentence, isOfTable: false), type: type,
      as: reason)
  }

  /// A record type without its common prefix.
  private static func shown(_ type: [UInt8]) -> String {
    let text = XMLText.decoded(type[...])
    for prefix in ["HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier", "HKDataType"]
    where text.hasPrefix(prefix) && text.count > prefix.count {
      return String(text.dropFirst(prefix.count))
    }
    return text
  }
}

private struct AppleRecordFault: Error {
  /// A short form for the tally.
  var reason: String
  /// The full sentence, with the value found.
  var sentence: String
}

extension AppleRecords {
  private mutating func sample(
    _ tag: XMLTag, _ metric: Metric
  ) throws(AppleRecordFault) -> AppleSample {
    guard let value = tag.value("value") else {
      throw AppleRecordFault(
        reason: "it has no value", sentence: "\(metric.name): the record has no value")
    }
    var quantity: Double
    if metric == .sleepHours {
      quantity = try sleep(tag, value)
    } else {
      quantity = try number(tag, value, metric)
    }
    let start = try moment(tag, "startDate", metric)
    guard let start else {
      throw AppleRecordFault(
        reason: "it has no date", sentence: "\(metric.name): the record has no startDate")
    }
    let end = try moment(tag, "endDate", metric) ?? start
    guard end.seconds >= start.seconds else {
      throw AppleRecordFault(
        reason: "it ends before it begins",
        sentence:
          "\(metric.name): the record ends at \(shown(tag, "endDate")), before it begins at "
          + "\(shown(tag, "startDate"))")
    }
    let duration = end.seconds - start.seconds
    let rule = AppleMetric.rule(of: metric)
    if rule != .measured, rule != .summedAtMoment, duration > AppleMetric.longestSeconds {
      throw AppleRecordFault(
        reason: "it lasts longer than a day",
        sentence: "\(metric.name): the record lasts from \(shown(tag, "startDate")) to "
          + "\(shown(tag, "endDate")), longer than a day, so it belongs to none")
    }
    if metric == .height, newestHeight.map({ $0.start <= Int64(start.seconds) }) ?? true {
      newestHeight = (Int64(start.seconds), quantity)
    }
    if quantity == 0 { quantity = 0 }
    return AppleSample(
      value: quantity, start: Int64(start.seconds),
      durationSeconds: UInt32(clamping: duration), line: UInt32(clamping: tag.line),
      offsetMinutes: Int16(start.offsetMinutes),
      source: sources.number(
        of: tag, name: tag.value("sourceName") ?? tag.value("source"),
        device: tag.value("device")),
      metric: metric.index, isLocal: start.isLocal)
  }

  /// The number of the stage.
  private func sleep(_ tag: XMLTag, _ value: Range<Int>) throws(AppleRecordFault) -> Double {
    let text = tag.decoded(value)
    guard let stage = AppleMetric.stage(text),
      let number = SleepStageKind.allCases.firstIndex(of: stage)
    else {
      throw AppleRecordFault(
        reason: "its value is not known",
        sentence: "sleep_hours: the value is \(quoted(text)), which is not a known stage of sleep")
    }
    return Double(number)
  }

  private func number(
    _ tag: XMLTag, _ value: Range<Int>, _ metric: Metric
  ) throws(AppleRecordFault) -> Double {
    let number: Double
    do throws(AppleNumber.ReadError) {
      number = try AppleNumber.read(tag.bytes[value])
    } catch {
      let text = quoted(tag.decoded(value))
      switch error {
      case .noNumber:
        throw AppleRecordFault(
          reason: "its value is not a number", sentence: "\(metric.name): \(text) is not a number")
      case .ambiguousComma:
        throw AppleRecordFault(
          reason: "its value can be read in two ways",
          sentence: "\(metric.name): the comma in \(text) can mark decimals or thousands")
      }
    }
    let unit = tag.value("unit").map { tag.decoded($0) }
    // Dimensionless quantities are exported without a unit.
    let isPlain = metric.unit.isEmpty && (unit ?? "").isEmpty
    guard isPlain || unit != nil else {
      throw AppleRecordFault(
        reason: "it has no unit", sentence: "\(metric.name): the record has no unit")
    }
    guard let factor = isPlain ? 1 : AppleMetric.factor(of: unit ?? "", for: metric) else {
      throw AppleRecordFault(
        reason: "its unit does not fit",
        sentence: "\(metric.name): the unit \(quoted(unit ?? "")) does not fit")
    }
    let converted = metric == .bodyFatPercentage ? AppleMetric.percent(number) : number * factor
    guard converted >= 0, converted < 1e12 else {
      throw AppleRecordFault(
        reason: "it is out of range",
        sentence: "\(metric.name): \(quoted(tag.decoded(value))) is out of range")
    }
    return converted
  }

  private func moment(
    _ tag: XMLTag, _ attribute: StaticString, _ metric: Metric
  ) throws(AppleRecordFault) -> (seconds: Int, offsetMinutes: Int, isLocal: Bool)? {
    guard let range = tag.value(attribute), !range.isEmpty else { return nil }
    guard let date = AppleDate(tag.bytes[range]) else {
      throw AppleRecordFault(
        reason: "its date cannot be read",
        sentence: "\(metric.name): \(attribute) is \(quoted(tag.decoded(range))); it must be a day "
          + "and a time such as 2016-04-12 07:30:15 +0200")
    }
    let offset = date.offsetMinutes ?? home(date.wallSeconds)
    return (date.wallSeconds - offset * 60, offset, date.offsetMinutes == nil)
  }

  private func home(_ wallSeconds: Int) -> Int {
    let (day, rest) = wallSeconds.quotientAndRemainder(dividingBy: 86_400)
    let (days, seconds) = rest < 0 ? (day - 1, rest + 86_400) : (day, rest)
    guard let date = CalendarDate(daysSince1970: days),
      let time = ClockTime(secondsSinceMidnight: seconds)
    else { return 0 }
    return Int(zone(time, date).minutes)
  }

  private func shown(_ tag: XMLTag, _ attribute: StaticString) -> String {
    tag.value(attribute).map { quoted(tag.decoded($0)) } ?? "no date"
  }
}

/// A usable record in 32 bytes without references, so that millions can be sorted and written to a
/// file as they are in memory.
struct AppleSample: SortedRecord, Equatable {
  /// In the metric's unit; for sleep, the number of the stage.
  var value: Double
  /// Seconds since 1970 in UTC.
  var start: Int64
  var durationSeconds: UInt32
  var line: UInt32
  var offsetMinutes: Int16
  var source: UInt16
  var metric: UInt8
  /// Whether the file gives no offset and the ledger's zone was used.
  var isLocal: Bool

  var end: Int64 { start + Int64(durationSeconds) }
  var wallSeconds: Int { Int(start) + Int(offsetMinutes) * 60 }

  /// By metric, then start; exact repetitions are adjacent.
  static func isBefore(_ left: AppleSample, _ right: AppleSample) -> Bool {
    if left.metric != right.metric { return left.metric < right.metric }
    if left.start != right.start { return left.start < right.start }
    if left.durationSeconds != right.durationSeconds {
      return left.durationSeconds < right.durationSeconds
    }
    if left.source != right.source { return left.source < right.source }
    if left.value != right.value { return left.value < right.value }
    return left.line < right.line
  }

  /// Whether both are the same measurement.
  func repeats(_ other: AppleSample) -> Bool {
    metric == other.metric && start == other.start && durationSeconds == other.durationSeconds
      && source == other.source && value == other.value
  }
}

/// An app or device that recorded samples, by its name in the export.
struct AppleSource: Hashable {
  /// Best rank first.
  enum Kind: UInt8, Comparable {
    case watch, phone, other

    static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
  }

  var name: String
  var kind: Kind

  /// - Parameter device: the attribute `device`, which includes the model.
  init(name: String, device: ArraySlice<UInt8>?) {
    self.name = name
    if let device {
      kind = Self.kind(of: device)
      if kind != .other { return }
    }
    kind = Self.kind(of: Array(name.utf8)[...])
  }

  private static func kind(of text: ArraySlice<UInt8>) -> Kind {
    if contains("Watch", text) { return .watch }
    return contains("iPhone", text) ? .phone : .other
  }

  private static func contains(_ word: String, _ text: ArraySlice<UInt8>) -> Bool {
    guard let first = word.utf8.first else { return false }
    var rest = text
    while let mark = rest.firstIndex(of: first) {
      rest = rest[mark...]
      if rest.starts(with: word.utf8) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}

struct AppleSources {
  private(set) var all: [AppleSource] = []
  private var numbers: [AppleSource: UInt16] = [:]
  private var last: (name: [UInt8], device: [UInt8], number: UInt16)?

  /// Sources above this limit share the last number.
  private static let most = 4000

  mutating func number(of tag: XMLTag, name: Range<Int>?, device: Range<Int>?) -> UInt16 {
    let nameBytes = name.map { tag.bytes[$0] } ?? []
    let deviceBytes = device.map { tag.bytes[$0] } ?? []
    if let last, last.name.elementsEqual(nameBytes), last.device.elementsEqual(deviceBytes) {
      return last.number
    }
    let source = AppleSource(
      name: XMLText.decoded(nameBytes), device: device == nil ? nil : deviceBytes)
    let number = number(of: source)
    last = (Array(nameBytes), Array(deviceBytes), number)
    return number
  }

  private mutating func number(of source: AppleSource) -> UInt16 {
    if let number = numbers[source] { return number }
    guard all.count < Self.most else { return UInt16(Self.most - 1) }
    let number = UInt16(all.count)
    all.append(source)
    numbers[source] = number
    return number
  }

  /// Each source's rank by kind, then name: the same for every export of one phone.
  var ranks: [UInt16] {
    let order = all.indices.sorted { (all[$0].kind, all[$0].name) < (all[$1].kind, all[$1].name) }
    var ranks = [UInt16](repeating: 0, count: all.count)
    for (rank, index) in order.enumerated() { ranks[index] = UInt16(rank) }
    return ranks
  }
}
