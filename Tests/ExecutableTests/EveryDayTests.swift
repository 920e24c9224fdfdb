import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// What a person meets in the first hour.
@Suite struct EveryDayTests {
  let ledger: TestLedger

  init() throws { ledger = try TestLedger() }

  private func answer(_ words: [String]) throws -> String {
    let result = try Executable.ledger.run(words, in: ledger.folder.path)
    #expect(result.code == 0, "\(words): \(result.error)")
    return result.output
  }

  private func json(_ words: String...) throws -> JSONObject {
    try #require(try JSONValue(parsing: answer(words + ["--json"])).object)
  }

  @Test("The short ids of entries that were logged together are unique starts of their ids")
  func shortIDs() throws {
    let lines = (1...40).map {
      #"{"type":"progress.logged","data":{"metric":"steps","quantity":\#($0),"date":"2026-01-02"}}"#
    }
    let logged = try Executable.ledger.run(
      ["append", "--stdin"], input: lines.joined(separator: "\n") + "\n", in: ledger.folder.path)
    #expect(logged.code == 0, "\(logged.error)")
    let rows = try ledger.must("log", "-n", "40").split(separator: "\n").dropFirst()
    let ids = rows.compactMap { $0.firstMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}[-0-9a-f]*/) }
    #expect(Set(ids.map { String($0.output) }).count == 40)
    let columns = rows.map { row in row.firstRange(of: "steps").map { row[..<$0.lowerBound].count }
    }
    #expect(Set(columns).count == 1, "the columns are in line")
    for id in ids {
      #expect(
        try ledger.must("log", "--entry", String(id.output), "--json").count { $0 == "\n" } == 1)
    }
    let deleted = try ledger.must("rm", "2..41", "--yes").split(separator: "\n")
    let named = deleted.compactMap { $0.firstMatch(of: /entry ([-0-9a-f]+)/)?.1 }
    #expect(Set(named) == Set(ids.map(\.output)))
  }

  @Test("A limit may be more than 100, and older spellings of options are accepted")
  func words() throws {
    for day in 1...3 { try ledger.must("append", "weight", "75", "--date", "2026-01-0\(day)") }
    let spellings = [
      ["--metric", "weight", "--from", "2026-01-02", "-n", "500"],
      ["--type", "weight", "--from", "2026-01-02", "--limit", "500"],
    ]
    let answers = try spellings.map { try answer(["show", "progress", "--json"] + $0) }
    #expect(answers[0] == answers[1])
    #expect(answers[0].contains(#""total":2,"limit":500,"#))
    #expect(
      try ledger.must("log", "--json", "--since", "2")
        == ledger.must("log", "--json", "--from", "2"))
  }

  @Test("status --json says where the ledger is, what it has and when it was last written")
  func status() throws {
    try ledger.must("append", "weight", "75")
    let status = try json("status")
    #expect(status["ledger"]?.string?.hasSuffix("/.ledger") == true)
    #expect(status["events"] == 2)
    #expect(status["entries"] == 1)
    #expect(status["last_event"]?.string?.hasSuffix("Z") == true)
    #expect(status["sleep_sessions"] == 0)
    try ledger.must("append", "sleep", "2026-01-02 23:00", "2026-01-03 07:00")
    #expect(try json("status")["sleep_sessions"] == 1)
    #expect(try ledger.must("status").contains("1 session"))
  }

  @Test(
    "An option of a sibling is named with its command",
    arguments: [
      ("profile", "--height", "append physical --height-cm"),
      ("profile", "--dob", "append physical --born"),
      ("physical", "--name", "append profile --name"),
      ("profile", "--allergies", "append preferences --allergy"),
    ])
  func optionOfSibling(_ group: String, _ option: String, _ meant: String) throws {
    let refused = try ledger.run("append", group, option, "x")
    #expect(refused.code == 2)
    #expect(refused.error.contains("did you mean '\(meant)'?"), "\(refused.error)")
  }

  @Test("A word that names no entry is answered with the way to name it")
  func namesOfEntries() throws {
    try ledger.must("append", "weight", "75")
    #expect(try ledger.run("rm", "2,3").error.contains("several are given apart, as 2 3"))
    #expect(try ledger.run("rm", "2-3").error.contains("a range is written 2..3"))
    for day in ["2026-11-14", "14.11.2026", "yesterday"] {
      let refused = try ledger.run("rm", day)
      let shown = day == "14.11.2026" ? "D" : day
      #expect(
        refused.error.contains("show progress --from \(shown) --to \(shown)"), "\(refused.error)")
    }
    #expect(try ledger.run("rm", "sleep").error.contains("'ledger show sleep'"))
    #expect(try ledger.run("rm", "1").error.contains("'ledger explain 1' shows what it is"))
    #expect(try ledger.run("restore", "2").error.contains("did you mean 'undo'"))
  }

  @Test("A correction of a session's notes is confirmed with the notes")
  func sessionNotes() throws {
    try ledger.must("append", "sleep", "2026-01-02 23:00", "2026-01-03 07:00")
    let corrected = try ledger.must("edit", "2", "--notes", "bad night")
    #expect(corrected.contains("07:00 +00:00, notes “bad night” (event 3"), "\(corrected)")
  }

  @Test("The help of exports says which one is a backup")
  func backup() throws {
    #expect(try ledger.must("help", "export").contains("a backup"))
    #expect(try ledger.must("help", "export", "jsonl").contains("ledger import jsonl FILE"))
  }

  @Test("Sums are rounded: no 157.39999999999998")
  func rounding() throws {
    for quantity in ["157.1", "0.2", "0.1"] {
      try ledger.must("append", "protein", quantity, "--date", "2026-01-02")
    }
    let days = try ledger.must("show", "days", "--json")
    #expect(days.contains(#""sum":157.4,"#), "\(days)")
    let entry = try #require(try json("show", "progress")["entries"]?.array?.last?.object)
    #expect(entry["seq"] == 2)
  }

  @Test("Without an account nothing is said about what the backend has")
  func signedOut() throws {
    let said = try ledger.must("status")
    #expect(said.contains("nothing to send"))
    #expect(said.contains("not signed in"))
    #expect(!said.contains("has everything"))
  }

  @Test("A name that views print is an input, and confirmations print it too")
  func names() throws {
    let names = ["body fat": "20", "water": "0.5", "distance": "5", "resting heart rate": "60"]
    for (name, quantity) in names {
      #expect(try ledger.must("append", name, quantity).hasPrefix("✓ \(name) \(quantity)"))
      #expect(try ledger.must("show", "progress", "--metric", name).contains("  \(name)  "))
    }
    let log = try Executable.ledger.run(["log", "--type", "body fat"], in: ledger.folder.path)
    #expect(log.error.contains("ledger log --metric body_fat_percentage"))
  }

  @Test("Two times are the latest such night that is over")
  func times() throws {
    try ledger.must("append", "sleep", "23:10", "07:02")
    let data = try ledger.last()
    let times = ["start", "end"].compactMap { data[$0]?.string?.dropFirst(11).prefix(5) }
    #expect(times == ["23:10", "07:02"])
    let result = try Executable.ledger.run(
      ["append", "sleep", "23:10"], in: ledger.folder.path)
    #expect(result.code == 2)
  }

  @Test("A thousands point in steps is not read as a decimal point")
  func groupedCounts() throws {
    let result = try Executable.ledger.run(["append", "steps", "10.000"], in: ledger.folder.path)
    #expect(result.code == 2 && result.error.contains("write 10 or 10000"))
    let small = try Executable.ledger.run(["append", "steps", "1.234"], in: ledger.folder.path)
    #expect(
      small.code == 2 && small.error.contains("steps are whole numbers, such as 1234"))
    for words in [["append", "steps", "100.5"], ["append", "goal", "steps", "8000.5", "--daily"]] {
      let part = try Executable.ledger.run(words, in: ledger.folder.path)
      #expect(part.code == 2 && part.error.contains("steps are whole numbers, such as "))
    }
    let energy = try Executable.ledger.run(
      ["append", "calories_in", "2.200kcal"], in: ledger.folder.path)
    #expect(energy.code == 2 && energy.error.contains("write 2.2kcal or 2200kcal"))
    try ledger.must("append", "weight", "75.125")
  }

  @Test("The events of a metric are its edits and goals")
  func eventsOfAMetric() throws {
    try ledger.must("append", "weight", "75")
    try ledger.must("append", "steps", "4000")
    try ledger.must("edit", "2", "74.5")
    try ledger.must("append", "goal", "weight", "70", "--by", "2999-01-01")
    try ledger.must("rm", "2")
    func seqs(_ words: String...) throws -> [String] {
      try ledger.must("log", "--json", "--metric", words[0], "-n", words[1])
        .split(separator: "\n").map { line in
          String(line.firstRange(of: "\"seq\":").map { line[$0.upperBound...].prefix(1) } ?? "")
        }
    }
    #expect(try seqs("weight", "9") == ["2", "4", "5", "6"])
    #expect(try seqs("weight", "1") == ["6"])
    #expect(try seqs("steps", "9") == ["3"])
  }

  @Test("An undo after a goal takes back no earlier edit by accident")
  func undoAfterAGoal() throws {
    try ledger.must("append", "weight", "75")
    try ledger.must("append", "goal", "weight", "70", "--by", "2999-01-01")
    let refused = try Executable.ledger.run(["undo"], in: ledger.folder.path)
    #expect(
      refused.code == 2 && refused.error.contains("'ledger undo @' takes back the last edit that"))
    #expect(try ledger.must("undo", "@").contains("undid event 2"))
  }

  @Test(
    "The words of a goal's day without quotes are put together",
    arguments: [["1", "mar"], ["in", "3", "months"]])
  func unquotedTerm(_ words: [String]) throws {
    let quoted = "--by \"\(words.joined(separator: " "))\""
    let rest = words.dropFirst().joined(separator: " ")
    try ledger.expectRefusal(
      ["append", "goal", "weight", "70", "--by"] + words, 2,
      "unexpected argument '\(rest)'; did you mean '\(quoted)'?")
    try ledger.must("append", "goal", "weight", "70", "--by", words.joined(separator: " "))
  }

  @Test("A daily limit is set, shown and told from a goal that is to be reached")
  func limit() throws {
    let least = try Executable.ledger.run(
      ["append", "goal", "calories_in", "2000", "--daily"], in: ledger.folder.path)
    #expect(least.output.contains("at least 2,000 kcal") && least.error.contains("--at-most"))
    let most = try ledger.must("append", "goal", "calories_in", "2000", "--daily", "--at-most")
    #expect(most.contains("goal: calories in at most 2,000 kcal a day"))
    #expect(try ledger.last()["at_most"] == true)
    let replaced = try Executable.ledger.run(
      ["append", "goal", "calories_in", "2000", "--at-most"], in: ledger.folder.path)
    #expect(replaced.error == "it replaces: calories in at most 2,000 kcal a day\n")
    try ledger.must("append", "calories_in", "1500")
    #expect(try ledger.must("status").contains("500 kcal left today, streak 1 day"))
    try ledger.must("append", "calories_in", "700")
    #expect(try ledger.must("status").contains("200 kcal over today"))
    #expect(try ledger.must("report", "-o", "-").contains("at most 2,000 kcal a day"))
    let goal = try #require(try json("status")["goals"]?.array?.first?.object)
    #expect(goal["at_most"] == true && goal["reached"] == false)
    try ledger.expectRefusal(
      ["append", "goal", "calories_in", "2000", "--at-most", "--by", "2999-01-01"], 2,
      "'--at-most' and '--by' exclude each other; give one of them")
  }

  @Test("Entries are found by their notes")
  func notesAreSearched() throws {
    try ledger.must("append", "weight", "75", "--notes", "After the run")
    try ledger.must("append", "weight", "76", "--notes", "before")
    try ledger.must("append", "weight", "77")
    #expect(try ledger.must("edit", "@", "--notes", "later").contains(", notes “later” (event 5"))
    let found = try ledger.must("show", "progress", "--notes", "after", "--json")
    #expect(found.contains(#""total":1,"#) && found.contains("After the run"))
  }

  @Test("A report and trends give the day's last weight as the latest")
  func latestIsTheLast() throws {
    try ledger.must("append", "weight", "80", "--date", "yesterday", "--time", "07:00")
    try ledger.must("append", "weight", "70", "--date", "yesterday", "--time", "21:00")
    #expect(try ledger.must("show", "trends", "--json").contains(#""last":70,"#))
    #expect(try ledger.must("report", "-o", "-").contains("<dd class=\"value\">70.0"))
  }

  @Test("What has another name is suggested by today's")
  func otherNames() throws {
    let names = [
      ["goals"]: "'append goal' or 'status'", ["trend"]: "'show trends'",
      ["units"]: "'append profile --unit-system'",
      ["show", "weeks"]: "'show days --by week'", ["weight", "80"]: "'append weight …'",
      ["show", "days", "steps"]: "'--metric steps'",
      ["append", "weight", "80", "07:30"]: "'--time 07:30'",
      ["append", "weight", "80", "yesterday"]: "'--date yesterday'",
      ["log", "--today"]: "'--from today'", ["show", "days", "--month"]: "'--by month'",
      ["append", "steps", "80", "--yesterday"]: "'--date yesterday'",
      ["append", "preferences", "--allergies", "nuts"]: "'--allergy'",
      ["show", "days", "--metric", "weight,steps"]: "'--metric weight --metric steps'",
    ]
    for (words, meant) in names {
      let result = try Executable.ledger.run(words, in: ledger.folder.path)
      #expect(result.code == 2 && result.error.contains("did you mean \(meant)?"), "\(words)")
    }
  }

  @Test("A folder that is no vendor's is refused with what to give")
  func folder() throws {
    let result = try Executable.ledger.run(["import", "."], in: ledger.folder.path)
    #expect(result.code == 2)
    #expect(result.error.contains("'.' is a folder"))
  }
}
