/// An error with a stable code, for programs and apps to act on.
public protocol LedgerError: Error, CustomStringConvertible {
  /// In lower case with hyphens; never changes its meaning.
  var code: String { get }
}

/// Why an edit is not accepted, with the field, the value and the limit. Nothing was written.
public struct Refusal: LedgerError, Hashable, Sendable {
  /// The raw values are the codes.
  public enum Reason: String, CaseIterable, Sendable {
    /// The edit refers to an entry that the ledger does not have.
    case unknownEntry = "unknown-entry"
    /// The entry was deleted.
    case entryDeleted = "entry-deleted"
    /// The ledger has an entry with this id.
    case entryExists = "entry-exists"
    /// The number is not within ``Limit/quantity(_:)``, or the day not within ``Limit/days(_:)``.
    case outOfRange = "out-of-range"
    /// The text is longer or shorter than ``Limit/characters(_:)``.
    case wrongLength = "wrong-length"
    /// The day is after ``Limit/latest(_:)``.
    case inFuture = "in-future"
    /// The edit sets no field.
    case noChange = "no-change"
    /// The value does not have the form of its field.
    case malformed = "malformed"
    /// The quantity's unit is not one of the metric's.
    case unknownUnit = "unknown-unit"
    /// The number has more significant digits than a log keeps.
    case tooManyDigits = "too-many-digits"
    /// A sleep session or stage that does not end after it starts, lasts longer than 48 hours, or
    /// starts before 1900.
    case invalidPeriod = "invalid-period"
    /// Sleep stages that overlap or lie outside their session.
    case invalidStages = "invalid-stages"
    /// Only a sync sets this field.
    case reservedField = "reserved-field"
    /// Another edit of the same batch has this id.
    case repeatedID = "repeated-id"
    /// Not an edit that a person makes.
    case notAnEdit = "not-an-edit"
  }

  /// What the field accepts.
  public enum Limit: Hashable, Sendable {
    /// In ``Refusal/unit``.
    case quantity(QuantityRange)
    /// Counted in Unicode scalars.
    case characters(ClosedRange<Int>)
    /// This day or an earlier one.
    case latest(CalendarDate)
    /// One of these days, inclusive.
    case days(ClosedRange<CalendarDate>)
  }

  /// Why, for an app to act on.
  public var reason: Reason
  /// The field's name in an event, such as `quantity` or `height_cm`.
  public var field: String?
  /// The refused value.
  public var value: String?
  /// What the field accepts; `nil` where it is no range.
  public var limit: Limit?
  /// The unit of the value and the limit, such as `kg`.
  public var unit: String?
  /// A sentence without a full stop, in English.
  public var description: String

  /// Stable, for programs.
  public var code: String { reason.rawValue }

  /// - Parameter description: a sentence without a full stop.
  public init(
    _ reason: Reason, field: String? = nil, value: String? = nil, limit: Limit? = nil,
    unit: String? = nil, _ description: String
  ) {
    self.reason = reason
    self.field = field
    self.value = value
    self.limit = limit
    self.unit = unit
    self.description = description
  }
}
