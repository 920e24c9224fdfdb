import LedgerModel
import Testing

@testable import LedgerImport

/// How refusals of tables are worded.
@Suite struct CSVRefusalTests {
  @Test("A wrong name of a column lists those of the header, not of the title above it")
  func wrongName() throws {
    let text = "Export for Ada,,\nDate,Weight,Kcal\n2026-11-20,75,1500\n2026-11-21,75,1600\n"
    let mapping = CSVMapping(metric: .caloriesIn, quantity: "Kalorien", date: "Date")
    let error = #expect(throws: ImportError.self) {
      try CSVImport.read(source(text), mapping: mapping, context: context())
    }
    #expect(error?.description.contains("its columns are 'Date', 'Weight', 'Kcal'") == true)
  }

  @Test("An empty date is called empty, and only digits can be another form of a date")
  func dates() throws {
    let text = "Date,Weight (kg)\n2026-11-20,75\n,76\nTODAY,77\n31.31.2026,78\n"
    let problems = try CSVImport.read(recognizing: source(text), rules: [], context: context())
      .problems
    #expect(problems.map(\.row) == [3, 4, 5])
    #expect(problems[0].reason == "Date is empty" && problems[0].question == nil)
    #expect(problems[1].question == nil)
  }

  @Test("One date of an unclear order among dates with the year first has its own reason")
  func oneOtherDate() throws {
    var text = "Date,Weight (kg)\n"
    for day in 1...5 { text += "2026-11-0\(day),75\n" }
    let problems = try CSVImport.read(
      recognizing: source(text + "11/06/2026,76\n"), rules: [], context: context()
    ).problems
    #expect(
      problems.map(\.reason) == [
        "Date is '11/06/2026'; day and month can be exchanged, and other rows have the year first"
      ])
    #expect(problems[0].question == ImportQuestion(.dateFormat, ["MM/dd/yyyy", "dd/MM/yyyy"]))
  }

  @Test(
    "A unit of another metric is refused also for a metric with one unit",
    arguments: [
      ("Steps", "kg", true), ("BMI", "kcal", true), ("Resting heart rate", "min", true),
      ("Steps", "steps", false), ("BMI", "kg/m2", false), ("Resting heart rate", "bpm", false),
      ("Steps", "", false),
    ])
  func otherUnit(_ name: String, _ unit: String, _ isRefused: Bool) throws {
    let result = try CSVImport.read(
      recognizing: source("Date,\(name),Unit\n2026-11-20,60,\(unit)\n"), rules: [],
      context: context())
    #expect(result.edits.count == (isRefused ? 0 : 1))
    #expect(result.problems.count == (isRefused ? 1 : 0))
  }

  @Test("Words behind a name that are no unit are not lifted by a unit")
  func otherQuantity() throws {
    let table = source("Date,Weight (target)\n2026-11-20,70\n")
    for unit in [nil, "kg"] {
      let error = #expect(throws: ImportError.self) {
        try CSVImport.read(
          recognizing: table, rules: [],
          adjust: { rules in
            var mapping = CSVMapping(metric: .weight, quantity: "", date: "")
            mapping.unit = unit
            return rules.adjusted(by: mapping, source: nil)
          }, context: context())
      }
      #expect(error?.question?.field == .columns)
    }
  }

  @Test(
    "A table of a quantity with two meanings alone says how to name it",
    arguments: [("water", "'water (l)'"), ("fat", "'fat (g)'"), ("protein", "'protein (g)'")])
  func twoMeanings(_ name: String, _ example: String) {
    let error = #expect(throws: ImportError.self) {
      try CSVImport.read(
        recognizing: source("date,\(name)\n2026-11-20,20\n"), rules: [], context: context())
    }
    #expect(error?.description.contains("name its unit, as \(example)") == true)
  }

  @Test("A number behind a larger unit has its unit, so it is not asked for")
  func smallerUnitLeftOut() throws {
    let text = "Date,Weight,Height\n2026-01-31,11 st 4,5ft 11\n"
    let result = try CSVImport.read(
      recognizing: source(text), rules: [], context: context(units: .imperial))
    #expect(result.edits.map(\.quantity) == [71.66759446, 180.34])
  }

  @Test("A quantity out of range is in the units of the person")
  func imperial() throws {
    func problem(_ units: UnitSystem, _ column: String = "lb,1684") throws -> String? {
      let (unit, cell) = (column.prefix(2), column.dropFirst(3))
      let text = "Date,Weight (\(unit))\n2026-11-20,\(cell)\n"
      return try CSVImport.read(
        recognizing: source(text), rules: [], context: context(units: units)
      ).problems.first?.reason
    }
    let range = "weight must be more than 0 lb and less than 1102.3 lb"
    #expect(try problem(.imperial) == "Weight (lb): quantity is 1684 lb; \(range)")
    #expect(
      try problem(.imperial, "kg,760.2")
        == "Weight (kg): quantity is 760.2 kg (1676 lb); \(range)")
    #expect(try problem(.metric)?.hasSuffix("must be more than 0 and less than 500 kg") == true)
  }
}
