import LedgerModel
import Testing

@testable import LedgerImport

/// Files in the documented form of each vendor (docs/import.md, Vendors), read without an option.
@Suite struct VendorFileTests {
  /// - Parameter offset: the ledger's zone, in minutes east of UTC.
  func read(_ text: String) throws -> ImportResult {
    var context = context()
    context.today = day("2026-11-21")
    return try CSVImport.read(
      recognizing: source(text), rules: VendorRules.all(), context: context)
  }

  func vendor(_ result: ImportResult) -> String? { result.notes.first }

  /// The same file with semicolons and decimal commas, as in Germany, Spain and France.
  func european(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
      guard index > 0 else { return line.replacing(",", with: ";") }
      return line.replacing(",", with: ";").replacing(".", with: ",")
    }.joined(separator: "\n")
  }

  @Test("Every text of the package is a rules file")
  func allRules() throws {
    #expect(try VendorRules.all().count >= VendorRules.names.count)
  }

  @Test("A line that is no rule is refused by its number")
  func wrongRule() {
    #expect(throws: ImportError.self) {
      try CSVRules(parsing: "date Date\nquantity weight Weight\n", name: "x")
    }
  }

  @Test("A weight.csv of Withings is recognized")
  func withings() throws {
    let text = """
      Date,"Weight (kg)","Fat mass (kg)","Bone mass (kg)","Muscle mass (kg)","Hydration (kg)",Comments
      "2026-01-31 07:31:05",75.5,12.1,3.1,57.2,41.3,
      "2026-02-01 07:12:44",75.35,12.0,3.1,57.2,41.3,"after run"
      "2026-02-02 07:10:00",75.1,,,,,
      """
    let result = try read(text)
    #expect(vendor(result) == "data.csv: Withings weight.csv")
    #expect(
      result.lines == [
        "weight 2026-01-31 07:31:05 75.5", "weight 2026-02-01 07:12:44 75.35",
        "weight 2026-02-02 07:10:00 75.1",
      ])
    #expect(result.edits[1].notes == "after run" && result.edits[1].source == "withings")
    #expect(result.problems.isEmpty)
    let german = """
      Datum;"Gewicht (kg)";"Fettmasse (kg)";"Knochenmasse (kg)";"Muskelmasse (kg)";"Wasser (kg)";Kommentare
      2026-01-31 07:31:05;75,5;12,1;3,1;57,2;41,3;
      """
    #expect(try read(german).lines == ["weight 2026-01-31 07:31:05 75.5"])
    let imperial = text.replacing("(kg)", with: "(lb)").replacing("75.5,", with: "166,")
    #expect(try read(imperial).edits.first?.quantity == 75.29633342)
  }

  @Test("Garmin Connect Weight.csv has the date above its rows")
  func garmin() throws {
    let metric = """
      Time,Weight,Change,BMI,Body Fat,Skeletal Muscle Mass,Bone Mass,Body Water,
      " Jul 18, 2026",
      8:28 AM,80.0 kg,0.5 kg,25.0,18.0 %,35.0 kg,3.5 kg,61.0 %,
      " Jul 15, 2026",
      9:46 AM,80.5 kg,0.5 kg,25.0,18.5 %,35.0 kg,3.5 kg,60.5 %,
      8:40 PM,81.0 kg,0.3 kg,--,--,--,--,--,
      """
    let result = try read(metric)
    #expect(vendor(result) == "data.csv: Garmin Connect Weight.csv")
    #expect(
      result.lines == [
        "weight 2026-07-18 08:28:00 80", "bmi 2026-07-18 08:28:00 25",
        "body_fat_percentage 2026-07-18 08:28:00 18", "weight 2026-07-15 09:46:00 80.5",
        "bmi 2026-07-15 09:46:00 25", "body_fat_percentage 2026-07-15 09:46:00 18.5",
        "weight 2026-07-15 20:40:00 81",
      ])
    #expect(result.problems.isEmpty)
    let imperial = try read(
      "Time,Weight,Change,BMI,Body Fat,Skeletal Muscle Mass,Bone Mass,Body Water,\n"
        + "\" 21 Sep 2023\",\n17:08,180 lbs,0.9 lbs,24.6,21.5 %,70 lbs,8 lbs,57.3 %,\n")
    #expect(imperial.lines.first == "weight 2023-09-21 17:08:00 81.6466266")
  }

  @Test("Garmin Connect Sleep.csv has its dates in the column of a score, and no moments")
  func garminSleep() throws {
    func read(_ date: String, _ rows: String) throws -> ImportResult {
      try self.read(
        "\(date),Score,Resting Heart Rate,Body Battery,Pulse Ox,Respiration,HRV Status,Quality,"
          + "Duration,Sleep Need,Bedtime,Wake Time\n" + rows)
    }
    let result = try read(
      "Sleep Score 4 Weeks",
      "2026-11-07,88,53,72,96.18,14.63,34,Good,7h 30min,8h 0min,11:14 PM,7:20 AM\n"
        + "2026-11-06,--,--,--,--,--,--,--,--,--,--,--\n")
    #expect(vendor(result) == "data.csv: Garmin Connect Sleep.csv")
    #expect(
      result.lines == ["sleep_hours 2026-11-07 7.5", "resting_heart_rate 2026-11-07 53"],
      "\(result.lines)")
    #expect(result.problems.isEmpty)
    let week = try read(
      "Sleep Score 7 Days",
      "\"Nov 7, 2026\",76,52,+35,97,15,48,Good,5h 8min,9h 0min,12:31 AM,6:04 AM\n")
    #expect(week.edits.count == 2 && week.problems.isEmpty, "\(week.problems)")
  }

  @Test(
    "A score of Garmin Connect's name is no date beside a date, nor in another column",
    arguments: [
      "Date,Duration,Sleep Score 4 Weeks,Steps\n2026-11-07,7h 30min,88,5000\n",
      "Sleep Score 4 Weeks,Duration,Date,Steps\n88,7h 30min,2026-11-07,5000\n",
      "Timestamp,Sleep Score 7 Days,Duration,Steps\n2026-11-07,88,7h 30min,5000\n",
    ])
  func otherScores(_ text: String) throws {
    let result = try read(text)
    #expect(result.lines.contains("steps 2026-11-07 5000"), "\(result.lines) \(result.problems)")
    #expect(!result.notes.contains { $0.contains("Garmin") })
  }

  @Test("Samsung Health has times in UTC with their offset, and its days by source")
  func samsung() throws {
    let weight = """
      com.samsung.health.weight,7006003,12
      start_time,weight,body_fat,skeletal_muscle_mass,time_offset,datauuid
      2018-11-29 22:54:00.000,90.0,,,UTC+0100,a04ec306-ed98-460e-853f-629b404d0757,
      2026-08-31 06:29:10.346,65.6,10.8,37.7,UTC+0200,f631923e-bc08-404a-8d0c-9468aa4dee00,
      """
    let result = try read(weight)
    #expect(
      result.lines == [
        "weight 2018-11-29 23:54:00 90", "weight 2026-08-31 08:29:10 65.6",
        "body_fat_percentage 2026-08-31 08:29:10 10.8",
      ])
    #expect(result.edits[0].sourceID == "csv:weight:id:a04ec306-ed98-460e-853f-629b404d0757")
    #expect(result.problems.isEmpty)
    let steps = try read(
      "com.samsung.shealth.step_daily_trend,1,1\nday_time,source_type,count,distance,calorie,\n"
        + "2024-06-01 00:00:00.000,-2,5000,3456.5,210.5,\n2024-06-01 00:00:00.000,0,3000,2000,100,\n"
        + "1717286400000,-2,900,600,30,\n")
    #expect(
      steps.lines == [
        "steps 2024-06-01 5000", "distance_km 2024-06-01 3.4565", "calories_out 2024-06-01 210.5",
        "steps 2024-06-02 900", "distance_km 2024-06-02 0.6", "calories_out 2024-06-02 30",
      ])
  }

  @Test("A refusal names the vendor's columns that a file lacks")
  func missingColumns() throws {
    let error = #expect(throws: ImportError.self) {
      try CSVImport.read(
        source("Date,Weight,Body Fat\n2026-01-31,80,20\n"),
        rules: VendorRules.named("renpho", in: ""),
        context: context())
    }
    #expect(error?.description.contains("of Renpho: no 'Subcutaneous Fat'; its") == true)
  }

  @Test("Oura has durations in seconds")
  func oura() throws {
    let text = """
      date,Sleep Score,Total Sleep Duration,Average Resting Heart Rate,Activity Burn,Steps
      2026-01-31,81,27000,52.5,412,9000
      2026-02-01,75,25200,53.25,380,8000
      """
    let lines = [
      "sleep_hours 2026-01-31 7.5", "resting_heart_rate 2026-01-31 52.5", "steps 2026-01-31 9000",
      "calories_out 2026-01-31 412", "sleep_hours 2026-02-01 7",
      "resting_heart_rate 2026-02-01 53.25", "steps 2026-02-01 8000", "calories_out 2026-02-01 380",
    ]
    #expect(try read(text).lines == lines)
    #expect(try read(european(text)).lines == lines)
  }

  @Test("Oura's daily activity is of its day, not of the moment it was made")
  func ouraActivity() throws {
    let result = try read(
      "id;active_calories;contributors;day;score;steps;timestamp;total_calories\n"
        + "d1;420;\"{}\";2026-10-05;88;9100;2026-10-05T04:00:00+02:00;2400\n")
    #expect(result.lines == ["steps 2026-10-05 9100", "calories_out 2026-10-05 420"])
  }

  @Test("Oura's bedtimes make sessions")
  func ouraBedtimes() throws {
    let text = """
      date,Total Sleep Duration,Bedtime Start,Bedtime End,Average Resting Heart Rate
      2026-01-31,27000,2026-01-30T23:04:12.000-08:00,2026-01-31T07:04:12.000-08:00,52.5
      """
    let result = try read(text)
    #expect(result.lines == ["resting_heart_rate 2026-01-31 52.5"])
    #expect(result.nights == ["2026-01-30T23:04:12-08:00 2026-01-31T07:04:12-08:00 27000"])
    #expect(
      result.sessions.first?.sourceID == "csv:sleep:2026-01-31T07:04:12Z/2026-01-31T15:04:12Z")
  }

  @Test("A night that an earlier import logged as hours stays so")
  func hoursBefore() throws {
    let text =
      "Start;End;Sleep quality;Time in bed;Wake up\n"
      + "2019-01-29 22:52:48;2019-01-30 06:47:35;93%;7:54;\n"
      + "2019-01-30 22:01:55;2019-01-31 05:58:10;75%;7:56;\n"
      + "2019-01-30 22:01:55;2019-01-31 05:58:10;75%;7:56;\n"
    var context = context(known: ["sleep-cycle csv:sleep_hours:2019-01-30": 7.9])
    context.today = day("2026-11-21")
    let result = try CSVImport.read(
      recognizing: source(text), rules: VendorRules.all(), context: context)
    #expect(result.edits.isEmpty && result.knownEntries == [.sleepHours: 1])
    #expect(result.sessions.count == 1 && result.duplicates.count == 1)
  }

  @Test("More sleep than the session is long is left out")
  func tooMuchSleep() throws {
    let result = try read(
      "Start;End;Sleep quality;Time in bed\n2026-01-30 23:00:00;2026-01-31 06:00:00;93%;7:54\n")
    #expect(result.sessions.isEmpty && result.problemRows == [2])
  }

  @Test("Each row of Sleep Cycle is a session")
  func sleepCycle() throws {
    let old = try read(
      "Start;End;Sleep quality;Time in bed;Wake up;Sleep Notes;Heart rate;Activity (steps)\n"
        + "2019-01-29 22:52:48;2019-01-30 06:47:35;93%;7:54;:);Worked out;0;0\n"
        + "2019-01-30 22:01:55;2019-01-31 05:58:10;75%;7:56;;;0;0\n")
    #expect(
      old.nights == [
        "2019-01-29T22:52:48+02:00 2019-01-30T06:47:35+02:00 28440",
        "2019-01-30T22:01:55+02:00 2019-01-31T05:58:10+02:00 28560",
      ])
    let new = try read(
      "Start;End;Sleep Quality;Regularity;Time in bed (seconds);Time asleep (seconds);Steps\n"
        + "2026-01-30 22:52:48;2026-01-31 06:47:35;93%;80%;28487.0;27000.0;400\n")
    #expect(new.nights == ["2026-01-30T22:52:48+02:00 2026-01-31T06:47:35+02:00 27000"])
    #expect(new.sessions.first?.stages.map(\.stage) == [.asleep, .inBed])
    #expect(new.edits.isEmpty)
  }

  @Test("Older and newer files of Renpho are recognized")
  func renpho() throws {
    let newer = try read(
      "Date,Time,Weight(kg),BMI,Body Fat(%),Skeletal Muscle(%),Subcutaneous Fat(%),Visceral Fat,"
        + "Body Water(%),Protein(%),Remarks\n"
        + "2025.12.03,10:11:50,75.50,23.4,18.2,50,16,7,59,18.6,--\n"
        + "2025.12.04,10:12:00,75.10,23.3,--,--,--,--,--,--,--\n")
    #expect(
      newer.lines == [
        "weight 2025-12-03 10:11:50 75.5", "bmi 2025-12-03 10:11:50 23.4",
        "body_fat_percentage 2025-12-03 10:11:50 18.2", "weight 2025-12-04 10:12:00 75.1",
        "bmi 2025-12-04 10:12:00 23.3",
      ])
    let older = try read(
      "Time of Measurement,Weight(lb),BMI,Body Fat(%),Fat-free Body Weight(lb),Subcutaneous Fat(%)\n"
        + "\"Mar 31, 2021 7:01:26 AM\",180.00,24.4,20.0,144,17\n")
    #expect(older.lines.first == "weight 2021-03-31 07:01:26 81.6466266")
  }

  @Test("openScale writes 0.0 for what was not measured")
  func openScale() throws {
    let text = """
      "biceps","bone","caliper1","comment","dateTime","fat","hip","muscle","water","weight"
      0.0,11.65,0.0,"","2025-08-11 23:48",15.5,0.0,43.3,59.4,74.95
      0.0,0.0,0.0,"","2025-08-10 19:45",0.0,0.0,0.0,0.0,74.3
      """
    let result = try read(text)
    #expect(
      result.lines == [
        "weight 2025-08-11 23:48:00 74.95", "body_fat_percentage 2025-08-11 23:48:00 15.5",
        "weight 2025-08-10 19:45:00 74.3",
      ])
    #expect(result.problems.isEmpty)
  }

  @Test("The Fitbit site's file has a table for each kind of data")
  func fitbit() throws {
    let english = """
      Body
      Date,Weight,BMI,Fat
      "2026-01-31","75.5","23.4","18"

      Foods
      Date,Calories In
      "2026-01-31","2,150"

      Activities
      Date,Calories Burned,Steps,Distance,Floors,Minutes Sedentary,Minutes Lightly Active,Minutes Fairly Active,Minutes Very Active,Activity Calories
      "2026-01-31","2,345","10,123","7.54","12","600","200","20","35","1,100"

      Sleep
      Start Time,End Time,Minutes Asleep,Minutes Awake,Number of Awakenings,Time in Bed
      "2026-01-30 11:31PM","2026-01-31 7:30AM","450","20","3","479"
      """
    let expected: Set = [
      "weight 2026-01-31 75.5", "bmi 2026-01-31 23.4", "body_fat_percentage 2026-01-31 18",
      "calories_in 2026-01-31 2150", "steps 2026-01-31 10123", "distance_km 2026-01-31 7.54",
      "calories_out 2026-01-31 2345", "active_minutes 2026-01-31 255",
    ]
    let result = try read(english)
    #expect(Set(result.lines) == expected)
    #expect(result.nights == ["2026-01-30T23:31:00+02:00 2026-01-31T07:30:00+02:00 27000"])
    #expect(result.problems.isEmpty)
    let german = english.replacing("2,150", with: "2.150").replacing("2,345", with: "2.345")
      .replacing("10,123", with: "10.123").replacing("7.54", with: "7,54")
      .replacing("1,100", with: "1.100").replacing("75.5", with: "75,5")
      .replacing("23.4", with: "23,4")
    #expect(Set(try read(german).lines) == expected)
  }

  @Test("Google Fit's daily metrics have metres and 16 digits")
  func googleFit() throws {
    let text = """
      Date,Move Minutes count,Calories (kcal),Distance (m),Heart Points,Step count,Average weight (kg)
      2026-01-31,30,1825.4321234567891,4213.987654321098,12,5321,75.5
      2026-02-01,,1700.5,1000.25,,1200,
      """
    let lines = [
      "steps 2026-01-31 5321", "distance_km 2026-01-31 4.2139876543211",
      "calories_out 2026-01-31 1825.43212345679", "active_minutes 2026-01-31 30",
      "weight 2026-01-31 75.5", "steps 2026-02-01 1200", "distance_km 2026-02-01 1.00025",
      "calories_out 2026-02-01 1700.5",
    ]
    let result = try read(text)
    #expect(result.lines == lines)
    #expect(result.notes.contains { $0.contains("2 numbers were rounded") })
    #expect(try read(european(text)).lines == lines)
  }

  @Test("A scale's water and protein are shares of the body, not drinks and foods")
  func scaleShares() throws {
    let result = try read("date,weight,water,protein,Protein (%)\n2026-01-31,75.5,48.1,18,18\n")
    #expect(result.lines == ["weight 2026-01-31 75.5"])
  }
}
