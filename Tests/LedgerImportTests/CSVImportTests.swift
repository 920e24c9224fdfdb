import LedgerModel
import Testing

@testable import LedgerImport

@Suite struct CSVImportTests {
  func read(
    _ text: String, _ mapping: CSVMapping, known: [String: Double] = [:]
  ) throws -> ImportResult {
    try CSVImport.read(source(text), mapping: mapping, context: context(known: known))
  }

  /// Rows of hourlySteps_merged.csv as a spreadsheet left it (Furberg et al. 2016, CC BY 4.0).
  static let hours = """
    Id,Date,ActivityHour,StepTotal\r
    1503960366,04-12-2016,12:00:00 AM,373\r
    1503960366,04-12-2016,01:00:00 AM,160\r
    1503960366,04-12-2016,01:00:00 PM,253\r
    1503960366,13-04-2016,12:00:00 PM,144\r
    1624580081,04-12-2016,12:00:00 AM,18\r

    """

  func hourMapping() throws -> CSVMapping {
    CSVMapping(
      metric: .steps, quantity: "StepTotal", date: "Date", time: "ActivityHour",
      dateFormat: try DateFormat("MM-dd-yyyy"),
      conditions: [.init(column: "Id", value: "1503960366")])
  }

  @Test("Rows that fit the mapping become entries; the others are reported")
  func readsWhatTheMappingSaysAndReportsTheRest() throws {
    let result = try read(Self.hours, hourMapping())
    #expect(
      result.lines == [
        "steps 2016-04-12 00:00:00 373", "steps 2016-04-12 01:00:00 160",
        "steps 2016-04-12 13:00:00 253",
      ])
    #expect(result.rows == 5)
    #expect(result.skippedByFilter == 1)
    #expect(
      result.problems.map(\.description) == [
        "data.csv, row 5: Date is '13-04-2016'; it is not a day of the calendar when read as "
          + "MM-dd-yyyy"
      ])
    #expect(!result.problems.isEmpty)
    let edit = try #require(result.edits.first)
    #expect(edit.source == "csv")
    #expect(edit.sourceID == "csv:steps:2016-04-12T00:00:00?Id=1503960366")
    #expect(edit.moment?.zone.description == "+02:00")
    #expect(result.counts.map(\.metric) == [.steps])
    #expect(result.counts.map(\.entries) == [3])
  }

  @Test("Importing a file again adds nothing, whatever its name and the order of its rows")
  func aSecondTimeAddsNothingWhateverTheFileIsCalled() throws {
    let mapping = try hourMapping()
    let first = try read(Self.hours, mapping)
    let turned = Self.hours.split(separator: "\r\n").dropFirst().reversed()
    let again = (["Id,Date,ActivityHour,StepTotal"] + turned.map(String.init)).joined(
      separator: "\n")
    let second = try CSVImport.read(
      source(again, name: "renamed.csv"), mapping: mapping,
      context: context(known: known(after: first)))
    #expect(second.edits.isEmpty)
    #expect(second.known == 3)
    #expect(second.problems.count == 1)
  }

  @Test("A known row with another value is reported, not imported")
  func aKnownRowWithAnotherValueNeedsAPerson() throws {
    let mapping = try hourMapping()
    let first = try read(Self.hours, mapping)
    let changed = Self.hours.split(separator: "\r\n").joined(separator: "\n")
    let second = try read(
      changed.replacing("160", with: "161"), mapping, known: known(after: first))
    #expect(second.edits.isEmpty)
    #expect(second.known == 2)
    let reason = second.problems.first?.reason
    #expect(reason?.hasPrefix("StepTotal is 161, but event ") == true)
    #expect(
      reason?.hasSuffix(" logged 160 for this moment; correct its entry if that is wrong") == true)
  }

  @Test("Without a date pattern only ISO 8601 dates are read")
  func withoutAPatternOtherTextIsNoDate() throws {
    let mapping = CSVMapping(metric: .weight, quantity: "kg", date: "day")
    let result = try read(
      """
      day,kg
      2026-01-31,70.5
      2026-02-01T07:30,70.4
      2026-02-30,70
      soon,70
      2026-02-03T25:30:15,70
      ,70
      """, mapping)
    #expect(result.lines == ["weight 2026-01-31 70.5", "weight 2026-02-01 07:30:00 70.4"])
    #expect(result.edits.first?.moment == nil)
    #expect(result.problemRows == [4, 5, 6, 7])
    #expect(result.problems.first?.reason.contains("not a day of the calendar") == true)
    #expect(result.problems.map(\.question) == [nil, nil, ImportQuestion(.dateFormat), nil])
  }
}
