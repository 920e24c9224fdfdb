import LedgerJSON
import LedgerLog
import LedgerModel

/// Reads the values of known members straight from their bytes. `nil` never means «wrong», only
/// «not in the usual form»: the general reader then decides, and words what is wrong.
enum FieldScanner {
  /// `YYYY-MM-DD` as days since 1970.
  @inline(__always)
  static func day(_ bytes: RawSpan, at offset: Int) -> Int32? {
    guard let year = digits(bytes, offset, 4), bytes.byte(offset + 4) == UInt8(ascii: "-"),
      let month = digits(bytes, offset + 5, 2), bytes.byte(offset + 7) == UInt8(ascii: "-"),
      let day = digits(bytes, offset + 8, 2)
    else { return nil }
    return CalendarDate(year: year, month: month, day: day)?.daysSince1970
  }

  /// `HH:MM:SS` as seconds since midnight.
  @inline(__always)
  static func time(_ bytes: RawSpan, at offset: Int) -> Int32? {
    guard let hour = digits(bytes, offset, 2), bytes.byte(offset + 2) == UInt8(ascii: ":"),
      let minute = digits(bytes, offset + 3, 2), bytes.byte(offset + 5) == UInt8(ascii: ":"),
      let second = digits(bytes, offset + 6, 2)
    else { return nil }
    return ClockTime(hour: hour, minute: minute, second: second)?.secondsSinceMidnight
  }

  /// `+HH:MM` as minutes.
  @inline(__always)
  static func zone(_ bytes: RawSpan, at offset: Int) -> Int16? {
    let sign = bytes.byte(offset)
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
      let hours = digits(bytes, offset + 1, 2), bytes.byte(offset + 3) == UInt8(ascii: ":"),
      let minutes = digits(bytes, offset + 4, 2), minutes < 60
    else { return nil }
    let total = hours * 60 + minutes
    return ZoneOffset(minutes: sign == UInt8(ascii: "-") ? -total : total)?.minutes
  }

  @inline(__always)
  private static func digits(_ bytes: RawSpan, _ offset: Int, _ count: Int) -> Int? {
    var value = 0
    for index in offset..<offset + count {
      let digit = bytes.byte(index) &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int(digit)
    }
    return value
  }

  /// A metric's name and the quote behind it; steps over both.
  @inline(__always)
  static func metric(_ bytes: RawSpan, at position: inout Int) -> UInt8? {
    var end = position
    while bytes.byte(end) != UInt8(ascii: "\""), end - position < 20 { end += 1 }
    guard let metric = metric(bytes, position, count: end - position) else { return nil }
    position = end + 1
    return metric.rawValue
  }

  @inline(__always)
  private static func metric(_ bytes: RawSpan, _ start: Int, count: Int) -> Metric? {
    func check(_ name: StaticString, _ metric: Metric) -> Metric? {
      bytes.holds(name, at: start) ? metric : nil
    }
    switch count {
    case 3: return check("bmi", .bmi)
    case 5: return check("steps", .steps) ?? check("fat_g", .fatG)
    case 6: return check("weight", .weight) ?? check("height", .height)
    case 7: return check("carbs_g", .carbsG)
    case 9: return check("protein_g", .proteinG)
    case 10: return check("mood_score", .moodScore)
    case 11:
      return check("distance_km", .distanceKM) ?? check("sleep_hours", .sleepHours)
        ?? check("calories_in", .caloriesIn)
    case 12: return check("calories_out", .caloriesOut) ?? check("water_liters", .waterLiters)
    case 14: return check("active_minutes", .activeMinutes)
    case 18: return check("resting_heart_rate", .restingHeartRate)
    case 19: return check("body_fat_percentage", .bodyFatPercentage)
    default: return nil
    }
  }

  /// A whole string, checked, its text of no interest.
  @inline(__always)
  static func skipString(_ bytes: RawSpan, at position: inout Int) -> Bool {
    do {
      _ = try JSONScanner.string(in: bytes, at: &position)
      return true
    } catch {
      return false
    }
  }

  @inline(__always)
  static func quantity(_ bytes: RawSpan, at position: inout Int) -> Double? {
    do {
      return try JSONScanner.number(in: bytes, at: &position, bounded: true)
    } catch {
      return nil
    }
  }

  /// Digits without leading zeros, at most nine of them.
  @inline(__always)
  static func wholeNumber(_ bytes: RawSpan, at position: inout Int) -> Int? {
    let start = position
    var value = 0
    while true {
      let digit = bytes.byte(position) &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      value = value &* 10 &+ Int(digit)
      position += 1
      guard position - start <= 9 else { return nil }
    }
    guard position > start, value > 0, bytes.byte(start) != UInt8(ascii: "0") else { return nil }
    return value
  }
}
