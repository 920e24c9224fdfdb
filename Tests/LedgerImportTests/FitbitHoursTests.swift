import LedgerModel
import Testing

@testable import LedgerImport

/// Dates and times of `hourlySteps_merged.csv`, as published and as a spreadsheet left them
/// (layout and some rows: Furberg et al. 2016, CC BY 4.0).
@Suite struct FitbitHoursTests {
  func read(
    _ rows: [String], header: String = "Id,Date,ActivityHour,StepTotal", person: String = "1",
    window: ClosedRange<CalendarDate> = FitbitStudy.window
  ) throws -> ImportResult {
    let text = ([header] + rows).joined(separator: "\r\n")
    return try FitbitImport.read(person: person, window: window, context: context()) { name in
      name == "hourlySteps_merged.csv" ? source(text, name: name) : nil
    }
  }

  /// Hours of a day whose PM was lost: midnight says 12 PM, 13:00 says 1 AM.
  func broken(_ date: String, _ hours: some Sequence<Int>, person: String = "1") -> [String] {
    hours.map { hour in
      let face =
        hour % 12 == 0 ? "12:00:00 PM" : "\(hour % 12 < 10 ? "0" : "")\(hour % 12):00:00 AM"
      return "\(person),\(date),\(face),\(hour + 100)"
    }
  }

  func lines(_ date: String, _ hours: some Sequence<Int>) -> [String] {
    hours.map { "steps \(date) \($0 < 10 ? "0" : "")\($0):00:00 \($0 + 100)" }
  }

  @Test("The published layout is read")
  func thePublishedLayoutIsRead() throws {
    let result = try read(
      ["1,4/12/2016 12:00:00 AM,373", "1,4/12/2016 1:00:00 PM,0", "2,4/12/2016 1:00:00 PM,9"],
      header: "Id,ActivityHour,StepTotal")
    #expect(result.lines == ["steps 2016-04-12 00:00:00 373", "steps 2016-04-12 13:00:00 0"])
    #expect(result.edits.first?.sourceID == "fitbit:1:steps:2016-04-12T00:00:00")
    #expect(result.edits.first?.source == "fitbit")
    #expect(result.skippedByFilter == 1)
    #expect(result.problems.isEmpty)
    #expect(
      result.notes.first
        == "hourlySteps_merged.csv: 2 dates read: 2 by the span 2016-03-12 to 2016-05-12")
  }

  @Test("A whole day whose PM was lost is read by the order of its rows")
  func aWholeDayWithoutItsPMIsReadByItsOrder() throws {
    let result = try read(broken("13-04-2016", 0..<24))
    #expect(result.lines == lines("2016-04-13", 0..<24))
    #expect(result.problems.isEmpty)
    #expect(
      result.notes.first
        == "hourlySteps_merged.csv: AM and PM are wrong in some rows; whether a time is before or "
        + "after noon was found for 24 rows by the order of the rows")
  }

  /// The clock's face falls from 11 to 12 at noon only, so rows on both sides of it are proven; a
  /// gap on either side changes nothing.
  @Test(
    "Rows on both sides of noon prove the halves of their day",
    arguments: [[0, 11, 12, 13], [0, 1, 2, 10, 12, 23], Array(3..<20)])
  func aDayThatCrossesNoonIsProven(_ hours: [Int]) throws {
    let evidence = broken("14-04-2016", 0..<24, person: "2")
    #expect(try read(broken("13-04-2016", hours) + evidence).lines == lines("2016-04-13", hours))
  }

  @Test(
    "A day that fits both halves is reported",
    arguments: [Array(0..<12), Array(0..<6), [0], [12], Array(12..<24), [1, 14], [9, 21]])
  func aDayThatMayLieOnEitherSideOfNoonIsReported(_ hours: [Int]) throws {
    let evidence = broken("14-04-2016", 0..<24, person: "2")
    let result = try read(broken("13-04-2016", hours) + evidence)
    #expect(result.edits.isEmpty)
    #expect(result.problemRows == hours.indices.map { $0 + 2 })
    #expect(result.problems[0].reason.contains("for AM and PM are wrong in other rows"))
  }

  @Test("Dates in the other spelling keep their AM and PM")
  func otherSpellingsKeepTheirAMAndPM() throws {
    let rows = broken("13-04-2016", 0..<24) + ["1,05-11-2016,12:00:00 PM,7"]
    #expect(try read(rows).lines.last == "steps 2016-05-11 12:00:00 7")
  }

  @Test("A date with two readings is decided by the rows around it, or reported")
  func theTwoDaysOfTheStudyThatLookAlikeNeedTheirNeighbours() throws {
    let may4 = "1,05-04-2016,01:00:00 AM,4"
    let before = "1,05-03-2016,01:00:00 AM,3"
    let april4 = "1,04-04-2016,01:00:00 AM,3"
    let april6 = "1,04-06-2016,01:00:00 AM,5"
    #expect(try read([before, may4]).lines.last == "steps 2016-05-04 01:00:00 4")
    #expect(try read([may4, april6]).lines.first == "steps 2016-04-05 01:00:00 4")
    let alone = try read([may4])
    #expect(alone.edits.isEmpty)
    #expect(
      alone.problems.map(\.reason) == [
        "the date '05-04-2016' is 2016-04-05 or 2016-05-04; the rows around it allow each"
      ])
    #expect(try read([april4, may4]).problemRows == [3])
    #expect(
      try read([may4], window: day("2016-04-12")...day("2016-05-12")).lines
        == ["steps 2016-05-04 01:00:00 4"])
  }

  @Test("An unsorted file decides no date by its order")
  func anUnsortedFileProvesNothingByItsOrder() throws {
    let rows = [
      "1,05-03-2016,01:00:00 AM,3", "1,05-04-2016,01:00:00 AM,4",
      // Somebody else's rows step back: the file is not in order.
      "2,05-09-2016,01:00:00 AM,3", "2,05-08-2016,01:00:00 AM,4",
    ]
    let result = try read(rows)
    #expect(result.lines == ["steps 2016-05-03 01:00:00 3"])
    #expect(
      result.problems[0].reason.hasSuffix(
        "the file's rows are not in ascending order, so their order does not settle it"))
  }

  /// By the clock's face alone, such rows look like rows whose PM was lost.
  @Test("Afternoons before mornings are read as written, since no time occurs twice")
  func afternoonsBeforeMorningsAreReadAsTheySay() throws {
    let rows = (Array(12..<24) + Array(0..<12)).map { hour in
      let face = hour % 12 == 0 ? 12 : hour % 12
      return "1,13-04-2016,\(face):00:00 \(hour < 12 ? "AM" : "PM"),\(hour + 100)"
    }
    #expect(Set(try read(rows).lines) == Set(lines("2016-04-13", 0..<24)))
  }

  @Test("A file pasted twice gives duplicates")
  func aFileThatWasPastedTwiceGivesDuplicates() throws {
    let rows = ["1,4/12/2016 12:00:00 AM,373", "1,4/12/2016 1:00:00 PM,0"]
    let result = try read(rows + rows, header: "Id,ActivityHour,StepTotal")
    #expect(result.edits.count == 2)
    #expect(result.duplicates.map(\.row) == [4, 5])
    #expect(result.problems.isEmpty)
  }

  @Test("Dates outside of the study are reported")
  func datesOutsideOfTheStudyAreReported() throws {
    let result = try read(["1,06-07-2016,01:00:00 AM,3", "1,13-06-2016,01:00:00 AM,3"])
    #expect(result.problemRows == [2, 3])
    #expect(
      result.problems[0].reason
        == "the date '06-07-2016' is 2016-06-07 or 2016-07-06, outside of 2016-03-12 to 2016-05-12"
        + ", when the data was collected")
    #expect(result.problems[0].question == ImportQuestion(.days))
  }

  @Test("Rows without an id, date, hour or value are reported")
  func rowsThatSayTooLittleAreReported() throws {
    let result = try read([
      "1.50396E+09,05-03-2016,01:00:00 AM,3", ",05-03-2016,01:00:00 AM,3", "1,05-03-2016,,3",
      "1,soon,01:00:00 AM,3", "1,05-03-2016,noon,3", "1,05-03-2016,01:00:00 AM,", "2,soon,,",
      "1,05-03-2016,02:00:00 AM,1000000", "1,05-03-2016",
    ])
    #expect(result.edits.isEmpty)
    #expect(result.problemRows == [2, 3, 4, 5, 6, 7, 9, 10])
    #expect(result.skippedByFilter == 1)
  }
}
