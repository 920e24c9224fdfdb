import LedgerModel
import Testing

@testable import LedgerImport

/// Units that a file does not write, told by its numbers or asked for.
@Suite struct UnitEvidenceTests {
  @Test(
    "The stride that distance and steps make tells kilometres from miles",
    arguments: [
      (0.74, 1.8, "km"), (0.46, 1.8, "mi"), (0.62, 1.5, "km"), (0.386, 1.5, "mi"),
      (0.74, nil, "km"), (0.44, nil, "mi"), (0.6, nil, nil), (0.59, 1.8, nil),
    ] as [(Double, Double?, String?)])
  func distance(_ perThousandSteps: Double, _ height: Double?, _ unit: String?) {
    #expect(
      UnitEvidence.distanceUnit(bySteps: [perThousandSteps / 1000], height: height) == unit)
  }

  /// Reads a file as the command does, with its option `--unit`.
  func read(
    _ lines: [String], unit: String? = nil, units: UnitSystem = .metric
  ) throws -> ImportResult {
    var mapping = CSVMapping(metric: .weight, quantity: "", date: "")
    mapping.unit = unit
    return try CSVImport.read(
      recognizing: source(lines.joined(separator: "\n")),
      rules: VendorRules.all().map { $0.adjusted(by: mapping, source: nil) },
      adjust: { $0.adjusted(by: mapping, source: nil) }, context: context(units: units))
  }

  @Test("A weight without an index is refused with its readings, and --unit decides")
  func openWeight() throws {
    let lines = ["Body", "Date,Weight,BMI,Fat", "2026-01-31,180,,"]
    let error = #expect(throws: ImportError.self) { try read(lines) }
    #expect(error?.description.hasSuffix("180 kg or 180 lb (81.65 kg)") == true)
    #expect(error?.question == ImportQuestion(.unit, ["kg", "lb", "st"]))
    #expect(try read(lines, unit: "lb").lines == ["weight 2026-01-31 81.6466266"])
    #expect(try read(lines, unit: "kg").lines == ["weight 2026-01-31 180"])
  }

  @Test("Minutes of sleep without a unit are found by the length of a night, or asked about")
  func minutesOfSleep() throws {
    let lines = ["date,sleep", "2026-01-30,450", "2026-01-31,480"]
    #expect(try read(lines).lines == ["sleep_hours 2026-01-30 7.5", "sleep_hours 2026-01-31 8"])
    let error = #expect(throws: ImportError.self) { try read(lines + ["2026-02-01,20"]) }
    #expect(error?.question == ImportQuestion(.unit, ["h", "min"]))
    let hours = ["date,sleep", "2026-01-30,7.5", "2026-01-31,480"]
    #expect(throws: ImportError.self) { try read(hours) }
    #expect(try read(["date,sleep", "2026-01-30,7.5"]).lines == ["sleep_hours 2026-01-30 7.5"])
  }

  @Test(
    "A unit that the file says is never overridden by --unit",
    arguments: [
      ["date,weight_kg", "2026-01-31,83"], ["date,Weight (kg)", "2026-01-31,83"],
      ["date,Kilograms", "2026-01-31,83"], ["date,weight", "2026-01-31,83 kg"],
      ["date,weight,unit", "2026-01-31,83,kg"],
      ["metric,value,date", "weight (kg),83,2026-01-31"],
      ["metric,value,unit,date", "weight,83,kg,2026-01-31"],
      ["dateTime,weight,fat,water,muscle,biceps", "2026-01-31 07:00,83,0,0,0,0"],
    ])
  func statedUnit(_ lines: [String]) throws {
    #expect(try read(lines, unit: "lb").edits.map(\.quantity) == [83])
  }

  @Test("One option gives the units of weight and distance")
  func severalUnits() throws {
    let lines = [
      "Body", "Date,Weight,BMI,Fat", "2026-01-31,180,,", "", "Activities",
      "Date,Calories Burned,Steps,Distance,Minutes Very Active", "2026-01-31,2000,1000,0.6,7",
    ]
    #expect(throws: ImportError.self) { try read(lines, unit: "lb") }
    #expect(
      Set(try read(lines, unit: "lb,mi").lines).isSuperset(of: [
        "weight 2026-01-31 81.6466266", "distance_km 2026-01-31 0.9656064",
      ]))
  }

  @Test("Days without a distance need no unit")
  func noDistance() throws {
    let lines = [
      "Activities", "Date,Calories Burned,Steps,Distance,Minutes Very Active",
      "2026-01-31,1500,0,0.00,0",
    ]
    #expect(try read(lines).lines.contains("distance_km 2026-01-31 0"))
  }

  @Test("A list of units is checked", arguments: [("lb,mi", nil), ("kg", nil), ("lb,foo", "foo")])
  func unknownUnit(_ text: String, _ unknown: String?) {
    #expect(CSVRules.unknownUnit(in: text) == unknown)
  }

  private func refusal(_ lines: [String], units: UnitSystem = .metric) -> String? {
    #expect(throws: ImportError.self) { try read(lines, units: units) }?.description
  }

  // MARK: A person with imperial units

  @Test(
    "A number without a unit is refused with both readings where the person's unit is another",
    arguments: [
      (
        ["date,weight", "2026-01-31,183"], "'183' in the column 'weight'",
        "183 kg (403.4 lb) or 183 lb", ["kg", "lb"]
      ),
      (
        ["date,distance", "2026-01-31,5"], "'5' in the column 'distance'", "5 km (3.11 mi) or 5 mi",
        ["km", "mi"]
      ),
      (
        ["date,height", "2026-01-31,70"], "'70' in the column 'height'", "70 cm (27.6 in) or 70 in",
        ["cm", "in", "ft"]
      ),
      (
        ["date,water intake", "2026-01-31,32"], "'32' in the column 'water intake'",
        "32 l (1082 fl oz) or 32 floz", ["l", "floz"]
      ),
      (
        ["metric,value,date", "steps,9000,2026-01-31", "weight,183,2026-01-31"],
        "'183' of weight in the column 'value'", "183 kg (403.4 lb) or 183 lb",
        ["kg", "lb"]
      ),
    ])
  func openForImperial(
    _ lines: [String], _ place: String, _ readings: String, _ options: [String]
  ) throws {
    let error = #expect(throws: ImportError.self) { try read(lines, units: .imperial) }
    #expect(error?.description == "data.csv: \(place) has no unit and can be \(readings)")
    #expect(error?.question == ImportQuestion(.unit, options))
    // In metric units only one reading is meant.
    #expect(try read(lines).problems.isEmpty)
  }

  @Test("A person's mapping of columns is asked for the unit as well")
  func openMapping() throws {
    var mapping = CSVMapping(metric: .weight, quantity: "w", date: "d")
    let rows = source("d,w\n2026-01-31,183\n")
    #expect(throws: ImportError.self) {
      try CSVImport.read(rows, mapping: mapping, context: context(units: .imperial))
    }
    mapping.unit = "lb"
    let result = try CSVImport.read(rows, mapping: mapping, context: context(units: .imperial))
    #expect(result.lines == ["weight 2026-01-31 83.00740371"])
  }

  @Test(
    "The other numbers of the row, the cell, the name or the range say the unit without a question",
    arguments: [
      (["date,weight,bmi", "2026-01-31,183,26.3"], "weight 2026-01-31 83.00740371"),
      (["date,weight,bmi", "2026-01-31,83,26.3"], "weight 2026-01-31 83"),
      (["date,weight", "2026-01-31,183 lb"], "weight 2026-01-31 83.00740371"),
      (["date,weight_kg", "2026-01-31,83"], "weight 2026-01-31 83"),
      (["date,distance,steps", "2026-01-31,4.2,9800"], "distance_km 2026-01-31 6.7592448"),
      (["date,height", "2026-01-31,180"], "height 2026-01-31 180"),
      (["metric,value,unit,date", "weight,183,lb,2026-01-31"], "weight 2026-01-31 83.00740371"),
      (["metric,value,date", "height,180,2026-01-31"], "height 2026-01-31 180"),
    ])
  func decided(_ lines: [String], _ line: String) throws {
    #expect(try read(lines, units: .imperial).lines.contains(line))
  }

  @Test("The units of the person are asked for only where a number has none")
  func askedLate() throws {
    var context = context()
    context.unitSystem = { () throws(ImportError) in
      throw ImportError(.unreadable, "asked")
    }
    let named = source("date,weight_kg,steps\n2026-01-31,83,9000\n")
    #expect(
      try CSVImport.read(recognizing: named, rules: [], context: context).lines.count == 2)
    #expect(throws: ImportError(.unreadable, "asked")) {
      try CSVImport.read(
        recognizing: source("date,weight\n2026-01-31,83\n"), rules: [], context: context)
    }
  }

  // MARK: Columns of units

  @Test("A column of units is read, row by row, and a row without one has the metric's own")
  func unitColumn() throws {
    let lines = [
      "Date,Time,Weight,Unit,BMI", "2026-06-01,07:00,182,lb,26", "2026-06-02,07:10,82.5,kg,26",
      "2026-06-03,07:10,82,,26", "2026-06-04,07:10,13,Stone,26", "2026-06-05,07:10,13,parsec,26",
    ]
    let result = try read(lines)
    #expect(
      result.lines.filter { $0.hasPrefix("weight") } == [
        "weight 2026-06-01 07:00:00 82.55381134", "weight 2026-06-02 07:10:00 82.5",
        "weight 2026-06-03 07:10:00 82", "weight 2026-06-04 07:10:00 82.55381134",
      ])
    #expect(
      result.problems.map(\.reason) == ["Unit is 'parsec', which is no unit of weight"])
    #expect(result.problems.map(\.question) == [ImportQuestion(.unit)])
    #expect(result.notes.isEmpty)
    // The unit that a person gives is that of the rows without one.
    let given = try read(lines, unit: "lb").lines
    #expect(given.contains("weight 2026-06-02 07:10:00 82.5"))
    #expect(given.contains("weight 2026-06-03 07:10:00 37.19457434"))
  }

  @Test("A column of units is read for the columns that a person names")
  func unitColumnOfMapping() throws {
    let result = try CSVImport.read(
      source("Date,Weight,Unit\n2026-06-01,182,lb\n"),
      mapping: CSVMapping(metric: .weight, quantity: "Weight", date: "Date"), context: context())
    #expect(result.lines == ["weight 2026-06-01 82.55381134"])
  }

  @Test("A column of units beside several quantities without one is refused")
  func unitColumnOfSeveral() {
    #expect(
      refusal(["Date,Weight,Distance,Unit", "2026-06-01,182,3,lb"])
        == "data.csv: the column 'Unit' can be the unit of 'Weight' or 'Distance'; the name of each "
        + "can tell its unit, as 'Weight (kg)'")
  }

  @Test("Each quantity may have a column of units of its own")
  func unitColumnOfEach() throws {
    let result = try read([
      "Date,Weight,weight_unit,Distance,Distance Unit", "2026-06-01,182,lb,3,mi",
    ])
    #expect(
      Set(result.lines) == ["weight 2026-06-01 82.55381134", "distance_km 2026-06-01 4.828032"])
    #expect(result.notes.isEmpty)
    let rest = try read(["Date,Weight,Weight unit,Distance,Unit", "2026-06-01,182,lb,3,mi"])
    #expect(Set(rest.lines) == Set(result.lines))
  }

  @Test("The unit of a serving is not that of another column")
  func servings() throws {
    let result = try read(["Date,Quantity,Units,Calories in", "2026-06-01,2,cups,300"])
    #expect(result.lines == ["calories_in 2026-06-01 300"])
  }

  // MARK: Columns called as a unit

  @Test("A column that is called as a unit has it", arguments: ["Lbs", "lb", "Pounds"])
  func calledAsUnit(_ name: String) throws {
    let text = "Date,\(name)\n2026-10-07,182\n"
    let mapped = try CSVImport.read(
      source(text), mapping: CSVMapping(metric: .weight, quantity: name, date: "Date"),
      context: context(units: .imperial))
    #expect(mapped.lines == ["weight 2026-10-07 82.55381134"])
    #expect(try read(["Date,\(name)", "2026-10-07,182"]).lines == mapped.lines)
  }

  @Test("Miles and litres are units as well, with the metric that the person names")
  func milesAndLitres() throws {
    func read(_ name: String, _ metric: Metric) throws -> [String] {
      try CSVImport.read(
        source("Date,\(name)\n2026-10-07,3\n"),
        mapping: CSVMapping(metric: metric, quantity: name, date: "Date"),
        context: context(units: .imperial)
      ).lines
    }
    #expect(try read("Miles", .distanceKM) == ["distance_km 2026-10-07 4.828032"])
    #expect(try read("Liter", .waterLiters) == ["water_liters 2026-10-07 3"])
    #expect(try read("Miles walked", .distanceKM) == ["distance_km 2026-10-07 4.828032"])
    #expect(try read("Pounds today", .weight) == ["weight 2026-10-07 1.36077711"])
    #expect(throws: ImportError.self) { try read("Miles or km run", .distanceKM) }
  }

  @Test(
    "A weight may be that of something else in a table with columns that are not known",
    arguments: ["Date,Exercise,Lbs", "Date,Food,kg", "Date,kg,lbs"])
  func otherWeights(_ header: String) {
    let error = #expect(throws: ImportError.self) { try read([header, "2026-10-07,x,82"]) }
    #expect(error?.question == ImportQuestion(.columns))
  }

  // MARK: Ounces of water

  @Test("Ounces of water are fluid ounces")
  func ouncesOfWater() throws {
    let line = "water_liters 2026-10-01 1.892705892"
    #expect(try read(["Date,Water (oz)", "2026-10-01,64"]).lines == [line])
    var mapping = CSVMapping(metric: .waterLiters, quantity: "Water", date: "Date")
    mapping.unit = "oz"
    let given = try CSVImport.read(
      source("Date,Water\n2026-10-01,64\n"), mapping: mapping, context: context())
    #expect(given.lines == [line])
  }

  @Test("A refused unit names all units of the metric")
  func listsUnits() {
    #expect(
      refusal(["Date,Water intake (kg)", "2026-10-01,64"])
        == "data.csv: the column 'Water intake (kg)' is in 'kg', which is not a unit of "
        + "water_liters, which takes l, dl, cl, ml, floz, fl oz, cup, cups")
  }
}
