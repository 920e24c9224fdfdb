import LedgerModel
import Testing

@testable import LedgerImport

@Suite struct WrittenMomentTests {
  @Test(
    "A date has every reading that its spelling allows",
    arguments: [
      ("13-04-2016", DateSpelling.dayFirst, ["2016-04-13"]),
      ("04-13-2016", .monthFirst, ["2016-04-13"]),
      ("04-12-2016", .eitherFirst, ["2016-04-12", "2016-12-04"]),
      ("4/12/2016", .eitherFirst, ["2016-04-12", "2016-12-04"]),
      ("05-05-2016", .eitherFirst, ["2016-05-05"]),
      ("31-04-2016", nil, []),
      ("30/02/2016", nil, []),
      ("29-02-2016", .dayFirst, ["2016-02-29"]),
      ("2016-04-12", .yearFirst, ["2016-04-12"]),
      ("2016-04-31", nil, []),
      ("12-04-16", nil, []),
      ("4-12/2016", nil, []),
      ("", nil, []),
    ] as [(String, DateSpelling?, [String])])
  func readsEveryMeaningOfADate(_ text: String, _ spelling: DateSpelling?, _ dates: [String]) {
    let written = try? WrittenMoment(date: text, time: "")
    #expect(written?.spelling == spelling)
    #expect(written?.dates.map(\.description) ?? [] == dates)
  }

  @Test("Only a time with AM or PM has a reading in the other half of the day")
  func theOtherHalfOfTheDayNeedsAMark() throws {
    let marked = try WrittenMoment(date: "4/12/2016", time: "12:00:00 PM")
    #expect(marked.time?.description == "12:00:00")
    #expect(marked.timeInOtherHalf?.description == "00:00:00")
    let plain = try WrittenMoment(date: "4/12/2016", time: "13:05:00")
    #expect(plain.time?.description == "13:05:00")
    #expect(plain.timeInOtherHalf == nil)
    #expect(throws: RowFault.self) { try WrittenMoment(date: "4/12/2016", time: "25:00:00") }
  }

  @Test("Only 5 April and 4 May have two readings within the study")
  func onlyOnePairOfDaysHasTwoReadingsWithinTheStudy() throws {
    var ambiguous: [String] = []
    for offset in 0..<366 {
      let (year, month, dayOfMonth) = day("2016-01-01").adding(days: offset).components
      let written = try WrittenMoment(date: "\(month)/\(dayOfMonth)/\(year)", time: "")
      if written.dates.filter(FitbitStudy.window.contains).count > 1 {
        ambiguous.append(written.dateText)
      }
    }
    #expect(ambiguous == ["4/5/2016", "5/4/2016"])
  }

  @Test(
    "A LogId agrees with its wall time within the precision of its digits",
    arguments: [
      ("1462233599000", "2016-05-02", "23:59:59", true),
      ("1462233599000", "2016-05-02", "11:59:59", false),
      ("1462233599999", "2016-05-02", "23:59:59", true),
      ("1.46223E+12", "2016-05-02", "23:59:59", true),
      ("1.46223E+12", "2016-05-02", "11:59:59", false),
      ("1.46223E+12", "2016-02-05", "23:59:59", false),
      // Half a unit of the last place to either side, and not a second more.
      ("1.46223E+12", "2016-05-02", "21:36:40", true),
      ("1.46223E+12", "2016-05-02", "21:36:38", false),
      ("1.46223E+12", "2016-05-03", "00:23:20", true),
      ("1.46223E+12", "2016-05-03", "00:23:21", false),
      // A zero that a spreadsheet dropped widens it; then both halves of a day agree.
      ("1.462E+12", "2016-04-30", "07:49:03", true),
      ("1.462E+12", "2016-04-30", "19:49:03", true),
    ])
  func aLogIDIsTheWallClock(_ id: String, _ date: String, _ time: String, _ agrees: Bool) throws {
    let logID = try #require(WeightLogID(id))
    let moment = LocalDateTime(date: day(date), time: ClockTime(time))
    #expect(logID.agrees(with: moment) == agrees)
  }

  @Test(
    "A LogId that is no number of milliseconds proves nothing",
    arguments: [
      "", "x", "-1", "1.5", "1E", "E12", "1.4.6E+12", "1E+-2", "1E+999", "nan", "0x10", "1e400000",
      "12345678901234567",
    ])
  func otherIdsProveNothing(_ id: String) { #expect(WeightLogID(id) == nil) }

  @Test(
    "A date in numbers is read alike by its short way and by the general one",
    arguments: [
      "31.1.2026", "1/31/2026", "02-03-2026", "31.2.2026", "32.13.2026", "0.0.2026", "31.1.0000",
      "1.2/2026", "1.2.26", "13/14/2026", "31.1.2026 07:30", "31.1.2026 07:30:15",
      "1/31/2026 24:00", "1/31/2026 25:00", "1/31/2026 7:30", "1/31/2026 07:30 PM",
      "31.1.2026 19.30",
    ])
  func datesInNumbers(_ text: String) {
    let general = WrittenDate(text + " ")
    let read = WrittenDate(text)
    #expect(read?.day == general?.day && read?.time == general?.time)
    #expect(read?.isEndOfDay == general?.isEndOfDay && read?.zone == general?.zone)
  }

  @Test(
    "A number is read with either mark, and what groups its digits is left out",
    arguments: [
      ("1,234.5 kg", "1234.5 kg", nil), ("1.234,5", nil, "1234.5"), ("1,12,345", "112345", nil),
      ("1\u{202F}234,5", nil, "1234.5"), ("1’234.5", "1234.5", nil), ("-1 234", "-1234", "-1234"),
      ("70.", "70.", nil), ("1,234,56", nil, nil), ("8 5", "8 5", "8 5"),
      ("+70kg", "+70kg", "+70kg"),
      ("1,234", "1234", "1.234"), (".5", ".5", nil),
    ] as [(String, String?, String?)])
  func numbers(_ text: String, _ point: String?, _ comma: String?) throws {
    let shape = try #require(NumberShape(text))
    #expect(shape.text(decimal: .point) == point)
    #expect(shape.text(decimal: .comma) == comma)
  }
}
