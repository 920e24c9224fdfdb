import LedgerModel
import Testing

@testable import LedgerProjections

/// Days summed up by week, month and year.
@Suite struct PeriodTests {
  private func day(
    _ date: String, _ metric: Metric = .steps, _ quantities: Double...
  ) throws -> DayGroup {
    DayGroup(
      date: try #require(CalendarDate(date)), metric: metric, count: quantities.count,
      sum: quantities.reduce(0, +), min: try #require(quantities.min()),
      max: try #require(quantities.max()), last: try #require(quantities.last))
  }

  @Test(
    "A period has its own days, whatever day it is asked for by",
    arguments: [
      (CalendarPeriod.week, "2024-02-26", "2024-03-03"), (.month, "2024-02-01", "2024-02-29"),
      (.month, "2025-02-01", "2025-02-28"), (.year, "2024-01-01", "2024-12-31"),
      (.week, "2024-12-30", "2025-01-05"), (.year, "9999-01-01", "9999-12-31"),
      (.month, "9999-12-01", "9999-12-31"),
    ])
  func bounds(period: CalendarPeriod, first: String, last: String) throws {
    let days = try #require(CalendarDate(first))...(#require(CalendarDate(last)))
    var date = days.lowerBound
    while date < days.upperBound {
      #expect(period.days(around: date) == days, "\(date)")
      date = date.adding(days: 1)
    }
    #expect(period.days(around: days.upperBound) == days)
  }

  @Test("A period sums up its days, by metric")
  func sums() throws {
    let groups = PeriodGroup.groups(
      of: [
        try day("2024-12-31", .steps, 10, 20), try day("2024-12-31", .weight, 70),
        try day("2025-01-05", .steps, 5), try day("2025-01-06", .steps, 7),
      ], by: .week)
    #expect(groups.map(\.total.metric) == [.weight, .steps, .steps])
    let steps = groups[1]
    #expect(steps.total.count == 3 && steps.total.sum == 35 && steps.loggedDays == 2)
    #expect(steps.total.min == 5 && steps.total.max == 20 && steps.total.last == 5)
    #expect(steps.total.date.description == "2024-12-30" && steps.typical == 17.5)
  }

  @Test("Only the period right before is compared with")
  func compares() throws {
    let groups = PeriodGroup.groups(
      of: [
        try day("2025-01-31", .weight, 70, 72), try day("2025-02-28", .weight, 74),
        try day("2025-04-01", .weight, 75),
      ], by: .month)
    #expect(groups.map(\.before) == [nil, 71, nil])
  }
}
