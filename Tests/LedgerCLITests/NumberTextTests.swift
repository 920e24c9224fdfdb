import LedgerCLI
import LedgerTestSupport
import Testing

@Suite struct NumberTextTests {
  @Test(
    "Shown numbers are rounded",
    arguments: [
      (0, "0"), (-0.0, "0"), (80, "80"), (80.5, "80.5"), (80.50, "80.5"), (2.675, "2.68"),
      (0.285, "0.29"), (0.005, "0.01"), (0.004, "0"), (-0.004, "0"), (-0.005, "-0.01"),
      (9.999, "10"), (99.995, "100"), (0.995, "1"), (0.095, "0.1"), (0.05, "0.05"), (1e-7, "0"),
      (1e16, "10000000000000000"), (1.5e20, "150000000000000000000"), (-1234.5, "-1234.5"),
      (100, "100"), (1000.001, "1000"), (.infinity, "inf"), (.nan, "nan"), (0.1 + 0.2, "0.3"),
    ] as [(Double, String)])
  func roundsForPeople(_ value: Double, _ text: String) {
    #expect(NumberText.decimal(value) == text)
  }

  @Test("Decimals are rounded and thousands grouped as asked")
  func takesDecimalsAndThousands() {
    #expect(NumberText.decimal(1234.5678, decimals: 0) == "1235")
    #expect(NumberText.decimal(0.5, decimals: 0) == "1")
    #expect(NumberText.decimal(1.23456, decimals: 4) == "1.2346")
    #expect(NumberText.decimal(1_234_567.891, grouped: true) == "1,234,567.89")
    #expect(NumberText.decimal(-123456, grouped: true) == "-123,456")
  }

  @Test(
    "Thousands are separated",
    arguments: [
      (0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567"),
      (Int.min, "-9,223,372,036,854,775,808"),
    ])
  func setsThousandsApart(_ value: Int, _ text: String) {
    #expect(NumberText.count(value) == text)
  }

  /// Rounding to many decimals must give back the number, whatever its size.
  @Test("Numbers that need no rounding are shown exactly")
  func keepsWhatItNeedNotRound() {
    var generator = SplitMix()
    for _ in 0..<2_000 {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite else { continue }
      #expect(Double(NumberText.decimal(value, decimals: 400)) == value, "\(value)")
    }
  }
}
