import Foundation
import LedgerLog
import LedgerModel
import Testing

@testable import LedgerCLI

@Suite struct ExportCommandTests {
  private let ledger: LookingLedger

  init() throws { ledger = try LookingLedger() }

  @Test("export jsonl writes the stored lines byte for byte")
  func linesLeaveAsTheyAreStored() throws {
    for day in 1...9 { try ledger.log(day, on: "2025-01-0\(day)", notes: "ü\u{202E}") }
    let answer = ledger.run("export", "jsonl")
    #expect(answer.code == .done)
    #expect(try Data(answer.output.utf8) == ledger.bytes())
    let path = ledger.directory.path + "-lines.jsonl"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let json = ledger.run("export", "jsonl", "-o", path, "--json")
    #expect(try json.member("events") == 10 as NSNumber)
    #expect(try Data(contentsOf: URL(filePath: path)) == ledger.bytes())
    let told = ledger.run("export", "jsonl", "-o", path)
    #expect(told.output.hasSuffix(" kB, 10 events\n"))
  }

  @Test("export csv writes one row per entry with its current values")
  func entriesAreRowsAsTheyAreNow() throws {
    try ledger.log(1, on: "2025-01-01", at: "07:30:05", notes: "a, \"b\"\r\nc")
    try ledger.log(2, .steps, 4200, on: "2025-01-02")
    try ledger.log(3, .steps, 1, on: "2025-01-03", notes: "gone")
    let undone = try ledger.log(4, .steps, 2, on: "2025-01-03")
    try ledger.add(
      .progressCorrected(
        ProgressCorrected(
          entry: LookingLedger.entry(2), quantity: 4300.5, notes: .set("=1+1"))))
    try ledger.add(.progressDeleted(ProgressDeleted(entry: LookingLedger.entry(3))))
    try ledger.add(.editUndone(EditUndone(event: undone)))
    let answer = ledger.run("export", "csv")
    #expect(answer.code == .done)
    let rows = [
      "entry,metric,quantity,unit,date,time,zone,notes,source,source_id",
      "\(LookingLedger.entry(1)),weight,75.5,kg,2025-01-01,07:30:05,+00:00,\"a, \"\"b\"\"\r\nc\",,",
      "\(LookingLedger.entry(2)),steps,4300.5,,2025-01-02,,,'=1+1,,", "",
    ]
    #expect(answer.output == rows.joined(separator: "\r\n"))
  }

  @Test("export csv has the source of an entry, also without an id or notes")
  func sources() throws {
    for (number, id) in [(1, nil), (2, "a1")] {
      try ledger.add(
        .progressLogged(
          ProgressLogged(
            entry: LookingLedger.entry(number), metric: .steps, quantity: 7,
            date: CalendarDate("2025-01-01")!, source: "app", sourceID: id)))
    }
    let output = ledger.run("export", "csv").output
    #expect(
      output.contains(",2025-01-01,,,,app,\r\n") && output.contains(",,app,a1\r\n"), "\(output)")
  }

  @Test("Control characters in an export are escaped on a terminal")
  func onATerminalNothingSteersIt() throws {
    try ledger.log(1, on: "2025-01-01", notes: "a\u{1B}[2J\u{202E}b")
    let told = ledger.run("export", "csv", columns: 80)
    #expect(told.output.contains(",a\\u{1B}[2J\\u{202E}b,,\r\n"))
    #expect(ledger.run("export", "csv").output.contains(",a\u{1B}[2J\u{202E}b,,\r\n"))
  }

  @Test("An empty ledger exports as a header alone")
  func anEmptyLedgerIsAHeader() {
    #expect(
      ledger.run("export", "csv").output
        == "entry,metric,quantity,unit,date,time,zone,notes,source,source_id\r\n")
  }

  @Test("Data and a JSON answer are not both written to standard output")
  func dataAndAnswerDoNotShareStandardOutput() {
    for format in ["csv", "jsonl"] {
      let answer = ledger.run("export", format, "--json")
      #expect(answer.code == .usage)
      #expect(answer.output.isEmpty)
    }
  }

  @Test("A damaged log leaves the existing file unchanged")
  func aDamagedLogLeavesTheOldFile() throws {
    try ledger.log(1, on: "2025-01-01")
    let path = ledger.directory.path + "-lines.jsonl"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data("old".utf8).write(to: URL(filePath: path))
    let text = String(decoding: try ledger.bytes(), as: UTF8.self)
    try ledger.overwrite(Data(text.replacing("\"seq\":2", with: "\"seq\":3").utf8))
    #expect(ledger.run("export", "jsonl", "-o", path).code == .damaged)
    #expect(ledger.run("export", "csv", "-o", path).code == .damaged)
    #expect(try Data(contentsOf: URL(filePath: path)) == Data("old".utf8))
  }
}
