import LedgerModel
import Testing

@testable import LedgerImport

/// What decides where a file can be read in several ways, and what is asked for.
@Suite struct CSVEvidenceTests {
  private func read(_ lines: [String], units: UnitSystem = .metric) throws -> ImportResult {
    var context = context(units: units)
    context.today = day("2026-11-21")
    return try CSVImport.read(
      recognizing: source(lines.joined(separator: "\n")), rules: VendorRules.all(),
      context: context)
  }

  private func refusal(_ lines: [String], units: UnitSystem = .metric) -> String {
    do {
      return "not refused: \(try read(lines, units: units).lines)"
    } catch {
      return "\(error)"
    }
  }

  private func question(_ lines: [String]) -> ImportQuestion? {
    #expect(throws: ImportError.self) { try read(lines) }?.question
  }

  // MARK: Units of one column

  @Test("Body fat below 1 is in fractions of 1, unless its column says per cent")
  func fractions() throws {
    let rows = ["2026-01-05,0.185", "2026-01-06,0", "2026-01-07,0.2"]
    let result = try read(["Date,Body fat"] + rows)
    #expect(
      result.lines == ["body_fat_percentage 2026-01-05 18.5", "body_fat_percentage 2026-01-07 20"])
    #expect(result.notes == ["data.csv: Body fat is in fractions of 1: 0.185 is 18.5%"])
    for (header, more) in [("Body fat (%)", []), ("Body fat", ["2026-01-08,18.5"])] {
      let asWritten = try read(["Date,\(header)"] + rows + more)
      #expect(asWritten.lines.first == "body_fat_percentage 2026-01-05 0.185")
    }
  }

  @Test(
    "Durations are read with points behind the units, and in other languages",
    arguments: [
      ("7 Std.", 7), ("7 Std. 30 Min.", 7.5), ("7 hrs.", 7), ("7 h 30 min.", 7.5),
      ("7 horas 30 minutos", 7.5), ("450 Min.", 7.5), ("7h30", 7.5),
    ] as [(String, Double)])
  func durations(_ cell: String, _ hours: Double) throws {
    let result = try read(["Date;Schlaf", "2026-01-05;\(cell)"])
    #expect(result.edits.map(\.quantity) == [hours], "\(result.problems)")
  }

  @Test(
    "Nothing but letters and a closing point is between a unit and the second number",
    arguments: [
      ("Height", "5 ft .5 in"), ("Height", "5 ft -2 in"), ("Weight", "11 st .5 lb"),
      ("Sleep", "8h - 30"), ("Sleep", "7 hours (8"), ("Sleep", "7 hrs .5 min"),
      ("Sleep", "1 h < 30"), ("Sleep", "7 Std. .5 Min."), ("Sleep", "7 Std.. 5 Min."),
    ])
  func marksBetweenUnits(_ column: String, _ cell: String) throws {
    let result = try read(["Date;\(column)", "2026-01-05;\(cell)"])
    #expect(result.lines.isEmpty && result.problemRows == [2], "\(result.lines)")
  }

  // MARK: Dates

  /// Days of a spreadsheet that took some for dates of its own country: 12 April to 3 May.
  private static let exchanged =
    ["04-12-2016"] + (13...30).map { "\($0)-04-2016" } + ["05-01-2016", "05-02-2016", "05-03-2016"]

  @Test("Dates that are in order only with day and month exchanged are reported, not read")
  func exchangedDates() throws {
    let rows = Self.exchanged.map { "\($0),5000" }
    let result = try read(["Date,Steps"] + rows + rows)
    #expect(result.problemRows == [2, 21, 22, 23, 24, 43, 44, 45])
    #expect(result.problems.first?.reason.contains("in order only if they are") == true)
    #expect(result.lines.first == "steps 2016-04-13 5000")
    let stated = try read(["Date (dd-mm-yyyy),Steps"] + rows)
    #expect(stated.problems.isEmpty && stated.lines.first == "steps 2016-12-04 5000")
  }

  @Test(
    "Dates in order, or with one row added later, are read by the order that others prove",
    arguments: [
      (["03-04-2016", "13-04-2016", "02-05-2016"], "2016-04-03"),
      (["02-05-2016", "13-04-2016", "03-04-2016"], "2016-05-02"),
      (["13-04-2016", "14-04-2016", "15-04-2016", "05-04-2016"], "2016-04-13"),
      // Points decide, and texts that are sorted say nothing.
      (["28.04.2026", "05.04.2026", "13.05.2026", "06.05.2026", "14.06.2026"], "2026-04-28"),
      (
        ["01/06/2026", "02/05/2026", "02/06/2026", "03/05/2026", "04/06/2026", "13/05/2026"],
        "2026-06-01"
      ),
    ])
  func orderedDates(_ dates: [String], _ first: String) throws {
    let result = try read(["Date,Steps"] + dates.map { "\($0),5000" })
    #expect(result.problems.isEmpty && result.lines.first == "steps \(first) 5000")
  }

  @Test(
    "A date without its year is reported, without advice that cannot help",
    arguments: ["02.11.", "Nov 2", "2/11"])
  func withoutYear(_ date: String) throws {
    let result = try read(["Date,Weight (kg)", "\(date),75"])
    #expect(result.problems.map(\.question) == [nil])
    #expect(result.problems.first?.reason.contains("which has no year") == true)
  }

  // MARK: Decimal mark

  @Test(
    "Points in numbers of a European spreadsheet group thousands",
    arguments: [
      ["Datum;Aufgenommene Kalorien;Distanz (m)", "05.02.2026;1.825;7.125"],
      ["Datum;Aufgenommene Kalorien;Distanz (m)", "05/02/2026;1.825;7.125"],
      ["Datum\tAufgenommene Kalorien\tDistanz (m)", "05.02.2026\t1.825\t7.125"],
    ])
  func groupedPoints(_ lines: [String]) throws {
    #expect(
      try read(lines).lines == ["calories_in 2026-02-05 1825", "distance_km 2026-02-05 7.125"])
  }

  @Test(
    "A point that can be decimal or group thousands is asked about, like a comma",
    arguments: [
      ["Date,Calories In", "2026-01-05,2.110"], ["Date;Calories In", "2026-01-05;2.110"],
      ["Foods", "Date,Calories In", "\"05-01-2026\",\"2.110\"", "\"13-01-2026\",\"2.210\""],
      ["Date,Distance (m)", "2026-01-05,7.125"], ["Date,Calories In (kJ)", "2026-01-05,7.625"],
      ["Date,Calories In", "2026-01-05,\"2,110\""],
    ])
  func openPoint(_ lines: [String]) {
    #expect(question(lines) == ImportQuestion(.decimalMark, ["point", "comma"]))
  }

  @Test("What numbers show counts before what is plausible")
  func shownBeforePlausible() throws {
    let result = try read([
      "Date,Distance,Calories In", "2026-01-05,8.01,\"1,825\"", "2026-01-06,\"1,500\",2000",
    ])
    #expect(result.lines.contains("calories_in 2026-01-05 1825"))
    #expect(result.problemRows == [3])
  }

  @Test(
    "A shown mark and a number that it makes implausible are asked about",
    arguments: [
      ["Datum;Schritte;Gewicht", "05.02.2026;9.000;75.5", "06.02.2026;12.000;75.6"],
      ["Date,Steps,Weight", "2026-02-05,\"9,000\",\"75,5\""],
      ["Date,Calories In,Weight", "2026-02-05,\"1,825\",\"75,5\""],
    ])
  func contradictingMarks(_ lines: [String]) {
    #expect(question(lines) == ImportQuestion(.decimalMark, ["point", "comma"]))
  }

  @Test("Grouped steps need no other number", arguments: ["9.000", "9,000"])
  func groupedSteps(_ steps: String) throws {
    #expect(try read(["Date,Steps", "2026-02-05,\"\(steps)\""]).lines == ["steps 2026-02-05 9000"])
  }

  @Test("Both readings of an open number are named")
  func readings() {
    #expect(
      refusal(["Date,Calories In", "2026-01-05,2.110"]).contains(
        "numbers such as '2.110', which can be read in two ways, as 2.110 or 2110"))
  }

  @Test(
    "A reading that no person has leaves the other one",
    arguments: [
      (["Date,Protein", "2026-01-05,12.125"], [String]()),
      (["Date,Protein (g)", "2026-01-05,12.125"], ["protein_g 2026-01-05 12.125"]),
      (["Date;Weight", "2026-01-05;80.125"], ["weight 2026-01-05 80.125"]),
      (["Date,Distance (km)", "2026-01-05,7.125"], ["distance_km 2026-01-05 7.125"]),
      (["Date,Calories In", "2026-01-05,45.125"], ["calories_in 2026-01-05 45.125"]),
      (["Date,Calories In,Weight", "2026-01-05,2.110,80.5"], []),
    ])
  func plausible(_ lines: [String], _ entries: [String]) throws {
    if entries.isEmpty {
      #expect(throws: ImportError.self) { try read(lines) }
    } else {
      #expect(try Set(read(lines).lines) == Set(entries))
    }
  }

  @Test("A blank groups three digits, and separates others", arguments: ["8 5", "8 55", "80 1234"])
  func blanks(_ number: String) throws {
    let result = try read(["Date,Weight", "2026-01-05,\(number)", "2026-01-06,80.5"])
    #expect(result.lines == ["weight 2026-01-06 80.5"] && result.problemRows == [2])
    #expect(try read(["Date,Steps", "2026-01-05,10 825"]).lines == ["steps 2026-01-05 10825"])
  }

  // MARK: Vendors

  @Test("The unit in a column's name counts before that of a vendor's rules")
  func unitBeforeRules() throws {
    let hours = ["date,total sleep duration (h),sleep score", "2026-01-05,7.5,80"]
    #expect(try read(hours).lines == ["sleep_hours 2026-01-05 7.5"])
    let minutes = ["date,total sleep duration (min),steps", "2026-01-05,450,100"]
    let result = try read(minutes)
    #expect(result.lines == ["sleep_hours 2026-01-05 7.5", "steps 2026-01-05 100"])
    #expect(!result.notes.contains { $0.contains("Oura") })
  }

  @Test("Oura's heart rates of a night and a nap are not added")
  func nightAndNap() throws {
    let result = try read([
      "id;average_heart_rate;bedtime_end;bedtime_start;day;total_sleep_duration;type",
      "x1;55.5;2026-01-05T07:13:50.000+01:00;2026-01-04T23:10:30.000+01:00;2026-01-05;27000;long_sleep",
      "x2;60.5;2026-01-05T15:13:50.000+01:00;2026-01-05T14:10:30.000+01:00;2026-01-05;1800;sleep",
    ])
    #expect(result.lines == ["resting_heart_rate 2026-01-05 55.5"])
    #expect(result.sessions.count == 2 && result.problems.isEmpty)
  }

  @Test("A table that is summed does not sum what does not add up")
  func sumOfRates() throws {
    let rules = try CSVRules(
      parsing: """
        date day
        quantity steps = steps
        quantity resting_heart_rate = rate
        same-moment sum
        """, name: "x")
    let result = try CSVImport.read(
      source("day,steps,rate\n2026-01-05,100,50\n2026-01-05,200,60\n"), rules: [rules],
      context: context())
    #expect(result.lines == ["steps 2026-01-05 300"] && result.problems.count == 2)
  }

  @Test(
    "A 0 stands for not measured where no quantity can be 0",
    arguments: [
      ["Body", "Date,Weight,BMI,Fat", "2026-01-06,80.2,24.7,0"],
      ["Date,Weight,BMI,Body Fat", "2026-01-06,80.2,24.7,0.0"],
      ["Date,Weight,BMI,Resting heart rate", "2026-01-06,80.2,24.7,0"],
    ])
  func zero(_ lines: [String]) throws {
    let result = try read(lines)
    #expect(result.lines == ["weight 2026-01-06 80.2", "bmi 2026-01-06 24.7"])
    #expect(result.problems.isEmpty)
    #expect(result.skipped.lines.map(\.reason) == ["0 stands for not measured"])
  }

  // MARK: Units that other columns contradict

  @Test("A body mass index tells the unit of weight, whatever the person's units are")
  func weightByIndex() throws {
    let result = try read(["Date,Weight,BMI", "2026-01-05,180.4,24.8", "2026-01-06,181,24.9"])
    #expect(
      result.edits.filter { $0.metric == .weight }.allSatisfy { (81...83).contains($0.quantity) })
    #expect(
      result.notes.contains("data.csv: Weight is in lb, as the body mass index shows"))
    #expect(
      try read(["Date,Weight (kg),BMI", "2026-01-05,180.4,24.8"]).lines.first
        == "weight 2026-01-05 180.4")
    #expect(
      try read(["Date,Weight,BMI", "2026-01-05,80.4,24.8"]).lines.first == "weight 2026-01-05 80.4")
    // A person of 2.19 m, or of 1.48 m in pounds.
    #expect(
      refusal(["Date,Weight,BMI", "2026-01-05,130,27"]).hasSuffix(
        "kg is unlikely"))
    // A child of 85 cm, or an adult in stone.
    #expect(
      refusal(["Date,Weight,BMI", "2026-01-05,12,16.6"]).hasSuffix(
        "kg is unlikely"))
  }

  @Test("A distance that the steps contradict is asked about")
  func distanceBySteps() throws {
    let metres = refusal(["Date,Steps,Distance", "2026-01-05,7000,521"])
    #expect(metres.hasSuffix("km is unlikely"), "\(metres)")
    let miles = refusal(["Date,Steps,Distance", "2026-01-05,7000,3.2"])
    #expect(miles.hasSuffix("km is unlikely"), "\(miles)")
    #expect(try read(["Date,Steps,Distance", "2026-01-05,7000,5.2"]).edits.count == 2)
    #expect(try read(["Date,Steps,Distance (km)", "2026-01-05,7000,521"]).edits.count == 2)
  }

  // MARK: Dates

  @Test(
    "A column of dates counts before that of a form's or a database's timestamps",
    arguments: ["Timestamp,Date", "Created At,Date", "Created At,Day", "recorded_at,Datum"])
  func dateColumns(_ names: String) throws {
    let result = try read(["\(names),Weight", "1/30/2026 10:00:00,1/25/2026,80"])
    #expect(result.lines == ["weight 2026-01-25 80"])
  }

  @Test("Two columns of dates that differ are asked about")
  func twoDates() throws {
    let lines = ["Date,Messdatum,Weight", "2026-01-05,2026-01-06,80"]
    #expect(refusal(lines).contains("two columns of dates that differ, 'Date' and 'Messdatum'"))
    #expect(
      try read(["Date,DateTime,Weight", "2026-01-05,2026-01-05 07:30,80"]).lines
        == ["weight 2026-01-05 80"])
  }

  @Test(
    "Days that are written as midnights in UTC are days",
    arguments: [
      "2026-01-05T00:00:00Z", "2026-01-05 00:00:00+00:00", "2026-01-05T00:00:00.000Z",
      "1767571200000",
    ])
  func midnights(_ text: String) throws {
    let result = try read(["Date,Steps", "\(text),10000"])
    #expect(result.lines == ["steps 2026-01-05 10000"])
    #expect(result.edits[0].sourceID == "csv:steps:2026-01-05T00:00:00Z")
    let moments = try read(["Date,Steps", "\(text),10000", "2026-01-05T07:00:00Z,20"])
    #expect(
      moments.lines == ["steps 2026-01-05 02:00:00 10000", "steps 2026-01-05 09:00:00 20"])
    #expect(moments.edits[0].sourceID == "csv:steps:2026-01-05T00:00:00Z")
  }

  @Test(
    "The zone in the name of a column of times counts",
    arguments: [
      ["Date (UTC),Weight", "2026-01-05 07:30,80"],
      ["timestamp_utc,Weight", "2026-01-05T07:30,80"],
      ["Date,Time (GMT),Weight", "2026-01-05,07:30,80"],
      ["Date (+00:00),Weight", "2026-01-05 07:30:00,80"],
    ])
  func zoneInName(_ lines: [String]) throws {
    #expect(try read(lines).lines == ["weight 2026-01-05 09:30:00 80"])
  }

  @Test(
    "The pattern in the name of a column of dates tells the order of its numbers",
    arguments: [
      ("Date (dd/mm/yyyy)", "2026-06-05"), ("Date (mm/dd/yyyy)", "2026-05-06"),
      ("Datum (TT.MM.JJJJ)", "2026-06-05"), ("Date (JJ/MM/AAAA)", "2026-06-05"),
      ("Fecha (dd/mm/aaaa)", "2026-06-05"),
    ])
  func patternInName(_ name: String, _ date: String) throws {
    #expect(try read(["\(name),Weight", "05/06/2026,80"]).lines == ["weight \(date) 80"])
  }

  @Test("A week of ISO 8601 is no month, and other words beside three numbers are no date")
  func weeks() throws {
    #expect(
      try read(["Date,Weight", "2026-W05-1,84", "2025-W01-7,85"]).lines == [
        "weight 2026-01-26 84", "weight 2025-01-05 85",
      ])
    #expect(
      try read(["Date,Weight", "2026-W53-7,84", "2025-W53-1,85", "9999-W53-7,86"]).lines == [
        "weight 2027-01-03 84"
      ])
    #expect(
      try read(["Date,Weight", "2026W051,84", "2026-032,85"]).lines == [
        "weight 2026-01-26 84", "weight 2026-02-01 85",
      ])
    #expect(
      try read(["Date,Weight", "2026-366,84", "2026-000,84", "2024-366,85"]).lines == [
        "weight 2024-12-31 85"
      ])
    #expect(try read(["Date,Weight", "2026 X 05 1,84", "2026-01-05,80"]).problemRows == [2])
    #expect(
      try read(["Date,Weight", "1er février 2026,84", "1º de marzo de 2026,85"]).lines == [
        "weight 2026-02-01 84", "weight 2026-03-01 85",
      ])
    #expect(
      try read(["Date,Weight", "Mon 2026-01-05,84", "\"Dienstag, 06.01.2026\",84"]).lines.count == 2
    )
  }

  @Test("Years of two digits are first where days follow each other so")
  func shortYearFirst() throws {
    let result = try read(["Date,Weight", "26-01-05,80", "26-01-06,81"])
    #expect(result.lines == ["weight 2026-01-05 80", "weight 2026-01-06 81"])
    #expect(result.notes.contains { $0.contains("year/month/day: 26-01-05 is 2026-01-05") })
    #expect(try read(["Date,Weight", "99-12-31,80"]).lines == ["weight 1999-12-31 80"])
  }

  @Test(
    "Years of two digits that can be first or last are asked about",
    arguments: [
      ["Date,Weight", "26-01-05,80"], ["Date,Weight", "24.12.25,80", "24.12.26,81"],
      ["Date,Weight", "24-01-25,80", "24-01-26,81"],
    ])
  func openYear(_ lines: [String]) throws {
    #expect(question(lines) == ImportQuestion(.dateFormat, ["yy-MM-dd", "dd-MM-yy"]))
  }

  @Test(
    "Years of two digits are last in a log of days",
    arguments: [
      ["Date,Weight", "01.01.24,80", "01.02.24,81", "01.01.25,82"],
      ["Date,Weight", "24.09.25,80"], ["Date,Weight", "05.01.26,80", "06.01.26,81"],
      ["Date,Weight", "26.01.05,80", "14.02.05,81"],
    ])
  func shortYearLast(_ lines: [String]) throws {
    let result = try read(lines)
    #expect(result.edits.count == lines.count - 1 && result.problems.isEmpty)
    #expect(!result.notes.contains { $0.contains("year/month/day") })
  }
}
