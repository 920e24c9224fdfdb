import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// `diff`, `blame` and words for time, by the built program.
@Suite(.blocks) struct TimeTravelTests {
  let ledger: TestLedger

  init() throws {
    ledger = try TestLedger()
    try ledger.must("append", "profile", "--name", "Ada")
    try ledger.must("append", "weight", "76", "--date", "2026-01-02", "--notes", "with shoes")
    try ledger.must("append", "correction", "3", "--quantity", "75.5")
  }

  private func json(_ arguments: String...) throws -> JSONValue {
    let result = try Executable.ledger.run(arguments + ["--json"], in: ledger.folder.path)
    try #require(result.code == 0, "\(arguments): \(result.error)")
    return try JSONValue(parsing: Array(result.output.utf8.dropLast()))
  }

  @Test("diff and blame show what changed and who changed it")
  func whatChangedAndWhoChangedIt() throws {
    let before = try ledger.bytes()
    let entry = try #require(json("diff", "3", "now").object?["entries"]?.array?.first?.object)
    #expect(entry["change"] == "corrected" && entry["seq"] == 3)
    #expect(entry["before"]?.object?["quantity"] == 76)
    #expect(entry["after"]?.object?["quantity"] == 75.5)
    let values = try #require(json("blame", "3").array).compactMap(\.object)
    let seqs = values.filter { $0["value"] != .null }.map { "\($0["field"]!) \($0["seq"]!)" }
    #expect(seqs.count == 4 && values[1]["seq"] == 4 && values[0]["seq"] == 3)
    #expect(values[1]["device"] == "test" && values[1]["source"] == "edit")
    let name = try #require(json("blame", "profile.name").array?.first?.object)
    #expect(name["value"] == "Ada" && name["seq"] == 2)
    #expect(try ledger.bytes() == before)
  }

  @Test(
    "The story of a moment ends where it is asked to, in every zone",
    arguments: [
      "UTC", "Pacific/Kiritimati", "America/St_Johns", "Etc/GMT+12",
    ])
  func words(zone: String) throws {
    // All of it was made just now: behind yesterday's end, or in a day that has just begun.
    for (words, events) in [
      (["diff", "0", "now"], 4), (["diff", "a year ago", "now"], 4), (["diff", "now", "0"], 4),
      (["diff", "-1h", "now"], 4), (["diff", "now", "now"], 0), (["diff", "-1w", "-3d"], 0),
    ] {
      let result = try Executable.ledger.run(
        words + ["--json"], environment: ["TZ": zone], in: ledger.folder.path)
      #expect(result.code == 0, "\(words): \(result.error)")
      let answer = try JSONValue(parsing: Array(result.output.utf8.dropLast())).object
      let types = answer?["events"]?.object?.members.compactMap { $0.value.integer } ?? []
      #expect(types.reduce(0, +) == events, "\(words) in \(zone)")
    }
    let lines = try ledger.run("log", "--json", "--since", "2 days ago", zone: zone).output
    #expect(lines.utf8.count { $0 == 0x0A } == 4)
    #expect(try ledger.run("log", "--json", "--until", "-2d", zone: zone).output.isEmpty)
    #expect(try ledger.run("show", "progress", "--at", "last monday", zone: zone).code == 4)
  }

  @Test("What begins with a dash is a value, before and behind the command's own words")
  func dashes() throws {
    try ledger.must("append", "steps", "70", "--date", "-2w")
    try ledger.must("append", "steps", "70", "--date=-3d")
    try ledger.must("append", "steps", "70", "--date", "2 weeks ago")
    try ledger.must("show", "days", "--from", "-3w", "--to", "-3d")
    try ledger.must("diff", "-3d")
    try ledger.must("log", "--since", "-3d", "--until", "now")
  }

  @Test("Pictures are not for pipes, whatever the locale")
  func pipes() throws {
    for locale in ["C", "en_US.UTF-8"] {
      let result = try Executable.ledger.run(
        ["show", "days"], environment: ["LANG": locale], in: ledger.folder.path)
      #expect(result.code == 0 && result.output.utf8.allSatisfy { $0 < 0x80 })
      #expect(result.output.split(separator: "\n").count == 2)
    }
    let graph = try Executable.ledger.run(
      ["log", "--graph", "--type", "progress"], environment: ["LANG": "en_US.UTF-8"],
      in: ledger.folder.path)
    #expect(graph.output.split(separator: "\n").dropFirst().allSatisfy { $0.hasPrefix("○   │") })
  }

  @Test(
    "Invalid arguments are refused and change no byte",
    arguments: [
      (["diff", "9"], 4, "the log has no event 9"),
      (
        ["diff", "soon"], 2,
        "'A' takes an event's number or a time such as 2025-01-31, 2025-01-31T08:00, yesterday, "
          + "-3d or '2 weeks ago', not 'soon'"
      ),
      (
        ["blame", "physical.hight_cm"], 2,
        "'physical.hight_cm' is neither a field of the person nor an entry; did you mean "
          + "'physical.height_cm'?"
      ),
      (["blame", "9"], 4, "there is no event 9; the log ends with event 4"),
      (
        ["append", "steps", "70", "--date", "3 moons ago"], 2,
        "'--date' takes a day of the calendar such as 2026-11-21, '3 nov', yesterday, -3d, '2 weeks ago' or "
          + "'last monday', not '3 moons ago'"
      ),
    ] as [([String], Int32, String)])
  func refuses(_ words: [String], _ code: Int32, _ sentence: String) throws {
    try ledger.expectRefusal(words, code, sentence)
  }
}
