import Foundation
import LedgerKit
import LedgerTestSupport
import Testing

@testable import LedgerExample

@Suite struct ShownTests {
  @Test("An entry's moment, as Foundation has it and back")
  func dates() async throws {
    let sandbox = try LedgerSandbox()
    let ledger = try sandbox.openLedger()
    try await ledger.log(.weight, 75.5)
    let entry = try #require(try await ledger.progress().entries.first)
    let date = Timestamp(entry).date
    #expect(date == Date(timeIntervalSince1970: 1_767_600_000))
    #expect(Timestamp(date) == sandbox.clock.now)

    let day = try #require(CalendarDate(year: 2026, month: 1, day: 3))
    try await ledger.log(.steps, 4_000, on: day)
    let steps = try #require(try await ledger.progress().entries.last)
    #expect(CalendarDate(Timestamp(steps).date) == day)
  }

  @Test("A moment in the log's form has milliseconds; any other is read as RFC 3339")
  func texts() throws {
    #expect(Timestamp("2026-01-05T08:00:00Z") == nil)
    let moment = try #require(Timestamp("2026-01-05T08:00:00.000Z"))
    #expect(Timestamp(rfc3339: "2026-01-05T09:00:00+01:00") == moment)
  }

  @Test("A weight in the unit that the person wants")
  func weights() async throws {
    let ledger = try LedgerSandbox().openLedger()
    let logged = try await ledger.log(.weight, Measurement(value: 165, unit: UnitMass.pounds))
    let entry = try #require(try await ledger.entry(logged.id))
    #expect(weightText(entry, for: try await ledger.profile()) == "74.8 kg")
    try await introduce("Ada", to: ledger)
    #expect(weightText(entry, for: try await ledger.profile()) == "165 lb")
    try await ledger.log(.steps, 1)
    let steps = try #require(try await ledger.progress().entries.first)
    #expect(weightText(steps, for: try await ledger.profile()) == nil)
  }
}
