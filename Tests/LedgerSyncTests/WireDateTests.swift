import LedgerModel
import LedgerProjections
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// Dates and times on their way to the backend and back, from every zone and in both dialects.
@Suite struct WireDateTests {
  static let offsets = Array(stride(from: -12 * 60, through: 14 * 60, by: 60)) + [-570, 345, 765]

  private func journey(_ dialect: Dialect) throws -> Journey {
    try Journey(seed: 1, dialect: dialect == .loggedAt ? .loggedAt : .dateTime)
  }

  @Test("A day stays that day, and a time is its instant", arguments: Dialect.allCases)
  func everyOffset(_ dialect: Dialect) throws {
    let journey = try journey(dialect)
    var expected: [String] = []
    _ = try journey.fixture.log(50)
    expected.append("2026-01-01T00:00:00Z")
    for offset in Self.offsets {
      let zone = try #require(ZoneOffset(minutes: offset))
      for text in ["00:00:00", "12:34:56", "23:59:59"] {
        let time = ZonedTime(time: try #require(ClockTime(text)), zone: zone)
        _ = try journey.fixture.log(Double(60 + expected.count) / 2, at: time)
        let instant = time.instant(on: LedgerFixture.today).rfc3339Seconds
        expected.append(
          instant.hasSuffix("T00:00:00Z") ? instant.dropLast(2) + "1Z" : instant)
      }
    }
    try journey.sync()
    #expect(journey.backend.rows.map(\.moment.rfc3339Seconds).sorted() == expected.sorted())
    try journey.expectAtRest("\(dialect)")
  }

  @Test(
    "A time on midnight UTC goes out a second later and is found again from every zone",
    arguments: offsets, Dialect.allCases)
  func midnight(_ offset: Int, _ dialect: Dialect) throws {
    let journey = try journey(dialect)
    let zone = try #require(ZoneOffset(minutes: offset))
    // 00:00:00Z on the first of January, as a clock in that zone shows it.
    let wall = try #require(LedgerFixture.now.localTime(at: zone))
    let entry = try journey.fixture.log(
      70, on: wall.date, at: ZonedTime(time: wall.time, zone: zone))
    try journey.loseFirstPost(.lostAfter)
    #expect(journey.backend.rows.map(\.moment.rfc3339Seconds) == ["2026-01-01T00:00:01Z"])
    #expect(try journey.sync().reconciled == 1)
    let view = try journey.entry(entry)
    #expect(view.date == wall.date && view.moment?.time == wall.time)
    #expect(try journey.pulledEntries() == 0 && journey.backend.rows.count == 1)
  }
}
