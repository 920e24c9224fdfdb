public import LedgerModel

/// What the columns of a CSV file mean.
public struct CSVMapping: Hashable, Sendable {
  /// Selects the rows where a column has exactly this value.
  public struct Condition: Hashable, Sendable {
    /// The column's name, exactly as in the header.
    public var column: String
    /// The whole value.
    public var value: String

    /// The rows where `column` is exactly `value`.
    public init(column: String, value: String) {
      self.column = column
      self.value = value
    }
  }

  /// What the quantities measure.
  public var metric: Metric
  /// Column names exactly as in the header.
  public var quantity: String
  /// The column of days.
  public var date: String
  /// The column of times; `nil` if there is none.
  public var time: String?
  /// The column of notes; `nil` if there is none.
  public var notes: String?
  /// If `nil`, only `YYYY-MM-DD` is read, optionally followed by a time.
  public var dateFormat: DateFormat?
  /// If `nil`, 24-hour times and 12-hour times with AM or PM are read.
  public var timeFormat: DateFormat?
  /// Only rows that fulfil all of them are imported.
  public var conditions: [Condition] = []
  /// The unit of bare numbers; `nil` for the one in the column's name, else the metric's own.
  public var unit: String?
  /// The column of UTC offsets; `nil` if there is none.
  public var zone: String?
  /// The column of ids; `nil` if there is none.
  public var id: String?
  /// Whether decimals have a comma; `nil` if the rows tell.
  public var hasDecimalComma: Bool?
  var decimalMark: NumberStyle.Mark? { hasDecimalComma.map { $0 ? .comma : .point } }
  /// Names the data's origin. Two devices need two names, or their rows count as the same.
  public var source = usualSource
  static let usualSource = "csv"

  /// ``unit`` as ``Quantity`` calls it; of several the one of the metric.
  var unitOfMetric: String? {
    unit.map { unit in
      unit.split(separator: ",").lazy.compactMap { UnitName(String($0))?.suffix(for: metric) }.first
        ?? unit
    }
  }

  /// Refuses contradictions before a file is opened.
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
    if let unit = unitOfMetric {
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

extension CSVMapping.Condition {
  /// `COLUMN=VALUE`, split at the first `=`; `nil` without one.
  package init?(_ text: String) {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    self.init(
      column: String(text[..<equals]), value: String(text[text.index(after: equals)...]))
  }
}

extension CSVMapping {
  /// A mapping of the columns that every file must have.
  public init(metric: Metric, quantity: String, date: String) {
    self.init(metric: metric, quantity: quantity, date: date, time: nil)
  }
}
