import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// A conflict that a sync has found, decided and explained by the built program.
@Suite(.blocks) struct ConflictTests {
  let ledger: TestLedger

  init() throws {
    ledger = try TestLedger()
    try ledger.run("append", "profile", "--name", "Ada")
    let line = try ledger.log().line(
      by: "sync", type: "conflict.detected",
      data: #"{"subject":"profile","field":"name","base":null,"local":"Ada","remote":"Ada L.","#
        + #""decision":"open"}"#)
    try ledger.folder.write(try ledger.bytes() + line, to: ".ledger/events.jsonl")
  }

  @Test("A conflict is shown, resolved and resolved again")
  func isShownDecidedAndDecidedAgain() throws {
    #expect(
      try ledger.run("conflicts", "--json").output
        == #"[{"conflict":3,"at":"2026-01-02T03:04:05.678Z","subject":"profile","field":"name","#
        + #""base":null,"local":"Ada","remote":"Ada L.","decision":"open"}]"# + "\n")
    let taken = try ledger.run("resolve", "3", "--take", "remote")
    #expect(taken.code == 0)
    #expect(
      taken.output == "✓ name: the backend's value is taken, “Ada L.” (event 4, conflict 3)\n")
    #expect(try ledger.run("conflicts").output == "No conflict waits for you.\n")
    try ledger.expectRefusal(
      ["resolve", "3", "--take", "remote"], 2,
      "conflict 3 is decided that way already: name has the remote value")
    #expect(try ledger.run("resolve", "3", "--take", "local").code == 0)
    #expect(try ledger.last()["value"] == "Ada")
    try ledger.log().expectIntact()
    #expect(try ledger.run("verify").code == 0)
  }

  @Test("Several conflicts are decided at once, and an undo after it takes back no earlier edit")
  func several() throws {
    try ledger.must("append", "profile", "--bio", "runs")
    let line = try ledger.log().line(
      by: "sync", type: "conflict.detected",
      data: #"{"subject":"profile","field":"bio","base":null,"local":"runs","remote":"swims","#
        + #""decision":"open"}"#)
    try ledger.folder.write(try ledger.bytes() + line, to: ".ledger/events.jsonl")
    let decided = try ledger.must("resolve", "3", "5", "--take", "remote")
    #expect(decided.contains("“Ada L.” (event 6") && decided.contains("“swims” (event 7"))
    #expect(try ledger.run("conflicts").output == "No conflict waits for you.\n")
    try ledger.expectRefusal(
      ["undo"], 2,
      "event 7 is not undone: it decided a conflict; nothing was written")
    #expect(try ledger.must("undo", "@").contains("undid event 4, "))
  }

  @Test("Of concurrent resolutions one succeeds")
  func isNeverDecidedTwiceAtOnce() throws {
    let runs = try (0..<6).map { _ in
      try Executable.ledger.start(["resolve", "3", "--take", "remote"], in: ledger.folder.path)
    }
    let codes = try runs.map { try $0.wait().code }
    #expect(codes.sorted() == [0, 2, 2, 2, 2, 2])
    #expect(try ledger.log().lines.count == 4)
  }

  @Test("explain shows the conflict of an edit")
  func isToldInTheLifeOfItsEdit() throws {
    let told = try ledger.run("explain", "2")
    #expect(told.code == 0)
    #expect(
      told.output.hasSuffix(
        "\nconflict: the backend changed it too: ledger resolve 3 --take local, or --take remote\n")
    )
    let stored = try ledger.log().lines.suffix(2).map { String(decoding: $0.bytes, as: UTF8.self) }
    #expect(
      try ledger.run("explain", "2", "--json").output
        == #"{"status":"conflict","why":"the backend changed it too: ledger resolve 3 --take local, "#
        + #"or --take remote","events":[\#(stored.joined(separator: ","))]}"# + "\n")
  }

  @Test(
    "An invalid resolution is refused",
    arguments: [
      (["explain", "9"], 4, "there is no event 9; the log ends with event 3"),
      (["explain", "zzz"], 4, "there is no entry whose id begins with 'zzz'"),
      (["resolve", "2", "--take", "local"], 4, "event 2 is not a conflict"),
      (
        ["resolve", "3"], 2,
        "say what to take: --take local keeps your value, --take remote the backend's; of a "
          + "suspected duplicate --take one deletes that row, --take both makes it an entry too"
      ),
    ] as [([String], Int32, String)])
  func refuse(_ words: [String], _ code: Int32, _ sentence: String) throws {
    try ledger.expectRefusal(words, code, sentence)
  }
}
