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
        "data.csv: foods of 2 rows are the totals of the others of their days, and are left out: "
          + "rows 5, 8"),
      "\(result.notes)")
    #expect(result.problems.isEmpty)
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

  @Test("A small sum of rounded numbers is one beside another sum of its row")
  func smallSums() throws {
    let result = try read(
      "Date,Meal,Calories Eaten,Fat (g)", "2026-11-02,Lunch,450,0.4", "2026-11-02,Dinner,700,0.4",
      "2026-11-02,Total,1150,1", "2026-11-03,Lunch,,0.4", "2026-11-03,Dinner,,0.4",
      "2026-11-03,Total,,1")
    #expect(
      Set(result.lines) == [
        "calories_in 2026-11-02 1150", "fat_g 2026-11-02 0.8", "fat_g 2026-11-03 1.8",
      ])
  }

  @Test(
    "A row that says total and is no sum of two or more others of its day and source is read",
    arguments: ["450,1800", "300,310", "300,305", "140,,90"])
  func noSum(_ quantities: String) throws {
    let lines = quantities.split(separator: ",").enumerated().map { place, quantity in
      "2026-11-02,\(place == 0 ? "Lunch" : "Total"),\(quantity)"
    }
    let result = try CSVImport.read(
      recognizing: source((["Date,Meal,Calories Eaten"] + lines).joined(separator: "\n") + "\n"),
      rules: VendorRules.all(), context: context())
    let sum = quantities.split(separator: ",").compactMap { Int($0) }.reduce(0, +)
    #expect(result.lines == ["calories_in 2026-11-02 \(sum)"])
    #expect(result.problems.isEmpty)
  }

  @Test("What is not summed is no total: other rows of a moment contradict it, or are parts")
  func notSummed() throws {
    let result = try read(
      "Date,Time,Notes,Distance (km)", "2026-11-02,09:00,Total,8", "2026-11-02,08:00,run,5",
      "2026-11-02,18:00,walk,3")
    #expect(result.lines.count == 3)
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
