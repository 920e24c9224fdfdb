import Foundation
import LedgerLog
import LedgerModel
import Testing

@testable import LedgerCLI

/// Looking changes nothing: no byte, no file, no time of change.
@Suite struct ReadOnlyTests {
  let ledger: LookingLedger

  init() throws {
    ledger = try LookingLedger()
    try ledger.add(.profileUpdated(ProfileUpdated(name: "Ada", preferredUnitSystem: .imperial)))
    for number in 1...5 { try ledger.log(number, on: "2025-01-31", notes: "\u{1B}[31mred\u{202E}") }
    try ledger.reject([Seq(3)], "no\u{7}")
  }

  private static let commands = [
    ["log"], ["log", "--entry", "3"], ["log", "-n", "2"], ["log", "--since", "yesterday"],
    ["show", "profile"], ["show", "progress"], ["show", "days"], ["show", "sync"], ["status"],
    ["show", "days", "--at", "3"], ["replay"], ["replay", "--trace"], ["replay", "--up-to-break"],
    ["verify"], ["diff", "0"], ["diff", "3"], ["blame"], ["blame", "3"], ["doctor"],
    ["doctor", "--strict"], ["show", "days", "--calendar"],
  ]

  private func runAll() throws -> [LookingLedger.Answer] {
    let before = try ledger.snapshot()
    var answers: [LookingLedger.Answer] = []
    for command in Self.commands {
      answers.append(ledger.run(command))
      answers.append(ledger.run(command + ["--json"]))
      answers.append(ledger.run(command, columns: 80))
      #expect(try ledger.snapshot() == before, "\(command)")
    }
    return answers
  }

  @Test("Reading commands change no file")
  func leavesEverythingAsItIs() throws {
    for answer in try runAll() { #expect(answer.code == .done, "\(answer.error)") }
  }

  @Test("A torn tail is left where it is, left out, and told of")
  func tornTail() throws {
    let events = try ledger.lines().count
    try ledger.overwrite(try ledger.bytes() + Data(#"{"id":"0194"#.utf8))
    for answer in try runAll() {
      #expect(
        answer.error.contains("11 bytes") || answer.output.contains("11 bytes")
          || answer.output.contains(#""torn_tail_bytes":11"#))
    }
    for command in Self.commands where command != ["verify"] {
      #expect(ledger.run(command).code == .done, "\(command)")
    }
    let verify = ledger.run("verify", "--json")
    #expect(try verify.code == .damaged && verify.member("ok") == NSNumber(false))
    #expect(try verify.member("torn_tail_bytes") == NSNumber(value: 11))
    #expect(try verify.member("events") == NSNumber(value: events))
    #expect(try ledger.run("status", "--json").member("events") == NSNumber(value: events))
  }

  @Test("A folder that nobody may write to can be looked at")
  func readOnlyFolder() throws {
    try FileManager.default.removeItem(atPath: ledger.directory.ledgerLock)
    try ledger.overwrite(try ledger.bytes() + Data("{".utf8))
    #expect(ledger.run("status", "--json").code == .done)
    #expect(!FileManager.default.fileExists(atPath: ledger.directory.ledgerLock))
  }

  @Test("On a terminal stored text steers nothing, and lines fit where they can")
  func terminal() throws {
    for command in Self.commands {
      for columns in [60, 100] {
        let text = ledger.run(command, columns: columns).output
        #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}"), "\(command)")
        guard command.first != "replay", command.first != "verify" else { continue }
        let long = text.split(separator: "\n").filter { displayWidth($0) > columns }
        #expect(long.isEmpty, "\(command) at \(columns): \(long.first ?? "")")
      }
    }
  }

  @Test("An imperial person is shown pounds; JSON stays in kilograms")
  func imperial() {
    #expect(ledger.run("show", "progress").output.contains("166.4  lb"))
    #expect(ledger.run("log").output.contains("weight 166.4 lb on"))
    #expect(ledger.run("show", "progress", "--json").output.contains(#""quantity":75.5,"#))
  }

  @Test("Empty answers name the next command")
  func emptyStatesSayWhatToDo() throws {
    let new = try LookingLedger()
    #expect(new.run("show", "profile").error.contains("ledger append profile"))
    #expect(new.run("show", "progress").error.contains("ledger append"))
    #expect(new.run("show", "days").error.contains("ledger append"))
    #expect(new.run("show", "sync").output == "Nothing waits for the backend.\n")
    #expect(new.run("status").error.contains("ledger append"))
    #expect(new.run("show", "profile", "--quiet").error.isEmpty)
  }
}
