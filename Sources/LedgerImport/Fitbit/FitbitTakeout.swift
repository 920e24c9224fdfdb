import LedgerJSON
import LedgerModel
import LedgerPlatform

/// Reads what Google Takeout has of Fitbit and Google Fit: the JSON of the folder `Global Export Data`,
/// and the table of daily metrics (docs/import.md, Vendors).
///
/// Each file is a list of `{"dateTime": "01/31/26 08:00:00", "value": …}`. Samples of minutes are in
/// UTC and become sums: steps of an hour, distance and energy of a local day. A day may be spread
/// over several files, so the whole folder is read at once.
package enum FitbitTakeout {
  /// What a file of this name holds.
  private struct Kind {
    var metric: Metric
    /// The beginning of the file's name.
    var name = ""
    /// Multiplies the values; distance is in centimetres.
    var factor = 1.0
    /// Whether the samples are of minutes, in UTC, and not of days.
    var isMinutes = false
  }

  private static let kinds: [String: Kind] = [
    "steps": Kind(metric: .steps, isMinutes: true),
    "distance": Kind(metric: .distanceKM, factor: 1e-5, isMinutes: true),
    "calories": Kind(metric: .caloriesOut, isMinutes: true),
    "lightly_active_minutes": Kind(metric: .activeMinutes),
    "moderately_active_minutes": Kind(metric: .activeMinutes),
    "very_active_minutes": Kind(metric: .activeMinutes),
    "resting_heart_rate": Kind(metric: .restingHeartRate),
  ]

  static let source = "fitbit"

  /// The source id of a sum of a day.
  static func sourceID(_ metric: Metric, on date: CalendarDate) -> String {
    "takeout:\(metric.name):\(date)"
  }

  private static let sleepPrefix = "sleep-"
  private static let weightPrefix = "weight-"

  /// Whether a file of this name is read.
  static func isKnown(_ name: String) -> Bool {
    kind(of: name) != nil || isList(name, sleepPrefix) || isList(name, weightPrefix)
  }

  private static func isList(_ name: String, _ prefix: String) -> Bool {
    name.hasSuffix(".json") && name.hasPrefix(prefix)
  }

  /// - Parameter unit: that of the weight, as `lb`; `nil` for what the files tell.
  /// - Throws: ``ImportError`` if a file cannot be read or is no list.
  package static func read(
    _ files: TakeoutFiles, unit: String? = nil, context: ImportContext
  ) throws(ImportError) -> ImportResult {
    var reading = Reading(context)
    var weights = FitbitWeights()
    var tables: [ImportSource] = []
    for file in files.download.files {
      if TakeoutFiles.isFitTable(file.path) {
        tables.append(try file.source())
      } else if TakeoutFiles.isProfile(file.path) {
        try weights.takeProfile(file.source())
      } else if isList(file.name, sleepPrefix) {
        try reading.takeSleep(file)
      } else if isList(file.name, weightPrefix) {
        try reading.forEach(of: file) { _, value, row in weights.add(value, file.name, row) }
      } else if let kind = kind(of: file.name) {
        try reading.take(file, kind)
      }
    }
    reading.take(weights.drafts(unit: unit))
    guard reading.files > 0 || !tables.isEmpty else {
      throw ImportError(
        .unfit,
        "\(files.download.name) has no steps-*.json and the like; give the folder Global Export Data"
      )
    }
    let fitbit = FitbitDays(days: reading.days, parts: reading.parts, context: context)
    var result = try reading.finish()
    for table in tables {
      var fit = try CSVImport.read(
        table, rules: VendorRules.named("google-fit", in: nil), context: context)
      try fitbit.settle(&result, and: &fit)
      try result.add(fit)
    }
    if let note = note(unread: files.unread) { result.notes.append(note) }
    return result
  }

  private static func note(unread names: [String]) -> String? {
    guard !names.isEmpty else { return nil }
    let shown = names.prefix(20).map(quoted).joined(separator: ", ")
    return "not read, as no importer knows them: \(shown)"
      + (names.count > 20 ? " and \(names.count - 20) more" : "")
  }

  /// `steps-2026-01-05.json`.
  private static func kind(of name: String) -> Kind? {
    guard name.hasSuffix(".json"), let dash = name.firstIndex(of: "-") else { return nil }
    let name = String(name[..<dash])
    var kind = kinds[name]
    kind?.name = name
    return kind
  }

  private struct Reading {
    private var collector: EntryCollector
    private let context: ImportContext
    private var sessions: Set<String> = []
    private(set) var files = 0
    /// The days with sums.
    private(set) var days = SourceDays()
    private(set) var parts = FitbitParts()
    /// The minutes of the samples of each kind of file, from 2007 on.
    private var minutes: [String: Bitmap] = [:]
    private static let firstMinute = 19_460_160
    private static let minutesAtMost = 40 * 366 * 1440

    init(_ context: ImportContext) {
      self.context = context
      collector = EntryCollector(context)
    }

    mutating func take(_ file: DownloadFiles.File, _ kind: Kind) throws(ImportError) {
      try forEach(of: file) { reading, value, row throws(RowFault) in
        guard let draft = try reading.draft(value, kind, file.name, row) else { return }
        guard reading.collector.add(draft) else { return }
        reading.days.note(draft.metric, draft.date, .others)
        reading.parts.add(draft.metric, draft.quantity, on: draft.date)
      }
    }

    /// Calls `body` with each element of a list, whose faults it reports.
    mutating func forEach(
      of file: DownloadFiles.File,
      _ body: (_ reading: inout Reading, _ value: JSONValue, _ row: Int) throws(RowFault) -> Void
    ) throws(ImportError) {
      files += 1
      var list = JSONElements(try file.stream(progress: context.progress), name: file.name)
      var row = 0
      while let value = try next(&list, file) {
        row += 1
        collector.result.rows += 1
        do throws(RowFault) {
          try body(&self, value, row)
        } catch {
          report(error, file.name, row)
        }
      }
    }

    /// The next element. What a damaged zip gives is no list; the error of `unzip` says why.
    private func next(
      _ list: inout JSONElements, _ file: DownloadFiles.File
    ) throws(ImportError) -> JSONValue? {
      do throws(ImportError) {
        return try list.next()
      } catch {
        if error.kind == .unfit { try list.skipRest() }
        throw error
      }
    }

    /// Takes a list of sleep logs. Nights that the site's CSV gave as hours stay so.
    mutating func takeSleep(_ file: DownloadFiles.File) throws(ImportError) {
      try forEach(of: file) { reading, value, row throws(RowFault) in
        try reading.takeNight(value, file.name, row)
      }
    }

    private mutating func takeNight(
      _ value: JSONValue, _ file: String, _ row: Int
    ) throws(RowFault) {
      let night = try FitbitSleep(value, zone: context.zone)
      let session = try night.session(entry: context.makeEntry())
      let hours = CSVSourceID(.sleepHours, []).of(session.end.date, nil)
      if !sessions.insert(session.sourceID ?? "").inserted {
        collector.result.reportDuplicate(
          RowProblem(file: file, row: row, reason: "the same session again"))
      } else if context.known(session.source ?? "", hours) != nil {
        collector.result.knownSessions += 1
      } else {
        try collector.result.take(session, context)
      }
    }

    private mutating func report(_ fault: RowFault, _ file: String, _ row: Int) {
      collector.result.report(RowProblem(fault, file: file, row: row))
    }

    mutating func take(_ weights: (drafts: [EntryDraft], problems: [RowProblem])) {
      for draft in weights.drafts { collector.add(draft) }
      for problem in weights.problems { collector.result.report(problem) }
    }

    /// - Returns: `nil` for no value: a resting heart rate of 0, a day without active minutes.
    private mutating func draft(
      _ value: JSONValue, _ kind: Kind, _ file: String, _ row: Int
    ) throws(RowFault) -> EntryDraft? {
      guard let object = value.object, let text = object["dateTime"]?.string,
        let written = WrittenDate(text), let date = written.date(.monthFirst),
        let number = Self.number(object["value"])
      else { throw RowFault("it has no dateTime or no value", kind: "no dateTime or no value") }
      parts.cover(date, by: kind.name)
      guard number != 0 else { return nil }
      guard isFirst(kind.name, date, written.time ?? .midnight) else {
        collector.result.skipped.add(kind.name, "another sample of its minute came before")
        return nil
      }
      var draft = EntryDraft(
        file: file, row: row, column: kind.metric.name, metric: kind.metric,
        quantity: JSONNumber.writable(number * kind.factor) ?? number, date: date, source: source,
        sourceID: sourceID(kind.metric, on: date),
        sameMoment: kind.metric == .restingHeartRate ? .refuse : .sum)
      if kind.isMinutes { try place(&draft, date, written.time ?? .midnight) }
      return draft
    }

    /// Whether no sample of a kind had the minute before: files may overlap.
    private mutating func isFirst(_ kind: String, _ date: CalendarDate, _ time: ClockTime) -> Bool {
      let minute =
        Int(date.daysSince1970) * 1440 + Int(time.secondsSinceMidnight) / 60 - Self.firstMinute
      guard time.secondsSinceMidnight % 60 == 0, (0..<Self.minutesAtMost).contains(minute),
        kinds[kind]?.metric.addsUp == true
      else { return true }
      return minutes[kind, default: Bitmap()].insert(minute)
    }

    /// Puts a sample of a minute, in UTC, into its local day, steps into their hour. An hour of UTC that
    /// local midnight divides, as in India, is two.
    private func place(
      _ draft: inout EntryDraft, _ date: CalendarDate, _ time: ClockTime
    ) throws(RowFault) {
      let moment = ZonedTime(time: time, zone: .utc).instant(on: date)
      var start = moment
      start.millisecondsSince1970 -= start.millisecondsSince1970 % 3_600_000
      guard let local = context.local(moment), var begun = context.local(start) else {
        throw RowFault("its dateTime is out of range")
      }
      draft.date = local.date
      draft.sourceID = sourceID(draft.metric, on: local.date)
      guard draft.metric == .steps else { return }
      if begun.date != local.date {
        begun = (local.date, .midnight, local.zone)
        start = ZonedTime(time: .midnight, zone: local.zone).instant(on: local.date)
      }
      (draft.time, draft.zone) = (begun.time, begun.zone)
      draft.sourceID = "takeout:steps:\(start)"
    }

    /// A number, a number as text, or that of `{"date": …, "value": …}`.
    static func number(_ value: JSONValue?) -> Double? {
      if let object = value?.object { return number(object["value"]) }
      guard let text = value?.string else { return value?.number }
      // Neither hexadecimal nor a name, which `Double` reads as well.
      guard text.utf8.allSatisfy({ isDigit($0) || "+-.eE".utf8.contains($0) }) else { return nil }
      return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    consuming func finish() throws(ImportError) -> ImportResult {
      let (parts, context) = (parts, context)
      var result = try collector.finish()
      result.warnings += try parts.warnings(context)
      return result
    }
  }
}
