import LedgerModel
import Testing

@testable import LedgerReport

@Suite struct ScaleTests {
  @Test("Bars begin at zero and ticks are round numbers")
  func barsBeginAtZeroAndTicksAreRound() {
    let steps = NiceScale.fromZero(to: 9_781, ticks: 5)
    #expect(steps.ticks == [0, 2000, 4000, 6000, 8000, 10_000])
    #expect(steps.ticks.map(steps.label) == ["0", "2,000", "4,000", "6,000", "8,000", "10,000"])
    let sleep = NiceScale.fromZero(to: 10.5, ticks: 5)
    #expect(sleep.ticks == [0, 2, 4, 6, 8, 10, 12])
    let little = NiceScale.fromZero(to: 0.34, ticks: 5)
    #expect(little.ticks.map(little.label) == ["0.0", "0.1", "0.2", "0.3", "0.4"])
  }

  @Test(
    "A scale holds its highest value, with distinct labels",
    arguments: [0, 1e-9, 0.7, 1, 2, 3, 99.9, 100, 12_345, 7e6, 1e12])
  func holdsWhatItIsFor(highest: Double) {
    for count in 1...8 {
      let scale = NiceScale.fromZero(to: highest, ticks: count)
      #expect(scale.low == 0)
      #expect(scale.high >= highest * (1 - 1e-8))
      #expect((2...2 * count + 2).contains(scale.ticks.count), "\(highest) \(count)")
      #expect(Set(scale.ticks.map(scale.label)).count == scale.ticks.count)
      #expect(scale.share(0) == 0)
      #expect(scale.share(scale.high) == 1)
    }
  }

  @Test("An axis that does not begin at zero shows a least span")
  func anAxisThatIsCutShowsLeastSpan() {
    let still = NiceScale.around(75.5, 75.5, ticks: 5, leastSpan: 3.8)
    #expect(still.low <= 73.6)
    #expect(still.high >= 77.4)
    // What is close to zero is not given room below it.
    let small = NiceScale.around(0.5, 0.6, ticks: 5, leastSpan: 4)
    #expect(small.low == 0)
  }

  @Test("Millions are shortened")
  func shortensMillions() {
    let scale = NiceScale.fromZero(to: 1_200_000, ticks: 3)
    #expect(scale.ticks.map(scale.label) == ["0", "0.5M", "1.0M", "1.5M"])
    #expect(scale.ticks.map(scale.label).allSatisfy { $0.count <= 7 })
  }

  @Test("Figures have fixed decimals and grouped thousands")
  func figuresLineUp() {
    #expect(FigureText.fixed(75, decimals: 1) == "75.0")
    #expect(FigureText.fixed(1234.567, decimals: 2) == "1,234.57")
    #expect(FigureText.fixed(-0.04, decimals: 1) == "0.0")
    #expect(FigureText.fixed(-2.5, decimals: 1) == "−2.5")
    #expect(FigureText.fixed(0.05, decimals: 2) == "0.05")
    #expect(FigureText.count(1_000_000) == "1,000,000")
    #expect(FigureText.counted(1, "day") == "1 day")
  }

  @Test("Coordinates have at most two decimals")
  func coordinatesAreShort() {
    #expect(Plot.number(12) == "12")
    #expect(Plot.number(12.5) == "12.5")
    #expect(Plot.number(12.054) == "12.05")
    #expect(Plot.number(-0.5) == "-0.5")
  }
}

@Suite struct DateTickTests {
  private func labels(_ first: String, _ last: String, room: Double = 185) throws -> [String] {
    try DateTicks.ticks(
      from: #require(CalendarDate(first)), to: #require(CalendarDate(last)), roomPixels: room
    ).map(\.label)
  }

  @Test(
    "Date ticks are at the last day of a short span, at Mondays, months or years of a longer one")
  func standAtRoundDays() throws {
    #expect(try labels("2025-03-03", "2025-03-05") == ["3 Mar", "4 Mar", "5 Mar"])
    // Of few days the last one always has its label.
    #expect(try labels("2025-10-11", "2025-10-17", room: 185) == ["11 Oct", "14 Oct", "17 Oct"])
    #expect(try labels("2025-10-11", "2025-10-16", room: 185) == ["12 Oct", "14 Oct", "16 Oct"])
    // Mondays.
    #expect(
      try labels("2025-03-01", "2025-03-28", room: 400)
        == ["3 Mar", "10 Mar", "17 Mar", "24 Mar"])
    #expect(try labels("2025-01-15", "2025-03-20") == ["Feb 2025", "Mar 2025"])
    #expect(try labels("2022-12-31", "2025-12-31") == ["2023", "2024", "2025"])
  }

  @Test(
    "Date ticks ascend and fit their room, for any span",
    arguments: [1, 2, 8, 40, 100, 366, 3000, 40_000, 3_652_000])
  func alwaysFit(days: Int) throws {
    for room in [185.0, 370] {
      let last = CalendarDate.first.adding(days: days)
      let ticks = DateTicks.ticks(from: .first, to: last, roomPixels: room)
      #expect(DateTicks.width(ticks) <= room)
      #expect(ticks.map(\.date) == ticks.map(\.date).sorted())
      #expect(Set(ticks.map(\.date)).count == ticks.count)
      if days > 31 { #expect(!ticks.isEmpty) }
    }
  }

  @Test("Periods follow each other without gap or overlap")
  func periodsFollowOneAnother() throws {
    for period in Period.allCases {
      var date = try #require(CalendarDate("1998-12-30"))
      for _ in 0..<30 {
        let end = period.end(of: date)
        #expect(period.index(of: end) == period.index(of: date) + 1)
        #expect(period.start(of: end) == end)
        #expect(period.start(of: date) <= date && date < end)
        date = end
      }
    }
  }

  @Test("The shortest period is chosen that gives at most the asked number")
  func periodsAreBounded() {
    #expect(Period.fitting(.first, .first, atMost: 160) == .day)
    #expect(Period.fitting(.first, .last, atMost: 160) == .century)
    let year = CalendarDate.first.adding(days: 365)
    #expect(Period.fitting(.first, year, atMost: 160) == .week)
    #expect(Period.fitting(.first, year, atMost: 64) == .week)
    #expect(Period.fitting(.first, year, atMost: 40) == .month)
  }
}
