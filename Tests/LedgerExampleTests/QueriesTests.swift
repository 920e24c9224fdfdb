import LedgerKit
import LedgerTestSupport
import Testing

@testable import LedgerExample

@Suite struct QueriesTests {
  @Test("The article's code reads all pages, searches notes, and sums by day")
  func queries() async throws {
    let sandbox = try LedgerSandbox()
    let ledger = try sandbox.openLedger()
    for _ in 0..<150 { try await ledger.log(.weight, 75) }
    try await ledger.log(.moodScore, 7, notes: "slept well")
    let day = try #require(CalendarDate(year: 2026, month: 1, day: 2))
    try await ledger.log(.steps, 4_000, on: day)
    try await ledger.log(.steps, 2_000, on: day)
    #expect(try await allWeights(in: ledger).count == 150)
    #expect(try await unsentNotes(about: "slept", in: ledger) == ["slept well"])
    try await ledger.append(.updatePhysical(PhysicalUpdated(heightCM: 168)))
    #expect(try await whatWaits(in: ledger).last == "pending: it is sent by the next sync")
    let steps = try await stepsByDay(from: day, in: ledger)
    #expect(steps.map(\.date) == [day] && steps.map(\.steps) == [6_000])
    #expect(try await stepsOfTheLastWeek(in: ledger) == 6_000)
    try await ledger.log(.weight, 73, on: day.adding(days: -3))
    let months = try await weightByMonth(in: ledger)
    #expect(months.map(\.mean) == [73, 75] && months.map(\.change) == [nil, 2])
    #expect(months.map { "\($0.from)" } == ["2025-12-01", "2026-01-01"])
    sandbox.clock.advance(by: .seconds(7 * 24 * 60 * 60))
    #expect(try await stepsOfTheLastWeek(in: ledger) == 0)
  }
}
