package import LedgerJSON

/// A calendar day without a time zone, in the proleptic Gregorian calendar, years 1 to 9999.
///
/// Its failable initializers are for this package alone: where a date is optional, such as the first day of a
/// query, the `nil` of a wrong date would mean none.
public struct CalendarDate: Hashable, Comparable, Sendable, PlainText, TextCodable {
  /// 0 is 1 January 1970.
  public let daysSince1970: Int32

  /// 1 January of the year 1.
  public static let first = CalendarDate(year: 1, month: 1, day: 1)!
  /// 31 December 9999.
  public static let last = CalendarDate(year: 9999, month: 12, day: 31)!

  /// - Returns: `nil` for a day outside the years 1 to 9999.
  package init?(daysSince1970: Int) {
    guard (-719_162...2_932_896).contains(daysSince1970) else { return nil }
    self.daysSince1970 = Int32(daysSince1970)
  }

  /// - Returns: `nil` for an invalid date such as 30 February.
  package init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= Self.daysIn(month: month, of: year)
    else { return nil }
    daysSince1970 = Int32(Self.daysFromCivil(year: year, month: month, day: day))
  }

  /// Exactly `YYYY-MM-DD`.
  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      let year = decimal(bytes[0..<4]), let month = decimal(bytes[5..<7]),
      let day = decimal(bytes[8..<10])
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// Month and day count from 1.
  public var components: (year: Int, month: Int, day: Int) {
    Self.civilFromDays(Int(daysSince1970))
  }

  /// `YYYY-MM-DD`.
  package func appendText(to bytes: inout ByteSink) {
    let (year, month, day) = components
    bytes.append(twoDigits: year / 100)
    bytes.append(twoDigits: year % 100)
    bytes.append(UInt8(ascii: "-"))
    bytes.append(twoDigits: month)
    bytes.append(UInt8(ascii: "-"))
    bytes.append(twoDigits: day)
  }

  /// The day `days` later, clamped to the years 1 to 9999.
  public func adding(days: Int) -> CalendarDate {
    let (sum, overflow) = Int(daysSince1970).addingReportingOverflow(days)
    return (overflow ? nil : CalendarDate(daysSince1970: sum)) ?? (days < 0 ? .first : .last)
  }

  /// 1 for Monday to 7 for Sunday (ISO 8601).
  public var weekday: Int {
    // 1970-01-01 was a Thursday.
    let index = (Int(daysSince1970) + 3) % 7
    return (index + 7) % 7 + 1
  }

  public static func < (left: CalendarDate, right: CalendarDate) -> Bool {
    left.daysSince1970 < right.daysSince1970
  }

  package static func daysIn(month: Int, of year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  // Both conversions count in eras of 400 years that begin on 1 March, so that the leap day is the
  // last day of a year (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").

  private static func daysFromCivil(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func civilFromDays(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}

/// The value of these decimal digits; `nil` for any other bytes.
func decimal(_ bytes: some Collection<UInt8>) -> Int? {
  var value = 0
  for byte in bytes {
    guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9"), value < 1 << 50 else {
      return nil
    }
    value = value * 10 + Int(byte - UInt8(ascii: "0"))
  }
  return bytes.isEmpty ? nil : value
}
