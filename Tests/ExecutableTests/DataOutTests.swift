import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// Data out, and in again, as a person's shell does it.
@Suite(.blocks) struct DataOutTests {
  let ledger: TestLedger

  init() throws { ledger = try TestLedger() }

  private func fill() throws {
    let lines = [
      #"{"type":"progress.logged","data":{"metric":"weight","quantity":75.5,"date":"2025-01-02","#
        + #""time":"07:30:00","zone":"+05:30","notes":"=cmd|' /C calc'!A1"}}"#,
      #"{"type":"progress.logged","data":{"metric":"steps","quantity":4200,"date":"2025-01-02"}}"#,
      #"{"type":"progress.logged","data":{"metric":"steps","quantity":4200,"date":"2025-01-02"}}"#,
      #"{"type":"progress.logged","data":{"metric":"steps","quantity":80,"date":"2025-01-02"}}"#,
      #"{"type":"progress.logged","data":{"metric":"sleep_hours","quantity":0.1234567890123,"#
        + #""date":"0001-01-01","notes":"line\r\nbreak, \"quotes\" 👩‍👩‍👧 \u202e"}}"#,
    ]
    let appended = try ledger.run("append", "--stdin", input: lines.joined(separator: "\n") + "\n")
    try #require(appended.code == 0, "\(appended.error)")
    try ledger.run("append", "correction", "2", "--quantity", "75.1", "--notes", "'-- later")
    try ledger.run("append", "deletion", "5")
  }

  @Test("An exported table is imported again without loss")
  func aTableComesBackWithoutLoss() throws {
    try fill()
    let table = try ledger.run("export", "csv")
    #expect(table.code == 0)
    let other = try TestLedger()
    // One date is more than 120 years ago.
    let imported = try other.run(
      "import", "csv", "-", "--yes", input: table.output, zone: "Asia/Tokyo")
    #expect(imported.code == 0, "\(imported.error)")
    for view in [["show", "days"], ["show", "progress"]] {
      let here = try Executable.ledger.run(view + ["--json"], in: ledger.folder.path)
      let there = try Executable.ledger.run(view + ["--json"], in: other.folder.path)
      // Events have other numbers there.
      let numbers = /"seq":[0-9]+,?/
      #expect(here.output.replacing(numbers, with: "") == there.output.replacing(numbers, with: ""))
    }
    // There, the entries have their source: this table.
    let source = /,ledger,[0-9a-f-]{36}/
    #expect(try other.run("export", "csv").output.replacing(source, with: ",,") == table.output)
    // Once more, and into the ledger it came from, where an entry was deleted since.
    let before = try other.bytes()
    let again = try other.run("import", "csv", "-", input: table.output)
    #expect(again.output.hasSuffix("✓ nothing imported, 4 known\n"))
    #expect(try other.bytes() == before)
    try ledger.run("append", "deletion", "3")
    let home = try ledger.run("import", "csv", "-", input: table.output)
    #expect(home.output.hasSuffix("✓ nothing imported, 4 known\n"))
  }

  @Test("A table whose quantities a spreadsheet has rounded brings nothing new")
  func roundedTable() throws {
    try ledger.run("append", "weight", "171.4lb", "--date", "2026-01-20")
    let table = try ledger.run("export", "csv").output
    let rounded = table.replacing("77.745732218", with: "77.75")
    #expect(rounded != table)
    let result = try ledger.run("import", "csv", "-", input: rounded)
    #expect(result.code == 0, "\(result.error)")
    #expect(result.output.hasSuffix("✓ nothing imported, 1 known\n"))
  }

  @Test("Rows that no ledger exports are left out of an import")
  func rowsThatNoLedgerHasWrittenAreLeftOut() throws {
    try fill()
    let table = try ledger.run("export", "csv").output
    let other = try TestLedger()
    let spoilt = table.replacing(",sleep_hours,0.1234567890123,", with: ",sleep_hours,much,")
      .replacing(",weight,75.1,kg,", with: ",weight,75.1,bpm,")
    let imported = try other.run("import", "csv", "-", "--json", input: spoilt)
    #expect(imported.code == 5)
    let problems = try JSONValue(parsing: imported.output).object?["problems"]?.array
    #expect(
      problems?.map { $0.object?["reason"]?.string } == [
        "'bpm' is no unit of weight",
        "quantity: quantity is \"much\"; it must be a number such as 75.5, optionally with a unit",
      ])
    let foreign = try other.run("import", "csv", "-", input: "Day,fun\n2025-01-01,165\n")
    #expect(foreign.code == 2)
    #expect(foreign.error.contains("--metric, --quantity and --date"))
  }

  @Test("export jsonl writes the log byte for byte")
  func linesLeaveByteForByte() throws {
    try fill()
    let path = ledger.folder.path + "/out.jsonl"
    let exported = try ledger.run("export", "jsonl", "-o", path)
    #expect(exported.code == 0)
    #expect(try Data(contentsOf: URL(filePath: path)) == ledger.bytes())
    #expect(try ledger.run("export", "jsonl").output.utf8.elementsEqual(ledger.bytes()))
  }

  @Test("A closed pipe is no error")
  func aReaderWhoLeavesIsNoError() throws {
    // More than a pipe holds.
    let ledger = try TestLedger(LongLog.files.get())
    for words in ["export jsonl", "export csv", "report -o -"] {
      let shell = try Executable(path: "/bin/sh").run(
        [
          "-c", "{ \"$0\" \(words); echo \"code $?\" >&2; } | head -c 10 > /dev/null",
          Executable.ledger.path,
        ], in: ledger.folder.path)
      #expect(shell.error == "code 0\n", "\(words)")
    }
  }

  @Test("The report is private, and never overwrites the log")
  func thePageIsPrivateAndWholeOrNotThere() throws {
    try fill()
    let report = try ledger.run("report")
    #expect(report.code == 0)
    #expect(report.output.hasPrefix("✓ ledger-report.html: "))
    let path = ledger.folder.path + "/ledger-report.html"
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let page = try String(contentsOf: URL(filePath: path), encoding: .utf8)
    #expect(page.contains("Made 20") && page.contains("“&#39;-- later”"))
    #expect(!page.contains("\u{202E}"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: ledger.folder.path).sorted()
        == [".ledger", "ledger-report.html"])
    let refused = try ledger.run("report", "-o", ".ledger/events.jsonl")
    #expect(refused.code == 2)
    #expect(try ledger.run("verify").code == 0)
  }
}
