import LedgerModel

/// The usual forms of a date, read without a general parser: `2026-01-31`, with `T07:30` or ` 07:30:15`,
/// with `Z` or `+02:00` after seconds.
struct PlainMoment {
  let date: CalendarDate
  private(set) var time: ClockTime?
  private(set) var zone: ZoneOffset?
  private(set) var isUTC = false

  /// - Returns: `nil` for another form, and for what is not a date or time of day.
  init?(_ text: String) {
    var text = text
    guard let read = text.withUTF8({ PlainMoment(UnsafeRawBufferPointer($0)) }) else { return nil }
    self = read
  }

  private init?(_ text: UnsafeRawBufferPointer) {
    guard [10, 16, 19, 20, 25].contains(text.count), text[4] == 0x2D, text[7] == 0x2D,
      let year = Self.number(text, 0), let century = Self.number(text, 2),
      let month = Self.number(text, 5), let day = Self.number(text, 8),
      let date = CalendarDate(year: year * 100 + century, month: month, day: day)
    else { return nil }
    self.date = date
    guard text.count > 10 else { return }
    guard text[10] == UInt8(ascii: "T") || text[10] == UInt8(ascii: " ") else { return nil }
    let time = UnsafeRawBufferPointer(rebasing: text[11..<min(19, text.count)])
    guard let read = Self.time(time) else { return nil }
    self.time = read
    guard text.count > 19 else { return }
    if text.count == 20 {
      guard text[19] == UInt8(ascii: "Z") else { return nil }
      (zone, isUTC) = (.utc, true)
      return
    }
    guard let offset = Self.zone(UnsafeRawBufferPointer(rebasing: text[19...])) else { return nil }
    zone = offset
  }

  /// `+02:00`.
  static func zone(_ text: UnsafeRawBufferPointer) -> ZoneOffset? {
    guard text.count == 6, text[0] == 0x2B || text[0] == 0x2D, text[3] == UInt8(ascii: ":"),
      let hours = number(text, 1), let minutes = number(text, 4), minutes < 60
    else { return nil }
    return ZoneOffset(minutes: (hours * 60 + minutes) * (text[0] == 0x2D ? -1 : 1))
  }

  /// `07:30` or `07:30:15`.
  static func time(_ text: String) -> ClockTime? {
    var text = text
    return text.withUTF8 { time(UnsafeRawBufferPointer($0)) }
  }

  static func time(_ text: UnsafeRawBufferPointer) -> ClockTime? {
    guard text.count == 5 || text.count == 8, text[2] == UInt8(ascii: ":"),
      let hour = number(text, 0), let minute = number(text, 3)
    else { return nil }
    guard text.count == 8 else { return ClockTime(hour: hour, minute: minute) }
    guard text[5] == UInt8(ascii: ":"), let second = number(text, 6) else { return nil }
    return ClockTime(hour: hour, minute: minute, second: second)
  }

  /// Two digits.
  private static func number(_ text: UnsafeRawBufferPointer, _ place: Int) -> Int? {
    let (tens, ones) = (text[place], text[place + 1])
    guard isDigit(tens), isDigit(ones) else { return nil }
    return Int(tens & 15) * 10 + Int(ones & 15)
  }
}

/// The usual forms of a date whose order the text does not tell, read without a general parser:
/// `31.1.2026`, `1/31/2026` or `31-01-2026`, with ` 07:30` or ` 07:30:15`.
struct PlainNumbers {
  let date: DateNumbers
  private(set) var time: ClockTime?

  /// - Returns: `nil` for another form.
  init?(_ text: String) {
    var rest = Substring(text).utf8
    func number(_ digits: ClosedRange<Int>) -> Int? {
      let taken = rest.prefix(while: isDigit)
      guard digits.contains(taken.count) else { return nil }
      rest = rest.dropFirst(taken.count)
      return taken.reduce(0) { $0 * 10 + Int($1 & 15) }
    }
    guard let first = number(1...2), let mark = rest.first, "./-".utf8.contains(mark),
      rest.popFirst() != nil, let second = number(1...2), rest.popFirst() == mark,
      let third = number(4...4)
    else { return nil }
    date = DateNumbers(first: first, second: second, third: third)
    if rest.isEmpty { return }
    guard rest.popFirst() == UInt8(ascii: " "),
      let time = PlainMoment.time(String(Substring(rest)))
    else { return nil }
    self.time = time
  }
}
