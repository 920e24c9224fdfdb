import LedgerModel
import Testing

@testable import LedgerImport

/// What becomes of the cells of mapped rows.
@Suite struct CSVRowsTests {
  @Test("The total of a day grows, as that of a day that was not over")
  func grownTotals() throws {
    func result(_ steps: Int, after known: Double, time: String = "") throws -> ImportResult {
      try CSVImport.read(
        recognizing: source("date,steps\n2026-01-05\(time),\(steps)\n"), rules: [],
        context: context(known: [
          "csv csv:steps:2026-01-05\(time.isEmpty ? "" : "T08:00:00")": known
        ]))
    }
    let grown = try result(10_825, after: 5000)
    #expect(grown.growths.map(\.quantity) == [10_825] && grown.problems.isEmpty)
    #expect(try result(5000, after: 5000).known == 1)
    // A smaller total is another value, and so is one of a time.
    #expect(try result(4000, after: 5000).problems.count == 1)
    #expect(try result(6000, after: 5000, time: " 08:00").problems.count == 1)
  }

  @Test("A larger run or meal of the day is another one, and asked about")
  func otherRun() throws {
    let result = try CSVImport.read(
      recognizing: source("date,distance (km)\n2026-01-05,8\n"), rules: [],
      context: context(known: ["csv csv:distance_km:2026-01-05": 5]))
    #expect(result.growths.isEmpty && result.problems.count == 1)
  }

  func read(
    _ text: String, _ mapping: CSVMapping, known: [String: Double] = [:]
  ) throws -> ImportResult {
    try CSVImport.read(source(text), mapping: mapping, context: context(known: known))
  }

  @Test("A quantity is taken unchanged or reported")
  func quantitiesAreTakenAsTheyAreOrReported() throws {
    var mapping = CSVMapping(metric: .weight, quantity: "w", date: "d")
    // Beside pounds, a number without a unit needs one.
    mapping.unit = "kg"
    let result = try read(
      """
      d,w
      2026-01-01,52.5999984741211
      2026-01-02," 70.25\t"
      2026-01-03,165.5lb
      2026-01-04,52.59999847412109375
      2026-01-05,"52,6,1"
      2026-01-06,
      2026-01-07,n/a
      2026-01-08,600
      2026-01-09,0
      2026-01-10,NaN
      2026-01-11,1e400
      2026-01-12,\(String(repeating: "9", count: 100_000))
      """, mapping)
    #expect(
      result.lines == [
        "weight 2026-01-01 52.5999984741211", "weight 2026-01-02 70.25",
        "weight 2026-01-03 75.069537235", "weight 2026-01-04 52.5999984741211",
      ])
    #expect(result.problemRows == [6, 9, 10, 12, 13])
    #expect(result.problems.allSatisfy { $0.reason.utf8.count < 300 })
    #expect(
      result.problems[1].reason
        == "w: quantity is 600 kg; weight must be more than 0 and less than 500 kg")
    #expect(result.notes.first == "data.csv: 3 rows have nothing in w")
  }

  @Test("The column's unit is converted, unless a cell has its own")
  func aUnitOfTheColumnIsConverted() throws {
    let mapping = CSVMapping(metric: .distanceKM, quantity: "m", date: "d", unit: "mi")
    let result = try read("d,m\n2026-01-01,3\n2026-01-02,0\n2026-01-03,3km\n", mapping)
    #expect(
      result.lines == [
        "distance_km 2026-01-01 4.828032", "distance_km 2026-01-02 0", "distance_km 2026-01-03 3",
      ])
  }

  @Test("Equal rows of one moment count once, differing ones not at all")
  func repeatedRowsCountOnceAndContradictionsNotAtAll() throws {
    let mapping = CSVMapping(metric: .weight, quantity: "w", date: "d", notes: "n")
    let result = try read(
      """
      d,w,n
      2026-01-01,70,
      2026-01-02,71,
      2026-01-01,70.0,
      2026-01-02,72,
      2026-01-03,73,morning
      2026-01-03,73,evening
      2026-01-02,71,
      """, mapping)
    #expect(result.lines == ["weight 2026-01-01 70"])
    #expect(
      result.duplicates.map(\.description) == [
        "data.csv, row 4: the same weight of the same moment as in row 2; counted once",
        "data.csv, row 8: the same weight of the same moment as in row 3; counted once",
      ])
    #expect(result.problemRows == [3, 5, 6, 7])
    #expect(
      result.problems.first?.reason
        == "rows 3, 5 give weight of 2026-01-02 different values; this one says 71 kg, and no row says a "
        + "time")
    #expect(result.problems.first?.question == ImportQuestion(.id))
  }

  @Test("Notes are kept up to their limit")
  func notesAreKeptAndChecked() throws {
    let mapping = CSVMapping(metric: .moodScore, quantity: "m", date: "d", notes: "n")
    let long = String(repeating: "ä", count: 501)
    let result = try read("d,m,n\n2026-01-01,7,\"a \"\"b\"\"\nc\"\n2026-01-02,7,\(long)\n", mapping)
    #expect(result.edits.map(\.notes) == ["a \"b\"\nc"])
    #expect(result.problems.map(\.reason) == ["m: notes has 501 characters; it may have 500"])
  }

  @Test("A time that does not fit its pattern is reported")
  func timesThatDoNotFitAreReported() throws {
    var mapping = CSVMapping(metric: .steps, quantity: "s", date: "d", time: "t")
    let text = "d,t,s\n2026-01-01,17:30,1\n2026-01-01,5:31 PM,2\n2026-01-01,,3\n2026-01-01,noon,4\n"
    let plain = try read(text, mapping)
    // A row without a time is of the whole day.
    #expect(
      plain.lines == [
        "steps 2026-01-01 17:30:00 1", "steps 2026-01-01 17:31:00 2", "steps 2026-01-01 3",
      ])
    #expect(plain.problemRows == [5])
    mapping.timeFormat = try DateFormat("h:mm a")
    #expect(try read(text, mapping).problemRows == [2, 5])
    let both = try read("d,t,s\n2026-01-01T10:00,10:00,1\n", mapping)
    #expect(both.problems.first?.reason.contains("leave out one of the two") == true)
  }

  @Test("The offset is looked up for the wall time, and only for rows with one")
  func theOffsetIsAskedForTheWallTime() throws {
    var asked: [String] = []
    let context = ImportContext(
      makeEntry: { EntryID(LedgerUUID(high: 0, low: 1)) },
      zone: { time, date in
        asked.append("\(date) \(time)")
        return .utc
      })
    _ = try CSVImport.read(
      source("d,w\n2026-03-29T02:30,70\n2026-03-30,71\n"),
      mapping: CSVMapping(metric: .weight, quantity: "w", date: "d"), context: context)
    // Midnights tell whether clocks change on the day.
    #expect(asked.filter { !$0.hasSuffix(" 00:00:00") } == ["2026-03-29 02:30:00"])
  }

  // MARK: Messages

  private func recognized(
    _ text: String, known: [String: Double] = [:], units: UnitSystem = .metric,
    dateFormat: String? = nil
  ) throws -> ImportResult {
    var mapping = CSVMapping(metric: .weight, quantity: "", date: "")
    mapping.dateFormat = try dateFormat.map { try DateFormat($0) }
    return try CSVImport.read(
      recognizing: source(text), rules: VendorRules.all(),
      adjust: { $0.adjusted(by: mapping, source: nil) },
      context: context(known: known, units: units))
  }

  @Test("Another quantity than the ledger's is shown as the file has it and in the person's units")
  func clashInUnits() throws {
    let known = ["csv csv:weight:2026-10-01": 82.735248288]
    #expect(
      try recognized("date,weight_kg\n2026-10-01,82.4\n", known: known, units: .imperial)
        .problems.map(\.reason) == [
          "weight_kg is 82.4 kg (181.7 lb), but event 0 logged 182.4 lb for this moment; correct its "
            + "entry if that is wrong"
        ])
    #expect(
      try recognized("date,weight\n2026-10-01,181.7 lb\n", known: known).problems.map(\.reason) == [
        "weight is 181.7 lb (82.42 kg), but event 0 logged 82.74 kg for this moment; correct its "
          + "entry if that is wrong"
      ])
  }

  @Test(
    "Rows of one day that differ are shown as in the file, and ask for a column that tells them apart"
  )
  func contradiction() throws {
    let text = "Date,Workout,Distance (mi)\n2026-10-09,Run,3.1\n2026-10-09,Bike,10\n"
    let problems = try recognized(text).problems
    #expect(problems.allSatisfy { $0.question == ImportQuestion(.id) })
    #expect(
      problems.map(\.reason) == [
        "rows 2, 3 give distance_km of 2026-10-09 different values; this one says 3.1 mi (4.99 km), "
          + "and no row says a time",
        "rows 2, 3 give distance_km of 2026-10-09 different values; this one says 10 mi (16.09 km), "
          + "and no row says a time",
      ])
    let withIDs = "Date,Id,Steps\n2026-10-09,a,1\n2026-10-09,a,2\n"
    #expect(try recognized(withIDs).problems.first?.question == nil)
  }

  @Test("Values outside a metric's range are one kind of problem, whatever they are")
  func kinds() throws {
    let nights = (1...15).map { "2026-01-\($0 < 10 ? "0" : "")\($0),\(2700 + $0)\n" }.joined()
    let result = try recognized("Date,Sleep (h)\n" + nights)
    #expect(Set(result.problems.map(\.kind)) == ["Sleep (h) is outside the range of sleep_hours"])
    #expect(result.problems.count == 15)
    let meals = (10...12).map { _ in "2026-01-01,6000000\n" }.joined()
    let sums = try recognized("Date,Calories In\n" + meals)
    let kind = "Calories In is outside the range of calories_in"
    #expect(sums.problems.allSatisfy { $0.kind == kind })
    #expect(!sums.problems.isEmpty)
  }

  @Test(
    "A quantity that one side has in hundredths is the same one",
    arguments: [
      ("80.12", 80.1234567890124), ("80.1234567890124", 80.12), ("81.65", 81.6466266),
      ("180 lb", 81.65),
    ])
  func hundredths(_ written: String, _ logged: Double) throws {
    let known = ["csv csv:weight:2026-10-01": logged]
    let result = try recognized("date,weight\n2026-10-01,\(written)\n", known: known)
    #expect(result.known == 1 && result.problems.isEmpty && result.edits.isEmpty)
    let other = try recognized("date,weight\n2026-10-01,80.13\n", known: known)
    #expect(other.problems.count == 1)
  }

  @Test("The sum of several columns of one row is not one of several rows")
  func sumOfColumns() throws {
    let header =
      "Date,Calories Burned,Steps,Minutes Lightly Active,Minutes Fairly Active,Minutes Very Active\n"
    let one = try recognized(header + "2026-08-01,2411,9012,200,20,15\n")
    #expect(one.lines.contains("active_minutes 2026-08-01 235"))
    #expect(one.summed == 0)
    let two = try recognized(
      header + "2026-08-01,2411,9012,200,20,15\n2026-08-01,1,1,1,1,1\n")
    #expect(two.summed == 3)
  }

  @Test("Values that the ledger has twice are counted")
  func doubled() throws {
    let name = SourceName(source: "csv", id: "csv:steps:2026-11-01")
    let logged = [0, 1].map { order in
      KnownEntries.Logged(
        id: name.id, origin: name.origin,
        entry: LedgerUUID(high: 1, low: UInt64(order)), quantity: 8000, order: order + 2)
    }
    var context = context()
    context.index = { () throws(ImportError) in
      KnownEntries(SortedRecords(held: logged), changes: [:])
    }
    let result = try CSVImport.read(
      recognizing: source("date,steps\n2026-11-01,8000\n"), rules: [], context: context)
    #expect(result.known == 1)
    #expect(
      result.notes == [
        "the ledger has 1 value of this import twice, the first by events 2 and 3; delete one of them"
      ])
  }

  @Test(
    "A date format tells the order of day and month, however the dates are spelt otherwise",
    arguments: [
      ("5/10/26", "dd/MM/yyyy", "2026-10-05"), ("5/10/26", "d/M/yyyy", "2026-10-05"),
      ("5/10/26", "dd/MM/yy", "2026-10-05"), ("5/10/26", "MM/dd/yyyy", "2026-05-10"),
      ("05-10-2026", "dd/MM/yyyy", "2026-10-05"),
      ("\"07/05/2026, 07:01:22 AM\"", "MM/dd/yyyy", "2026-07-05 07:01:22"),
      ("\"07/05/2026, 07:01:22 AM\"", "dd/MM/yyyy", "2026-05-07 07:01:22"),
      ("07/05/2026 19:01", "dd/MM/yyyy", "2026-05-07 19:01:00"),
    ])
  func orderOfDates(_ date: String, _ format: String, _ moment: String) throws {
    let text = "Date,Steps\n\(date),82\n"
    let refusal = #expect(throws: ImportError.self) { try recognized(text) }
    #expect(refusal?.question == ImportQuestion(.dateFormat, ["dd/MM/yyyy", "MM/dd/yyyy"]))
    let result = try recognized(text, dateFormat: format)
    #expect(result.lines == ["steps \(moment) 82"], "\(result.problems)")
  }

  @Test("A row without a readable moment is one problem, however many quantities it has")
  func unreadableMoment() throws {
    let result = try recognized(
      "Datum;Uhrzeit;Gewicht;Körperfett\n02.11.2026;7 Uhr 10;82,4;21\n"
        + "03.11.2026;07:05;82,1;x\n", dateFormat: "dd/MM/yyyy")
    #expect(result.problemRows == [2, 3])
    #expect(result.lines == ["weight 2026-11-03 07:05:00 82.1"])
  }

  @Test(
    "Names of energy in other orders of words are read",
    arguments: [
      ("Kalorien verbrannt", "calories_out"), ("Kalorien gegessen", "calories_in"),
      ("Kalorienzufuhr", "calories_in"), ("Calories ingérées", "calories_in"),
    ])
  func energies(_ name: String, _ metric: String) throws {
    let result = try recognized("Datum,\(name)\n2026-11-02,1800\n", dateFormat: "yyyy-MM-dd")
    #expect(result.lines == ["\(metric) 2026-11-02 1800"])
  }

  @Test("A date that a format does not fit in its order either is reported")
  func datesOfAnotherOrder() throws {
    let result = try recognized(
      "Date,Steps\n13/10/26,82\n2026-10-05,82\n", dateFormat: "MM/dd/yyyy")
    #expect(result.problemRows == [2, 3])
  }
}
