import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// Input that is probably a mistake.
@Suite(.blocks) struct DoubtTests {
  let ledger: TestLedger

  init() throws { ledger = try TestLedger() }

  /// The day after tomorrow, which is in the future in every zone.
  private var later: String {
    String(Date().addingTimeInterval(2 * 86_400).ISO8601Format().prefix(10))
  }

  private func expectDoubt(_ words: [String], _ code: String) throws {
    let before = try ledger.bytes()
    let refused = try Executable.ledger.run(words + ["--json"], in: ledger.folder.path)
    #expect(refused.code == 2)
    let error = try JSONValue(parsing: Array(refused.error.utf8)).object?["error"]?.object
    #expect(error?["code"]?.string == code)
    #expect(error?["hint"]?.string?.contains("--yes") == true)
    #expect(try ledger.bytes() == before)
    let logged = try Executable.ledger.run(words + ["--yes"], in: ledger.folder.path)
    #expect(logged.code == 0 && logged.error.isEmpty)
    #expect(try ledger.bytes() != before)
  }

  @Test(
    "An unusual quantity is refused without a terminal, and logged with --yes",
    arguments: [
      ["append", "weight", "7.5"], ["append", "height", "1.8"], ["append", "steps", "900000"],
      ["append", "sleep", "23"], ["append", "weight", "44lb"],
      ["append", "physical", "--height-cm", "1.80"],
      ["append", "goal", "weight", "7", "--by", "2999-01-01"],
      ["append", "goal", "steps", "900000", "--daily"],
      ["append", "goal", "steps", "0", "--daily"],
      ["append", "sleep", "2026-01-22 20:00", "2026-01-23 16:00"],
      ["append", "sleep", "2026-01-22 07:00", "2026-01-22 23:00"], ["append", "rhr", "120"],
      ["append", "height", "5.11ft"], ["append", "physical", "--height-cm", "5.10'"],
    ])
  func unusualQuantity(_ words: [String]) throws {
    try expectDoubt(words, "implausible")
  }

  @Test("A session that becomes unusually long is refused without a terminal")
  func longCorrection() throws {
    try ledger.must("append", "sleep", "2026-01-22 23:00", "2026-01-23 07:00")
    try expectDoubt(["edit", "2", "--end", "2026-01-23 19:00"], "implausible")
    // Its notes change nothing about its length.
    try ledger.must("edit", "2", "--notes", "flu")
  }

  @Test("A time of today that is still to come may be one of yesterday")
  func laterToday() throws {
    let ledger = try TestLedger()
    // In one of these zones the day has more than an hour left.
    let answers = try ["UTC", "Asia/Tokyo"].map { zone in
      try ledger.run("append", "weight", "75", "--time", "23:59", zone: zone)
    }
    let refused = answers.filter { $0.code != 0 }
    #expect(!refused.isEmpty)
    for answer in refused {
      #expect(
        answer.error.contains("for yesterday give --date yesterday; if it is right, give --yes"),
        "\(answer.error)")
    }
  }

  @Test("A moment in the future is refused without a terminal, and logged with --yes")
  func future() throws {
    try expectDoubt(["append", "weight", "75", "--date", "2150-01-01"], "in-future")
    try expectDoubt(
      ["append", "weight", "75", "--date", later, "--time", "00:10"], "in-future")
    try expectDoubt(["append", "sleep", "\(later)T00:10", "\(later)T07:00"], "in-future")
  }

  @Test("A sleep session over another is refused without a terminal, and logged with --yes")
  func overlap() throws {
    try ledger.must("append", "sleep", "2026-01-22 23:00", "2026-01-23 07:00")
    try expectDoubt(["append", "sleep", "2026-01-23 06:59", "2026-01-23 09:00"], "overlapping")
    // From 22:00 to 23:30.
    try expectDoubt(
      ["append", "sleep", "2026-01-23T12:00+14:00", "2026-01-23T13:30+14:00"],
      "overlapping")
    try ledger.must("rm", "2..4")
    try ledger.must("append", "sleep", "2026-01-22 21:00", "2026-01-22 23:00")
    // Event 9 is before that session, and may not be moved into it.
    try ledger.must("append", "sleep", "2026-01-22 19:00", "2026-01-22 20:00")
    try expectDoubt(["edit", "9", "--end", "2026-01-22 21:30"], "overlapping")
    // As before, and shorter: nothing new.
    try ledger.must("edit", "9", "--end", "2026-01-22 21:20")
  }

  @Test("Hours of sleep that count nowhere or exceed a day are refused, and logged with --yes")
  func hoursOfSleep() throws {
    try ledger.must("append", "sleep", "8h", "--date", "2026-01-20")
    try ledger.must("append", "sleep", "16h", "--date", "2026-01-20", "--yes")
    try expectDoubt(["append", "sleep", "0.5h", "--date", "2026-01-20"], "implausible")
    try ledger.must("append", "sleep", "2026-01-22 23:00", "2026-01-23 03:00")
    try expectDoubt(["append", "sleep", "2h", "--date", "2026-01-23"], "overlapping")
    try ledger.must("append", "sleep", "2h", "--date", "2026-01-22")
  }

  @Test("A correction is doubted like an entry, where it changes the value")
  func corrections() throws {
    let entry = try ledger.logged("19", "--yes")
    try expectDoubt(["append", "correction", entry, "--quantity", "1"], "implausible")
    try expectDoubt(["append", "correction", entry, "--date", "2150-01-01"], "in-future")
    let notes = try ledger.run("append", "correction", entry, "--notes", "a child")
    #expect(notes.code == 0)
  }

  @Test("A destructive command is not suggested", arguments: ["delet-account", "eras", "dlete"])
  func suggestions(_ word: String) throws {
    let result = try ledger.run(word, "5")
    #expect(result.code == 2)
    #expect(!result.error.contains("erase'") && !result.error.contains("delete-account'"))
  }
}
