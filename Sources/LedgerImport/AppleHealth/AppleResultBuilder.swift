import LedgerJSON
import LedgerModel

/// Decides whether a measurement or sum is a new entry, a known one, or one that has grown.
struct AppleResultBuilder {
  private let file: String
  private let context: ImportContext
  private var result: ImportResult
  private var hoursOfDay: (day: Int, isKnown: Bool)?
  /// The last hour that was looked up.
  private var lastHour: (minute: Int64, own: Int64, start: Int64)?

  static let source = "apple-health"

  init(file: String, context: ImportContext, result: ImportResult) {
    self.file = file
    self.context = context
    self.result = result
  }

  mutating func finish() -> ImportResult {
    result.problems.sort()
    return result
  }

  mutating func skip(_ sample: AppleSample, _ reason: String) {
    guard let metric = Metric(index: sample.metric) else { return }
    result.skipped.add(AppleMetric.typeName(of: metric), reason)
  }

  /// Takes one source's measurements at one moment; different values contradict each other.
  mutating func measure(_ samples: [AppleSample]) {
    guard let first = samples.first, let metric = Metric(index: first.metric) else { return }
    for other in samples.dropFirst() where other.value == first.value {
      skip(other, "it is in the file twice")
    }
    guard samples.allSatisfy({ $0.value == first.value }) else {
      let values = samples.map { JSONNumber.text(JSONNumber.writable($0.value) ?? 0) }
      for sample in samples {
        report(
          metric, sample.line, "another value has the same moment",
          "\(metric.name) has several values at one moment: \(values.joined(separator: ", "))")
      }
      return
    }
    add(moment(of: first, metric, first.value))
  }

  /// Takes the sum of one source's samples at one moment.
  mutating func sum(_ total: Double, at first: AppleSample) {
    guard let metric = Metric(index: first.metric) else { return }
    add(moment(of: first, metric, AppleMetric.rounded(total, of: metric)))
  }

  /// - Parameter seconds: the start of the hour, since 1970 in UTC.
  mutating func sum(_ total: Double, ofHourFrom seconds: Int64, with first: AppleSample) {
    guard let metric = Metric(index: first.metric) else { return }
    var draft = moment(of: first, metric, AppleMetric.rounded(total, of: metric))
    draft.seconds = seconds
    add(draft)
  }

  mutating func sum(_ total: Double, onDay day: Int, with first: AppleSample) {
    guard let metric = Metric(index: first.metric) else { return }
    var draft = moment(of: first, metric, AppleMetric.rounded(total, of: metric))
    draft.seconds = Int64(day) * 86_400
    draft.offsetMinutes = nil
    add(draft)
  }

  static let hourPrefix = "\(source):\(Metric.steps.name):"

  /// The beginning of an hour that a source id names, in seconds past an hour of UTC; `nil` for an hour
  /// without an offset.
  static func hourOffset(ofID id: UnsafeRawBufferPointer) -> Int64? {
    // `…T05:30:00Z`
    guard id.count > hourPrefix.utf8.count + 10, id.last == UInt8(ascii: "Z") else { return nil }
    let minutes = id[(id.count - 6)..<(id.count - 4)]
    guard minutes.allSatisfy(isDigit) else { return nil }
    return minutes.reduce(0) { $0 * 10 + Int64($1 & 15) } * 60
  }

  /// The start of the hour of steps in which a moment counts. Hours are cut by the phone's zone, so
  /// those of a zone with half an hour overlap others: the hour that the ledger had first counts.
  ///
  /// - Parameters:
  ///   - second: since 1970 in UTC.
  ///   - own: the start of the hour by the sample's own offset.
  mutating func hour(of second: Int64, own: Int64) -> Int64 {
    func start(_ offset: Int64) -> Int64 { second - ((second - offset) % 3600 + 3600) % 3600 }
    let offsets = context.hourOffsets()
    guard offsets.contains(where: { start($0) != own }) else { return own }
    if let last = lastHour, last.minute == second / 60, last.own == own { return last.start }
    var first: (start: Int64, seq: Int)?
    for start in Set(offsets.map(start) + [own]) {
      let instant = Timestamp(millisecondsSince1970: start * 1000).rfc3339Seconds
      guard let known = context.knownEntry(Self.source, Self.hourPrefix + instant),
        known.seq < first?.seq ?? .max
      else { continue }
      first = (start, known.seq)
    }
    let hour = first?.start ?? own
    lastHour = (second / 60, own, hour)
    return hour
  }

  /// Whether an earlier import logged the sleep of a day as hours, which stay so: the night must not
  /// count twice.
  mutating func hasHours(onDay day: Int) -> Bool {
    if let last = hoursOfDay, last.day == day { return last.isKnown }
    let date = CalendarDate(daysSince1970: day).map { "\($0)" } ?? ""
    let id = "\(Self.source):\(Metric.sleepHours.name):\(date)"
    let isKnown = context.knownEntry(Self.source, id) != nil
    hoursOfDay = (day, isKnown)
    return isKnown
  }

  /// Takes the session of a night.
  mutating func add(_ night: AppleNight) {
    guard let first = night.pieces.first, let last = night.pieces.last else { return }
    func moment(_ seconds: Int64, _ piece: SleepPiece) -> ZonedTimestamp? {
      ZonedTimestamp(
        secondsSince1970: seconds,
        zone: ZoneOffset(minutes: Int(piece.sample.offsetMinutes)) ?? .utc)
    }
    guard let start = moment(first.start, first), let end = moment(last.end, last) else {
      return report(
        .sleepHours, first.sample.line, "its date is out of range",
        "\(Metric.sleepHours.name): the date is out of range")
    }
    let stages = night.pieces.compactMap { piece in
      moment(piece.start, piece).flatMap { start in
        moment(piece.end, piece).map { SleepStage(piece.stage, start: start, end: $0) }
      }
    }
    let isLocal = first.sample.isLocal
    func key(_ moment: ZonedTimestamp) -> String {
      isLocal ? "\(moment.date)T\(moment.moment.time)" : moment.timestamp.rfc3339Seconds
    }
    let session = SleepLogged(
      entry: context.makeEntry(), start: start, end: end, stages: stages, source: Self.source,
      sourceID: "\(Self.source):sleep:\(key(start))/\(key(end))")
    do throws(RowFault) {
      try result.take(session, context)
    } catch {
      report(.sleepHours, first.sample.line, error.kind, error.sentence)
    }
  }

  private struct Draft {
    var metric: Metric
    var quantity: Double
    /// Since 1970 in UTC; for a day, midnight as if in UTC.
    var seconds: Int64
    /// `nil` for a day.
    var offsetMinutes: Int16?
    var line: UInt32
    /// Whether the offset comes from the ledger's zone and may differ next time.
    var isLocal: Bool
    /// Whether a later export may have a larger value.
    var grows: Bool
  }

  private func moment(of sample: AppleSample, _ metric: Metric, _ quantity: Double) -> Draft {
    Draft(
      metric: metric, quantity: quantity, seconds: sample.start,
      offsetMinutes: sample.offsetMinutes, line: sample.line, isLocal: sample.isLocal,
      grows: AppleMetric.rule(of: metric) != .measured)
  }

  private mutating func add(_ draft: Draft) {
    let metric = draft.metric
    let instant = Timestamp(millisecondsSince1970: draft.seconds * 1000)
    let zone = draft.offsetMinutes.map { ZoneOffset(minutes: Int($0)) ?? .utc }
    guard let wall = instant.localTime(at: zone ?? .utc) else {
      return report(
        metric, draft.line, "its date is out of range", "\(metric.name): the date is out of range")
    }
    guard let quantity = metric.stored(draft.quantity) else {
      let unit = metric.unit.isEmpty ? "" : " \(metric.unit)"
      return report(
        metric, draft.line, "it is out of range",
        "\(metric.name) of \(wall.date)\(zone == nil ? "" : " \(wall.time)") is "
          + "\(draft.quantity)\(unit); it must be \(metric.range)\(unit)")
    }
    let key = key(draft, wall.date, wall.time, instant)
    let sourceID = "\(Self.source):\(metric.name):\(key)"
    let moment = zone.map { ZonedTime(time: wall.time, zone: $0) }
    if let known = context.knownEntry(Self.source, sourceID) {
      return addKnown(known, draft, quantity, sourceID, on: wall.date, at: moment)
    }
    result.entries.append(
      ProgressLogged(
        entry: context.makeEntry(), metric: metric, quantity: quantity, date: wall.date,
        moment: moment, source: Self.source, sourceID: sourceID))
  }

  /// Moments are identified by their instant, so that an export written in another zone matches;
  /// without an offset in the file, by the wall time.
  private func key(
    _ draft: Draft, _ date: CalendarDate, _ time: ClockTime, _ instant: Timestamp
  ) -> String {
    if draft.offsetMinutes == nil { return "\(date)" }
    return draft.isLocal ? "\(date)T\(time)" : instant.rfc3339Seconds
  }

  /// Sums only grow: a smaller one is from an older export or a phone that kept less.
  private mutating func addKnown(
    _ known: KnownEntry, _ draft: Draft, _ quantity: Double, _ sourceID: String,
    on date: CalendarDate, at moment: ZonedTime?
  ) {
    if draft.grows, quantity > known.quantity, !known.isTouched {
      result.growths.append(
        GrownSum(
          entry: known.entry, metric: draft.metric, quantity: quantity, source: Self.source,
          sourceID: sourceID, known: known.quantity, date: date, moment: moment))
    } else if draft.grows || quantity == known.quantity || known.isTouched {
      if quantity < known.quantity, !known.isTouched {
        result.smallerSums[draft.metric, default: SmallerSums()].add(date)
      }
      result.knownEntries[draft.metric, default: 0] += 1
    } else {
      report(
        draft.metric, draft.line, "the ledger has another value for that moment",
        "\(draft.metric.name) is \(JSONNumber.text(quantity)), but the ledger logged "
          + "\(JSONNumber.text(known.quantity)) for this moment; correct the entry if that is "
          + "wrong")
    }
  }

  private mutating func report(
    _ metric: Metric, _ line: UInt32, _ reason: String, _ sentence: String
  ) {
    result.report(
      RowProblem(file: file, row: Int(line), reason: sentence, isOfTable: false),
      type: AppleMetric.typeName(of: metric), as: reason)
  }
}
