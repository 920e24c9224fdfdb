import Foundation
import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import Testing

@testable import LedgerCLI
@testable import LedgerStore

/// Findings of `doctor --strict`, which reads the whole log.
@Suite struct DoctorStrictTests {
  let ledger: LookingLedger

  init() throws {
    ledger = try LookingLedger()
    for number in 1...6 { try ledger.log(number, on: "2025-01-31") }
  }

  private func strictly() throws -> DoctorAnswer {
    try DoctorAnswer(ledger.run("doctor", "--strict", "--json"))
  }

  /// Replaces text of the log by text of the same length, so that every later hash is wrong.
  private func tamper(_ seq: Int, _ old: String, _ new: String) throws {
    var lines = try ledger.lines()
    #expect(lines[seq - 1].contains(old) && old.utf8.count == new.utf8.count)
    lines[seq - 1].replace(old, with: new)
    try ledger.overwrite(Data((lines.joined(separator: "\n") + "\n").utf8))
  }

  @Test("Damage in the middle is located and never repaired")
  func brokenChain() throws {
    try tamper(4, "75.5", "85.5")
    let damaged = try ledger.bytes()
    for words in [[], ["--strict"], ["--strict", "--repair"]] {
      let answer = try DoctorAnswer(ledger.run(["doctor", "--json"] + words))
      #expect(answer.code == .damaged && answer.object["ok"]?.bool == false)
      let found = try #require(answer.finding("chain-broken"), "\(answer.names)")
      #expect(found["finding"]?.string?.contains("line 4, byte ") == true)
      #expect(found["command"]?.string == "ledger replay --up-to-break")
      #expect(found["repairable"]?.bool == false)
      #expect(try ledger.bytes() == damaged)
    }
  }

  @Test("Each run checks a part of a long log and reports which")
  func parts() throws {
    let note = String(repeating: "n", count: 450)
    for number in 10..<160 { try ledger.log(number, on: "2025-01-31", notes: note) }
    let view = try LogView.open(ledger.directory)
    func check(isWhole: Bool = false) throws -> ChainCheck {
      try ChainCheck(view, isWhole: isWhole, mostBytes: 70_000, now: LocalZone.now())
    }
    func sentence(_ check: ChainCheck) throws -> String {
      try FindingText(#require(check.findings.first), in: ledger.directory).sentence
    }
    #expect(view.endBytes > 70_000)
    let first = try sentence(check())
    #expect(first.contains("of 157 events, events 1 to "))
    #expect(first.contains("the next run goes on from there"))
    #expect(try ledger.run("status", "--json").member("verified") == nil)
    #expect(try sentence(check()).contains(" to 157 were checked now"))
    #expect(try ledger.run("status", "--json").member("verified") != nil)
    try tamper(4, "75.5", "85.5")
    #expect(try check().isBroken && check(isWhole: true).isBroken)
  }

  @Test("A line of wrong form is reported once")
  func brokenForm() throws {
    try tamper(3, #""seq":3,"#, #""seq":9,"#)
    let answer = try strictly()
    #expect(answer.findings.count { $0["level"]?.string == "damage" } == 1, "\(answer.names)")
    #expect(answer.finding("chain-broken") != nil)
  }

  @Test("Unknown types are a notice with counts")
  func unknownTypes() throws {
    try ledger.add([
      .unknown(type: "weather.noticed", version: 3, data: ["rain": true]),
      .unknown(type: "weather.noticed", version: 3, data: ["rain": false]),
      .unknown(type: "moon.risen", version: 1, data: [:]),
    ])
    let answer = try strictly()
    #expect(answer.code == .done && answer.object["ok"]?.bool == true)
    let sentence = try #require(answer.finding("unknown-types")?["finding"]?.string)
    #expect(
      sentence.hasPrefix(
        "3 events (moon.risen: 1, first event 10; weather.noticed: 2, first event 8) are of types"),
      "\(sentence)")
  }

  @Test("A newer version of a known type is a warning, not damage, although no view can be shown")
  func newerVersion() throws {
    try ledger.add([.unknown(type: "progress.logged", version: 2, data: ["entry": "x"])])
    #expect(ledger.run("status").code == .damaged)
    let answer = try strictly()
    #expect(answer.code == .done && answer.object["ok"]?.bool == false)
    let found = try #require(answer.finding("newer-version"), "\(answer.names)")
    #expect(found["level"]?.string == "warning")
    #expect(found["finding"]?.string?.contains("progress.logged v2: 1, first event 8") == true)
    #expect(answer.finding("replay-fails") == nil && answer.finding("chain") != nil)
  }

  @Test("Data that does not fit its type is damage")
  func unreadableData() throws {
    try ledger.add([
      .unknown(type: "progress.deleted", version: 1, data: ["entry": 5]),
      .unknown(type: "edit.undone", version: 1, data: [:]),
    ])
    let answer = try strictly()
    #expect(answer.code == .damaged)
    let sentence = try #require(answer.finding("event-unreadable")?["finding"]?.string)
    #expect(sentence.hasPrefix("2 events cannot be understood, first event 8: "), "\(sentence)")
    #expect(sentence.contains("'entry' is 5"))
    #expect(answer.finding("replay-fails") == nil)
  }

  @Test("A date that does not exist is damage, although form and chain are correct")
  func impossibleDate() throws {
    try ledger.add([
      .unknown(
        type: "physical.updated", version: 1, data: ["date_of_birth": "1990-02-30"])
    ])
    #expect(ledger.run("verify").code == .done)
    #expect(ledger.run("replay").code == .damaged)
    let answer = try strictly()
    #expect(answer.code == .damaged)
    let sentence = try #require(answer.finding("event-unreadable")?["finding"]?.string)
    #expect(sentence.hasPrefix("1 event cannot be understood, first event 8: "), "\(sentence)")
    #expect(sentence.contains("1990-02-30"))
  }

  @Test("Edits in doubt for more than a day are a warning")
  func longInDoubt() throws {
    func attempt(_ seq: Int) throws {
      try ledger.add(
        .syncAttempted(
          SyncAttempted(
            call: #require(CallID("0198c1a0-7c1e-7def-9abc-0123456789ab")), method: "POST",
            path: "/api/v1/progress", events: [Seq(seq)], fingerprint: "ab", attempt: 1)), by: .sync
      )
    }
    try attempt(2)
    try attempt(3)
    let found = try #require(try strictly().finding("long-in-doubt"))
    #expect(found["level"]?.string == "warning" && found["command"]?.string == "ledger sync")
    #expect(found["finding"]?.string?.hasPrefix("2 edits were sent more than a day ago") == true)
    try ledger.acknowledge([Seq(2), Seq(3)], id: "a")
    #expect(try strictly().finding("long-in-doubt") == nil)
  }

  @Test("A snapshot that contradicts the log or has a broken page is removed")
  func snapshotAnswers() throws {
    func keep() throws -> Data {
      try FoldedLog(LogView.open(ledger.directory)).keepSnapshot()
      return try Data(contentsOf: URL(filePath: ledger.directory.snapshot))
    }
    var bytes = try keep()
    #expect(try strictly().finding("snapshot-answers")?["level"]?.string == "fine")
    // A byte of the last page, which opening does not check.
    bytes[bytes.count - 2000] ^= 1
    try bytes.write(to: URL(filePath: ledger.directory.snapshot))
    #expect(try strictly().finding("snapshot-differs")?["level"]?.string == "warning")
    #expect(ledger.run("doctor", "--strict", "--repair").code == .done)
    #expect(!FileManager.default.fileExists(atPath: ledger.directory.snapshot))

    // A snapshot of a log with other content but the same end.
    let whole = try ledger.bytes()
    try tamper(4, "75.5", "85.5")
    _ = try keep()
    try ledger.overwrite(whole)
    let answer = try strictly()
    #expect(answer.finding("snapshot-differs")?["level"]?.string == "warning", "\(answer.names)")
    let repaired = try DoctorAnswer(ledger.run("doctor", "--strict", "--repair", "--json"))
    #expect(repaired.finding("snapshot-differs")?["repaired"]?.string != nil)
    #expect(try strictly().object["ok"]?.bool == true)
  }

  @Test("Output fits the terminal; a command is on a line of its own, to be copied")
  func text() throws {
    try tamper(4, "75.5", "85.5")
    for columns in [60, 100] {
      let text = ledger.run(["doctor", "--strict"], columns: columns).output
      let lines = text.split(separator: "\n").map(String.init)
      #expect(lines.allSatisfy { displayWidth($0) <= columns }, "\(text)")
      #expect(lines.contains { $0.hasSuffix("  ledger replay --up-to-break") })
      #expect(lines.contains { $0.hasPrefix("✗ chain-broken") })
      #expect(lines.last == "The log is damaged. It is never repaired by guessing.")
    }
  }
}
