import LedgerModel

/// A place in a log's life, by number or by the clock.
enum Moment: Equatable {
  case seq(Seq)
  case time(Timestamp)

  /// Which end of a day is meant where a person names a day alone.
  enum Edge { case start, end }

  /// What needs neither today's date nor a zone to be understood.
  init?(seqOrInstant text: String) {
    if let number = Int(text), let seq = Seq(exactly: number), text.utf8.allSatisfy(isDigit) {
      self = .seq(seq)
    } else if let time = Timestamp(rfc3339: text) {
      self = .time(time)
    } else {
      return nil
    }
  }
}

/// Understands moments as people say them: `2025-01-31`, `2025-01-31T08:00`, `yesterday`, `-3d`.
struct MomentWords {
  let now: Timestamp
  let zone: LocalZone

  /// - Parameter edge: a day alone means its first or its last millisecond.
  func moment(
    _ text: String, of option: String, as edge: Moment.Edge
  ) throws(UsageError) -> Moment {
    if let moment = Moment(seqOrInstant: text) ?? span(text).map({ .time(now - $0) }) {
      return moment
    }
    if text == "now" { return .time(now) }
    if let date = dayAlone(text) {
      return .time(edge == .start ? start(of: date) : start(of: date.adding(days: 1)) - 1)
    }
    if let time = wallTime(text) { return .time(time) }
    throw .badValue(
      option: option, value: text,
      why: .expected(
        "an event's number or a time such as 2025-01-31, 2025-01-31T08:00, yesterday or -3d"))
  }

  func day(_ text: String, of option: String) throws(UsageError) -> CalendarDate {
    if let date = dayAlone(text) { return date }
    throw .badValue(
      option: option, value: text,
      why: .expected("a day such as 2025-01-31, today, yesterday or -7d"))
  }

  private func dayAlone(_ text: String) -> CalendarDate? {
    (try? MomentOptions.day(text))?.date(today: zone.today(at: now))
  }

  /// `-3d`, `-12h`, `-30min`, `-2w`, in milliseconds.
  private func span(_ text: String) -> Int64? {
    guard text.hasPrefix("-") else { return nil }
    let digits = text.dropFirst().prefix { $0.isASCII && $0.isNumber }
    guard let count = Int64(digits), count < 1_000_000 else { return nil }
    switch text.dropFirst(1 + digits.count) {
    case "min": return count * 60_000
    case "h": return count * 3_600_000
    case "d": return count * 86_400_000
    case "w": return count * 7 * 86_400_000
    default: return nil
    }
  }

  /// `2025-01-31T08:00[:30]`, or with a blank, on the wall clock of the zone.
  private func wallTime(_ text: String) -> Timestamp? {
    guard let date = CalendarDate(text.prefix(10)), let mark = text.dropFirst(10).first,
      mark == "T" || mark == " "
    else { return nil }
    let clock = text.dropFirst(11)
    guard let time = ClockTime(clock.utf8.count == 5 ? "\(clock):00" : String(clock)) else {
      return nil
    }
    return ZonedTime(time: time, zone: zone.offset(of: time, on: date)).instant(on: date)
  }

  private func start(of date: CalendarDate) -> Timestamp {
    ZonedTime(time: .midnight, zone: zone.offset(of: .midnight, on: date)).instant(on: date)
  }
}

func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

private func - (time: Timestamp, milliseconds: Int64) -> Timestamp {
  Timestamp(millisecondsSince1970: time.millisecondsSince1970 - milliseconds)
}
