import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// `ledger import FILE` without a kind, and `import jsonl`.
@Suite(.blocks) struct RecognizedImportTests {
  let ledger: TestLedger

  init() throws { ledger = try TestLedger() }

  private func importing(_ words: String...) throws -> Executable.Result {
    try Executable.ledger.run(["import"] + words, in: ledger.folder.path)
  }

  @Test("A vendor's file is recognized, and its name may be given")
  func vendor() throws {
    let rows =
      "Datum;\"Gewicht (kg)\";\"Fettmasse (kg)\";Kommentare\n2026-01-31 07:31:05;75,5;12;\n"
    try ledger.folder.write(Data(rows.utf8), to: "weight.csv")
    let shown = try importing("weight.csv", "--dry-run")
    #expect(shown.code == 0)
    #expect(shown.error.contains("weight.csv: Withings weight.csv"), "\(shown.error)")
    #expect(try importing("withings", "weight.csv", "--json").output.hasPrefix(#"{"added":1,"#))
    #expect(
      try importing("weight.csv", "--json").output.hasPrefix(#"{"added":0,"known":1,"#))
    #expect(try ledger.last()["source"] == "withings")
  }

  @Test("The old app's JSON is recognized")
  func legacy() throws {
    try ledger.folder.write(Data(#"{"name":"Ada"}"#.utf8), to: "old.json")
    #expect(try importing("old.json").code == 0)
    #expect(try ledger.last()["name"] == "Ada")
  }

  @Test("Exported events restore a new ledger, once, under the same numbers and ids")
  func events() throws {
    let other = try TestLedger()
    let entry = try other.logged("75.5")
    try other.must("append", "correction", entry, "--quantity", "76")
    try other.must("undo")
    let events = try other.run("export", "jsonl").output
    try ledger.folder.write(Data(events.utf8), to: "events.jsonl")
    let first = try importing("events.jsonl", "--json")
    #expect(first.code == 0 && first.output == "{\"added\":3,\"known\":0}\n", "\(first.error)")
    let log = try ledger.log()
    log.expectIntact()
    let dropFirst = { (ledger: TestLedger) in
      try ledger.log().lines.dropFirst().map { line in
        [line.object["id"], line.object["at"], line.object["by"], line.object["data"]]
      }
    }
    #expect(try dropFirst(ledger) == dropFirst(other))
    let again = try importing("events.jsonl", "--json")
    #expect(again.output == "{\"added\":0,\"known\":3}\n")
    #expect(try ledger.log().lines.count == 4)
  }

  @Test("Events are restored into a new ledger only, and only if the chain holds")
  func refusedEvents() throws {
    let other = try TestLedger()
    _ = try other.logged("75.5")
    let events = try other.run("export", "jsonl").output
    try ledger.folder.write(Data(events.replacing("75.5", with: "75.6").utf8), to: "forged.jsonl")
    let forged = try importing("forged.jsonl")
    #expect(forged.code == 2 && forged.error.contains("forged.jsonl is damaged"), "\(forged.error)")
    try ledger.folder.write(Data(events.utf8), to: "events.jsonl")
    _ = try ledger.logged("70")
    let full = try importing("events.jsonl")
    #expect(full.code == 2 && full.error.contains("can only be restored into a new ledger"))
  }
}
