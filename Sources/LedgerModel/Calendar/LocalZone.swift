import LedgerPlatform

/// The rules of the local time zone, from the C library.
///
/// The C library has one time zone per process (`TZ`), so only a program's start can change it.
public struct LocalZone: Sendable {
  /// The time zone of `TZ`, or the system's if it is not set.
  public static let current = LocalZone(fixed: nil)

  /// A zone with a constant offset, for tests.
  public static func fixed(_ offset: ZoneOffset) -> LocalZone { LocalZone(fixed: offset) }

  private let fixed: ZoneOffset?

  /// The current instant, by the system's clock.
  public static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let milliseconds = Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    return Timestamp(millisecondsSince1970: milliseconds)
  }

  /// Sets the time zone of this process. Call it before starting threads.
  ///
  /// - Returns: false, with nothing changed, for an unknown name, which the C library would silently
  ///   treat as UTC.
  package static func use(named name: String) -> Bool {
    guard let rule = rule(named: name) else { return false }
    setenv("TZ", rule, 1)
    tzset()
    return true
  }

  /// The value of `TZ` for a zone or an offset as a person names it; `nil` if it is unknown.
  package static func rule(named name: String) -> String? {
    guard let offset = ZoneOffset(written: name) else { return isZone(name) ? name : nil }
    let west = ZoneOffset(minutes: -Int(offset.minutes)) ?? .utc
    return "<\(offset.description.filter { $0 != ":" })>\(west)"
  }

  /// Whether `TZ` is not set or has a value that the C library understands.
  package static var environmentIsKnown: (known: Bool, name: String) {
    guard let value = getenv("TZ") else { return (true, "") }
    let name = String(cString: value)
    return (name.isEmpty || isTZValue(name), name)
  }

  /// Whether this is a file of the zone database.
  package static func isZone(_ name: String) -> Bool {
    guard !name.isEmpty, name.utf8.count < 256, !name.utf8.contains(0) else { return false }
    if name.utf8.first == UInt8(ascii: "/") { return isZoneFile(name) }
    guard !name.split(separator: "/", omittingEmptySubsequences: false).contains("..") else {
      return false
    }
    return zoneFolders.contains { isZoneFile("\($0)/\(name)") }
  }

  /// Whether this is a file of the zone database, perhaps after a colon, or a POSIX rule such as
  /// `CET-1CEST,M3.5.0,M10.5.0/3`.
  package static func isTZValue(_ value: String) -> Bool {
    let name = value.utf8.first == UInt8(ascii: ":") ? String(value.dropFirst()) : value
    guard !name.utf8.contains(0) else { return false }
    return isZone(name) || name.utf8.count < 256 && isPOSIXRule(name)
  }

  /// The C library's search path. In glibc `TZDIR` replaces it; musl ignores `TZDIR`.
  package static var zoneFolders: [String] {
    #if canImport(Glibc)
      if let folder = getenv("TZDIR"), folder.pointee != 0 { return [String(cString: folder)] }
    #endif
    return [
      "/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo",
      "/var/db/timezone/zoneinfo",
    ]
  }

  /// Whether this is a file of compiled rules (RFC 9636). The C library treats other files in these
  /// folders, such as `zone.tab`, as UTC.
  private static func isZoneFile(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let file = fopen(path, "r")
    else { return false }
    defer { fclose(file) }
    var magic: [UInt8] = [0, 0, 0, 0]
    return fread(&magic, 1, 4, file) == 4 && magic.elementsEqual("TZif".utf8)
  }

  /// Whether this starts with three or more letters, or `<…>`, and an offset.
  private static func isPOSIXRule(_ name: String) -> Bool {
    var rest = Substring(name)
    if rest.first == "<" {
      guard let end = rest.firstIndex(of: ">") else { return false }
      rest = rest[rest.index(after: end)...]
    } else {
      let letters = rest.prefix { $0.isASCII && $0.isLetter }
      guard letters.count >= 3 else { return false }
      rest = rest.dropFirst(letters.count)
    }
    if rest.first == "+" || rest.first == "-" { rest = rest.dropFirst() }
    guard let digit = rest.first, digit.isASCII, digit.isNumber else { return false }
    return rest.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "<>+-:,./".contains($0)) }
  }

  /// The offset in effect at an instant.
  ///
  /// Offsets with seconds (local mean times before about 1930) are rounded to the minute, the log's
  /// precision.
  public func offset(at instant: Timestamp) -> ZoneOffset {
    let seconds = secondsEast(at: Int(instant.utcSeconds))
    let minutes = Int((Double(seconds) / 60).rounded())
    return ZoneOffset(minutes: minutes) ?? .utc
  }

  /// The local day, time and offset at an instant.
  public func localTime(
    at instant: Timestamp
  ) -> (date: CalendarDate, time: ClockTime, zone: ZoneOffset)? {
    let zone = offset(at: instant)
    return instant.localTime(at: zone).map { ($0.date, $0.time, zone) }
  }

  /// The local day at an instant.
  public func today(at instant: Timestamp) -> CalendarDate {
    localTime(at: instant)?.date ?? .first
  }

  /// A local time moved to another day, where a clock change in between gives it another offset.
  ///
  /// - Returns: `nil` if it keeps its offset, as one of another zone does.
  package func moved(
    _ moment: ZonedTime, from day: CalendarDate, to other: CalendarDate
  ) -> ZonedTime? {
    let offset = offset(of: moment.time, on: other)
    guard offset != moment.zone, self.offset(of: moment.time, on: day) == moment.zone else {
      return nil
    }
    return ZonedTime(time: moment.time, zone: offset)
  }

  /// The offset of a local time on a day. A time that a clock change skips has the offset from
  /// before the change; a repeated time is the first one (docs/log-format.md, Events).
  public func offset(of time: ClockTime, on date: CalendarDate) -> ZoneOffset {
    let wall = Int(date.daysSince1970) * 86_400 + Int(time.secondsSinceMidnight)
    let before = secondsEast(at: wall - 86_400)
    let after = secondsEast(at: wall + 86_400)
    var seconds = before
    if after != before, secondsEast(at: wall - before) != before,
      secondsEast(at: wall - after) == after
    {
      seconds = after
    }
    return ZoneOffset(minutes: Int((Double(seconds) / 60).rounded())) ?? .utc
  }

  /// What a change of the clocks makes of a local time.
  package enum ClockChange: Hashable, Sendable {
    case skipped
    /// It comes twice; the second time it has this offset.
    case repeated(later: ZoneOffset)
  }

  /// - Returns: `nil` for a time that comes once on that day.
  package func clockChange(at time: ClockTime, on date: CalendarDate) -> ClockChange? {
    let wall = Int(date.daysSince1970) * 86_400 + Int(time.secondsSinceMidnight)
    let offsets = [secondsEast(at: wall - 86_400), secondsEast(at: wall + 86_400)]
    guard offsets[0] != offsets[1] else { return nil }
    let valid = offsets.filter { secondsEast(at: wall - $0) == $0 }
    if valid.isEmpty { return .skipped }
    return valid.count == 2
      ? ZoneOffset(minutes: offsets[1] / 60).map { .repeated(later: $0) } : nil
  }

  /// Whether the clocks show a time twice on a day, as at the end of summer time.
  package func repeats(_ time: ClockTime, on date: CalendarDate) -> Bool {
    if case .repeated = clockChange(at: time, on: date) { true } else { false }
  }

  private func secondsEast(at secondsSince1970: Int) -> Int {
    if let fixed { return fixed.seconds }
    var time = time_t(secondsSince1970)
    var fields = tm()
    guard localtime_r(&time, &fields) != nil else { return 0 }
    return Int(fields.tm_gmtoff)
  }
}

extension Timestamp {
  fileprivate var utcSeconds: Int64 { millisecondsSince1970.flooredDivision(by: 1000).quotient }
}

extension ZonedTimestamp {
  /// An instant with the offset that the zone has then, without fractions of a second; `nil` outside
  /// the years 1 to 9999 of local time.
  package init?(_ instant: Timestamp, in zone: LocalZone) {
    self.init(
      secondsSince1970: instant.wholeSeconds.millisecondsSince1970 / 1000,
      zone: zone.offset(at: instant))
  }
}
