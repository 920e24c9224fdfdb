import LedgerModel
import Testing

@testable import LedgerImport

/// Quantities in two units: in two columns beside each other, or two numbers in a cell.
@Suite struct CSVUnitPairTests {
  private func read(
    _ lines: [String], unit: String? = nil
  ) throws -> ImportResult {
    var mapping = CSVMapping(metric: .weight, quantity: "", date: "")
    mapping.unit = unit
    return try CSVImport.read(
      recognizing: source(lines.joined(separator: "\n")), rules: VendorRules.all(),
      adjust: { $0.adjusted(by: mapping, source: nil) }, context: context())
  }

  @Test(
    "Two columns of a quantity are added",
    arguments: [
      ("Weight (st),Weight (lb)", "11,9", "weight 2026-01-31 73.9355563"),
      ("Weight (lb),Weight (st)", "9,11", "weight 2026-01-31 73.9355563"),
      ("Weight (st),lbs", "11,9", "weight 2026-01-31 73.9355563"),
      ("Weight (st),Steps,Weight (lb)", "11,,9", "weight 2026-01-31 73.9355563"),
      ("Weight st,Weight lb", "11,9.5", "weight 2026-01-31 74.1623525"),
      ("Height (ft),Height (in)", "5,11", "height 2026-01-31 180.34"),
      ("Sleep (h),Sleep (min)", "7,30", "sleep_hours 2026-01-31 7.5"),
      ("Sleep (h),Minutes", "7,0", "sleep_hours 2026-01-31 7"),
      ("Sleep (h),Sleep (min)", "0,45", "sleep_hours 2026-01-31 0.75"),
      ("Hours slept,Minutes slept", "7,30", "sleep_hours 2026-01-31 7.5"),
      ("Active hours,Active minutes", "1,15", "active_minutes 2026-01-31 75"),
      ("Weight (st),Weight (lb)", "11st,9lb", "weight 2026-01-31 73.9355563"),
      ("Sleep (h),Sleep (min)", "7h,30m", "sleep_hours 2026-01-31 7.5"),
    ])
  func added(columns: String, cells: String, line: String) throws {
    let result = try read(["Date,\(columns)", "2026-01-31,\(cells)"])
    #expect(result.lines.map(rounded) == [line])
    #expect(result.problems.isEmpty)
    #expect(result.notes.contains { $0.contains("are read as one quantity") })
    #expect(!result.notes.contains { $0.contains("nothing is read from") })
  }

  @Test("A row with one of the two numbers has that one")
  func one() throws {
    let result = try read([
      "Date,Sleep (h),Sleep (min)", "2026-01-31,7,30", "2026-02-01,8,", "2026-02-02,,45",
    ])
    #expect(result.edits.map(\.quantity) == [7.5, 8, 0.75])
    #expect(result.problems.isEmpty)
  }

  @Test(
    "Two columns without a sign of parts are read as before",
    arguments: [
      ("Weight (lb),Weight (st)", ["163,11.6", "155,"], [73.9356, 70.3068]),
      ("Minutes asleep,Hours asleep", ["443,7.4", "450,"], [7.3833, 7.5]),
      ("Sleep (h),Sleep (min)", ["7,440", "8,495"], [7, 8]),
      ("Sleep hours,Sleep min,Sleep max", ["7,5,9", "8,6,9"], [7, 8]),
      ("Sleep (h),Minutes,Activity", ["7.5,30,Run", "8,,"], [7.5, 8]),
    ])
  func apart(columns: String, cells: [String], quantities: [Double]) throws {
    let rows = cells.enumerated().map { "2026-01-0\($0 + 1),\($1)" }
    let result = try read(["Date,\(columns)"] + rows)
    #expect(result.edits.map { ($0.quantity * 1e4).rounded() / 1e4 } == quantities)
    #expect(result.problems.isEmpty)
  }

  @Test("Rows that may have parts or the same quantity twice refuse the file")
  func either() throws {
    let refusal = #expect(throws: ImportError.self) {
      try read(["Date,Active hours,Active minutes", "2026-01-31,1,45", "2026-02-01,1,50"])
    }
    #expect(refusal?.description.contains("may be parts of a quantity") == true)
    let result = try read([
      "Date,Active hours,Active minutes", "2026-01-31,1,57", "2026-02-01,1,20",
    ])
    #expect(result.edits.map(\.quantity) == [117, 80])
  }

  /// With at most nine digits.
  private func rounded(_ line: String) -> String {
    let words = line.split(separator: " ")
    guard let value = Double(words[2]) else { return line }
    let text = (value * 1e7).rounded() / 1e7
    return "\(words[0]) \(words[1]) " + (text == text.rounded() ? "\(Int(text))" : "\(text)")
  }

  @Test("Two columns of other quantities are not added")
  func apart() throws {
    let result = try read([
      "Date,Sleep (h),Active (min),Weight (kg),Height (in)", "2026-01-31,7,30,70,70",
    ])
    #expect(
      result.lines == [
        "sleep_hours 2026-01-31 7", "weight 2026-01-31 70", "height 2026-01-31 177.8",
      ])
  }

  @Test("Two columns with one quantity in two units are not added")
  func same() throws {
    let result = try read([
      "Date,Weight (st),Weight (lb)", "2026-01-31,11.64,163", "2026-02-01,11,154",
    ])
    #expect(result.edits.map(\.quantity) == [73.9174126152, 69.85322498])
    #expect(result.notes.contains { $0.contains("nothing is read from 'Weight (lb)'") })
  }

  @Test("Two columns that hold both are refused")
  func both() throws {
    let refusal = #expect(throws: ImportError.self) {
      try read(["Date,Weight (st),Weight (lb)", "2026-01-31,11.64,163", "2026-02-01,11,9"])
    }
    #expect(refusal?.description.contains("'Weight (st)' and 'Weight (lb)'") == true)
  }

  @Test(
    "A row whose two numbers do not fit is refused",
    arguments: ["11,15", "11.5,9", "-11,9", "11,-9", "11,x"])
  func unfit(cells: String) throws {
    let result = try read([
      "Date,Weight (st),Weight (lb)", "2026-01-31,11,9", "2026-02-01,\(cells)",
    ])
    #expect(result.edits.count == 1)
    #expect(result.problemRows == [3])
  }

  @Test("A row without either number is empty")
  func empty() throws {
    let result = try read(["Date,Weight (st),Weight (lb)", "2026-01-31,11,9", "2026-02-01,,"])
    #expect(result.edits.count == 1)
    #expect(result.problems.isEmpty)
  }

  @Test("A column named by a person is read with that of its smaller unit")
  func named() throws {
    var mapping = CSVMapping(metric: .weight, quantity: "Stones", date: "Date")
    mapping.unit = "st"
    let result = try CSVImport.read(
      source("Date,Stones,Pounds\n2026-01-31,11,9\n"), mapping: mapping, context: context())
    #expect(result.lines.map(rounded) == ["weight 2026-01-31 73.9355563"])
    #expect(result.notes.contains { $0.contains("are read as one quantity") })
  }

  @Test("A column in pints or gallons is refused", arguments: ["Water (pints)", "Water gal"])
  func pints(column: String) throws {
    let refusal = #expect(throws: ImportError.self) {
      try read(["Date,\(column)", "2026-01-31,5"])
    }
    #expect(refusal?.description.contains("in the US and in Britain") == true)
  }

  @Test("Two numbers in a cell are in the unit of the column and in the smaller one")
  func twoNumbers() throws {
    let stones = try read(["Date,Weight", "2026-01-31,11 8", "2026-02-01,11 9.5"], unit: "st")
    #expect(stones.problems.isEmpty)
    #expect(
      stones.lines.map(rounded) == ["weight 2026-01-31 73.4819639", "weight 2026-02-01 74.1623525"])
    let feet = try read(["Date,Height (ft)", "2026-01-31,5 11"])
    #expect(feet.lines.map(rounded) == ["height 2026-01-31 180.34"])
  }

  @Test("Two numbers in a cell without a unit ask for it")
  func twoBareNumbers() throws {
    let result = try read(["Date,Weight", "2026-01-31,11 8"])
    #expect(result.edits.isEmpty)
    let question = result.problems.first?.question
    #expect(question?.values.contains("st") == true)
  }

  @Test("The fraction of a time tells nothing about decimal marks, and hours may have a comma")
  func durations() throws {
    let times = try read([
      "Date;Sleep;Weight (kg)", "2026-01-31;7:30:00.0;70,5", "2026-02-01;7:38:00.0;71,125",
    ])
    #expect(times.edits.count == 4 && times.problems.isEmpty)
    let hours = try read(["Date;Sleep (h);Weight (kg)", "2026-01-31;7,5;70.5"])
    #expect(hours.edits.count == 2)
  }

  @Test("A comma between numbers of two units is no decimal mark where others are points")
  func comma() throws {
    let lines = ["Date,Weight", "2026-01-31,11st 9.5", "2026-02-01,\"11,7\""]
    let result = try read(lines, unit: "st")
    #expect(result.edits.count == 1)
    #expect(result.problemRows == [3])
  }
}
