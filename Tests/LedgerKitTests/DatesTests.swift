import Foundation
import LedgerKit
import Testing

@Suite struct DatesTests {
  static let zone = ZoneOffset("+02:00").map(LocalZone.fixed)!

  @Test("A date and its moment are the same to the millisecond")
  func moments() {
    let date = Date(timeIntervalSince1970: 1_767_600_000.123)
    #expect(Timestamp(date) == Timestamp("2026-01-05T08:00:00.123Z"))
    #expect(Timestamp(date).date == date)
  }

  @Test("Dates that no log can hold are clamped", arguments: [Double.infinity, -1e300, .nan])
  func clamped(_ seconds: Double) {
    let moment = Timestamp(Date(timeIntervalSince1970: seconds))
    let first = Timestamp("0001-01-01T00:00:00.000Z")
    let last = Timestamp("9999-12-31T23:59:59.999Z")
    #expect(moment == (seconds == .infinity ? last : first))
  }

  @Test("The day of a date is that of the zone")
  func day() {
    let date = Date(timeIntervalSince1970: 1_767_600_000 + 14.5 * 3_600)
    #expect(CalendarDate(date, in: .fixed(.utc)) == CalendarDate("2026-01-05"))
    #expect(CalendarDate(date, in: Self.zone) == CalendarDate("2026-01-06"))
  }

  @Test("A goal of a day in the past is refused with the days that it can have")
  func goal() async throws {
    try await withLedger { ledger in
      let yesterday = ledger.today.adding(days: -1)
      let error = await #expect(throws: EditRefusal.self) {
        try await ledger.setGoal(.weight, 70, by: yesterday)
      }
      let refusal = try #require(error?.refusal)
      #expect(refusal.code == "out-of-range" && refusal.field == "by")
      #expect(refusal.value == "\(yesterday)" && refusal.limit == .days(ledger.today ... .last))
    }
  }

  @Test("A pulled entry gets the day and time of the ledger's zone")
  func pulled() async throws {
    let connection = ScriptedConnection()
    var environment = LedgerEnvironment()
    environment.zone = .fixed(.utc)
    let day = try #require(CalendarDate("2026-01-05"))
    let time = try #require(ClockTime(hour: 23, minute: 30))
    try await withLedger(environment) { ledger in
      try await ledger.log(.weight, 75, at: .time(day, time))
      _ = try await ledger.sync(over: connection, options: .atOnce)
    }
    environment.zone = Self.zone
    try await withLedger(environment) { ledger in
      _ = try await ledger.sync(over: connection, options: .atOnce)
      let entry = try #require(try await ledger.progress().entries.first)
      #expect(entry.date == day.adding(days: 1))
      #expect(entry.moment?.time == ClockTime(hour: 1, minute: 30))
    }
  }

  @Test("A date that does not exist is refused")
  func validation() throws {
    #expect(
      try CalendarDate(validatingYear: 2024, month: 2, day: 29)
        == CalendarDate(validating: "2024-02-29"))
    let refusal = #expect(throws: Refusal.self) {
      try CalendarDate(validatingYear: 2026, month: 2, day: 30)
    }
    #expect(refusal?.code == "malformed" && refusal?.value == "2026-2-30")
    #expect(refusal?.limit == .days(.first ... .last))
    #expect(throws: Refusal.self) { try CalendarDate(validating: "5 January") }
  }
}
