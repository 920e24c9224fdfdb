import LedgerModel
import Testing

@testable import LedgerCLI

@Suite struct MomentParserTests {
  private let now = Timestamp("2025-01-31T12:00:00.000Z")!
  private var words: MomentParser { MomentParser(now: now, zone: .current) }

  private func moment(_ text: String, _ edge: Moment.Edge = .start) throws -> Moment {
    try words.moment(text, of: "--at", as: edge)
  }

  @Test("Sequence numbers and instants are parsed")
  func knowsNumbersAndInstants() throws {
    #expect(try moment("12") == .seq(Seq(12)))
    #expect(try moment("2025-01-31T08:00:00Z") == .time(Timestamp("2025-01-31T08:00:00.000Z")!))
    #expect(
      try moment("2025-01-31T08:00:00.25+02:00") == .time(Timestamp("2025-01-31T06:00:00.250Z")!))
    #expect(try moment("now") == .time(now))
  }

  @Test("Durations count back from now")
  func countsBack() throws {
    for (text, seconds) in [("-3d", 259_200), ("-2h", 7200), ("-90min", 5400), ("-1w", 604_800)] {
      let expected = now.millisecondsSince1970 - Int64(seconds) * 1000
      #expect(try moment(text) == .time(Timestamp(millisecondsSince1970: expected)))
    }
  }

  @Test("A day alone is all of it: from its first to its last millisecond")
  func days() throws {
    let date = try #require(CalendarDate("2025-01-15"))
    let zone = LocalZone.current
    let midnight = ZonedTime(time: .midnight, zone: zone.offset(of: .midnight, on: date))
    let next = date.adding(days: 1)
    let end = ZonedTime(time: .midnight, zone: zone.offset(of: .midnight, on: next))
    #expect(try moment("2025-01-15") == .time(midnight.instant(on: date)))
    let last = Timestamp(
      millisecondsSince1970: end.instant(on: next).millisecondsSince1970 - 1)
    #expect(try moment("2025-01-15", .end) == .time(last))
    let today = zone.today(at: now)
    #expect(try moment("today") == moment(today.description))
    #expect(try moment("yesterday", .end) == moment(today.adding(days: -1).description, .end))
    #expect(try words.day("-7d", of: "--from") == today.adding(days: -7))
  }

  @Test("Local dates and times are read in the ledger's zone")
  func readsTheClockOnTheWall() throws {
    let date = try #require(CalendarDate("2025-01-15"))
    let time = try #require(ClockTime("08:30:00"))
    let zone = LocalZone.current.offset(of: time, on: date)
    let expected = Moment.time(ZonedTime(time: time, zone: zone).instant(on: date))
    for text in ["2025-01-15T08:30", "2025-01-15 08:30", "2025-01-15T08:30:00"] {
      #expect(try moment(text) == expected)
    }
  }

  @Test(
    "Other words are refused",
    arguments: [
      "", "-", "soon", "-3", "-3y", "2025-02-30", "2025-01-15T", "2025-01-15T25:00", "0", "1e3",
      "2025-01-15X08:30", "٣", "3d", "ago", "3 ago", "days ago", "-3 days ago", "3 fortnights ago",
      "last", "last moonday", "monday last", "yesterday 25:00", "30 feb", "nov", "3 no", "3 nov 26",
      "0 nov", "1000000 days ago", "-٣d", "-3dd",
    ])
  func refusesOthers(_ text: String) {
    #expect(throws: UsageError.self) { try moment(text) }
  }
}
