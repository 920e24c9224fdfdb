import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerReport

@Suite struct TrendTests {
  private let start = CalendarDate.first.adding(days: 700_000)

  private func days(_ values: [(Int, Double)]) -> [DayValue] {
    values.map { day, value in
      DayValue(date: start.adding(days: day), value: value, low: value - 1, high: value + 1)
    }
  }

  @Test("A trend point is the mean of the seven days that end with it")
  func averagesTheSevenDaysThatEndWithEach() {
    let points = MovingAverage.points(days([(0, 70), (1, 72), (6, 74), (7, 80), (20, 60)]))
    let values: [Double] = [70, 71, 72, 226.0 / 3, 60]
    #expect(points.map(\.value) == values)
    let dates = [0, 1, 6, 7, 20].map { start.adding(days: $0) }
    #expect(points.map(\.date) == dates)
  }

  @Test("The moving average equals a plain sum over each window")
  func agreesWithAPlainSum() {
    let seed = UInt64.random(in: 0 ... .max)
    var mixed = SplitMix(seed)
    var day = 0
    let random = days(
      (0..<400).map { _ in
        day += 1 + Int(mixed.next() % 5)
        return (day, Double(mixed.next() % 1000) / 10)
      })
    for (index, point) in MovingAverage.points(random).enumerated() {
      let date = random[index].date
      let window = random.filter { $0.date <= date && date.adding(days: -7) < $0.date }
      let mean = window.map(\.value).reduce(0, +) / Double(window.count)
      #expect((point.value - mean).magnitude < 1e-9, "seed \(seed)")
    }
  }

  @Test("A trend line is cut at long gaps")
  func isCutWhereNobodyKnows() {
    let points = MovingAverage.points(days([(0, 70), (14, 71), (29, 72), (30, 73)]))
    let pieces = MovingAverage.pieces(points, joiningUpTo: Period.day.longestJoinDays)
    #expect(pieces.map(\.count) == [2, 2])
    #expect(MovingAverage.pieces([], joiningUpTo: 7).isEmpty)
  }

  @Test("A period's mean does not count empty days")
  func gathersByPeriodWithoutCountingEmptyDays() throws {
    let monday = try #require(CalendarDate("2025-03-03"))
    let series = MetricSeries(
      .steps,
      days: [0, 2, 6, 7].map { day in
        let value = Double(1000 * (day + 1))
        return DayValue(date: monday.adding(days: day), value: value, low: value, high: value)
      })
    let weeks = series.days.gathered(by: .week)
    #expect(weeks.map(\.start) == [monday, monday.adding(days: 7)])
    let means: [Double] = [11_000.0 / 3, 8000]
    #expect(weeks.map(\.value) == means)
    #expect(weeks.map(\.days) == [3, 1])
    #expect(weeks.map(\.low) == [1000, 8000])
    #expect(weeks.map(\.high) == [7000, 8000])
  }

  @Test("A thinned trend keeps the last point of each period")
  func thinsToTheLastOfAPeriod() throws {
    let monday = try #require(CalendarDate("2025-03-03"))
    let points = (0..<15).map { TrendPoint(date: monday.adding(days: $0), value: Double($0)) }
    #expect(MovingAverage.thinned(points, by: .week).map(\.value) == [6, 13, 14])
  }
}
