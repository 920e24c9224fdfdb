package import LedgerModel

/// `--date`, `--time` and `--zone` as a person gives them.
package struct MomentOptions {
  package enum Zone: Equatable {
    case offset(ZoneOffset)
    case named(String)
  }

  package let day: NamedDay?
  package let time: ClockTime?
  package let zone: Zone?

  package static let specs: [OptionSpec] = [
    .value("date", "D", "the day: 2026-11-21, yesterday, -3d, '2 weeks ago', 'last monday'"),
    .value("time", "T", "the time on the wall: 07:30 or 07:30:15"),
    .value("zone", "Z", "the zone of that time: +02:00 or Europe/Vienna (default: the ledger's)"),
  ]

  package init(_ arguments: ParsedArguments) throws(UsageError) {
    day = if let text = arguments.option("date") { try Self.day(text) } else { nil }
    time = if let text = arguments.option("time") { try Self.time(text) } else { nil }
    zone = if let text = arguments.option("zone") { try Self.zone(text) } else { nil }
  }

  static func day(_ text: String) throws(UsageError) -> NamedDay {
    if let day = NamedDay(text) { return day }
    throw .badValue(option: "--date", value: text, why: NamedDay.problem(with: text))
  }

  static func time(_ text: String) throws(UsageError) -> ClockTime {
    let padded = text.utf8.dropFirst().first == UInt8(ascii: ":") ? "0" + text : text
    if let time = ClockTime(padded) ?? ClockTime(padded + ":00") { return time }
    throw .badValue(
      option: "--time", value: text, why: .expected("a time such as 07:30 or 07:30:15"))
  }

  static func zone(_ text: String) throws(UsageError) -> Zone {
    if let offset = ZoneOffset(text) { return .offset(offset) }
    if LocalZone.isKnown(text) { return .named(text) }
    let near = nearestZones(to: text)
    throw .badValue(
      option: "--zone", value: text,
      why: near.isEmpty
        ? .expected("an offset such as +02:00, or a zone this system knows, as Europe/Vienna")
        : .meant(near))
  }
}

extension MomentOptions {
  /// When something happened that is being logged: now, unless the options say otherwise.
  package func logged(
    at now: Timestamp, in home: LocalZone
  ) throws(UsageError) -> (date: CalendarDate, moment: ZonedTime?) {
    if zone != nil, time == nil, day != nil { throw .missingArgument("--time next to --zone") }
    return ZoneRules.with(zone, home: home) { rules in
      guard let time else {
        if let day { return (day.date(today: rules.today(at: now)), nil) }
        let (date, time, zone) = rules.wall(at: now)
        return (date, ZonedTime(time: time, zone: zone))
      }
      let date = (day ?? .back(.today)).date(today: rules.today(at: now))
      return (date, ZonedTime(time: time, zone: rules.offset(of: time, on: date)))
    }
  }

  /// What changes of an entry on `date`: a new date alone keeps its time.
  package func corrected(
    from date: CalendarDate, at now: Timestamp, in home: LocalZone
  ) throws(UsageError) -> (date: CalendarDate?, moment: ZonedTime?) {
    if zone != nil, time == nil { throw .missingArgument("--time next to --zone") }
    return ZoneRules.with(zone, home: home) { rules in
      let newDate = day?.date(today: rules.today(at: now))
      let moment = time.map { time in
        ZonedTime(time: time, zone: rules.offset(of: time, on: newDate ?? date))
      }
      return (newDate, moment)
    }
  }
}
