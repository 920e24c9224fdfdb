import LedgerModel
import Testing

@testable import LedgerImport

/// Tables below each other, rows of units, and columns of vendors' names in other units.
@Suite struct SeveralTablesTests {
  private func read(_ text: String, _ rules: [CSVRules] = []) throws -> ImportResult {
    try CSVImport.read(recognizing: source(text), rules: rules, context: context())
  }

  @Test(
    "A further table of the same width is read by its own header",
    arguments: ["", "\n", "\n\n", "Second\n", "Second,\n"])
  func sameWidth(between: String) throws {
    let result = try read(
      "Date,Weight\n2026-01-05,70\n\(between)Date,Resting heart rate\n2026-01-06,60\n")
    #expect(
      result.lines == ["weight 2026-01-05 70", "resting_heart_rate 2026-01-06 60"])
  }

  @Test("A header that is repeated is no row")
  func repeatedHeader() throws {
    let result = try read("Date,Weight\n2026-01-05,70\nDate,Weight\n2026-01-06,71\n")
    #expect(result.lines == ["weight 2026-01-05 70", "weight 2026-01-06 71"])
    #expect(result.problems.isEmpty)
  }

  @Test("A table below in another unit is read in that unit")
  func otherUnit() throws {
    let result = try read(
      "Date,Weight (kg)\n2026-01-05,70\nDate,Weight (lb)\n2026-01-06,154\n")
    #expect(result.edits.map { $0.quantity.rounded() } == [70, 70])
  }

  @Test(
    "A row of units below or above the header counts",
    arguments: [
      "Date,Weight,Distance\n,lb,mi\n2026-01-05,150,2\n",
      ",lb,mi\nDate,Weight,Distance\n2026-01-05,150,2\n",
      "Datum;Gewicht;Distanz\n;[lb];[mi]\n05.01.2026;150;2\n",
      "Date,Weight,Distance\n\n,lb,mi\n2026-01-05,150,2\n",
      "Date,Weight,Distance\nYYYY-MM-DD,lb,mi\n2026-01-05,150,2\n",
      "Date,Weight,Distance\ndd/mm/yyyy,lb,mi\n05/01/2026,150,2\n",
      "Datum;Gewicht;Distanz\nTT.MM.JJJJ;lb;mi\n05.01.2026;150;2\n",
      "YYYY-MM-DD,lb,mi\nDate,Weight,Distance\n2026-01-05,150,2\n",
    ])
  func rowOfUnits(text: String) throws {
    let result = try read(text)
    #expect(result.problems.isEmpty && result.rows == 1)
    #expect(result.edits.map { ($0.quantity * 100).rounded() } == [6804, 322])
  }

  @Test("A row of a unit that the metric does not have is refused")
  func wrongUnit() {
    #expect {
      try read("Date,Weight\n,mi\n2026-01-05,150\n")
    } throws: { "\($0)".contains("row 2: 'mi' is no unit of weight") }
  }

  @Test("Tables side by side with dates of their own are refused")
  func sideBySide() throws {
    let error = #expect(throws: ImportError.self) {
      try read("Date,Weight,,Day,Steps\n2026-01-05,70,,2026-02-05,5000\n")
    }
    #expect(
      error?.description.contains("two columns of dates that differ, 'Date' and 'Day'") == true)
    #expect(
      try read("Date,Day,Steps\n2026-01-05,Monday,5000\n2026-01-06,2,6000\n").edits.count == 2)
  }

  @Test("A number without a unit is not read where others have another than the metric's own")
  func someUnits() throws {
    let result = try read("Date,Weight\n2026-01-05,155 lb\n2026-01-06,156\n2026-01-07,70 kg\n")
    #expect(result.edits.map { $0.quantity.rounded() } == [70, 70])
    #expect(result.problems.map(\.row) == [3])
    let own = try read("Date,Weight\n2026-01-05,70 kg\n2026-01-06,71\n")
    #expect(own.edits.map(\.quantity) == [70, 71])
  }

  @Test("Cells of two units, times and units of a column of units are no bare numbers")
  func otherUnits() throws {
    let stones = try read("Date,Weight\n2026-01-05,11st 4lb\n2026-01-06,165 lb\n")
    #expect(stones.edits.count == 2 && stones.problems.isEmpty)
    let nights = try read("Date,Active minutes\n2026-01-05,0\n2026-01-06,0:45:00\n2026-01-07,1 h\n")
    #expect(nights.edits.count == 3)
    let column = try read(
      "Date,Weight,Unit\n2026-01-05,165,lb\n2026-01-06,75,kg\n2026-01-07,170 lb,\n2026-01-08,170,\n"
    )
    #expect(column.edits.count == 3 && column.problems.map(\.row) == [5])
  }

  @Test(
    "A row of units that contradicts a name is refused, and one may begin with a word for it",
    arguments: [
      "Date,Weight (kg)\n,lb\n2026-01-05,180\n", ",kg\nDate,Weight (lb)\n2026-01-05,180\n",
    ])
  func contradiction(text: String) throws {
    #expect { try read(text) } throws: { "\($0)".contains("contradicts that of 'Weight") }
    #expect(try read("Date,Weight\nUnit,lb\n2026-01-05,180\n").edits[0].quantity < 82)
  }

  @Test("Grams of fat are not a vendor's share of fat")
  func gramsOfFat() throws {
    let rules = try VendorRules.all()
    let grams = try read("Date,Weight,BMI,Fat (g)\n2026-01-05,70,23,65\n", rules)
    #expect(grams.lines.contains("fat_g 2026-01-05 65"))
    let foods = try read(
      "Date,Weight,BMI,Protein,Carbs,Fat\n2026-01-05,70,23,80,200,65\n", rules)
    #expect(foods.edits.map(\.metric) == [.weight, .bmi, .proteinG, .carbsG])
    #expect(foods.notes.contains { $0.contains("'Fat' may be food or the body's share") })
    let share = try read("Date,Weight,BMI,Fat\n2026-01-05,70,23,22\n", rules)
    #expect(share.lines.contains("body_fat_percentage 2026-01-05 22"))
  }

  @Test(
    "Columns that name people are asked about, but names of foods are not",
    arguments: ["Name", "Benutzer", "Usuario", "E-Mail"])
  func people(_ name: String) throws {
    var text = "Date,\(name),Weight\n"
    for day in 1...4 { text += "2026-01-0\(day),Ana,60\n2026-02-0\(day),Ben,80\n" }
    #expect(try read(text).people != nil)
    let foods = text.replacing("Weight", with: "Calories eaten")
    #expect(try read(foods).people == nil || name != "Name")
  }

  @Test("Rows without anything may be between a header and its row of units")
  func emptyRow() throws {
    let result = try read("Date,Weight,Distance\n,,\n,lb,mi\n2026-01-05,150,2\n")
    #expect(result.edits.map { ($0.quantity * 100).rounded() } == [6804, 322])
  }

  @Test("A row of units may have a pair of units or the form of a duration, and none for a column")
  func otherUnitsOfRow() throws {
    let result = try read(
      "Date,Height,Sleep,Steps\n,ft in,hh:mm,-\n2026-01-05,5 11,7:30,900\n")
    #expect(result.edits.map(\.quantity) == [180.34, 7.5, 900])
  }

  @Test(
    "A word that may be an unknown unit is refused, and other words are not",
    arguments: [
      "Date,Weight,Distance\n,jin,km\n2026-01-05,150,2\n", "Date,Weight\n,jin\n2026-01-05,150\n",
      "Date,Weight,Steps\n,jin,amount\n2026-01-05,150,2\n",
    ])
  func unknownUnit(text: String) throws {
    #expect { try read(text) } throws: { "\($0)".contains("row 2: 'jin' is no unit of weight") }
    #expect(try read(text.replacing("jin", with: "kg")).edits[0].quantity == 150)
    for words in ["measured at home", "NA"] {
      let result = try read("Date,Weight\n,\(words)\n2026-01-05,70\n")
      #expect(result.lines == ["weight 2026-01-05 70"] && result.problems.map(\.row) == [2])
    }
  }

  @Test(
    "A table whose header is not clear is left out, and the others are read",
    arguments: [
      ("Date,Weight\n2026-01-05,70\nDate,Steps (goal)\n2026-01-06,71\n", 3),
      ("Date,Weight\n2026-01-05,70\nDate,Steps (goal),Note\n2026-01-06,71,x\n", 3),
      ("Date,Steps (goal)\n2026-01-06,71\n2026-01-07,72\nDate,Weight\n2026-01-05,70\n", 1),
      ("Date,Steps (goal)\n2026-01-06,71\n\nDay,Weight,Note\n2026-01-05,70,\n", 1),
    ])
  func unclearHeader(text: String, row: Int) throws {
    let result = try read(text)
    #expect(result.lines == ["weight 2026-01-05 70"])
    #expect(result.problems.map(\.row) == [row])
    #expect(
      result.problems.first?.reason
        == "the column 'Steps (goal)' says 'goal', and it is not clear that it is steps; the rows below "
        + "it are not read")
  }

  @Test("A table after one that is left out is read")
  func afterUnclearHeader() throws {
    let result = try read(
      "Date,Weight\n2026-01-05,70\nDate,Steps (goal)\n2026-01-06,71\nDate,Steps\n2026-01-07,72\n")
    #expect(result.lines == ["weight 2026-01-05 70", "steps 2026-01-07 72"])
  }

  @Test("The numbers of a table tell its own units alone")
  func unitsOfEach() throws {
    let nights = try read(
      "Date,Sleep\n2026-01-05,450\n2026-01-06,420\nDate,Sleep,Note\n2026-01-07,7.5,\n")
    #expect(nights.edits.map(\.quantity) == [7.5, 7, 7.5])
    let weights = try read(
      "Date,Weight,BMI\n2026-01-05,160,24\nDate,BMI,Weight\n2026-01-07,24,72\n")
    #expect(
      weights.edits.filter { $0.metric == .weight }.map { $0.quantity.rounded() } == [73, 72])
  }

  @Test("A number without a unit in one table is asked about if another table has other units")
  func unitsOfOther() throws {
    let text = "Date,Weight\n2026-01-05,155 lb\nDate,Weight,Note\n2026-01-06,71,\n"
    #expect(try read(text).problems.map(\.row) == [4])
    let own = try read(text + "2026-01-07,70 kg,\n")
    #expect(own.edits.map { $0.quantity.rounded() } == [70, 71, 70])
    let water = try read("Date,Water\n2026-01-05,500 ml\nDate,Weight,Water\n2026-01-06,70,55\n")
    #expect(water.lines == ["water_liters 2026-01-05 0.5", "weight 2026-01-06 70"])
  }

  @Test(
    "Nothing below a header that is not clear is read as of the table before it",
    arguments: [
      "Date,Weight (target)\n2026-01-05,65\n2026-01-07,65,\n2026-01-08,65\n",
      "Date,Weight (target)\n2026-01-05,65\nFebruary\n2026-02-07,65\n",
      "Date,Waist\n2026-01-07,85\n", "Measurements\nDate,Waist (cm)\n2026-01-07,85\n",
      "Date,Time,Waist\n2026-01-07,07:00,85\n2026-01-08,85\n",
    ])
  func belowUnclearHeader(table: String) throws {
    let result = try read("Date,Weight\n2026-01-05,70\n\n\(table)")
    #expect(result.lines == ["weight 2026-01-05 70"])
    #expect(result.problems.contains { $0.reason.hasSuffix("the rows below it are not read") })
  }

  @Test("A further header without a metric is named with its columns")
  func headerWithoutMetric() throws {
    let result = try read("Date,Weight\n2026-01-05,70\nDate,Waist\n2026-01-07,85\n")
    #expect(
      result.problems.map(\.reason) == [
        "none of the columns 'Date', 'Waist' is a metric; the rows below it are not read"
      ])
  }

  @Test(
    "A row of units counts whatever its first cell has but a date, and may end early",
    arguments: [
      "ISO 8601,lb\nDate,Weight\n2026-01-05,150\n", "Date,Weight\nUTC+1,lb\n2026-01-05,150\n",
      "Date,Weight,Notes\n,lb\n2026-01-05,150,x\n", "Date,Weight\n,lb,,\n2026-01-05,150\n",
    ])
  func otherFirstCell(text: String) throws {
    let result = try read(text)
    #expect(result.edits.map { ($0.quantity * 100).rounded() } == [6804])
    #expect(result.problems.isEmpty)
  }

  @Test("A title that is wider than the header below it names no unit")
  func widerTitle() throws {
    let result = try read("Goal,lb,,,\nDate,Weight,Steps\n2026-01-05,75,800\n")
    #expect(result.edits.map(\.quantity) == [75, 800])
  }

  @Test(
    "A row that begins with a word for units has nothing else",
    arguments: [
      "Unit,jin\nDate,Weight\n", "Date,Weight\nUnits,in lb\n", "Einheit,Pfund\nDate,Weight\n",
    ])
  func rowNamedUnits(header: String) {
    #expect { try read(header + "2026-01-05,150\n") } throws: {
      "\($0)".contains("is no unit of weight")
    }
  }

  @Test(
    "A unit that a metric without units cannot have is refused in a row of units, too",
    arguments: [("Steps", "thousands"), ("Mood", "1-5")])
  func unitOfCount(name: String, unit: String) {
    #expect {
      try read("Date,\(name),Weight\n,\(unit),kg\n2026-01-03,4,80\n")
    } throws: { "\($0)".contains("row 2: '\(unit)' is no unit of") }
  }

  @Test(
    "What says that a number is a count, or names the metric, is no unit",
    arguments: [
      ("Steps", "count", 7), ("Steps", "steps", 7), ("Schritte", "Schritte", 7),
      ("Pasos", "pasos", 7), ("Mood", "1-10", 7), ("Resting heart rate", "bpm", 60),
      ("BMI", "kg/m2", 22), ("BMI", "kg/m²", 22), ("Body fat", "%", 20),
    ])
  func countsInRowOfUnits(name: String, unit: String, quantity: Int) throws {
    let result = try read("Date,\(name),Weight\n,\(unit),kg\n2026-01-03,\(quantity),80\n")
    #expect(result.edits.count == 2 && result.problems.isEmpty)
  }

  @Test(
    "Zeros in front do not tell the decimal mark",
    arguments: [
      ("Date,Steps\n2026-01-05,\"02,100\"\n2026-01-06,\"01,825\"\n", [2100, 1825]),
      ("Datum;Gewicht;Kalorienverbrauch\n25.01.2026;70,5;02.100\n", [70.5, 2100]),
      ("Date,Distance\n2026-01-05,0.825\n", [0.825]),
    ])
  func zerosInFront(text: String, quantities: [Double]) throws {
    #expect(try read(text).edits.map(\.quantity) == quantities)
  }

  @Test(
    "A header directly below another one begins the next table",
    arguments: [
      "Date,Weight\n", "Date,Weight\n\n", "Date,Steps\n", "Date,Waist\n", "Datum,Gewicht\n",
    ])
  func emptyTable(header: String) throws {
    #expect(
      try read(header + "Date,Weight\n2026-01-05,70\n").lines == ["weight 2026-01-05 70"])
  }

  @Test("Words in a row without a date are no units of metrics without one, nor below another word")
  func wordsOfRow() throws {
    for text in ["Date,Mood\n,good\n2026-01-05,7\n", "Date,Weight\nMonday,heavy\n2026-01-05,70\n"] {
      let result = try read(text)
      #expect(result.edits.count == 1 && result.problems.map(\.row) == [2])
    }
  }

  @Test("A pattern in a row of units that contradicts the header's is refused")
  func contradictingOrder() {
    #expect {
      try read("Date (dd/mm/yyyy),Weight\nmm/dd/yyyy,kg\n01/02/2026,70\n")
    } throws: { "\($0)".contains("row 2: 'mm/dd/yyyy' contradicts the order") }
  }

  @Test("A zero alone is no group of thousands, whatever mark a person gives")
  func zeroGroup() {
    #expect(NumberStyle(mark: .comma).value("0.123") == nil)
    #expect(NumberStyle(mark: .point).value("0,123") == nil)
  }
}
