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

  @Test("A quantity out of range is in the units of the person")
  func imperial() throws {
    let text = "Date,Weight (lb)\n2026-11-20,1684\n"
    func problem(_ units: UnitSystem) throws -> String? {
      try CSVImport.read(recognizing: source(text), rules: [], context: context(units: units))
        .problems.first?.reason
    }
    #expect(
      try problem(.imperial)
        == "Weight (lb): quantity is 1684 lb; weight must be more than 0 lb and less than 1102.3 lb"
    )
    #expect(try problem(.metric)?.hasSuffix("must be more than 0 and less than 500 kg") == true)
  }
}
