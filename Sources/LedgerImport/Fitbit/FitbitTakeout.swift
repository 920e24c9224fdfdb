import LedgerJSON
import LedgerModel
import LedgerPlatform

/// Reads what Google Takeout has of Fitbit and Google Fit: the JSON of the folder `Global Export Data`,
/// and the table of daily metrics (docs/import.md, Vendors).
///
/// Each file is a list of `{"dateTime": "01/31/26 08:00:00", "value": …}`. Samples of minutes are in
/// UTC and become sums: steps of an hour, distance and energy of a local day. A day may be spread
/// over several files, so the whole folder is read at once.
public enum FitbitTakeout {
  /// What a file of this name holds.
  private struct Kind {
    var metric: Metric
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
    for path in files.paths {
      let name = ImportSource.file(path).name
      let source = try files.source(path)
      if TakeoutFiles.isFitTable(path) {
        tables.append(source)
      } else if TakeoutFiles.isProfile(path) {
        try weights.takeProfile(source)
      } else if isList(name, sleepPrefix) {
        try reading.takeSleep(source)
      } else if isList(name, weightPrefix) {
        weights.add(try reading.list(source), source.name)
      } else if let kind = kind(of: name) {
        try reading.take(source, kind)
      }
    }
    reading.take(weights.drafts(unit: unit))
    guard reading.files > 0 || !tables.isEmpty else {
      throw ImportError(
        .unfit, "\(files.name) has no steps-*.json and the like; give the folder Global Export Data"
      )
    }
    var result = try reading.finish()
    for table in tables {
      try result.add(
        CSVImport.read(
          table, rules: VendorRules.named("google-fit", in: ""), context: context))
    }
    return result
  }

  /// `steps-2026-01-05.json`.
  private static func kind(of name: String) -> Kind? {
    guard name.hasSuffix(".json"), let dash = name.firstIndex(of: "-") else { return nil }
    return kinds[String(name[..<dash])]
  }

  private struct Reading {
    private var collector: EntryCollector
    private let context: ImportContext
    private var sessions: Set<String> = []
    private(set) var files = 0

    init(_ context: ImportContext) {
      self.context = context
      collector = EntryCollector(context)
    }

    mutating func take(_ source: ImportSource, _ kind: Kind) throws(ImportError) {
      for (index, value) in try list(source).enumerated() {
        do throws(RowFault) {
          guard let draft = try draft(value, kind, source.name, index + 1) else { continue }
          collector.add(draft)
        } catch {
          report(error, source.name, index + 1)
        }
      }
    }

    /// Takes a list of sleep logs. Nights that the site's CSV gave as hours stay so.
    mutating func takeSleep(_ source: ImportSource) throws(ImportError) {
      for (index, value) in try list(source).enumerated() {
        do throws(RowFault) {
          let night = try FitbitSleep(value, zone: context.zone)
          let session = try night.session(entry: context.makeEntry())
          let hours = CSVSourceID(.sleepHours, []).of(session.end.date, nil)
          if !sessions.insert(session.sourceID ?? "").inserted {
            collector.result.reportDuplicate(
              RowProblem(file: source.name, row: index + 1, reason: "the same session again"))
          } else if context.known(session.source ?? "", hours) != nil {
            collector.result.knownSessions += 1
          } else {
            try collector.result.take(session, context)
          }
        } catch {
          report(error, source.name, index + 1)
        }
      }
    }

    private mutating func report(_ fault: RowFault, _ file: String, _ row: Int) {
      var problem = RowProblem(file: file, row: row, reason: fault.sentence)
      problem.kind = fault.kind
      collector.result.report(problem)
    }

    mutating func take(_ weights: (drafts: [EntryDraft], problems: [RowProblem])) {
      for draft in weights.drafts { collector.add(draft) }
      for problem in weights.problems { collector.result.report(problem) }
    }

    mutating func list(_ source: ImportSource) throws(ImportError) -> [JSONValue] {
      files += 1
      let stream = try ByteStream(opening: source, progress: context.progress)
      var bytes: [UInt8] = []
      while case let piece = try stream.next(), !piece.isEmpty { bytes += piece }
      let list: [JSONValue]?
      do throws(JSONError) {
        list = try JSONValue(parsing: String(decoding: bytes, as: UTF8.self), rules: .wire).array
      } catch {
        throw ImportError(.unfit, "\(source.name) is not valid JSON: \(error)")
      }
      guard let list else { throw ImportError(.unfit, "\(source.name) is not a list of samples") }
      collector.result.rows += list.count
      return list
    }

    /// - Returns: `nil` for no value: a resting heart rate of 0, a day without active minutes.
    private func draft(
      _ value: JSONValue, _ kind: Kind, _ file: String, _ row: Int
    ) throws(RowFault) -> EntryDraft? {
      guard let object = value.object, let text = object["dateTime"]?.string,
        let written = WrittenDate(text), let date = written.date(.monthFirst),
        let number = Self.number(object["value"])
      else { throw RowFault("it has no dateTime or no value", kind: "no dateTime or no value") }
      guard number != 0 else { return nil }
      var draft = EntryDraft(
        file: file, row: row, column: kind.metric.name, metric: kind.metric,
        quantity: JSONNumber.writable(number * kind.factor) ?? number, date: date, source: "fitbit",
        sourceID: "takeout:\(kind.metric.name):\(date)",
        sameMoment: kind.metric == .restingHeartRate ? .refuse : .sum)
      if kind.isMinutes { try place(&draft, date, written.time ?? .midnight) }
      return draft
    }

    /// Puts a sample of a minute, in UTC, into its local day, steps into their hour.
    private func place(
      _ draft: inout EntryDraft, _ date: CalendarDate, _ time: ClockTime
    ) throws(RowFault) {
      var hour = ZonedTime(time: time, zone: .utc).instant(on: date)
      hour.millisecondsSince1970 -= hour.millisecondsSince1970 % 3_600_000
      guard let local = context.local(hour) else { throw RowFault("its dateTime is out of range") }
      draft.date = local.date
      draft.sourceID = "takeout:\(draft.metric.name):\(local.date)"
      guard draft.metric == .steps else { return }
      (draft.time, draft.zone) = (local.time, local.zone)
      draft.sourceID = "takeout:steps:\(hour)"
    }

    /// A number, a number as text, or that of `{"date": …, "value": …}`.
    static func number(_ value: JSONValue?) -> Double? {
      if let object = value?.object { return number(object["value"]) }
      return value?.number ?? value?.string.flatMap { Double($0) }
    }

    consuming func finish() throws(ImportError) -> ImportResult { try collector.finish() }
  }
}
