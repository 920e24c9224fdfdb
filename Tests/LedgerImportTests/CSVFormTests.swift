import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerImport

/// Files as vendors and spreadsheets write them, without an option.
@Suite struct CSVFormTests {
  func read(
    _ text: String, known: [String: Double] = [:], today: String = "2026-11-21"
  ) throws -> ImportResult {
    try read(.bytes(Array(text.utf8), name: "data.csv"), known: known, today: today)
  }

  func read(
    _ source: ImportSource, known: [String: Double] = [:], today: String = "2026-11-21"
  ) throws -> ImportResult {
    var context = context(known: known)
    context.today = day(today)
    return try CSVImport.read(recognizing: source, rules: [], context: context)
  }

  func refusal(_ text: String) -> String? {
    do {
      _ = try read(text)
      return nil
    } catch {
      return "\(error)"
    }
  }

  // MARK: Units

  @Test(
    "A unit in the column's name is converted",
    arguments: [
      ("Weight (lb)", "180", "weight 2026-01-31 81.6466266"),
      ("weight_lbs", "180", "weight 2026-01-31 81.6466266"),
      ("weightLbs", "180", "weight 2026-01-31 81.6466266"),
      ("Weight [kg]", "80", "weight 2026-01-31 80"),
      ("Weight in lb", "180", "weight 2026-01-31 81.6466266"),
      ("Active energy (kJ)", "4184", "calories_out 2026-01-31 1000"),
      ("Distance (m)", "4200", "distance_km 2026-01-31 4.2"),
      ("Sleep (min)", "450", "sleep_hours 2026-01-31 7.5"),
      ("Sleep duration (seconds)", "27000", "sleep_hours 2026-01-31 7.5"),
      ("Minutes Asleep", "450", "sleep_hours 2026-01-31 7.5"),
      ("Schlafdauer (Stunden)", "7.5", "sleep_hours 2026-01-31 7.5"),
      ("Active Minutes", "30", "active_minutes 2026-01-31 30"),
      ("Active time (s)", "1800", "active_minutes 2026-01-31 30"),
      ("Fat %", "18.3", "body_fat_percentage 2026-01-31 18.3"),
      ("Fat (g)", "18.3", "fat_g 2026-01-31 18.3"),
      ("Resting heart rate (bpm)", "52", "resting_heart_rate 2026-01-31 52"),
      ("Resting HR", "52", "resting_heart_rate 2026-01-31 52"),
      ("Steps (count)", "52", "steps 2026-01-31 52"),
      ("Total Steps", "52", "steps 2026-01-31 52"),
      ("Distance (milles)", "10", "distance_km 2026-01-31 16.09344"),
      ("Distância (milhas)", "10", "distance_km 2026-01-31 16.09344"),
      ("Estatura (pies)", "6", "height 2026-01-31 182.88"),
      ("Größe (Zoll)", "70", "height 2026-01-31 177.8"),
      ("Taille (pouces)", "70", "height 2026-01-31 177.8"),
      ("Peso (quilogramas)", "80", "weight 2026-01-31 80"),
    ])
  func units(_ column: String, _ cell: String, _ line: String) throws {
    #expect(try read("date,\(column)\n2026-01-31,\(cell)\n").lines == [line])
  }

  @Test(
    "A unit that the metric does not have is refused, never taken for the metric's own",
    arguments: [("Weight (jin)", "jin"), ("Steps (km)", "km"), ("Distance (kg)", "kg")])
  func foreignUnits(_ column: String, _ unit: String) {
    let refusal = refusal("date,\(column)\n2026-01-31,80\n")
    #expect(
      refusal?.contains("is in '\(unit)', which is not a unit of") == true, "\(refusal ?? "")")
  }

  @Test(
    "A unit of two sizes is refused with both",
    arguments: [("Gewicht (Pfund)", "Pfund"), ("Gewicht in Pfund", "pfund")])
  func unclearUnit(_ name: String, _ unit: String) {
    #expect(
      refusal("Datum,\(name)\n2026-01-31,160\n")
        == "data.csv: the column '\(name)' is in '\(unit)', which can be 453.6 g or 500 g; call it "
        + "'gewicht (lb)' if it is the first, else convert its numbers to kg")
  }

  @Test(
    "Cells may have zeros before a number and spaces that do not break a line",
    arguments: [
      "00070", "70\u{A0}", "\u{202F}70", "\u{A0}70\u{A0}kg", "70\u{202F}kg", "0070.0", "70,0 kg",
    ])
  func spacesAndZeros(_ cell: String) throws {
    let text = "date\u{A0};Weight\n2026-01-31\u{A0};\(cell)\n"
    #expect(try read(text).lines == ["weight 2026-01-31 70"])
    if cell.hasPrefix("00") {
      #expect(try read("date;Weight (kg)\n2026-01-31;\(cell)\n").lines == ["weight 2026-01-31 70"])
    }
  }

  @Test("A plus may mean a change, so it is asked about")
  func plus() throws {
    let result = try read("date,Weight\n2026-01-31,+70\n2026-02-01,71\n")
    #expect(result.lines == ["weight 2026-02-01 71"])
    #expect(
      result.problems.map(\.reason)
        == ["Weight is '+70', and a plus can mean a change; write the quantity without it"])
  }

  @Test("A person's mapping has the unit of the column's name, and must not contradict it")
  func mappedUnits() throws {
    var mapping = CSVMapping(metric: .weight, quantity: "Weight (lb)", date: "d")
    let text = "d,Weight (lb)\n2026-01-31,180\n"
    let converted = try CSVImport.read(source(text), mapping: mapping, context: context())
    #expect(converted.lines == ["weight 2026-01-31 81.6466266"])
    mapping.unit = "pounds"
    let same = try CSVImport.read(source(text), mapping: mapping, context: context())
    #expect(same.lines == converted.lines)
    mapping.unit = "kg"
    let error = #expect(throws: ImportError.self) {
      try CSVImport.read(source(text), mapping: mapping, context: context())
    }
    #expect(
      error?.description
        == "data.csv: the column 'Weight (lb)' is in 'lb', but the unit is given as 'kg'; give none, "
        + "or correct the column's name")
  }

  // MARK: Sources

  @Test("Two sources with different sums of a day are asked about as sources")
  func twoSources() throws {
    let result = try read(
      "date,steps,source\n2026-01-05,9000,watch\n2026-01-05,8000,phone\n2026-01-06,7000,watch\n")
    #expect(result.lines.count == 1)
    #expect(
      result.problems.map(\.question) == [.init(.source, ["source"]), .init(.source, ["source"])])
  }

  // MARK: Encoding and delimiter

  @Test("Every encoding and delimiter gives the same entries")
  func encodings() throws {
    let lines = ["weight 2026-01-31 75.5", "body_fat_percentage 2026-01-31 18"]
    for delimiter in [";", "\t", "|"] {
      let text = "Datum\u{0}Gewicht (kg)\u{0}Körperfett (%)\r\n31.01.2026\u{0}75,5\u{0}18\r\n"
        .replacing("\u{0}", with: delimiter)
      #expect(try read(text).lines == lines, "\(delimiter)")
      #expect(try read("\u{FEFF}" + text).lines == lines, "\(delimiter)")
      let little = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
      let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
      for bytes in [little, big, [0xFF, 0xFE] + little, [0xFE, 0xFF] + big] {
        #expect(try read(.bytes(bytes, name: "x.csv")).lines == lines, "\(delimiter)")
      }
      let windows = text.unicodeScalars.map { UInt8($0.value) }
      #expect(try read(.bytes(windows, name: "x.csv")).lines == lines, "\(delimiter)")
    }
  }

  @Test("A character of Windows-1252 after the first 64 KiB is read")
  func lateWindows1252() throws {
    var bytes = Array("date,steps,notes\n".utf8)
    for index in 0..<4000 {
      bytes += Array("\(day("2010-01-01").adding(days: index)),\(index),note number\n".utf8)
    }
    bytes += Array("2025-12-31,7,M".utf8) + [0xFC] + Array("nchen\n".utf8)
    let result = try read(.bytes(bytes, name: "x.csv"))
    #expect(result.edits.count == 4001)
    #expect(result.edits.last?.notes == "München")
  }

  @Test("Lines of a title before the header are passed over")
  func titles() throws {
    let result = try read("Body\n\nDate,Weight,BMI\n2026-01-31,75.5,23\n")
    #expect(result.lines == ["weight 2026-01-31 75.5", "bmi 2026-01-31 23"])
    let samsung = try read(
      "com.samsung.weight,123,4\nstart_time,weight,\n2026-01-31 07:00:00,75.5,\n")
    #expect(samsung.lines == ["weight 2026-01-31 07:00:00 75.5"])
  }

  @Test("Several tables in one file are read one after the other")
  func sections() throws {
    let result = try read(
      "Body\nDate,Weight\n2026-01-31,75.5\n\nActivities\nDate,Calories Burned,Steps\n"
        + "2026-01-31,\"2,345\",\"10,123\"\n")
    #expect(
      result.lines == [
        "weight 2026-01-31 75.5", "steps 2026-01-31 10123", "calories_out 2026-01-31 2345",
      ]
        || result.lines == [
          "weight 2026-01-31 75.5", "calories_out 2026-01-31 2345", "steps 2026-01-31 10123",
        ])
    #expect(result.problems.isEmpty)
  }

  // MARK: Numbers

  @Test("Thousands and decimals are told apart by all rows")
  func numbers() throws {
    let german = try read(
      "Datum;Schritte;Gewicht\n31.01.2026;1.825;75,5\n01.02.2026;12.345;75,125\n")
    #expect(
      german.lines == [
        "steps 2026-01-31 1825", "weight 2026-01-31 75.5", "steps 2026-02-01 12345",
        "weight 2026-02-01 75.125",
      ])
    let english = try read("Date,Steps\n2026-01-31,\"1,825\"\n")
    #expect(english.lines == ["steps 2026-01-31 1825"])
    let spaced = try read("Date;Pas\n31/01/2026;1\u{202F}825\n")
    #expect(spaced.lines == ["steps 2026-01-31 1825"])
  }

  @Test("Lakhs and crores are grouped in twos before the last three digits")
  func indianNumbers() throws {
    let steps = try read("Date,Steps\n2026-01-31,\"1,12,345\"\n2026-02-01,\"9,500\"\n")
    #expect(steps.lines == ["steps 2026-01-31 112345", "steps 2026-02-01 9500"])
    let other = try read("Date,Steps\n2026-01-31,\"1,12,34\"\n2026-02-01,\"9,500\"\n")
    #expect(other.lines == ["steps 2026-02-01 9500"] && other.problems.count == 1)
  }

  @Test("Numbers with two readings and nothing that decides are asked for")
  func ambiguousNumbers() throws {
    let text = "Date,Calories burned\n2026-01-31,\"1,825\"\n"
    #expect(refusal(text)?.hasSuffix("can be read in two ways, as 1825 or 1.825") == true)
  }

  @Test("Numbers of more digits than a log holds are rounded, and it is said once")
  func doubles() throws {
    let result = try read(
      "Date,Distance (m)\n2026-01-31,4213.987654321098\n2026-02-01,1234.5678901234567\n")
    #expect(
      result.lines == [
        "distance_km 2026-01-31 4.2139876543211", "distance_km 2026-02-01 1.23456789012346",
      ])
    #expect(result.notes.count { $0.contains("2 numbers were rounded") } == 1)
  }

  @Test("A duration with hours, minutes and seconds is converted")
  func durations() throws {
    let result = try read("Date,Sleep,Active minutes\n2026-01-31,07:30:00,00:22:30\n")
    #expect(result.lines == ["sleep_hours 2026-01-31 7.5", "active_minutes 2026-01-31 22.5"])
  }

  // MARK: Dates

  @Test(
    "Every date form is read",
    arguments: [
      ("2026-01-31T07:30:15+01:00", "2026-01-31 07:30:15"),
      ("2026-01-31T06:30:15Z", "2026-01-31 08:30:15"),
      ("2026-01-31T06:30:15.123Z", "2026-01-31 08:30:15"),
      ("2026-01-31T07:30:15.123+0100", "2026-01-31 07:30:15"),
      ("2026-01-31 06:30:15 UTC", "2026-01-31 08:30:15"), ("1769841015", "2026-01-31 08:30:15"),
      ("1769841015000", "2026-01-31 08:30:15"), ("31.01.2026", "2026-01-31"),
      ("31/01/2026 07:30", "2026-01-31 07:30:00"), ("1/31/2026 7:30:15 PM", "2026-01-31 19:30:15"),
      ("31 Jan 2026", "2026-01-31"), ("\"January 31, 2026 at 7:30 AM\"", "2026-01-31 07:30:00"),
      ("31. Januar 2026", "2026-01-31"), ("31 de enero de 2026", "2026-01-31"),
      ("31 janvier 2026", "2026-01-31"), ("\"Sat, 31 Jan 2026\"", "2026-01-31"),
      ("31-Jan-2026", "2026-01-31"), ("20260131", "2026-01-31"), ("2026/1/31", "2026-01-31"),
      ("2026-01-31 19.30", "2026-01-31 19:30:00"), ("31.1.2026 7.05", "2026-01-31 07:05:00"),
      ("31.01.2026 19.30.15", "2026-01-31 19:30:15"), ("5. 1.2026", "2026-01-05"),
      ("31. Januar 2026 19.30 Uhr", "2026-01-31 19:30:00"),
      ("31 mars 2026", "2026-03-31"), ("31. März 2026", "2026-03-31"), ("5 mai 2026", "2026-05-05"),
    ])
  func dates(_ written: String, _ read: String) throws {
    #expect(try self.read("date,weight\n\(written),70\n").lines == ["weight \(read) 70"])
  }

  @Test("A column of times may have points between hours and minutes")
  func pointsInTimes() throws {
    let result = try read("date,time,weight\n31.1.2026,19.30,80\n")
    #expect(result.lines == ["weight 2026-01-31 19:30:00 80"])
  }

  @Test(
    "A time may have the hour sign of French and Portuguese",
    arguments: [
      ("07h30", "07:30:00"), ("7h30", "07:30:00"), ("19 h 05", "19:05:00"), ("19H", "19:00:00"),
    ])
  func hourSigns(written: String, read time: String) throws {
    let column = try read("Date,Heure,Poids\n2026-01-31,\(written),80\n")
    #expect(column.lines == ["weight 2026-01-31 \(time) 80"])
    let cell = try read("Date,Poids\n31/01/2026 à \(written),80\n")
    #expect(cell.lines == ["weight 2026-01-31 \(time) 80"])
  }

  @Test("A time that is none with an hour sign is left out", arguments: ["7h5", "25h00", "h30"])
  func wrongHourSigns(written: String) throws {
    let result = try read("Date,Heure,Poids\n2026-01-31,\(written),80\n")
    #expect(result.lines.isEmpty && result.problems.count == 1)
  }

  @Test("The order of day and month is the one that all rows allow")
  func dayOrder() throws {
    let dayFirst = try read("date,weight\n03/04/2026,70\n13/04/2026,71\n")
    #expect(dayFirst.lines == ["weight 2026-04-03 70", "weight 2026-04-13 71"])
    #expect(dayFirst.notes.contains { $0.contains("day/month: 03/04/2026 is 2026-04-03") })
    let monthFirst = try read("date,weight\n03/04/2026,70\n04/13/2026,71\n")
    #expect(monthFirst.lines == ["weight 2026-03-04 70", "weight 2026-04-13 71"])
    // 12 May has not come yet.
    let past = try CSVFormTests().read("date,weight\n05/12/2026,70\n", today: "2026-11-21")
    #expect(past.lines == ["weight 2026-05-12 70"])
  }

  @Test("Dates with two readings and nothing that decides are asked for")
  func ambiguousDates() {
    #expect(refusal("date,weight\n03/04/2026,70\n")?.hasSuffix("day/month or month/day") == true)
  }

  @Test("An instant has the same id in every zone")
  func instants() throws {
    let first = try read("date,weight\n2026-01-31T07:30:00+01:00,70\n")
    let again = try read("date,weight\n2026-01-31T06:30:00Z,70\n", known: known(after: first))
    #expect(first.edits.first?.sourceID == "csv:weight:2026-01-31T06:30:00Z")
    #expect(first.edits.first?.moment?.zone.description == "+01:00")
    #expect(again.edits.isEmpty && again.known == 1)
  }

  // MARK: Rows

  @Test("Foods of one moment are one meal, and importing again adds nothing")
  func meals() throws {
    let text = "Date,Time,Protein (g)\n2026-01-31,12:30,20\n2026-01-31,12:30,5.5\n"
    let result = try read(text)
    #expect(result.lines == ["protein_g 2026-01-31 12:30:00 25.5"])
    #expect(
      result.notes.contains("data.csv: 1 entry is the sum of several rows of one day or time"))
    #expect(try read(text, known: known(after: result)).known == 1)
  }

  @Test("Columns that nothing is read from are named, unless a person named the others")
  func unusedColumns() throws {
    let text = "Datum;Schritte;Kalorien\n01.10.2026;7000;2100\n"
    let note = "data.csv: nothing is read from 'Kalorien'"
    let recognized = try CSVImport.read(recognizing: source(text), rules: [], context: context())
    #expect(recognized.notes.contains(note))
    var mapping = CSVMapping(metric: .steps, quantity: "Schritte", date: "Datum")
    mapping.dateFormat = try DateFormat("dd.MM.yyyy")
    let named = try CSVImport.read(source(text), mapping: mapping, context: context())
    #expect(named.edits.count == 1 && !named.notes.contains(note))
  }

  @Test("A column of two meanings that nothing is read from is named with them")
  func ambiguousColumns() throws {
    let text = "date,food,calories,fat,carbs\n2026-11-01,Apple,95,0.3,25\n"
    let result = try CSVImport.read(recognizing: source(text), rules: [], context: context())
    let notes = result.notes.joined()
    #expect(notes.contains("'calories' may be what was eaten or burned; call it 'calories in'"))
    #expect(notes.contains("'fat' may be food or the body's share; name its unit, as 'fat (g)'"))
    #expect(!notes.contains("'food' may"))
    let named = try CSVImport.read(
      recognizing: source("date,calories in,fat (g)\n2026-11-01,95,0.3\n"), rules: [],
      context: context())
    #expect(named.edits.count == 2 && !named.notes.contains { $0.contains(" may be ") })
  }

  @Test(
    "A spreadsheet's short dates with the name of a month are read",
    arguments: [
      ("3-Oct-26", "2026-10-03"), ("03-oct-26", "2026-10-03"), ("3. Okt. 26", "2026-10-03"),
      ("3-févr.-26", "2026-02-03"), ("5-ene-26", "2026-01-05"), ("Oct 3, 26", "2026-10-03"),
      ("1-Dec-69", "1969-12-01"), ("3-Oct-2026", "2026-10-03"),
    ])
  func shortMonths(_ text: String, _ date: String) throws {
    #expect(
      try read("Date;Weight (kg)\n\(text);82\n").lines == ["weight \(date) 82"])
  }

  @Test("A column of a spreadsheet's numbers of days is read, with a note that says so")
  func dayNumbers() throws {
    let result = try read("Date,Weight (kg)\n46290,83\n46291.5,82\n,81\n")
    #expect(result.lines == ["weight 2026-09-25 83", "weight 2026-09-26 12:00:00 82"])
    #expect(
      result.notes == [
        "data.csv: dates are read as a spreadsheet's numbers of days: 46290 is 2026-09-25"
      ])
    let mixed = try read("Date,Weight (kg)\n46290,83\n2026-09-26,82\n")
    #expect(mixed.lines == ["weight 2026-09-26 82"])
    #expect(
      mixed.problems.map(\.reason) == [
        "Date is '46290', which is not a date; if it is a spreadsheet's number of a day, save the column "
          + "as dates"
      ])
    #expect(try read("Date,Weight (kg)\n19999,83\n").problems.count == 1)
  }

  @Test("Water without a unit is not read, and the note says what would make it")
  func openWater() throws {
    let result = try read("Date,Weight,Water\n2026-01-31,70,2\n")
    #expect(result.edits.map(\.metric) == [.weight])
    #expect(result.notes.contains { $0.contains("name its unit, as 'Water (l)'") })
    #expect(try read("Date,Water (l)\n2026-01-31,2\n").edits.map(\.metric) == [.waterLiters])
    let share = try read("Date,Weight,Water\n2026-01-31,70,55.2 %\n")
    #expect(share.edits.map(\.metric) == [.weight] && share.problems.isEmpty)
    #expect(refusal("Date,Water\n2026-01-31,55.2\n")?.contains("as 'Water (l)'") == true)
  }

  @Test("Water is what was drunk if its cells have a unit of volume, in any language")
  func waterInCells() throws {
    let drunk = try read(
      "Fecha;Agua;Peso\n05/01/2026;1,5 litros;75,5 kg\n16/01/2026;500 ml;75,2 kg\n")
    #expect(
      drunk.lines == [
        "weight 2026-01-05 75.5", "water_liters 2026-01-05 1.5", "weight 2026-01-16 75.2",
        "water_liters 2026-01-16 0.5",
      ])
    #expect(try read("Date,Water\n2026-01-31,2 L\n").lines == ["water_liters 2026-01-31 2"])
    let ounces = try read("Date,Water (oz)\n2026-01-30,10 oz\n2026-01-31,10\n").edits
    #expect(ounces.map(\.quantity) == [0.295735295625, 0.295735295625])
    let mixed = try read("Date,Water\n2026-01-30,2 L\n2026-01-31,3\n")
    #expect(mixed.lines == ["water_liters 2026-01-30 2"])
    #expect(mixed.problems.map(\.reason) == ["Water is '3', without a unit as other rows have"])
    let pints = try read("Date,Water\n2026-01-30,2 L\n2026-01-31,3 pints\n")
    #expect(pints.lines == ["water_liters 2026-01-30 2"])
    #expect(
      pints.problems.map(\.reason) == [
        "Water is '3 pints', with a unit that is not known or can mean several"
      ])
  }

  @Test(
    "A column of two units has cells with both",
    arguments: [
      ("Height (ft/in)", "5'11\""), ("Height (ft, in)", "5 ft 11 in"), ("Height (ft & in)", "5 11"),
      ("height_ft_in", "5'11"), ("Height [feet and inches]", "5-11"), ("Height (' \")", "5' 11\""),
      ("Height (ft/in)", "180.34 cm"),
    ])
  func heightInTwoUnits(_ column: String, _ cell: String) throws {
    let name = column.replacing("\"", with: "\"\"")
    let text = cell.replacing("\"", with: "\"\"")
    let result = try read("Date,\"\(name)\"\n2026-01-31,\"\(text)\"\n")
    #expect(result.lines == ["height 2026-01-31 180.34"] && result.problems.isEmpty)
  }

  @Test("Stone and pounds, hours and minutes are two units, and a number alone is neither")
  func twoUnits() throws {
    let result = try read(
      "Date,Weight (st lb),Sleep (h min)\n2026-01-30,11 st 4 lb,7 30\n2026-01-31,11 4,7 h 45 min\n")
    #expect(result.edits.map(\.quantity) == [71.66759446, 7.5, 71.66759446, 7.75])
    #expect(try read("Date,Height (ft/in)\n2026-01-31,71\n").problems.count == 1)
    #expect(refusal("Date,Height (ft/lb)\n2026-01-31,71\n")?.contains("'ft/lb'") == true)
  }

  @Test("24:00 is the midnight at the end of a day, and of days the day that it ends")
  func endOfDay() throws {
    let column = try read("Date,Time,Weight\n2026-01-30,24:00,75\n31.1.2026,7:00,74\n")
    #expect(
      column.lines == ["weight 2026-01-31 00:00:00 75", "weight 2026-01-31 07:00:00 74"])
    let moments = try read(
      "Date,Weight\n2026-01-30T24:00:00+01:00,75\n30.1.2026 24:00,74\n31.1.2026 8:00,73\n")
    #expect(moments.edits.map(\.date) == [day("2026-01-31"), day("2026-01-31"), day("2026-01-31")])
    let days = try read("Date,Steps\n2026-01-30 24:00,1000\n2026-01-31 24:00,1100\n")
    #expect(days.lines == ["steps 2026-01-30 1000", "steps 2026-01-31 1100"])
    #expect(try read("Date,Weight\n2026-01-30 24:01,75\n").problems.count == 1)
  }

  @Test("A row whose date has two readings is left out where the others are written year first")
  func strayDate() throws {
    let plain = (1...4).map { "2026-01-0\($0),7\($0)\n" }.joined()
    let result = try read("Date,Weight\n\(plain)02/10/2026,80\n")
    #expect(result.edits.count == 4 && result.problems.map(\.row) == [6])
    #expect(refusal("Date,Weight\n2026-01-01,70\n02/10/2026,80\n")?.contains("month") == true)
  }

  @Test("Columns of zone, id and notes are read")
  func columns() throws {
    let result = try read(
      "Date,Zone,Id,Notes,Weight\n2026-01-31 07:30:00,+05:30,a 1,home,70\n"
        + "2026-01-31 07:30:00,+05:30,b,gym,71\n")
    #expect(result.edits.map(\.sourceID) == ["csv:weight:id:a%201", "csv:weight:id:b"])
    #expect(result.edits.map(\.notes) == ["home", "gym"])
    #expect(result.edits.first?.moment?.zone.description == "+05:30")
  }

  @Test("A header without a date or a metric is refused, with the columns it has")
  func unknownHeader() {
    #expect(refusal("a,b\n1,2\n")?.contains("its columns are 'a', 'b'") == true)
  }

  @Test("A list of exercises is refused as that, since its weight is not the body's")
  func exercises() throws {
    let text = "Date;Exercise;Set Order;Weight;Reps\n2026-01-01;Squat;1;20;5\n"
    #expect(refusal(text)?.hasPrefix("data.csv is a list of exercises: its weights") == true)
  }

  @Test("A column that is there twice is named")
  func repeatedColumn() {
    #expect(refusal("date,weight,weight\n2026-01-01,75,80\n")?.contains("'weight' twice") == true)
  }

  @Test("A header of more than a thousand columns is none")
  func manyColumns() throws {
    func table(_ more: Int) -> String {
      let names = (0..<more).map { ",x\($0)" }.joined()
      return "date,weight\(names)\n2026-01-01,75\(String(repeating: ",1", count: more))\n"
    }
    #expect(try read(table(998)).lines == ["weight 2026-01-01 75"])
    #expect(refusal(table(999)) != nil)
  }
}
