import LedgerModel

enum WrittenZone {
  /// `Z`, `UTC`, `+02:00`, `+0200`, `+2`, `UTC+0200`.
  static func offset(_ text: String) -> ZoneOffset? {
    var text = text.lowercased().filter { !$0.isWhitespace }[...]
    if text == "z" { return .utc }
    for name in ["utc", "gmt"] where text.hasPrefix(name) { text = text.dropFirst(3) }
    if text.isEmpty { return .utc }
    guard let sign = text.first, sign == "+" || sign == "-" || sign == "−" else { return nil }
    let digits = text.dropFirst()
    guard digits.allSatisfy(\.isNumber), let number = Int(digits),
      let minutes = minutes(number, digits.count)
    else { return ZoneOffset(written: String(text)) }
    return minutes.flatMap { ZoneOffset(minutes: sign == "+" ? $0 : -$0) }
  }
  /// Zones are quarters of an hour: `+120` is in minutes, `+130` an hour and a half, and `+330` can be
  /// either.
  ///
  /// - Returns: `nil` for digits that are hours in any case.
  private static func minutes(_ number: Int, _ digits: Int) -> Int?? {
    switch digits {
    case 2 where number > 15: return .some(number % 15 == 0 ? number : nil)
    case 3:
      let asHours = number % 100 < 60 ? number / 100 * 60 + number % 100 : nil
      let asMinutes = number % 15 == 0 ? number : nil
      guard let asHours, asHours % 15 == 0 else { return .some(asMinutes) }
      return .some(asMinutes == nil ? asHours : nil)
    default: return nil
    }
  }

  /// What a column of zones has: an offset, a number of minutes, or the short name of a zone that is not
  /// that of another one, too.
  ///
  /// - Parameter unit: what bare numbers are.
  static func cell(_ text: String, in unit: ZoneSurvey.Unit? = nil) -> ZoneOffset? {
    if let unit, let number = Int(text) {
      return number % unit.perMinute == 0 ? ZoneOffset(minutes: number / unit.perMinute) : nil
    }
    if let offset = offset(withoutSeconds(text)) { return offset }
    if isDigits(text) { return offset("+" + text) }
    return named(text)
  }

  /// A spreadsheet takes `+01:00` for a time, and saves it as `01:00:00` or `1:00`.
  private static func withoutSeconds(_ text: String) -> String {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3 && parts[2] == "00" else { return text }
    let sign = text.first.map(\.isNumber) == true ? "+" : ""
    return sign + parts[0] + ":" + parts[1]
  }

  /// `CET` or `EST`; `nil` for names that several zones have, such as `CST` and `IST`.
  static func named(_ text: String) -> ZoneOffset? {
    hours[text.uppercased()].flatMap { ZoneOffset(minutes: Int($0 * 60)) }
  }

  private static let hours: [String: Double] = [
    "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2, "EET": 2, "EEST": 3, "MSK": 3,
    "EST": -5, "EDT": -4, "CDT": -5, "MDT": -6, "MST": -7, "PST": -8, "PDT": -7, "AKST": -9,
    "AKDT": -8, "HST": -10, "JST": 9, "KST": 9, "AEST": 10, "AEDT": 11, "ACST": 9.5, "ACDT": 10.5,
    "AWST": 8, "NZST": 12, "NZDT": 13,
  ]

  /// The offset of `GMT+0100 (Central European Standard Time)` or `+01:00[Europe/Madrid]`.
  static func beforeName(_ text: Substring) -> Substring {
    for (opening, closing) in [("(", ")"), ("[", "]")] as [(Character, Character)] {
      if text.last == closing, let start = text.firstIndex(of: opening), start > text.startIndex {
        return text[..<start]
      }
    }
    return text
  }
}

/// Determines the unit of the numbers in a column of zones: `-0300` is in hours and minutes, `-240` in
/// minutes, `-18000` in seconds; `-300` is ambiguous and has the unit of the other rows.
struct ZoneSurvey {
  enum Unit {
    case minutes, seconds

    var perMinute: Int { self == .seconds ? 60 : 1 }
  }

  private var hasMinutes = false
  private var hasSeconds = false
  private var hasHours = false

  mutating func add(_ text: String) {
    guard let number = Int(text).map(abs), number > 0 else { return }
    let digits = text.utf8.count { isDigit($0) }
    let isClock = number / 100 <= 14 && number % 100 < 60
    if digits > 3 {
      if isClock { hasHours = true } else { hasSeconds = number.isMultiple(of: 900) || hasSeconds }
    } else if digits == 3 {
      let isQuarter = number.isMultiple(of: 15)
      if isClock, !isQuarter || !(number % 100).isMultiple(of: 15) {
        if isQuarter { hasMinutes = true } else { hasHours = true }
      } else if !isClock, isQuarter {
        hasMinutes = true
      }
    }
  }

  /// - Parameter name: that of the column, which may say it.
  func unit(named name: ColumnName) -> Unit? {
    switch name.unit.flatMap(UnitName.init)?.name {
    case "min", "mins", "minutes": return .minutes
    case "s", "seconds": return .seconds
    default: break
    }
    guard !hasHours, hasMinutes != hasSeconds else { return nil }
    return hasMinutes ? .minutes : .seconds
  }
}
