import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// Sleep sessions through the program.
@Suite(.blocks) struct SleepTests {
  let ledger: TestLedger

  init() throws { ledger = try TestLedger() }

  private func sessions(_ more: String...) throws -> [JSONObject] {
    let words = ["show", "sleep", "--json"] + more
    let result = try Executable.ledger.run(words, in: ledger.folder.path)
    #expect(result.code == 0, "\(result.error)")
    let answer = try JSONValue(parsing: Array(result.output.utf8)).object
    return (answer?["sessions"]?.array ?? []).compactMap(\.object)
  }

  @Test(
    "A moment without an offset is one of the ledger's zone",
    arguments: [
      ("Pacific/Kiritimati", "+14:00"), ("America/St_Johns", "-03:30"), ("Etc/GMT+12", "-12:00"),
    ])
  func takesTheZone(zone: String, offset: String) throws {
    let forms = [
      ["2026-01-22 23:10", "2026-01-23 07:02:30"], ["2026-01-22T23:10", "2026-01-23T07:02:30"],
      ["2026-01-22", "23:10", "2026-01-23", "07:02:30"],
      ["2026-01-22T23:10:00\(offset)", "2026-01-23T07:02:30\(offset)"],
    ]
    for words in forms {
      let result = try Executable.ledger.run(
        ["append", "sleep", "--yes"] + words, environment: ["TZ": zone], in: ledger.folder.path)
      #expect(result.code == 0, "\(result.error)")
      let data = try ledger.last()
      #expect(data["start"]?.string == "2026-01-22T23:10:00\(offset)")
      #expect(data["end"]?.string == "2026-01-23T07:02:30\(offset)")
      #expect(data.members.map(\.name) == ["entry", "start", "end"])
    }
    // The day is that of the end, at the session's own offset, wherever it is asked for.
    #expect(try sessions("--from", "2026-01-23", "--to", "2026-01-23").count == forms.count)
    #expect(try sessions("--to", "2026-01-22").isEmpty)
  }

  @Test("A clock change inside the night counts in the session's length")
  func clockChanges() throws {
    try ledger.run(
      "append", "sleep", "2026-03-28 23:00", "2026-03-29 07:00", zone: "Europe/Vienna")
    let minutes = try #require(sessions().first?["minutes"]?.object)
    #expect(minutes["total_sleep"]?.integer == 7 * 60)
  }

  @Test(
    "A time alone follows the other moment, precedes it, or is near the old one in a correction")
  func timeAlone() throws {
    try ledger.must("append", "sleep", "2026-01-22 23:00", "07:00")
    try ledger.must("append", "sleep", "23:30", "2026-01-21 06:00")
    try ledger.must("append", "sleep", "2026-01-19T13:00+09:00", "15:00")
    try ledger.must("append", "sleep", "2026-01-18 13:00", "15:00", "--zone", "Europe/Vienna")
    let periods = try sessions().map { [$0["start"]?.string, $0["end"]?.string] }
    #expect(
      periods == [
        ["2026-01-22T23:00:00+00:00", "2026-01-23T07:00:00+00:00"],
        ["2026-01-20T23:30:00+00:00", "2026-01-21T06:00:00+00:00"],
        ["2026-01-19T13:00:00+09:00", "2026-01-19T15:00:00+09:00"],
        ["2026-01-18T13:00:00+01:00", "2026-01-18T15:00:00+01:00"],
      ])
    try ledger.must("edit", "4", "--start", "12:30")
    #expect(try ledger.last()["start"] == "2026-01-19T12:30:00+09:00")
    try ledger.expectRefusal(
      ["edit", "4", "7h"], 2, "event 4 logged a sleep session, which has no quantity")
    let dated = try ledger.run("append", "sleep", "9:00", "16:00", "--date", "3 nov")
    #expect(dated.code == 2 && dated.error.contains("9:00 '3 nov 16:00'"))
  }

  @Test("Times of another zone are shown with their offset, stages only where there are some")
  func offsets() throws {
    try ledger.must("append", "sleep", "2026-01-19T13:00+09:00", "15:00")
    try ledger.must("append", "weight", "75", "--date", "2026-01-19", "--time", "7:00")
    let zone = "Asia/Tokyo"
    #expect(try ledger.must("show", "sleep").contains("2026-01-19 15:00 +09:00"))
    #expect(!(try ledger.must("show", "sleep").contains("deep")))
    #expect(!(try ledger.run("show", "sleep", zone: zone).output.contains("+09:00")))
    #expect(try ledger.run("show", "progress", zone: zone).output.contains("07:00 +00:00"))
    #expect(try ledger.run("log", zone: zone).output.contains("2026-01-19 07:00 +00:00"))
    #expect(!(try ledger.must("show", "progress").contains("+00:00")))
  }

  @Test("A session beside hours of sleep says that they count no longer")
  func besideHours() throws {
    try ledger.must("append", "sleep", "8h", "--date", "2026-01-23")
    let result = try ledger.run("append", "sleep", "2026-01-22 23:00", "07:00")
    #expect(result.code == 0 && result.error.contains("8 h (event 2); only its sessions count"))
  }

  @Test("One value is the metric sleep_hours")
  func logsHours() throws {
    let forms = [["7.5"], ["7.5", "h"], ["450min"], ["7h 30min"]]
    for (day, words) in forms.enumerated() {
      let result = try Executable.ledger.run(
        ["append", "sleep"] + words + ["--date", "2026-01-2\(day)"], in: ledger.folder.path)
      #expect(result.code == 0, "\(result.error)")
      #expect(try ledger.last()["metric"] == "sleep_hours")
      #expect(try ledger.last()["quantity"]?.number == 7.5)
    }
  }

  @Test("Stages are read from a file or from standard input, and shown with their minutes")
  func readsStages() throws {
    let lines = [
      #"{"stage":"rem","start":"2026-01-23T01:00:00Z","end":"2026-01-23T02:30:00Z"}"#,
      #"{"start":"2026-01-22T23:30","end":"2026-01-23T01:00","stage":"core"}"#, "",
    ]
    let text = lines.joined(separator: "\n")
    try ledger.folder.write(Array(text.utf8), to: ledger.folder.path + "/stages.jsonl")
    for file in ["stages.jsonl", "-"] {
      let result = try ledger.run(
        "append", "sleep", "2026-01-22 23:10", "2026-01-23 07:10", "--stages", file, "--notes",
        "woke once", "--yes", input: text)
      #expect(result.code == 0, "\(result.error)")
    }
    let session = try #require(sessions("-n", "1").first)
    #expect(
      session.members.map(\.name)
        == ["entry", "start", "end", "stages", "minutes", "notes", "status", "seq"])
    let stages = (session["stages"]?.array ?? []).compactMap { $0.object?["stage"]?.string }
    #expect(stages == ["rem", "core"])
    #expect(
      session["minutes"]?.serialized
        == #"{"time_in_bed":480,"total_sleep":180,"awake":0,"rem":90,"core":90,"deep":0}"#)
    #expect(session["status"] == "pending" && session["notes"] == "woke once")
    #expect(try ledger.run("verify").code == 0)
    #expect(try ledger.run("replay").code == 0)
  }

  @Test("What is wrong with a session is refused with nothing written")
  func refuses() throws {
    let good = ["2026-01-22T23:00:00+01:00", "2026-01-23T07:00:00+01:00"]
    try ledger.expectRefusal(
      ["append", "sleep", good[1], good[0]], 2,
      "the session ends at \(good[0]); it must end after it starts, at \(good[1])")
    try ledger.expectRefusal(
      ["append", "sleep", "2026-02-30 23:00", good[1]], 2,
      "'START' takes a day and a time such as '2026-11-22 23:10', or RFC 3339 with whole seconds "
        + "such as 2026-11-22T23:10:00+01:00, not '2026-02-30 23:00'")
    try ledger.expectRefusal(
      ["append", "sleep", good[0]], 2,
      "'append sleep' needs END; see 'ledger append sleep --help'")
    try ledger.expectRefusal(
      ["append", "sleep"] + good + ["--stages", "-"], 2,
      "line 1 of the stages: 'stage' must be one of \"awake\", \"asleep\", \"core\", \"deep\", "
        + "\"rem\", \"in_bed\"", input: #"{"stage":"nap"}"#)
    try ledger.expectRefusal(
      ["append", "sleep"] + good + ["--date", "today"], 2,
      "a session has two moments, so --date does not apply")
    let stage =
      #"{"stage":"rem","start":"2026-01-23T06:00:00+01:00","end":"2026-01-23T07:00:01+01:00"}"#
    try ledger.expectRefusal(
      ["append", "sleep"] + good + ["--stages", "-"], 2,
      "the rem stage from 2026-01-23T06:00:00+01:00 to 2026-01-23T07:00:01+01:00 is not inside "
        + "the session, from \(good[0]) to \(good[1])", input: stage)
  }

  @Test("A session is corrected, deleted and brought back like an entry")
  func changes() throws {
    try ledger.run("append", "sleep", "2026-01-22 23:00", "2026-01-23 07:00", "--notes", "n")
    let entry = try #require(ledger.last()["entry"]?.string)
    for words in [
      ["append", "correction", "2", "--end", "2026-01-23 06:00"],
      ["edit", String(entry.prefix(13)), "--clear", "notes"],
    ] {
      let result = try Executable.ledger.run(words, in: ledger.folder.path)
      #expect(result.code == 0, "\(result.error)")
    }
    var session = try #require(sessions().first)
    #expect(session["end"] == "2026-01-23T06:00:00+00:00" && session["notes"] == nil)
    try ledger.run("undo")
    try ledger.run("undo")
    session = try #require(sessions().first)
    #expect(session["end"] == "2026-01-23T07:00:00+00:00" && session["notes"] == "n")
    try ledger.run("redo")
    #expect(try sessions().first?["notes"] == nil || sessions().first?["notes"] == "n")
    try ledger.run("rm", "2", "--reason", "not mine")
    #expect(try sessions().isEmpty)
    try ledger.expectRefusal(
      ["rm", "2"], 2, "entry \(entry) is deleted already")
    try ledger.run("undo")
    #expect(try sessions().count == 1)
    try ledger.expectRefusal(
      ["edit", "2", "--quantity", "7"], 2,
      "--quantity is of an entry, and this is a sleep session")
  }

  @Test("A session is explained, blamed, compared and erased")
  func looksAndErases() throws {
    try ledger.run(
      "append", "sleep", "2026-01-22 23:00", "2026-01-23 07:00", "--notes", "very private")
    try ledger.run("edit", "2", "--end", "2026-01-23 06:00")
    #expect(try ledger.run("explain", "2").output.contains("sleep 2026-01-22 23:00"))
    #expect(try ledger.run("blame", "2").code == 0)
    let diff = try ledger.run("diff", "1", "now")
    #expect(diff.code == 0 && diff.output.contains("sleep"), "\(diff.output)")
    #expect(try ledger.run("show", "sync", "--json").output.contains(#""subject":"sleep""#))
    let result = try ledger.run("erase", "2", "--reason", "private", "--yes")
    #expect(result.code == 0, "\(result.error)")
    #expect(try !String(decoding: ledger.bytes(), as: UTF8.self).contains("very private"))
    #expect(try sessions().isEmpty)
    #expect(try ledger.run("verify").code == 0)
    let status = try JSONValue(parsing: Array(ledger.run("status", "--json").output.utf8))
    #expect(status.object?["pending"] == 0)
  }

  @Test("Edits from standard input may log and correct the same session")
  func takesBatches() throws {
    let id = "0198c1a0-7c1e-7def-8abc-0123456789ab"
    let lines = [
      #"{"type":"sleep.logged","data":{"entry":"\#(id)","start":"2026-01-22T23:00:00Z","#
        + #""end":"2026-01-23T07:00:00Z","source":"watch","source_id":"s1"}}"#,
      #"{"type":"sleep.corrected","data":{"entry":"\#(id)","end":"2026-01-23T06:00:00+01:00"}}"#,
      #"{"type":"sleep.logged","data":{"start":"2026-01-23T13:00:00Z","#
        + #""end":"2026-01-23T13:30:00Z"}}"#,
    ]
    let result = try ledger.run("append", "--stdin", input: lines.joined(separator: "\n"))
    #expect(result.code == 0, "\(result.error)")
    let shown = try sessions()
    #expect(shown.map { $0["end"] } == ["2026-01-23T13:30:00+00:00", "2026-01-23T06:00:00+01:00"])
    let late =
      #"{"type":"sleep.corrected","data":{"entry":"\#(id)","end":"2026-01-22T22:00:00Z"}}"#
    #expect(try ledger.run("append", "--stdin", input: late).code == 2)
  }

  @Test("A night that is also an entry of sleep_hours counts once")
  func countsNightsOnce() throws {
    try ledger.run("append", "sleep_hours", "7", "--date", "2026-01-23")
    try ledger.run("append", "sleep", "2026-01-22 23:00", "2026-01-23 06:30")
    let days = try ledger.run("show", "days", "--json").output
    #expect(
      days == #"[{"date":"2026-01-23","type":"sleep_hours","count":1,"sum":7.5,"min":7.5,"#
        + #""max":7.5,"mean":7.5,"last":7.5}]"# + "\n")
  }
}
