import LedgerModel

/// A point in a log, by number or by time.
enum Moment: Equatable {
  case seq(Seq)
  case time(Timestamp)

  /// Which end of a day a bare date means.
  enum Edge { case start, end }

  /// Parses what needs neither today's date nor a zone.
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

/// Parses moments such as `2025-01-31`, `2025-01-31T08:00`, `yesterday`, `-3d`, `2 weeks ago`,
/// `last monday 08:00`.
struct MomentParser {
  let now: Timestamp
  let zone: LocalZone

  /// - Parameter edge: whether a bare date means its first or its last millisecond.
  func moment(
    _ text: String, of option: String, as edge: Moment.Edge
  ) throws(UsageError) -> Moment {
    if let moment = Moment(seqOrInstant: text) { return moment }
    if text.lowercased() == "now" { return .time(now) }
    if let span = RelativeTime(text) { return .time(span.moment(before: now, in: zone)) }
    if let date = NamedDay(text)?.date(today: zone.today(at: now)) {
      return .time(edge == .start ? start(of: date) : end(of: date))
    }
    if let time = wallTime(text) { return .time(time) }
    let near = NamedDay.nearest(to: text)
    throw .badValue(
      option: option, value: text,
      why: near.isEmpty
        ? .expected(
          "an event's number or a time such as 2025-01-31, 2025-01-31T08:00, yesterday, -3d or "
            + "'2 weeks ago'")
        : .meant(near))
  }

  func day(_ text: String, of option: String) throws(UsageError) -> CalendarDate {
    if let day = NamedDay(text) { return day.date(today: zone.today(at: now)) }
    throw .badValue(option: option, value: text, why: NamedDay.problem(with: text))
  }

  /// `2025-01-31T08:00[:30]`, or a named day, a space and a time, as wall time in the zone.
  private func wallTime(_ text: String) -> Timestamp? {
    let isJoined = text.dropFirst(10).first == "T"
    guard let mark = isJoined ? text.dropFirst(10).indices.first : text.lastIndex(of: " "),
      let time = try? MomentOptions.time(String(text[text.index(after: mark)...])),
      let date = NamedDay(String(text[..<mark]))?.date(today: zone.today(at: now))
    else { return nil }
    return ZonedTime(time: time, zone: zone.offset(of: time, on: date)).instant(on: date)
  }

  private func start(of date: CalendarDate) -> Timestamp {
    ZonedTime(time: .midnight, zone: zone.offset(of: .midnight, on: date)).instant(on: date)
  }

  private func end(of date: CalendarDate) -> Timestamp {
    let next = start(of: date.adding(days: 1))
    return Timestamp(millisecondsSince1970: next.millisecondsSince1970 - 1)
  }
}

func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
