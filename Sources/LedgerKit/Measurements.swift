public import LedgerModel
public import LedgerProjections
import LedgerStore

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
