import LedgerModel
import Testing

@testable import LedgerImport

/// What becomes of the cells of mapped rows.
@Suite struct CSVRowsTests {
  func read(
    _ text: String, _ mapping: CSVMapping, known: [String: Double] = [:]
  ) throws -> ImportResult {
    try CSVImport.read(source(text), mapping: mapping, context: context(known: known))
  }

  @Test("A quantity is taken unchanged or reported")
  func quantitiesAreTakenAsTheyAreOrReported() throws {
    let mapping = CSVMapping(metric: .weight, quantity: "w", date: "d")
    let result = try read(
      """
      d,w
      2026-01-01,52.5999984741211
      2026-01-02," 70.25\t"
      2026-01-03,165.5lb
      2026-01-04,52.59999847412109375
      2026-01-05,"52,6,1"
      2026-01-06,
      2026-01-07,n/a
      2026-01-08,600
      2026-01-09,0
      2026-01-10,NaN
      2026-01-11,1e400
      2026-01-12,\(String(repeating: "9", count: 100_000))
      """, mapping)
    #expect(
      result.lines == [
        "weight 2026-01-01 52.5999984741211", "weight 2026-01-02 70.25",
        "weight 2026-01-03 75.069537235", "weight 2026-01-04 52.5999984741211",
      ])
    #expect(result.problemRows == [6, 9, 10, 12, 13])
    #expect(result.problems.allSatisfy { $0.reason.utf8.count < 300 })
    #expect(
      result.problems[1].reason
        == "w: quantity is 600 kg; weight must be more than 0 and less than 500 kg")
    #expect(result.notes.first == "data.csv: 3 rows have nothing in w")
  }

  @Test("The column's unit is converted, unless a cell has its own")
  func aUnitOfTheColumnIsConverted() throws {
    let mapping = CSVMapping(metric: .distanceKM, quantity: "m", date: "d", unit: "mi")
    let result = try read("d,m\n2026-01-01,3\n2026-01-02,0\n2026-01-03,3km\n", mapping)
    #expect(
      result.lines == [
        "distance_km 2026-01-01 4.828032", "distance_km 2026-01-02 0", "distance_km 2026-01-03 3",
      ])
  }

  @Test("Equal rows of one moment count once, differing ones not at all")
  func repeatedRowsCountOnceAndContradictionsNotAtAll() throws {
    let mapping = CSVMapping(metric: .weight, quantity: "w", date: "d", notes: "n")
    let result = try read(
      """
      d,w,n
      2026-01-01,70,
      2026-01-02,71,
      2026-01-01,70.0,
      2026-01-02,72,
      2026-01-03,73,morning
      2026-01-03,73,evening
      2026-01-02,71,
      """, mapping)
    #expect(result.lines == ["weight 2026-01-01 70"])
    #expect(
      result.duplicates.map(\.description) == [
        "data.csv, row 4: the same weight of the same moment as in row 2; counted once",
        "data.csv, row 8: the same weight of the same moment as in row 3; counted once",
      ])
    #expect(result.problemRows == [3, 5, 6, 7])
    #expect(
      result.problems.first?.reason
        == "rows 3, 5 give weight of 2026-01-02 different values; this one says 71, and no row says a time"
    )
  }

  @Test("Notes are kept up to their limit")
  func notesAreKeptAndChecked() throws {
    let mapping = CSVMapping(metric: .moodScore, quantity: "m", date: "d", notes: "n")
    let long = String(repeating: "ä", count: 501)
    let result = try read("d,m,n\n2026-01-01,7,\"a \"\"b\"\"\nc\"\n2026-01-02,7,\(long)\n", mapping)
    #expect(result.edits.map(\.notes) == ["a \"b\"\nc"])
    #expect(result.problems.map(\.reason) == ["m: notes has 501 characters; it may have 500"])
  }

  @Test("A time that does not fit its pattern is reported")
  func timesThatDoNotFitAreReported() throws {
    var mapping = CSVMapping(metric: .steps, quantity: "s", date: "d", time: "t")
    let text = "d,t,s\n2026-01-01,17:30,1\n2026-01-01,5:31 PM,2\n2026-01-01,,3\n2026-01-01,noon,4\n"
    let plain = try read(text, mapping)
    #expect(plain.lines == ["steps 2026-01-01 17:30:00 1", "steps 2026-01-01 17:31:00 2"])
    #expect(plain.problemRows == [4, 5])
    mapping.timeFormat = try DateFormat("h:mm a")
    #expect(try read(text, mapping).problemRows == [2, 4, 5])
    let both = try read("d,t,s\n2026-01-01T10:00,10:00,1\n", mapping)
    #expect(both.problems.first?.reason.contains("leave out one of the two") == true)
  }

  @Test("The offset is looked up for the wall time, and only for rows with one")
  func theOffsetIsAskedForTheWallTime() throws {
    var asked: [String] = []
    let context = ImportContext(
      makeEntry: { EntryID(LedgerUUID(high: 0, low: 1)) },
      zone: { time, date in
        asked.append("\(date) \(time)")
        return .utc
      })
    _ = try CSVImport.read(
      source("d,w\n2026-03-29T02:30,70\n2026-03-30,71\n"),
      mapping: CSVMapping(metric: .weight, quantity: "w", date: "d"), context: context)
    #expect(asked == ["2026-03-29 02:30:00"])
  }
}
