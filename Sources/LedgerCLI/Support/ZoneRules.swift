package import LedgerModel
import LedgerPlatform

/// The rules of a zone, or one offset that holds always.
package struct ZoneRules {
  private let fixed: ZoneOffset?
  private let zone: LocalZone

  /// Runs `body` with the rules of the zone that a person named, else with those of `home`.
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

  package func wall(
    at now: Timestamp
  ) -> (date: CalendarDate, time: ClockTime, zone: ZoneOffset) {
    let offset = fixed ?? zone.offset(at: now)
    let (date, time) = now.wall(at: offset) ?? (.first, .midnight)
    return (date, time, offset)
  }

  package func today(at now: Timestamp) -> CalendarDate { wall(at: now).date }

  package func offset(of time: ClockTime, on date: CalendarDate) -> ZoneOffset {
    fixed ?? zone.offset(of: time, on: date)
  }
}

/// Runs `body` in another zone and comes back: the C library has one zone a process.
///
/// - Returns: `nil` for a name that the system does not know.
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
