public import LedgerModel
public import LedgerProjections

public import struct Foundation.Date

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
