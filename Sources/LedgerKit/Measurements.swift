import LedgerLog
public import LedgerModel
public import LedgerProjections
import LedgerStore
public import struct Foundation.Date
public import class Foundation.Dimension
public import struct Foundation.Measurement
public import class Foundation.UnitDuration
public import class Foundation.UnitEnergy
public import class Foundation.UnitLength
public import class Foundation.UnitMass
public import class Foundation.UnitVolume

/// A metric whose unit is one of Foundation's, so that a measurement in another dimension does not
/// compile: `ledger.log(.weight, Measurement(value: 165.3, unit: UnitMass.pounds))`.
public struct MeasuredMetric<UnitType: Dimension>: Sendable {
  /// The metric of the log.
  public let metric: Metric
  /// The metric's own unit.
  public let unit: UnitType

  fileprivate init(_ metric: Metric, _ unit: UnitType) {
    self.metric = metric
    self.unit = unit
  }

  /// A measurement in ``Metric/unit``, such as for ``ProgressLogged``.
  public func quantity(of measurement: Measurement<UnitType>) -> Double {
    measurement.converted(to: unit).value
  }
}

extension MeasuredMetric where UnitType == UnitMass {
  /// Body weight, stored in kilograms.
  public static var weight: Self { Self(.weight, .kilograms) }
  /// Protein, stored in grams.
  public static var proteinG: Self { Self(.proteinG, .grams) }
  /// Carbohydrates, stored in grams.
  public static var carbsG: Self { Self(.carbsG, .grams) }
  /// Fat, stored in grams.
  public static var fatG: Self { Self(.fatG, .grams) }
}

extension MeasuredMetric where UnitType == UnitLength {
  /// Body height, stored in centimeters.
  public static var height: Self { Self(.height, .centimeters) }
  /// Distance, stored in kilometers.
  public static var distanceKM: Self { Self(.distanceKM, .kilometers) }
}

extension MeasuredMetric where UnitType == UnitEnergy {
  /// Energy used, stored in kilocalories.
  public static var caloriesOut: Self { Self(.caloriesOut, .kilocalories) }
  /// Energy eaten, stored in kilocalories.
  public static var caloriesIn: Self { Self(.caloriesIn, .kilocalories) }
}

extension MeasuredMetric where UnitType == UnitDuration {
  /// Active time, stored in minutes.
  public static var activeMinutes: Self { Self(.activeMinutes, .minutes) }
  /// Sleep, stored in hours.
  public static var sleepHours: Self { Self(.sleepHours, .hours) }
}

extension MeasuredMetric where UnitType == UnitVolume {
  /// Water, stored in liters.
  public static var waterLiters: Self { Self(.waterLiters, .liters) }
}

extension Ledger {
  /// Logs a measurement in any unit of the metric's dimension, as Foundation converts it.
  ///
  /// Foundation's pound is 0.453592 kg; the `lb` of ``Quantity/parse(_:for:)`` is exact.
  ///
  /// - Parameters:
  ///   - metric: the metric.
  ///   - measurement: stored in ``Metric/unit``.
  ///   - moment: when it was measured.
  ///   - notes: free text.
  /// - Returns: the new entry's id, for corrections and deletion, and the edit's sequence number.
  /// - Throws: ``EditRefusal``; `LogError`.
  @discardableResult
  public func log<UnitType>(
    _ metric: MeasuredMetric<UnitType>, _ measurement: Measurement<UnitType>,
    at moment: EntryMoment = .now, notes: String? = nil
  ) async throws -> LoggedEntry {
    try await log(metric.metric, metric.quantity(of: measurement), at: moment, notes: notes)
  }

  /// Corrects an entry by a measurement in any unit of its metric's dimension; as
  /// ``correct(_:quantity:at:notes:)``.
  ///
  /// - Parameters:
  ///   - entry: the entry's id.
  ///   - metric: the entry's metric.
  ///   - measurement: stored in ``Metric/unit``.
  ///   - moment: `nil` leaves it unchanged; ``EntryMoment/day(_:)`` keeps the time of day.
  ///   - notes: `nil` leaves them unchanged.
  /// - Returns: the edit's sequence number.
  /// - Throws: ``EditRefusal``, for an entry of another metric as well (`unknown-unit`); `LogError`.
  @discardableResult
  public func correct<UnitType>(
    _ entry: EntryID, _ metric: MeasuredMetric<UnitType>, _ measurement: Measurement<UnitType>,
    at moment: EntryMoment? = nil, notes: FieldChange<String>? = nil
  ) async throws -> Seq {
    if let actual = try self.entry(entry)?.metric, actual != metric.metric {
      let refusal = Refusal(
        .unknownUnit, field: "quantity", value: "\(measurement)", unit: actual.unit,
        "the entry is of the metric \(actual.name), not \(metric.metric.name)")
      throw EditRefusal(index: 0, refusal: refusal)
    }
    return try await correct(
      entry, quantity: metric.quantity(of: measurement), at: moment, notes: notes)
  }

  /// Sets a goal by a measurement in any unit of the metric's dimension.
  ///
  /// - Parameters:
  ///   - metric: the metric.
  ///   - measurement: stored in ``Metric/unit``.
  ///   - by: the day by which to reach it, today or later.
  /// - Returns: the edit's sequence number.
  /// - Throws: ``EditRefusal``; `LogError`.
  @discardableResult
  public func setGoal<UnitType>(
    _ metric: MeasuredMetric<UnitType>, _ measurement: Measurement<UnitType>, by: CalendarDate
  ) async throws -> Seq {
    try await setGoal(metric.metric, metric.quantity(of: measurement), by: by)
  }

  /// Sets a goal for each day by a measurement in any unit of the metric's dimension.
  ///
  /// - Parameters:
  ///   - metric: the metric.
  ///   - measurement: stored in ``Metric/unit``.
  ///   - isAtMost: whether it is a limit.
  /// - Returns: the edit's sequence number.
  /// - Throws: ``EditRefusal``; `LogError`.
  @discardableResult
  public func setDailyGoal<UnitType>(
    _ metric: MeasuredMetric<UnitType>, _ measurement: Measurement<UnitType>,
    isAtMost: Bool = false
  ) async throws -> Seq {
    try await setDailyGoal(
      metric.metric, metric.quantity(of: measurement), isAtMost: isAtMost)
  }
}

extension EntryView {
  /// The quantity as a measurement in the metric's own unit.
  ///
  /// - Returns: `nil` for an entry of another metric.
  public func measurement<UnitType>(
    of metric: MeasuredMetric<UnitType>
  ) -> Measurement<UnitType>? {
    self.metric == metric.metric ? Measurement(value: quantity, unit: metric.unit) : nil
  }
}

/// Sleep sessions.
extension Ledger {
  /// Logs a sleep session.
  ///
  /// - Parameters:
  ///   - start: in bed, or asleep; ``zonedTimestamp(of:)`` gives an instant its offset.
  ///   - end: after `start`, by at most 48 hours.
  ///   - stages: inside the session, in any order, without overlaps; empty if not known.
  ///   - notes: at most 500 characters.
  ///   - source: where it was imported from.
  ///   - sourceID: its id there, which the backend uses to recognize it.
  /// - Returns: the new session's id, for corrections and deletion, and the edit's sequence number.
  /// - Throws: ``EditRefusal``; `LogError`.
  @discardableResult
  public func log(
    sleepFrom start: ZonedTimestamp, to end: ZonedTimestamp, stages: [SleepStage] = [],
    notes: String? = nil, source: String? = nil, sourceID: String? = nil
  ) async throws -> LoggedEntry {
    var generator = generator()
    let entry = EntryID.make(at: moment(), using: &generator)
    let logged = SleepLogged(
      entry: entry, start: start, end: end, stages: stages, notes: notes, source: source,
      sourceID: sourceID)
    let seq = try await append([Edit(change: .logSleep(logged), hasFreshEntry: true)])[0]
    return LoggedEntry(id: entry, seq: seq)
  }

  /// Corrects a sleep session; the first values stay in the log. The backend cannot change a session
  /// that it has: the correction is then held.
  ///
  /// - Parameters:
  ///   - session: the session's id.
  ///   - start: `nil` leaves it unchanged.
  ///   - end: `nil` leaves it unchanged.
  ///   - stages: all stages; empty removes them, `nil` leaves them unchanged.
  ///   - notes: `nil` leaves them unchanged.
  /// - Returns: the edit's sequence number.
  /// - Throws: ``EditRefusal``, for an unknown or deleted session as well; `LogError`.
  @discardableResult
  public func correct(
    sleep session: EntryID, start: ZonedTimestamp? = nil, end: ZonedTimestamp? = nil,
    stages: [SleepStage]? = nil, notes: FieldChange<String>? = nil
  ) async throws -> Seq {
    try await append(
      .correctSleep(
        SleepCorrected(entry: session, start: start, end: end, stages: stages, notes: notes)))
  }

  /// Deletes a sleep session; its events stay in the log. The backend keeps a session that it has.
  ///
  /// - Parameters:
  ///   - session: the session's id.
  ///   - reason: kept in the log.
  /// - Returns: the edit's sequence number.
  /// - Throws: ``EditRefusal``, for an unknown or deleted session as well; `LogError`.
  @discardableResult
  public func delete(sleep session: EntryID, reason: String? = nil) async throws -> Seq {
    try await append(.deleteSleep(SleepDeleted(entry: session, reason: reason)))
  }

  /// Sleep sessions that are not deleted, newest first.
  ///
  /// - Parameters:
  ///   - from: the first day on which a session ends; `nil` for no limit.
  ///   - to: the last day, inclusive; `nil` for no limit.
  ///   - limit: the most sessions.
  ///   - cursor: ``SleepPage/next`` of the previous page; `nil` for the first page. Whatever is logged
  ///     meanwhile, no session is shown twice.
  /// - Throws: `LogError`, including damage to the log.
  public func sleepSessions(
    from: CalendarDate? = nil, to: CalendarDate? = nil, limit: Int = .max,
    after cursor: SleepCursor? = nil
  ) throws -> SleepPage {
    try state().sleep(from: from, to: to, limit: max(0, limit), after: cursor)
  }

  /// The stages, notes and source of a session, read from the log.
  ///
  /// - Throws: `LogError`.
  public func texts(of session: SleepView) throws -> SleepTexts {
    try local.view().texts(of: session)
  }

  /// An instant with the offset that was in force in the ledger's time zone.
  ///
  /// - Returns: `nil` outside the years 1 to 9999.
  public nonisolated func zonedTimestamp(of instant: Timestamp) -> ZonedTimestamp? {
    let seconds = Double(instant.millisecondsSince1970) / 1000
    return ZonedTimestamp(
      secondsSince1970: Int64(seconds.rounded(.down)), zone: environment.zone.offset(at: instant))
  }
}

// Conversions to and from Foundation's dates, and dates that must exist.

extension Timestamp {
  /// The millisecond of a date; years before 1 and after 9999 are clamped.
  public init(_ date: Date) {
    let (first, last) = (-62_135_596_800_000.0, 253_402_300_799_999.0)
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    self.init(millisecondsSince1970: Int64(min(last, max(first, milliseconds))))
  }

  /// The moment of an entry, or the start of its day in a time zone.
  public init(_ entry: EntryView, in zone: LocalZone = .current) {
    let midnight = ZonedTime(time: .midnight, zone: zone.offset(of: .midnight, on: entry.date))
    self = (entry.moment ?? midnight).instant(on: entry.date)
  }

  /// As Foundation's type; of an entry, `Timestamp(entry).date`.
  public var date: Date { Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1000) }
}

extension CalendarDate {
  /// The day of a date in a time zone.
  public init(_ date: Date, in zone: LocalZone = .current) {
    self = zone.today(at: Timestamp(date))
  }

  /// A date that must exist. None is `nil`, which would mean no limit in a query.
  ///
  /// - Throws: ``Refusal`` (`malformed`) for one that does not exist, such as 30 February.
  public init(validatingYear year: Int, month: Int, day: Int) throws(Refusal) {
    guard let date = CalendarDate(year: year, month: month, day: day) else {
      throw Self.refusal("\(year)-\(month)-\(day)")
    }
    self = date
  }

  /// A date as `YYYY-MM-DD` that must exist; as ``init(validatingYear:month:day:)``.
  public init(validating text: some StringProtocol) throws(Refusal) {
    guard let date = CalendarDate(text) else { throw Self.refusal(String(text)) }
    self = date
  }

  private static func refusal(_ text: String) -> Refusal {
    Refusal(
      .malformed, field: "date", value: text, limit: .days(.first ... .last),
      "'\(text)' is not a date from 0001-01-01 to 9999-12-31, as YYYY-MM-DD")
  }
}
