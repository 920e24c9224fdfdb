import LedgerModel
import Testing

@testable import LedgerImport

@Suite struct FitbitImportTests {
  /// Rows of the data set (Furberg et al. 2016, CC BY 4.0), in the layout that a spreadsheet left.
  static let files = [
    "dailyActivity_merged.csv": """
    Id,ActivityDate,TotalSteps,TotalDistance,TrackerDistance,LoggedActivitiesDistance,\
    VeryActiveDistance,ModeratelyActiveDistance,LightActiveDistance,SedentaryActiveDistance,\
    VeryActiveMinutes,FairlyActiveMinutes,LightlyActiveMinutes,SedentaryMinutes,Calories
    1503960366,12-04-2016,13162,8.5,8.5,0,1.879999995,0.550000012,6.059999943,0,25,13,328,728,1985
    1503960366,04-15-2016,9762,6.28000021,6.28000021,0,2.14,1.25999999,2.83,0,29,34,209,726,1745
    """,
    "hourlySteps_merged.csv": """
    Id,Date,ActivityHour,StepTotal
    1503960366,04-12-2016,12:00:00 AM,373
    1503960366,04-12-2016,01:00:00 AM,160
    """,
    "sleepDay_merged.csv": """
    Id,SleepDay,SleepTime,TotalSleepRecords,TotalMinutesAsleep,TotalTimeInBed
    1503960366,12-04-2016,12:00:00 AM,1,327,346
    1503960366,13-04-2016,12:00:00 PM,2,384,407
    1503960366,13-04-2016,12:00:00 PM,2,384,407
    """,
    "weightLogInfo_merged.csv": """
    Id,Date,,WeightKg,WeightPounds,Fat,BMI,IsManualReport,LogId
    1503960366,02-05-2016,11:59:59 PM,52.59999847,115.9631465,22,22.64999962,TRUE,1.46223E+12
    2873212765,21-04-2016,11:59:59 AM,56.70000076,125.0021043,,21.45000076,TRUE,1.46128E+12
    1927972279,13-04-2016,01:08:52 AM,133.5,294.31712,,47.54000092,FALSE,1.46051E+12
    8877689391,30-04-2016,07:49:03 AM,85.5,188.4952342,,25.59000015,FALSE,1.462E+12
    """,
  ]

  static let reconstructed = """
    Id,Date,WeightKg,WeightPounds,Fat,BMI,IsManualReport,LogId
    1503960366,5/2/2016 11:59:59 PM,52.5999984741211,115.963146545323,22,22.6499996185303,True,\
    1462233599000
    8877689391,5/4/2016 6:48:22 AM,84.4000015258789,186.0701,,25.2600002288818,False,1462344502000
    """

  func read(
    _ files: [String: String], person: String = "1503960366", known: [String: Double] = [:]
  ) throws -> ImportResult {
    try FitbitImport.read(
      person: person, window: FitbitStudy.window, context: context(known: known)
    ) { name in files[name].map { source($0, name: name) } }
  }

  @Test("A folder becomes entries once, however often it is imported")
  func aFolderBecomesEntries() throws {
    let result = try read(Self.files)
    #expect(
      result.lines == [
        "distance_km 2016-04-12 8.5", "active_minutes 2016-04-12 366",
        "calories_out 2016-04-12 1985", "distance_km 2016-04-15 6.28000021",
        "active_minutes 2016-04-15 272", "calories_out 2016-04-15 1745",
        "steps 2016-04-12 00:00:00 373", "steps 2016-04-12 01:00:00 160",
        "sleep_hours 2016-04-12 5.45", "sleep_hours 2016-04-13 6.4",
        "weight 2016-05-02 23:59:59 52.59999847", "bmi 2016-05-02 23:59:59 22.64999962",
        "body_fat_percentage 2016-05-02 23:59:59 22",
      ])
    #expect(result.problems.isEmpty)
    #expect(result.duplicates.map(\.row) == [4])
    #expect(
      result.edits.map(\.sourceID).last
        == "fitbit:1503960366:body_fat_percentage:2016-05-02T23:59:59")
    #expect(Set(result.edits.map(\.entry)).count == result.edits.count)
    let again = try read(Self.files, known: known(after: result))
    #expect(again.edits.isEmpty)
    #expect(again.known == result.edits.count)
    #expect(again.problems.isEmpty)
  }

  @Test("A LogId tells AM from PM where it has enough digits")
  func aLogIDTellsAMFromPM() throws {
    #expect(
      try read(Self.files, person: "2873212765").lines == [
        "weight 2016-04-21 23:59:59 56.70000076", "bmi 2016-04-21 23:59:59 21.45000076",
      ])
    #expect(
      try read(Self.files, person: "1927972279").lines.first == "weight 2016-04-13 01:08:52 133.5")
    // This id lost too many digits to tell the halves of a day apart.
    let open = try read(Self.files, person: "8877689391")
    #expect(open.edits.isEmpty)
    #expect(open.problemRows == [5])
  }

  @Test("Reconstructed weights are preferred to the spreadsheet's")
  func theReconstructedWeightsAreBetter() throws {
    var files = Self.files
    files["weightLogInfo_reconstructed.csv"] = Self.reconstructed
    #expect(try read(files).lines.contains("weight 2016-05-02 23:59:59 52.5999984741211"))
    // 4 May or 5 April: the id knows.
    #expect(
      try read(files, person: "8877689391").lines.first
        == "weight 2016-05-04 06:48:22 84.4000015258789")
  }

  @Test("A LogId that contradicts its row is reported")
  func aLogIDThatContradictsItsRowIsReported() throws {
    let text = Self.reconstructed.replacing("6:48:22", with: "6:48:23")
    let result = try read(["weightLogInfo_reconstructed.csv": text], person: "8877689391")
    #expect(result.edits.isEmpty)
    #expect(result.problems.first?.reason.contains("the LogId means another moment") == true)
  }

  @Test("Without hourly steps the day's total counts")
  func withoutHoursTheDayTotalCounts() throws {
    var files = Self.files
    files["hourlySteps_merged.csv"] = nil
    let result = try read(files)
    #expect(result.lines.contains("steps 2016-04-12 13162"))
    #expect(result.notes.contains("hourlySteps_merged.csv: not in the folder"))
  }

  @Test("Steps never count twice, by hours and by day")
  func stepsNeverCountTwiceAcrossFolders() throws {
    var daily = Self.files
    daily["hourlySteps_merged.csv"] = nil
    let total = try read(daily)
    let hours = try read(Self.files, known: known(after: total))
    #expect(!hours.lines.contains { $0.hasPrefix("steps") })
    #expect(hours.problems.map(\.file) == Array(repeating: "hourlySteps_merged.csv", count: 2))
    let first = try read(Self.files)
    let second = try read(daily, known: known(after: first))
    #expect(second.lines == ["steps 2016-04-15 9762"])
    #expect(second.problems.map(\.row) == [2])
  }

  @Test("A bad cell leaves the row's other cells readable")
  func oneBadCellDoesNotCostTheOthers() throws {
    var files = Self.files
    files["dailyActivity_merged.csv"]?.replace("25,13,328", with: "25,,328")
    files["dailyActivity_merged.csv"]?.replace("6.28000021,6.28", with: "-1,6.28")
    let result = try read(files)
    #expect(
      result.problems.map(\.description) == [
        "dailyActivity_merged.csv, row 2: FairlyActiveMinutes is empty",
        "dailyActivity_merged.csv, row 3: TotalDistance: quantity is -1 km; distance_km must be at "
          + "least 0 and less than 1000 km",
      ])
    #expect(result.lines.contains("distance_km 2016-04-12 8.5"))
    #expect(result.lines.contains("active_minutes 2016-04-15 272"))
  }

  @Test("A folder or file that is no data set is an error")
  func whatIsNoDataSetIsAnError() throws {
    #expect(throws: ImportError.self) { try read([:]) }
    #expect(throws: ImportError.self) { try read(Self.files, person: "all") }
    #expect(throws: ImportError.self) { try read(["sleepDay_merged.csv": ""]) }
    #expect(throws: ImportError.self) { try read(["sleepDay_merged.csv": "Id,Date\n"]) }
    #expect(throws: ImportError.self) {
      try FitbitImport.read(directory: "/nowhere", person: "1", context: context())
    }
    let nobody = try read(Self.files, person: "42")
    #expect(nobody.edits.isEmpty)
    #expect(nobody.notes.contains("no row belongs to person 42"))
  }

  @Test("Minutes of sleep become the nearest number of hours")
  func everyMinuteOfSleepBecomesTheNearestHours() throws {
    for minutes in 0...1440 {
      let hours = try CellQuantity.read("\(minutes)", unit: "min", for: .sleepHours, in: "m")
      #expect(abs(hours - Double(minutes) / 60) < 1e-13)
    }
  }
}
