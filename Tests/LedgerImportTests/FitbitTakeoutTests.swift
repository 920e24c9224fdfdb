import LedgerModel
import LedgerPlatform
import LedgerTestSupport
import Testing

@testable import LedgerImport

@Suite struct FitbitTakeoutTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ text: String, to name: String) throws {
    try folder.write(Array(text.utf8), to: "\(folder.path)/\(name)")
  }

  private func read(known: [String: Double] = [:]) throws -> ImportResult {
    let files = try #require(try TakeoutFiles(folder.path))
    return try FitbitTakeout.read(files, context: context(known: known))
  }

  @Test("Minutes in UTC become sums of local hours and days, across files")
  func sums() throws {
    try write(
      #"[{"dateTime":"01/30/26 22:10:00","value":"10"},{"dateTime":"01/30/26 22:11:00","value":"5"},"#
        + #"{"dateTime":"01/30/26 21:59:00","value":"7"}]"#, to: "steps-2026-01-01.json")
    try write(
      #"[{"dateTime":"01/30/26 22:50:00","value":"3"},{"dateTime":"01/30/26 23:00:00","value":"0"}]"#,
      to: "steps-2026-01-31.json")
    try write(
      #"[{"dateTime":"01/31/26 08:00:00","value":"150000"},{"dateTime":"01/31/26 09:00:00","#
        + #""value":"250000"}]"#, to: "distance-2026-01-01.json")
    try write(
      #"[{"dateTime":"01/31/26 00:00:00","value":"20"}]"#, to: "very_active_minutes-2026-01-01.json"
    )
    try write(
      #"[{"dateTime":"01/31/26 00:00:00","value":"15"}]"#,
      to: "moderately_active_minutes-2026-01-01.json")
    try write(
      #"[{"dateTime":"01/31/26 00:00:00","value":{"date":"01/31/26","value":61.5,"error":6.1}},"#
        + #"{"dateTime":"02/01/26 00:00:00","value":{"date":"02/01/26","value":0,"error":0}}]"#,
      to: "resting_heart_rate-2026-01-01.json")
    try write("[]", to: "altitude-2026-01-01.json")
    let result = try read()
    #expect(
      Set(result.lines) == [
        "steps 2026-01-31 00:00:00 18", "steps 2026-01-30 23:00:00 7", "distance_km 2026-01-31 4",
        "active_minutes 2026-01-31 35", "resting_heart_rate 2026-01-31 61.5",
      ])
    #expect(result.problems.isEmpty)
    let again = try read(known: known(after: result))
    #expect(again.edits.isEmpty && again.known == 5)
  }

  @Test("Midnight of a zone with half an hour divides an hour of UTC")
  func halfHours() throws {
    let samples =
      #"[{"dateTime":"03/01/26 18:29:00","value":"10"},{"dateTime":"03/01/26 18:31:00","value":"100"}]"#
    try write(samples, to: "calories-2026-03-01.json")
    try write(samples, to: "steps-2026-03-01.json")
    func read(_ known: [String: Double] = [:]) throws -> ImportResult {
      let files = try #require(try TakeoutFiles(folder.path))
      return try FitbitTakeout.read(files, context: context(known: known, offsetMinutes: 330))
    }
    let result = try read()
    #expect(
      Set(result.lines) == [
        "calories_out 2026-03-01 10", "calories_out 2026-03-02 100",
        "steps 2026-03-01 23:30:00 10", "steps 2026-03-02 00:00:00 100",
      ])
    let again = try read(known(after: result))
    #expect(again.edits.isEmpty && again.known == 4)
  }

  /// A night from 23:10 to 00:10 with a short waking, and a nap without stages.
  private static let sleep = #"""
    [{"logId":111,"dateOfSleep":"2026-01-31","startTime":"2026-01-30T23:10:30.000",
      "endTime":"2026-01-31T00:10:30.000","duration":3600000,"minutesAsleep":48,"levels":{
      "data":[{"dateTime":"2026-01-30T23:10:30.000","level":"wake","seconds":600},
        {"dateTime":"2026-01-30T23:20:30.000","level":"light","seconds":1200},
        {"dateTime":"2026-01-30T23:40:30.000","level":"deep","seconds":1500},
        {"dateTime":"2026-01-31T00:05:30.000","level":"rem","seconds":300}],
      "shortData":[{"dateTime":"2026-01-30T23:30:30.000","level":"wake","seconds":120}]}},
     {"logId":112,"dateOfSleep":"2026-01-31","startTime":"2026-01-31T14:00:00.000",
      "endTime":"2026-01-31T14:40:00.000","duration":2400000,"levels":{
      "data":[{"dateTime":"2026-01-31T14:00:00.000","level":"asleep","seconds":1800},
        {"dateTime":"2026-01-31T14:30:00.000","level":"restless","seconds":600}]}},
     {"logId":113,"startTime":"soon"}]
    """#

  @Test("Sleep logs become sessions, with short wakings over their levels")
  func sleepSessions() throws {
    try write(Self.sleep, to: "sleep-2026-01-01.json")
    let result = try read()
    #expect(
      result.nights == [
        "2026-01-30T23:10:30+02:00 2026-01-31T00:10:30+02:00 2880",
        "2026-01-31T14:00:00+02:00 2026-01-31T14:40:00+02:00 1800",
      ])
    #expect(
      result.sessions[0].stages.map { "\($0.stage.rawValue) \($0.start.moment.time)" } == [
        "awake 23:10:30", "core 23:20:30", "awake 23:30:30", "core 23:32:30", "deep 23:40:30",
        "rem 00:05:30",
      ])
    #expect(result.sessions.map(\.sourceID) == ["takeout:sleep:111", "takeout:sleep:112"])
    #expect(result.problemRows == [3])
    try write(Self.sleep, to: "sleep-2026-01-31.json")
    #expect(try read().nights == result.nights)
    let hours = ["fitbit csv:sleep_hours:2026-01-31": 7.5]
    #expect(try read(known: hours).sessions.isEmpty)
  }

  @Test("A sample without a value is left out, with its number in the file")
  func problems() throws {
    try write(
      #"[{"dateTime":"01/31/26 08:00:00"},{"dateTime":"soon","value":1}]"#, to: "steps-1.json")
    #expect(try read().problems.map(\.row) == [1, 2])
  }

  private func samples(_ date: String, _ value: Int) -> String {
    let minutes = (0..<24).map {
      #"{"dateTime":"\#(date) \#("\(100 + $0)".dropFirst()):00:00","value":"\#(value)"}"#
    }
    return "[" + minutes.joined(separator: ",") + "]"
  }

  @Test("Google Fit counts only on days that Fitbit did not count")
  func fit() throws {
    try write(samples("01/04/26", 400), to: "steps-2026-01-04.json")
    try write(samples("01/05/26", 400), to: "steps-2026-01-05.json")
    try write(
      "Date,Heart Points,Step count,Average weight (kg)\n2026-01-05,5,9600,80\n2026-01-07,5,8000,80\n",
      to: "Daily activity metrics.csv")
    let result = try read()
    #expect(
      result.lines.filter { !$0.contains(":00:00") }.sorted() == [
        "steps 2026-01-07 8000", "weight 2026-01-05 80", "weight 2026-01-07 80",
      ])
    #expect(
      result.skipped.lines.map { "\($0.count) \($0.type): \($0.reason)" } == [
        "1 Google Fit's steps: Fitbit counted the same day"
      ])
    let again = try read(known: known(after: result))
    #expect(again.edits.isEmpty && again.growths.isEmpty)
  }

  @Test(
    "A day whose only sample is refused is not counted by Fitbit",
    arguments: ["nan", "99999999", "0x10", "inf"])
  func refusedSample(_ value: String) throws {
    try write(
      #"[{"dateTime":"01/05/26 08:00:00","value":"\#(value)"}]"#, to: "steps-2026-01-05.json")
    try write(
      "Date,Heart Points,Step count\n2026-01-05,5,5000\n", to: "Daily activity metrics.csv")
    let result = try read()
    #expect(result.lines == ["steps 2026-01-05 5000"])
    #expect(result.problemRows == [1])
  }

  @Test(
    "Of a day of which Fitbit's files have a part, the larger sum counts",
    arguments: [3000, 12_000])
  func fitOnTheLastDay(_ steps: Int) throws {
    try write(samples("01/04/26", 400), to: "steps-2026-01-04.json")
    try write(samples("01/05/26", 400), to: "steps-2026-01-05.json")
    // Of 6 January, Fitbit has the first two hours in UTC+2, with 800 steps; of 4 January all but two.
    try write(
      "Date,Heart Points,Step count\n2026-01-04,5,\(steps)\n2026-01-05,5,12000\n2026-01-06,5,\(steps)\n",
      to: "Daily activity metrics.csv")
    let files = try TakeoutFiles(folder.path)
    let result = try read(files)
    var sums: [CalendarDate: Double] = [:]
    for edit in result.edits { sums[edit.date, default: 0] += edit.quantity }
    let larger = Double(steps)
    #expect(
      sums == [
        day("2026-01-04"): max(larger, 8800), day("2026-01-05"): 9600, day("2026-01-06"): larger,
      ])
    #expect(try read(files, after: result).edits.isEmpty)
    // What the ledger has of Fitbit stays, without Google Fit's sum.
    let earlier = knownEntries(
      after: try read(TakeoutFiles(folder.path + "/steps-2026-01-05.json")))
    let later = try read(files, known: earlier)
    #expect(later.edits.allSatisfy { $0.date != day("2026-01-06") })
  }

  /// The parts of a day that is cut at midnight in UTC, two hours after its own.
  private func parts() throws -> (first: String, second: String) {
    let (first, second) = ("\(folder.path)/takeout-001", "\(folder.path)/takeout-002")
    for path in [first, second] { mkdir(path, 0o700) }
    try write(samples("01/04/26", 100), to: "takeout-001/calories-2026-01-01.json")
    try write(samples("01/05/26", 100), to: "takeout-002/calories-2026-01-05.json")
    return (first, second)
  }

  private func read(_ files: TakeoutFiles?, after earlier: ImportResult...) throws -> ImportResult {
    var known: [String: KnownEntry] = [:]
    for result in earlier { known.merge(knownEntries(after: result)) { $1 } }
    return try read(files, known: known)
  }

  private func read(
    _ files: TakeoutFiles?, known: [String: KnownEntry]
  ) throws -> ImportResult {
    var context = context(
      known: Dictionary(
        uniqueKeysWithValues: known.map { id, entry in
          ("\(id.hasPrefix("csv:") ? "google-fit" : "fitbit") \(id)", entry.quantity)
        }))
    context.knownEntry = { _, id in known[id] }
    return try FitbitTakeout.read(try #require(files), context: context)
  }

  @Test("Two files of the same time are refused, since they would count twice")
  func copies() throws {
    let (first, _) = try parts()
    try write(samples("01/04/26", 100), to: "takeout-001/calories-2026-01-01 (1).json")
    #expect(throws: ImportError.self) { try TakeoutFiles(first) }
  }

  @Test("Several parts of a download are one import")
  func severalParts() throws {
    let (first, second) = try parts()
    let result = try read(TakeoutFiles(parts: [first, second]))
    #expect(
      Set(result.lines) == [
        "calories_out 2026-01-04 2200", "calories_out 2026-01-05 2400",
        "calories_out 2026-01-06 200",
      ])
    #expect(result.warnings.isEmpty)
    #expect(try TakeoutFiles(parts: [first, folder.path]) == nil)
  }

  @Test("Parts that have the same file are refused with its name")
  func sharedFile() throws {
    let (first, second) = try parts()
    try write(samples("01/05/26", 300), to: "takeout-002/calories-2026-01-01.json")
    let error = #expect(throws: ImportError.self) { try TakeoutFiles(parts: [first, second]) }
    #expect(
      error?.description
        == "'takeout-001' and 'takeout-002' both have 'calories-2026-01-01.json', so they are not parts "
        + "of one Takeout; leave out one of them")
  }

  @Test(
    "A part of a day whose other part the ledger has is asked about, unless it was imported before")
  func partsOfDays() throws {
    let (first, second) = try parts()
    let (one, two) = (try read(TakeoutFiles(first)), try read(TakeoutFiles(second)))
    #expect(one.warnings.isEmpty && two.warnings.isEmpty)
    let sentence =
      "the import has only a part of the calories_out of 1 day, such as 2026-01-05 with 2200 kcal, "
      + "where the ledger has 200 kcal; the larger would stay, not the sum: give all zips of a Takeout "
      + "to one import"
    #expect(try read(TakeoutFiles(second), after: one).warnings == [sentence])
    #expect(try read(TakeoutFiles(first), after: two).warnings.count == 1)
    let whole = try read(TakeoutFiles(parts: [first, second]))
    #expect(try read(TakeoutFiles(first), after: whole).warnings.isEmpty)
    #expect(try read(TakeoutFiles(second), after: whole).warnings.isEmpty)
    #expect(try read(TakeoutFiles(parts: [first, second]), after: one).warnings.isEmpty)
  }

  @Test("A sample that is in the files twice counts once")
  func repeatedSamples() throws {
    try write(samples("01/05/26", 100), to: "steps-2026-01-05.json")
    try write(
      #"[{"dateTime":"01/05/26 23:00:00","value":"100"},{"dateTime":"01/06/26 00:00:00","value":"7"},"#
        + #"{"dateTime":"01/06/26 00:00:00","value":"7"}]"#, to: "steps-2026-01-06.json")
    let result = try read()
    #expect(result.edits.reduce(0) { $0 + $1.quantity } == 2407)
    #expect(
      result.skipped.lines.map { "\($0.count) \($0.type): \($0.reason)" } == [
        "2 steps: another sample of its minute came before"
      ])
  }

  @Test("A file of a download is read without its folder")
  func singleFile() throws {
    try write(samples("01/05/26", 100), to: "steps-2026-01-05.json")
    #expect(try read(TakeoutFiles("\(folder.path)/steps-2026-01-05.json")).edits.count == 24)
    try write(#"[{"type":"weight","quantity":80,"date":"2026-01-01"}]"#, to: "weight-2026.json")
    #expect(try TakeoutFiles("\(folder.path)/weight-2026.json") == nil)
  }

  @Test("The usual quantity is that of sums, not of their parts")
  func usualOfSums() throws {
    try write(
      "["
        + (0..<9).flatMap { hour in
          (10..<60).map {
            #"{"dateTime":"01/05/26 0\#(hour):\#($0):00","value":"\#($0 < 59 ? 1 : 400)"}"#
          }
        }.joined(separator: ",") + "]", to: "steps-2026-01-05.json")
    let result = try read()
    let review = try ImportReview(
      result, usual: [:], today: day("2026-11-21"), units: { .metric })
    #expect(result.edits.count == 9 && review.warnings.isEmpty)
    // Nor of the parts of sums that the ledger has.
    try write(samples("01/05/26", 10), to: "calories-2026-01-05.json")
    try write(
      "Date,Heart Points,Step count,Calories (kcal)\n2026-01-08,5,9600,2400\n",
      to: "Daily activity metrics.csv")
    let known = try read(known: known(after: read()).filter { !$0.key.hasPrefix("google-fit") })
    let again = try ImportReview(
      known, usual: [:], today: day("2026-11-21"), units: { .metric })
    #expect(known.edits.count == 2 && again.warnings.isEmpty)
  }

  @Test("Files of health data that are not read are named, those of many days as one")
  func unread() throws {
    let fitbit = "\(folder.path)/Fitbit"
    try #require(mkdir(fitbit, 0o700) == 0)
    for name in [
      "steps-2026-01-04.json", "heart_rate-2026-01-04.json", "heart_rate-2026-01-05.json",
      "2026-01-04.csv", "sleep_score.csv", "readme.txt",
    ] {
      try write("[]", to: "Fitbit/\(name)")
    }
    try write("[]", to: "mail.json")
    #expect(
      try read().notes == [
        "not read, as no importer knows them: 'Fitbit/*.csv', 'heart_rate-*.json', 'sleep_score.csv'"
      ])
  }

  @Test("A folder without such files is no download of Takeout")
  func otherFolder() throws {
    #expect(try TakeoutFiles(folder.path) == nil)
  }
}
