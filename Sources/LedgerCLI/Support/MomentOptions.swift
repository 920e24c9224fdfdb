package import LedgerModel
import LedgerPlatform

package struct MomentOptions {
  package enum Zone: Equatable {
    case offset(ZoneOffset)
    case named(String)
  }

  package let day: NamedDay?
  package let time: ClockTime?
  package let zone: Zone?

  package static let specs: [OptionSpec] = [
    .value("date", "D", "the day: 2026-11-21, yesterday, -3d, '3 nov'"),
    .value("time", "T", "the time on the wall: 07:30, 07:30:15 or 7:30am"),
    .value("zone", "Z", "its zone: +02:00, Europe/Vienna (default: the ledger's)"),
  ]

  package init(_ arguments: ParsedArguments) throws(UsageError) {
    day = if let text = arguments.option("date") { try Self.day(text) } else { nil }
    time = if let text = arguments.option("time") { try Self.time(text) } else { nil }
    zone = if let text = arguments.option("zone") { try Self.zone(text) } else { nil }
  }

  static func day(_ text: String) throws(UsageError) -> NamedDay {
    if let day = NamedDay(text) { return day }
    throw .badValue(
      option: "--date", value: text,
      why: dayAndTime(text).map { .meant([$0]) } ?? NamedDay.problem(with: text))
  }

  /// `yesterday 8:00` or `2026-11-20T07:30` as the two options it is meant as.
  private static func dayAndTime(_ text: String) -> String? {
    guard let parts = DayAndTime(text), parts.parsed != nil else { return nil }
    let day = parts.day.contains(" ") ? "\"\(parts.day)\"" : parts.day
    return "--date \(day) --time \(parts.time.filter { $0 != " " })"
  }

  static func time(
    _ text: String, of option: String = "--time"
  ) throws(UsageError) -> ClockTime {
    if let time = WallTime(text) { return time.time }
    if WallTime.isEndOfDay(text) { throw .badValue(option: option, value: text, why: .endOfDay) }
    let near = WallTime.nearest(to: text) ?? (option == "--time" ? dayAndTime(text) : nil)
    throw .badValue(
      option: option, value: text,
      why: near.map { .meant([$0]) } ?? .expected("a time such as 07:30, 07:30:15 or 7:30am"))
  }

  static func zone(_ text: String) throws(UsageError) -> Zone {
    if let offset = ZoneOffset(written: text) { return .offset(offset) }
    if LocalZone.isZone(text) { return .named(text) }
    let near = nearestZones(to: text)
    throw .badValue(
      option: "--zone", value: text,
      why: near.isEmpty
        ? .expected("an offset such as +02:00, or a zone this system knows, as Europe/Vienna")
        : .meant(near))
  }
}

extension MomentOptions {
  /// The moment of a new entry: now, unless the options differ.
  package func logged(
    at now: Timestamp, in home: LocalZone
  ) throws(UsageError) -> (date: CalendarDate, moment: ZonedTime?) {
    if zone != nil, time == nil, day != nil { throw .missingArgument("--time next to --zone") }
    return ZoneRules.with(zone, home: home) { rules in
      guard let time else {
        if let day { return (day.date(today: rules.today(at: now)), nil) }
        let (date, time, zone) = rules.localTime(at: now)
        return (date, ZonedTime(time: time, zone: zone))
      }
      let date = (day ?? .back(.today)).date(today: rules.today(at: now))
      return (date, ZonedTime(time: time, zone: rules.offset(of: time, on: date)))
    }
  }

  /// The changes to an entry's moment; a new date alone keeps the local time. Without a zone, a time from
  /// elsewhere stays there.
  package func corrected(
    from date: CalendarDate, _ moment: ZonedTime?, at now: Timestamp, in home: LocalZone
  ) throws(UsageError) -> (date: CalendarDate?, moment: ZonedTime?) {
    if zone != nil, time == nil { throw .missingArgument("--time next to --zone") }
    return ZoneRules.with(zone, home: home) { rules in
      let newDate = day?.date(today: rules.today(at: now))
      guard let time else {
        let moved = newDate.flatMap { day in moment.flatMap { home.moved($0, from: date, to: day) }
        }
        return (newDate, moved)
      }
      let offset =
        if let moment, zone == nil {
          rules.offset(of: time, on: newDate ?? date, insteadOf: moment, on: date)
        } else {
          rules.offset(of: time, on: newDate ?? date)
        }
      return (newDate, ZonedTime(time: time, zone: offset))
    }
  }
}

/// The two parts of `2025-01-31T08:00`, `yesterday 8:00` or `3 nov 7 am`.
struct DayAndTime {
  let day: String
  let time: String

  init?(_ text: String) {
    let isJoined = text.dropFirst(10).first == "T"
    let hasSpace = [" am", " pm"].contains(text.suffix(3).lowercased())
    let mark =
      isJoined
      ? text.dropFirst(10).indices.first : text.dropLast(hasSpace ? 3 : 0).lastIndex(of: " ")
    guard let mark else { return nil }
    (day, time) = (String(text[..<mark]), String(text[text.index(after: mark)...]))
  }

  var parsed: (day: NamedDay, time: ClockTime)? {
    guard let day = NamedDay(day), let time = WallTime(time)?.time else { return nil }
    return (day, time)
  }

  /// At most three valid texts.
  func nearest(today: CalendarDate) -> [String] {
    if WallTime.isEndOfDay(time), let day = NamedDay(day)?.date(today: today) {
      return ["\(day.adding(days: 1)) 00:00"]
    }
    let time = WallTime(time) == nil ? WallTime.nearest(to: time) : time
    let days = NamedDay(day) == nil ? NamedDay.nearest(to: day, today: today) : [day]
    return time.map { time in days.map { "\($0) \(time)" } } ?? []
  }
}

/// A time of day as people write it: `7:30` or `07:30:15` of 24 hours, `7am` or `7:30 pm` of 12.
struct WallTime {
  let time: ClockTime

  init?(_ text: some StringProtocol) {
    let lowered = text.lowercased()
    let time =
      lowered.hasSuffix("am") || lowered.hasSuffix("pm")
      ? Self.ofTwelveHours(lowered) : Self.ofADay(lowered)
    guard let time else { return nil }
    self.time = time
  }

  /// Whether a text is the end of a day, which is written as the beginning of the next one.
  static func isEndOfDay(_ text: String) -> Bool { ["24:00", "24:00:00"].contains(text) }

  private static func ofADay(_ text: String) -> ClockTime? {
    let padded = text.utf8.dropFirst().first == UInt8(ascii: ":") ? "0" + text : text
    return ClockTime(padded) ?? ClockTime(padded + ":00")
  }

  /// Twelve at night is 12am, twelve at noon 12pm.
  private static func ofTwelveHours(_ text: String) -> ClockTime? {
    let number = text.dropLast(text.hasSuffix(" am") || text.hasSuffix(" pm") ? 3 : 2)
    let halfDay: Int32 = 12 * 3600
    guard let time = ofADay(number.contains(":") ? String(number) : number + ":00"),
      (3600..<halfDay + 3600).contains(time.secondsSinceMidnight)
    else { return nil }
    let seconds = time.secondsSinceMidnight % halfDay + (text.hasSuffix("pm") ? halfDay : 0)
    return ClockTime(secondsSinceMidnight: Int(seconds))
  }

  /// What `0730`, `07.30`, `7`, `7.30am`, `18 Uhr` or `noon` is probably meant as.
  static func nearest(to text: String) -> String? {
    let plain = text.lowercased().filter { $0 != " " }
    switch plain {
    case "noon": return "12:00"
    case "midnight": return "00:00"
    default: break
    }
    if plain.hasSuffix("uhr") { return nearest(to: String(plain.dropLast(3))) }
    for mark in ["am", "pm", "a.m.", "p.m."] where plain.hasSuffix(mark) {
      let number = String(plain.dropLast(mark.count))
      let clock = number.contains(":") ? number : nearest(to: number) ?? ""
      return WallTime(clock + mark.filter { $0 != "." }).map { String("\($0.time)".prefix(5)) }
    }
    guard (1...5).contains(text.utf8.count) else { return nil }
    let parts = text.split(omittingEmptySubsequences: false) { ".h".contains($0) }
    let digits = parts.joined()
    guard parts.count <= 2, digits.utf8.allSatisfy(isDigit) else { return nil }
    let (hour, minute): (Substring, Substring) =
      if parts.count == 2 {
        (parts[0], parts[1])
      } else {
        digits.count < 3 ? (digits[...], "00") : (digits.dropLast(2), digits.suffix(2))
      }
    guard (1...2).contains(hour.count), let time = WallTime("\(hour):\(minute)") else { return nil }
    return String("\(time.time)".prefix(5))
  }
}

/// A time zone's rules, or a fixed offset.
package struct ZoneRules {
  private let fixed: ZoneOffset?
  private let zone: LocalZone

  /// Runs `body` with the rules of the named zone, or of `home`.
  package static func with<Result>(
    _ named: MomentOptions.Zone?, home: LocalZone, _ body: (ZoneRules) throws -> Result
  ) rethrows -> Result {
    switch named {
    case nil: return try body(ZoneRules(fixed: nil, zone: home))
    case .offset(let offset): return try body(ZoneRules(fixed: offset, zone: home))
    case .named(let name):
      let result = try inZone(named: name) { try body(ZoneRules(fixed: nil, zone: $0)) }
      guard let result else { preconditionFailure("\(name) was known a moment ago") }
      return result
    }
  }

  package func localTime(
    at now: Timestamp
  ) -> (date: CalendarDate, time: ClockTime, zone: ZoneOffset) {
    let offset = fixed ?? zone.offset(at: now)
    let (date, time) = now.localTime(at: offset) ?? (.first, .midnight)
    return (date, time, offset)
  }

  package func today(at now: Timestamp) -> CalendarDate { localTime(at: now).date }

  package func offset(of time: ClockTime, on date: CalendarDate) -> ZoneOffset {
    fixed ?? zone.offset(of: time, on: date)
  }

  /// The same for a time that replaces another one: what is from elsewhere keeps its offset.
  func offset(
    of time: ClockTime, on date: CalendarDate, insteadOf old: ZonedTime, on oldDate: CalendarDate
  ) -> ZoneOffset {
    offset(of: old.time, on: oldDate) == old.zone ? offset(of: time, on: date) : old.zone
  }

  func clockChange(at time: ClockTime, on date: CalendarDate) -> LocalZone.ClockChange? {
    fixed == nil ? zone.clockChange(at: time, on: date) : nil
  }
}

/// Runs `body` in another zone and restores the previous one: the C library has one zone per
/// process.
///
/// - Returns: `nil` for an unknown zone.
private func inZone<Result>(
  named name: String, _ body: (LocalZone) throws -> Result
) rethrows -> Result? {
  let before = getenv("TZ").map { String(cString: $0) }
  guard LocalZone.use(named: name) else { return nil }
  defer {
    if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
    tzset()
  }
  return try body(.current)
}

/// Suggests up to three of the system's zones, by full name, else by city: `vienna`, `new york`,
/// `Viena`.
func nearestZones(to text: String) -> [String] {
  // Bounds the edit distances to compute, one for each of 600 names.
  guard text.utf8.count <= 64 else { return [] }
  let typed = text.split(separator: " ").joined(separator: "_")
  if let named = zonesCalled[typed.uppercased()] { return named.filter(LocalZone.isZone) }
  // An offset: the signs of Etc/GMT+2 are reversed.
  let isOffset = typed.contains(where: \.isNumber)
  guard !isOffset || !["UTC", "GMT"].contains(typed.prefix(3).uppercased()) else { return [] }
  let names = systemZones()
  if let same = names.first(where: { $0.lowercased() == typed.lowercased() }) { return [same] }
  // Abbreviations: PST is not a misspelt EST, nor CEST a misspelt CET.
  guard typed.count >= 4, typed.count > 5 || typed != typed.uppercased() else { return [] }
  let whole = nearest(to: typed, among: names)
  if let slash = typed.firstIndex(of: "/") {
    // Europe/Wien is no misspelt Europe/Kiev.
    let region = names.filter { $0.hasPrefix(typed[...slash]) }
    let rest = typed[typed.index(after: slash)...]
    let near = nearest(to: String(rest), among: region.map { String($0[slash...].dropFirst()) })
    if !near.isEmpty { return near.map { typed[...slash] + $0 } }
    if !region.isEmpty {
      return names.filter { $0.lowercased().hasSuffix("/" + rest.lowercased()) }
    }
    if !whole.isEmpty { return whole }
  }
  let places = names.map { name in String(name.split(separator: "/").last ?? "") }
  let place = String(typed.split(separator: "/").last ?? "")
  // Three letters match too many cities.
  let near = place.count < 4 ? [] : nearest(to: place, among: places)
  let found = zip(names, places).filter { near.contains($0.1) }.map(\.0)
  return found.isEmpty ? whole : Array(found.prefix(3))
}

/// Abbreviations that people know and that are no names of zones, or of zones without daylight saving.
let zonesCalled: [String: [String]] = [
  "EST": ["America/New_York"], "EDT": ["America/New_York"], "ET": ["America/New_York"],
  "CST": ["America/Chicago", "Asia/Shanghai"], "CDT": ["America/Chicago"],
  "MST": ["America/Denver", "America/Phoenix"], "MDT": ["America/Denver"],
  "PST": ["America/Los_Angeles"], "PDT": ["America/Los_Angeles"], "PT": ["America/Los_Angeles"],
  "AKST": ["America/Anchorage"], "AKDT": ["America/Anchorage"], "BST": ["Europe/London"],
  "CEST": ["Europe/Paris", "Europe/Berlin", "Europe/Vienna"],
  "MEZ": ["Europe/Berlin", "Europe/Vienna", "Europe/Zurich"],
  "MESZ": ["Europe/Berlin", "Europe/Vienna", "Europe/Zurich"], "WEST": ["Europe/Lisbon"],
  "EEST": ["Europe/Athens", "Europe/Helsinki", "Europe/Kyiv"], "MSK": ["Europe/Moscow"],
  "IST": ["Asia/Kolkata", "Europe/Dublin"], "JST": ["Asia/Tokyo"], "KST": ["Asia/Seoul"],
  "AEST": ["Australia/Sydney", "Australia/Brisbane"], "AEDT": ["Australia/Sydney"],
  "AWST": ["Australia/Perth"], "NZST": ["Pacific/Auckland"], "NZDT": ["Pacific/Auckland"],
]

private func systemZones() -> [String] {
  for root in LocalZone.zoneFolders {
    let names = zones(in: root, under: "")
    if !names.isEmpty { return names.sorted() }
  }
  return []
}

/// Regions are capitalized; `posix` and `right` only repeat them.
private func zones(in folder: String, under path: String) -> [String] {
  let disk = SystemDisk.shared
  guard let found = try? disk.names(in: folder) else { return [] }
  return found.flatMap { name -> [String] in
    guard name.first?.isUppercase == true else { return [] }
    let file = folder + "/" + name
    // Does not follow links, which on some systems lead back up.
    let kind = try? disk.status(of: file, followsLinks: false).kind
    if kind == .folder { return zones(in: file, under: path + name + "/") }
    return LocalZone.isZone(path + name) ? [path + name] : []
  }
}
