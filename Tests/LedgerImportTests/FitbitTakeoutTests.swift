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
    try FitbitTakeout.read(folder: folder.path, context: context(known: known))
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

  @Test("A sample without a value is left out, with its number in the file")
  func problems() throws {
    try write(
      #"[{"dateTime":"01/31/26 08:00:00"},{"dateTime":"soon","value":1}]"#, to: "steps-1.json")
    #expect(try read().problems.map(\.row) == [1, 2])
  }

  @Test("A folder without such files is refused")
  func otherFolder() {
    #expect(throws: ImportError.self) { try read() }
    #expect(!FitbitTakeout.isFolder(folder.path))
  }
}
