import LedgerModel
import Testing

@testable import LedgerImport

@Suite struct TotalRowsTests {
  private func read(_ lines: String...) throws -> ImportResult {
    try CSVImport.read(
      recognizing: source(lines.joined(separator: "\n") + "\n"), rules: VendorRules.all(),
      context: context())
  }

  @Test(
    "A row that is the total of its day's others does not count twice",
    arguments: [
      "Total", "TOTALS:", "Summe", "Gesamt", "Tagessumme", "Total du jour", "Total del día",
    ])
  func totals(_ word: String) throws {
    let result = try read(
      "Date,Meal,Calories Eaten,Protein (g)", "2026-11-02,Breakfast,450,20",
      "2026-11-02,Lunch,700,35", "2026-11-02,Dinner,650,30", "2026-11-02,\(word),1800,85",
      "2026-11-03,Lunch,700,35", "2026-11-03,Dinner,650,30.4", "2026-11-03,\(word),1350,65")
    #expect(
      Set(result.lines) == [
        "calories_in 2026-11-02 1800", "protein_g 2026-11-02 85", "calories_in 2026-11-03 1350",
        "protein_g 2026-11-03 65.4",
      ])
    #expect(
      result.notes.contains(
        "data.csv: 2 rows are the totals of the other rows of their days, and are left out: rows 5, 8"
      ),
      "\(result.notes)")
    #expect(result.problems.isEmpty)
  }

  @Test("A row of the total above its parts, and one in the column of notes, are left out, too")
  func places() throws {
    let result = try read(
      "Date,Time,Notes,Distance (km)", "2026-11-02,,Total,8", "2026-11-02,08:00,run,5",
      "2026-11-02,18:00,walk,3")
    #expect(result.lines.count == 2 && !result.lines.contains { $0.hasSuffix(" 8") })
    #expect(
      result.notes.contains {
        $0.hasSuffix("1 row is the total of the other rows of its day, and is left out: row 2")
      })
  }

  @Test("A total without other rows of its day is read, as is a quantity that no other row has")
  func alone() throws {
    let result = try read(
      "Date,Meal,Calories Eaten,Protein (g)", "2026-11-02,Total,1800,85",
      "2026-11-03,Lunch,700,", "2026-11-03,Dinner,650,", "2026-11-03,Total,1350,70")
    #expect(
      Set(result.lines) == [
        "calories_in 2026-11-02 1800", "protein_g 2026-11-02 85", "calories_in 2026-11-03 1350",
        "protein_g 2026-11-03 70",
      ])
  }

  @Test("A row that is called a total, and is not that of its day, is left out and listed")
  func otherSum() throws {
    let result = try read(
      "Date,Meal,Calories Eaten", "2026-11-02,Breakfast,450", "2026-11-02,Total,1800")
    #expect(result.lines == ["calories_in 2026-11-02 450"])
    #expect(
      result.problems.map(\.reason) == [
        "Calories Eaten is 1800 kcal in a row called 'Total', but the other rows of 2026-11-02 add up "
          + "to 450 kcal; correct or remove the row"
      ])
  }

  @Test("A food of that name, smaller than another of its day, is read")
  func cereal() throws {
    let result = try read(
      "Date,Food,Calories Eaten", "2026-11-02,Total,140", "2026-11-02,Pizza,900",
      "2026-11-02,Total 0%,90")
    #expect(result.lines == ["calories_in 2026-11-02 1130"])
    #expect(result.problems.isEmpty)
  }

  @Test("A weight is no sum")
  func weight() throws {
    let result = try read(
      "Date,Meal,Weight (kg)", "2026-11-02,Total,82", "2026-11-03,Lunch,82.5")
    #expect(result.lines.count == 2)
  }
}
