import LedgerModel
import Testing

@testable import LedgerImport

/// Tables with a row for each quantity, whose metric is named in a cell.
@Suite struct LongTableTests {
  func read(_ lines: [String]) throws -> ImportResult {
    try CSVImport.read(
      recognizing: source(lines.joined(separator: "\n")), rules: VendorRules.all(),
      context: context())
  }

  @Test("A column names the metric of each row")
  func names() throws {
    let result = try read([
      "metric,quantity,date", "weight,75.5,2026-01-31", "steps,9000,2026-01-31",
      "sleep_hours,7.5,2026-02-01", "Body Fat (%),18.2,2026-02-01",
    ])
    #expect(
      result.lines == [
        "weight 2026-01-31 75.5", "steps 2026-01-31 9000", "sleep_hours 2026-02-01 7.5",
        "body_fat_percentage 2026-02-01 18.2",
      ])
    #expect(result.problems.isEmpty)
  }

  @Test("Units come from their column, else from the name, else they are the metric's own")
  func units() throws {
    let result = try read([
      "Metric;Value;Unit;Date", "Weight;180,5;lb;31.01.2026", "Energy burned;8374;kJ;31.01.2026",
      "Gewicht (lb);100;;01.02.2026", "Gewicht;75,5;--;02.02.2026", "Fett;18,5;%;02.02.2026",
      "Fett;60;g;02.02.2026",
    ])
    #expect(
      result.lines == [
        "weight 2026-01-31 81.873422785", "calories_out 2026-01-31 2001.43403441683",
        "weight 2026-02-01 45.359237", "weight 2026-02-02 75.5",
        "body_fat_percentage 2026-02-02 18.5", "fat_g 2026-02-02 60",
      ])
  }

  @Test("What is no metric is counted by name; a unit that does not fit is a problem")
  func others() throws {
    let result = try read([
      "type,value,unit,date", "Blood pressure,120,mmHg,2026-01-31",
      "Blood pressure,121,mmHg,2026-02-01", "Weight,75,km,2026-01-31", ",75,kg,2026-01-31",
      "Weight,75,kg,2026-01-31",
    ])
    #expect(result.lines == ["weight 2026-01-31 75"])
    #expect(result.skipped.lines.map(\.type) == ["Blood pressure"])
    #expect(result.skipped.lines.map(\.count) == [2])
    #expect(result.problemRows == [4, 5])
  }

  @Test("A table without a metric in any row is refused")
  func noMetric() {
    #expect(throws: ImportError.self) {
      try read(["type,value,date", "Blood pressure,120,2026-01-31"])
    }
  }

  @Test("An entry has the same id as in a table with a column for each metric")
  func sameIDs() throws {
    let long = try read(["metric,value,date,time", "weight,75.5,2026-01-31,07:30"])
    let wide = try read(["date,time,weight", "2026-01-31,07:30,75.5"])
    #expect(long.edits.map(\.sourceID) == wide.edits.map(\.sourceID))
  }

  @Test("A rules file names the columns")
  func rules() throws {
    let rules = try CSVRules(
      parsing: "date When\nmetric-column What\nquantity-column Much\nunit-column In\n", name: "mine"
    )
    let result = try CSVImport.read(
      source("When,What,Much,In\n2026-01-31,weight,180,lb\n"), rules: [rules], context: context())
    #expect(result.lines == ["weight 2026-01-31 81.6466266"])
  }
}
