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
  func read(_ lines: [String], unit: String? = nil) throws -> ImportResult {
    var mapping = CSVMapping(metric: .weight, quantity: "", date: "")
    mapping.unit = unit
    return try CSVImport.read(
      recognizing: source(lines.joined(separator: "\n")),
      rules: VendorRules.all().map { $0.adjusted(by: mapping, source: nil) },
      adjust: { $0.adjusted(by: mapping, source: nil) }, context: context())
  }

  @Test("A weight without an index is refused with its readings, and --unit decides")
  func openWeight() throws {
    let lines = ["Body", "Date,Weight,BMI,Fat", "2026-01-31,180,,"]
    let error = #expect(throws: ImportError.self) { try read(lines) }
    #expect(
      error?.description.contains("180 kg or 180 lb (81.65 kg); give --unit kg or --unit lb")
        == true)
    #expect(try read(lines, unit: "lb").lines == ["weight 2026-01-31 81.6466266"])
    #expect(try read(lines, unit: "kg").lines == ["weight 2026-01-31 180"])
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
}
