import Foundation
import LedgerModel
import Testing

@Suite struct CalendarDateTests {
  /// The walk knows only the lengths of months and leap years. It compares the ends of months, and all
  /// days of four centuries.
  @Test("Dates match a walk through every month of every year")
  func everyMonthOfEveryYear() {
    var days = Int(CalendarDate.first.daysSince1970)
    for year in 1...9999 {
      let isLeap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      for (month, length) in zip(1..., lengths) {
        let isWhole = (1901...2300).contains(year)
        for day in isWhole ? Array(1...length) : [1, 2, length - 1, length] {
          let date = CalendarDate(daysSince1970: days + day - 1)
          guard let date, date.components == (year, month, day),
            CalendarDate(year: year, month: month, day: day) == date
          else {
            Issue.record("\(year)-\(month)-\(day) is \(date as Any)")
            return
          }
        }
        #expect(CalendarDate(year: year, month: month, day: length + 1) == nil)
        days += length
      }
    }
    #expect(days - 1 == Int(CalendarDate.last.daysSince1970))
    #expect(CalendarDate(daysSince1970: days) == nil)
    #expect(CalendarDate(daysSince1970: Int(CalendarDate.first.daysSince1970) - 1) == nil)
  }

  /// Compares dates for which Foundation also uses the Gregorian calendar.
  @Test("Dates and weekdays agree with Foundation")
  func agreesWithFoundation() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    let first = try #require(CalendarDate("1600-01-01"))
    for offset in stride(from: 0, through: 292_500, by: 13) {
      let date = first.adding(days: offset)
      let instant = Date(timeIntervalSince1970: Double(date.daysSince1970) * 86_400)
      let theirs = calendar.dateComponents([.year, .month, .day, .weekday], from: instant)
      let (year, month, day) = date.components
      // Foundation counts from Sunday.
      let weekday = try #require(theirs.weekday) == 1 ? 7 : try #require(theirs.weekday) - 1
      guard theirs.year == year, theirs.month == month, theirs.day == day,
        date.weekday == weekday
      else {
        Issue.record("\(date) is \(theirs)")
        return
      }
    }
  }

  @Test(
    "Known dates have known day numbers",
    arguments: [
      ("1970-01-01", 0), ("1969-12-31", -1), ("2000-02-29", 11_016), ("2026-07-20", 20_654),
      ("0001-01-01", -719_162), ("9999-12-31", 2_932_896), ("1900-03-01", -25_508),
      ("0004-02-29", -718_008),
    ])
  func knownDays(text: String, days: Int) throws {
    let date = try #require(CalendarDate(text))
    #expect(Int(date.daysSince1970) == days)
    #expect(date.description == text)
    #expect(CalendarDate(daysSince1970: days) == date)
  }

  @Test("Dates round-trip through text")
  func textsRoundTrip() throws {
    for days in stride(from: -719_162, through: 2_932_896, by: 331) {
      let date = try #require(CalendarDate(daysSince1970: days))
      #expect(date.description.utf8.count == 10)
      #expect(CalendarDate(date.description) == date)
    }
  }

  @Test(
    "Invalid dates are refused",
    arguments: [
      "2026-02-30", "2025-02-29", "1900-02-29", "2100-02-29", "2026-04-31", "2026-13-01",
      "2026-00-10", "2026-01-00", "2026-01-32", "0000-01-01", "10000-01-01", "+026-01-01",
      "-026-01-01", "2026-1-01", "2026-01-1", "2026/01/01", "20260101", "2026-01-01 ",
      " 2026-01-01", "2026-01- 1", "2026-01-+1", "２０２６-01-01", "٢٠٢٦-٠١-٠١", "2026-01-0１", "",
      "2026-W01-1", "2026-01-01T", "2026-01-01\n", "2O26-01-01", "2026‐01‐01",
    ])
  func refusesInvalidDates(text: String) {
    #expect(CalendarDate(text) == nil)
  }

  @Test(
    "Components out of range are refused",
    arguments: [
      (0, 1, 1), (10_000, 1, 1), (2026, 0, 1), (2026, 13, 1), (2026, 1, 0), (-1, 1, 1),
    ])
  func refusesComponentsOutOfRange(year: Int, month: Int, day: Int) {
    #expect(CalendarDate(year: year, month: month, day: day) == nil)
  }

  @Test("Adding days is clamped to the first and last date")
  func addsDaysAndStopsAtTheEnds() throws {
    let date = try #require(CalendarDate("2024-02-28"))
    #expect("\(date.adding(days: 1)) \(date.adding(days: 2))" == "2024-02-29 2024-03-01")
    #expect("\(date.adding(days: -59))" == "2023-12-31")
    #expect(CalendarDate.last.adding(days: 1) == .last)
    #expect(CalendarDate.first.adding(days: -1) == .first)
    #expect(CalendarDate.last.adding(days: .max) == .last)
    #expect(CalendarDate.first.adding(days: .min) == .first)
    #expect(CalendarDate.first < .last && date < date.adding(days: 1))
  }
}
