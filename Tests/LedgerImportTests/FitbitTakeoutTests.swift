import LedgerModel
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

  @Test("A folder without such files is no download of Takeout")
  func otherFolder() throws {
    #expect(try TakeoutFiles(folder.path) == nil)
  }
}
