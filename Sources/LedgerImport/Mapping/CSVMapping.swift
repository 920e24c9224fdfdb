public import LedgerModel

/// What the columns of somebody's CSV file mean, as a person says it. Nothing about a file is
/// assumed.
public struct CSVMapping: Hashable, Sendable {
  /// Only rows whose field is exactly this count.
  public struct Condition: Hashable, Sendable {
    public var column: String
    public var value: String

    public init(column: String, value: String) {
      self.column = column
      self.value = value
    }

    /// `COLUMN=VALUE`, split at the first `=`; `nil` without one.
    public init?(_ text: String) {
      guard let equals = text.firstIndex(of: "=") else { return nil }
      column = String(text[..<equals])
      value = String(text[text.index(after: equals)...])
    }
  }

  public var metric: Metric
  /// The names of columns, exactly as the header has them.
  public var quantity: String
  public var date: String
  public var time: String?
  public var notes: String?
  /// Without one, only dates spelt `YYYY-MM-DD` are read, with a time behind them at most.
  public var dateFormat: DateFormat?
  /// Without one, times of 24 hours are read, and of 12 hours with AM or PM.
  public var timeFormat: DateFormat?
  public var conditions: [Condition]
  /// What quantities without a unit are in, when that is not the metric's own unit.
  public var unit: String?
  /// Whose data it is. Files of two devices need two names, or their rows pass for each other's.
  public var source: String

  public init(
    metric: Metric, quantity: String, date: String, time: String? = nil, notes: String? = nil,
    dateFormat: DateFormat? = nil, timeFormat: DateFormat? = nil, conditions: [Condition] = [],
    unit: String? = nil, source: String = "csv"
  ) {
    self.metric = metric
    self.quantity = quantity
    self.date = date
    self.time = time
    self.notes = notes
    self.dateFormat = dateFormat
    self.timeFormat = timeFormat
    self.conditions = conditions
    self.unit = unit
    self.source = source
  }

  /// Refuses what contradicts itself before a file is opened.
  func check() throws(ImportError) {
    if let format = dateFormat {
      guard format.hasDate else { throw refusal("the date pattern '\(format)' names no date") }
      guard !format.hasTime || time == nil else {
        throw refusal("the date pattern '\(format)' has a time; leave out the column of times")
      }
    }
    if let format = timeFormat {
      guard time != nil else { throw refusal("a time pattern needs a column of times") }
      guard format.hasTime, !format.hasDate else {
        throw refusal("the time pattern '\(format)' must name a time and no date")
      }
    }
    if let unit {
      do {
        _ = try Quantity.parse("1" + unit, for: metric)
      } catch {
        throw refusal("\(error)")
      }
    }
    guard !source.isEmpty else { throw refusal("the source is empty; name whose data it is") }
  }

  private func refusal(_ sentence: String) -> ImportError { ImportError(.unfit, sentence) }
}
