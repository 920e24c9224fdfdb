import Foundation
import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// Damage in the middle of a log comes to light without anybody asking for it.
@Suite(.blocks) struct VerifiedTests {
  private let ledger: TestLedger

  init() throws {
    ledger = try TestLedger()
    let lines = (0..<60).map { index in
      #"{"type":"progress.logged","data":{"metric":"steps","quantity":\#(1_000 + index),"date":"2026-01-02"}}"#
    }
    let result = try ledger.run("append", "--stdin", input: lines.joined(separator: "\n") + "\n")
    try #require(result.code == 0, "\(result.error)")
  }

  /// Changes one value in the middle.
  private func damage() throws {
    var bytes = try ledger.bytes()
    let place = try #require(bytes.firstRange(of: Data(#""quantity":1030"#.utf8)))
    bytes[place.upperBound - 1] = UInt8(ascii: "9")
    try ledger.folder.write(bytes, to: ".ledger/events.jsonl")
  }

  private func verified() throws -> JSONObject? {
    let status = try ledger.run("status", "--json")
    return try JSONValue(parsing: Array(status.output.utf8)).object?["verified"]?.object
  }

  private var exists: Bool {
    FileManager.default.fileExists(atPath: ledger.path + "/verified")
  }

  @Test("One value changed in a log of 13 kB: doctor says so, exit 3")
  func doctor() throws {
    #expect(try ledger.run("doctor").output.contains("All is well"))
    try damage()
    let told = try ledger.run("doctor")
    #expect(told.code == 3 && told.output.contains("line 32, byte "), "\(told.output)")
    #expect(!told.output.contains("All is well"))
    #expect(try ledger.run("doctor", "--repair").code == 3)
  }

  @Test(
    "verify, doctor and report are remembered, and status says up to which event; append is not")
  func remembered() throws {
    #expect(try verified() == nil && !exists)
    #expect(try ledger.run("status").output.contains("never: ledger doctor"))
    for words in [["verify"], ["doctor"], ["report", "-o", "-"]] {
      let result = try Executable.ledger.run(words, in: ledger.folder.path)
      #expect(result.code == 0, "\(result.error)")
      #expect(try verified()?["seq"] == 61, "\(words)")
      #expect(try verified()?["at"]?.string?.count == 24)
      try FileManager.default.removeItem(atPath: ledger.path + "/verified")
    }
    _ = try ledger.run("doctor")
    let before = try ledger.folder.bytes(".ledger/verified")
    _ = try ledger.logged()
    #expect(try verified()?["seq"] == 61)
    #expect(try ledger.run("status").output.contains("up to event 61, on "))
    #expect(try ledger.folder.bytes(".ledger/verified") == before)
    // An erasure verifies the log that it writes.
    #expect(try ledger.run("erase", "5", "--reason", "private", "--yes").code == 0)
    #expect(try verified()?["seq"]?.integer ?? 0 > 62)
    #expect(try ledger.run("status").output.contains("all, on "))
  }

  @Test("status says what is wrong with a log that was found damaged, until it is found right")
  func notRemembered() throws {
    let right = try ledger.bytes()
    #expect(try ledger.run("doctor").code == 0)
    try damage()
    #expect(try ledger.run("report", "-o", "-").code == 3)
    for command in ["verify", "doctor"] {
      #expect(try ledger.run(command).code == 3)
      #expect(try verified() == nil)
      let told = try ledger.run("status").output
      #expect(
        told.contains("the log is damaged at line ") && told.contains(": ledger doctor"), "\(told)")
      try ledger.folder.write(right, to: ".ledger/events.jsonl")
      #expect(try ledger.run(command).code == 0)
      #expect(try verified()?["seq"] == 61)
      #expect(try !ledger.run("status").output.contains("damaged"))
      try damage()
    }
  }

  @Test("An append to a log that was found damaged says so")
  func appendToDamaged() throws {
    #expect(try !ledger.run("append", "steps", "5").error.contains("damaged"))
    try damage()
    #expect(try ledger.run("doctor").code == 3)
    let appended = try ledger.run("append", "steps", "5")
    #expect(appended.code == 0 && appended.error.contains("the log was found damaged"))
  }

  @Test("An idle watch checks the log, reports damage, and continues", .timeLimit(.minutes(10)))
  func watch() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02")
      try ledger.must("sync")
      // Due after the first run, which reads the log, too. On a busy machine that may come later: then
      // the check found nothing yet, and the next watch has more time.
      var seconds: Int64 = 2
      while try await !watches(ledger, dueIn: seconds) { seconds *= 2 }
    }
  }

  /// Damages the log while a watch rests, and waits for it to say so.
  ///
  /// - Returns: `false` if the log was checked before it was damaged.
  private func watches(_ ledger: TestLedger, dueIn seconds: Int64) async throws -> Bool {
    // The first run sends it and tells of it, which shows that the watch rests from then on.
    try ledger.must("append", "steps", "1", "--date", "2026-01-02")
    let at = Timestamp(
      millisecondsSince1970: (Int64(Date.now.timeIntervalSince1970) - 86_400 + seconds) * 1_000)
    let log = try OpenFile.identity(of: ledger.path + "/events.jsonl", on: SystemDisk.shared)
    let file = try #require(log).inode
    let note =
      #"{"seq":1,"hash":"\#(String(repeating: "0", count: 64))","offset":9,"at":"\#(at)","#
      + #""file":"\#(file)"}"#
    try ledger.folder.write(Data(note.utf8), to: ".ledger/verified")
    let watch = try Executable.ledger.start(["sync", "--watch"], in: ledger.folder.path)
    defer { watch.kill() }
    try await until { try watch.output().hasSuffix("\n") }
    let right = try ledger.bytes()
    var bytes = right
    let place = try #require(bytes.range(of: Data("75.5".utf8)))
    bytes.replaceSubrange(place, with: Data("76.5".utf8))
    try ledger.folder.write(bytes, to: ".ledger/events.jsonl")
    while try !watch.error().contains("the log is damaged at line ") {
      guard try ledger.folder.bytes(".ledger/verified") == Data(note.utf8) else {
        try ledger.folder.write(right, to: ".ledger/events.jsonl")
        return false
      }
      usleep(20_000)
    }
    watch.terminate()
    #expect(try watch.wait().code == 0)
    return true
  }

  @Test(
    "A forged snapshot is named and removed by verify and replay", arguments: ["verify", "replay"])
  func forgedSnapshot(_ command: String) throws {
    let view = try LogView.open(LedgerDirectory(ledger.path))
    var state = try Replay.run(view).state
    for row in state.rows.indices { state.rows[row].quantity += 5_000 }
    Snapshot.keep(state, of: view)
    #expect(try ledger.run("show", "progress", "--json").output.contains(#""quantity":6059"#))
    let answer = try ledger.run(command, "--json")
    #expect(answer.code == 0 && answer.output.contains(#""snapshot":"discarded""#))
    #expect(!FileManager.default.fileExists(atPath: ledger.path + "/views.snapshot"))
    #expect(try !ledger.run("show", "progress", "--json").output.contains(#""quantity":6059"#))
    Snapshot.keep(state, of: view)
    #expect(try ledger.run(command).error.contains("views.snapshot differs from the log"))
    #expect(try ledger.run(command, "--json").output.contains(#""snapshot""#) == false)
  }
}
