import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// `erase`, as a person runs it: gone from every file, proven all the same, and deleted at the
/// backend.
@Suite(.blocks) struct EraseTests {
  static let secrets = ["a private matter", "another one, too"]

  @Test("An erased entry that was not sent is never sent")
  func anUnsentEntryIsGoneAndNeverSent() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.appendSecret()
      try ledger.leaveCopies()
      try ledger.must("erase", "6", "--reason", "a test", "--yes")
      try ledger.expectForgotten()
      let status = try ledger.status()
      #expect(status["pending"] == 1)
      try await ledger.syncUntilQuiet()
      try ledger.expectAllHeard()
      #expect(try backend.requests("POST /api/v1/progress 201").isEmpty)
      try ledger.expectForgotten()
    }
  }

  @Test("Deleted entries that a query does not list are named, as their content is still there")
  func deletedEntries() throws {
    let ledger = try TestLedger()
    for notes in ["a private matter", "another"] {
      try ledger.must("append", "mood", "3", "--notes", notes)
    }
    try ledger.must("rm", "2", "3")
    func erase() throws -> Executable.Result {
      try ledger.run("erase", "--metric", "mood", "--reason", "private", "--yes")
    }
    let refused = try erase()
    #expect(refused.code == 4 && refused.error.contains("if needed: 2, 3"), "\(refused.error)")
    try ledger.must("erase", "2", "--reason", "private", "--yes")
    try ledger.must("append", "mood", "8")
    let erased = try erase()
    #expect(
      erased.code == 0 && erased.error.contains("event 3 is deleted or undone"), "\(erased.error)")
  }

  @Test("Nothing is said of the backend where a goal is erased, which it never had")
  func goal() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "goal", "steps", "9000", "--daily")
      let goal = "\(try ledger.bytes().split(separator: UInt8(ascii: "\n")).count)"
      try ledger.must("append", "goal", "steps", "8000", "--daily")
      try ledger.must("append", "profile", "--bio", "a private matter")
      let erased = try ledger.run("erase", goal, "--reason", "a test", "--yes")
      #expect(erased.code == 0 && !erased.error.contains("backend"), "\(erased.error)")
    }
  }

  @Test("An acknowledged entry is deleted at the backend too")
  func anAcknowledgedEntryIsDeletedAtTheBackendToo() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.appendSecret()
      try await ledger.syncUntilQuiet()
      try ledger.leaveCopies()
      let told = try ledger.run("erase", "6", "--reason", "a test", "--yes", "--json")
      #expect(told.code == 0, "\(told.error)")
      let answer = try #require(JSONValue(parsing: Array(told.output.utf8.dropLast())).object)
      #expect(answer["erased"] == [6, 7])
      #expect(answer["to_send"] == true)
      #expect(answer["backend_ids"]?.array?.count == 1)
      #expect(answer["removed"]?.array?.count == 1)
      #expect(try ledger.status()["pending"] == 1)
      try ledger.expectForgotten()
      let plan = try ledger.must("sync", "--dry-run", "--json")
      #expect(plan.contains(#""method":"DELETE""#))
      try await ledger.syncUntilQuiet()
      try ledger.expectAllHeard()
      #expect(try await TestLedger.another(at: backend).entries().isEmpty)
    }
  }

  @Test("A warning about one of several erased entries names the event")
  func severalErased() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.appendSecret()
      try await ledger.syncUntilQuiet()
      try ledger.must("append", "weight", "70")
      let erased = try ledger.run("erase", "6", "@", "--reason", "private", "--yes")
      #expect(
        erased.error.contains("warning: event 6: the backend still has row"), "\(erased.error)")
    }
  }

  /// Its own line said which row it is: that stays known, and the row is never pulled again.
  @Test("An erased entry that was pulled is not pulled again")
  func aPulledEntryDoesNotComeBack() async throws {
    try await withBackend { backend in
      let first = try TestLedger.registered(at: backend)
      try first.appendSecret()
      try await first.syncUntilQuiet()
      let second = try await TestLedger.another(at: backend)
      let entry = try #require(second.entries().first?["entry"]?.string)
      try second.must("erase", entry, "--reason", "not mine", "--yes")
      try second.expectForgotten()
      // Looking alone must not bring it back.
      _ = try second.run("sync", "--pull-only")
      try second.expectForgotten()
      #expect(try second.entries().isEmpty)
      try await second.syncUntilQuiet()
      try second.expectAllHeard()
      try await first.syncUntilQuiet()
      #expect(try first.entries().isEmpty)
    }
  }

  @Test("Erasing an entry that is deleted on both sides sends nothing")
  func whatWasDeletedOnBothSidesAsksForNothing() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.appendSecret()
      try await ledger.syncUntilQuiet()
      try ledger.must("append", "deletion", "6", "--reason", Self.secrets[0])
      try await ledger.syncUntilQuiet()
      let told = try ledger.must("erase", "6", "--reason", "a test", "--yes")
      #expect(told.contains("nothing is to be sent"))
      try ledger.expectForgotten()
      try await ledger.syncUntilQuiet()
      try ledger.expectAllHeard()
      #expect(try backend.requests("DELETE ").count == 1)
    }
  }

  @Test("A pending deletion is sent after its entry is erased")
  func aDeletionThatWaitsGoesOnWaiting() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.appendSecret()
      try await ledger.syncUntilQuiet()
      try ledger.must("append", "deletion", "6")
      try ledger.must("erase", "6", "--reason", "a test", "--yes")
      try ledger.expectForgotten()
      try await ledger.syncUntilQuiet()
      try ledger.expectAllHeard()
      #expect(try await TestLedger.another(at: backend).entries().isEmpty)
    }
  }

  @Test("An entry whose call is unresolved cannot be erased")
  func whatIsInDoubtIsRefused() async throws {
    try await withBackend(["--fault", "POST /api/v1/progress:drop-after:1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.appendSecret()
      _ = try ledger.run("sync")
      let before = try ledger.bytes()
      let result = try ledger.run("erase", "6", "--reason", "a test", "--yes")
      #expect(result.code == 2)
      #expect(result.error.contains("its answer is unknown"))
      #expect(try ledger.bytes() == before)
    }
  }

  /// Its answers repeat it, and go with it.
  @Test("A profile edit can be erased once a later one was acknowledged")
  func aProfileEditGoesOnceALaterOneArrived() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "profile", "--bio", Self.secrets[0])
      let edit = try "\(ledger.log().lines.count)"
      let erase = ["erase", edit, "--reason", "a test", "--yes"]
      #expect(
        try ledger.run("erase", edit, "--reason", "r", "--yes").error.contains(
          "still has to be sent"))
      try await ledger.syncUntilQuiet()
      #expect(try ledger.run("erase", edit, "--reason", "r", "--yes").error.contains("still has"))
      try ledger.must("append", "profile", "--bio", "for everybody")
      #expect(try ledger.run("erase", edit, "--reason", "r", "--yes").error.contains("until the"))
      try await ledger.syncUntilQuiet()
      let before = try ledger.must("show", "profile", "--json")
      let told = try Executable.ledger.run(erase, in: ledger.folder.path)
      #expect(told.code == 0, "\(told.error)")
      try ledger.expectForgotten()
      #expect(try ledger.must("show", "profile", "--json") == before)
      try ledger.expectAllHeard()
      #expect(try ledger.must("sync").contains("nothing to send"))
    }
  }

  @Test("Without a terminal erase needs --yes")
  func withoutATerminalItWantsYes() throws {
    let ledger = try TestLedger()
    try ledger.must("append", "weight", "75.5", "--notes", Self.secrets[0])
    let before = try ledger.bytes()
    #expect(try ledger.run("erase", "2", "--yes").code == 2)
    #expect(try ledger.run("erase", "2", "--yes", "--reason", "").code == 2)
    #expect(try ledger.run("erase", "1", "--reason", "r", "--yes").code == 2)
    #expect(try ledger.run("erase", "9", "--reason", "r", "--yes").code == 4)
    #expect(try ledger.run("erase", "abc", "--reason", "r", "--yes").code == 4)
    #expect(try ledger.bytes() == before)
    try ledger.must("erase", "2", "--reason", "r", "--yes")
    try ledger.expectRefusal(
      ["erase", "2", "--reason", "r", "--yes"], 2,
      "event 2 is already erased")
  }

  @Test("A single edit of an entry cannot be erased")
  func oneEditOfAnEntryIsNotErasedAlone() throws {
    let ledger = try TestLedger()
    try ledger.appendSecret()
    let result = try ledger.run("erase", "3", "--reason", "r", "--yes")
    #expect(result.code == 2)
    #expect(result.error.contains("name the entry by 2"))
  }

  @Test("A canceled entry can be erased")
  func aCancelledEntryCanBeErased() throws {
    let ledger = try TestLedger()
    try ledger.appendSecret()
    try ledger.must("undo", "2")
    try ledger.must("erase", "2", "--reason", "r", "--yes")
    try ledger.expectForgotten()
    try ledger.expectRefusal(
      ["undo", "4"], 2,
      "event 2 was erased and cannot be undone; nothing was written")
  }

  @Test("An entry that was made again names its former lines, which can be erased, too")
  func madeAgain() throws {
    let ledger = try TestLedger()
    try ledger.must("append", "weight", "77.7", "--notes", "a secret")
    try ledger.must("undo")
    try ledger.must("redo")
    let erased = try ledger.run("erase", "@", "--reason", "x", "--yes")
    #expect(erased.code == 0)
    #expect(erased.error.contains("event 2 has the same values"), "\(erased.error)")
    #expect(try ledger.run("erase", "2", "--reason", "x", "--yes").code == 0)
    #expect(!String(decoding: try ledger.bytes(), as: UTF8.self).contains("a secret"))
    #expect(try ledger.run("verify").code == 0)
  }

  @Test("A watching sync follows the log that an erasure replaced")
  func aWatchingSyncFollowsTheNewLog() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.appendSecret()
      let watch = try Executable.ledger.start(["sync", "--watch"], in: ledger.folder.path)
      defer { watch.kill() }
      try await until { try ledger.status()["pending"] == 0 }
      try ledger.must("erase", "6", "--reason", "a test", "--yes")
      try await until { try !backend.requests("DELETE ").isEmpty }
      try ledger.must("append", "steps", "7", "--date", "2026-01-02")
      try await until { try ledger.status()["pending"] == 0 }
      watch.terminate()
      let told = try watch.wait()
      #expect(told.code == 0, "\(told.error)")
      try ledger.expectForgotten()
      try ledger.expectAllHeard()
      #expect(try ledger.entries().map { $0["type"] } == ["steps"])
    }
  }
}

extension TestLedger {
  /// An entry with a correction, as events 2 and 3, or 6 and 7 of a registered ledger.
  fileprivate func appendSecret() throws {
    try must(
      "append", "weight", "75.5", "--date", "2026-01-02", "--notes", EraseTests.secrets[0])
    let seq = try "\(log().lines.count)"
    try must("append", "correction", seq, "--notes", EraseTests.secrets[1])
  }

  /// What crashes and repairs leave of it.
  fileprivate func leaveCopies() throws {
    let text = Data(#"{"data":{"notes":"\#(EraseTests.secrets[0])","x"#.utf8)
    let folder = URL(filePath: path)
    let quarantine = folder.appending(path: "quarantine")
    try FileManager.default.createDirectory(at: quarantine, withIntermediateDirectories: true)
    for name in ["views.snapshot", "views.snapshot.tmp", "events.jsonl.new"] {
      try text.write(to: folder.appending(path: name))
    }
    try text.write(to: quarantine.appending(path: "events-7-x.torn"))
  }

  /// No file of the ledger holds it, and the log verifies all the same.
  fileprivate func expectForgotten(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let files = FileManager.default.enumerator(atPath: path)
    while let name = files?.nextObject() as? String {
      guard let bytes = FileManager.default.contents(atPath: path + "/" + name) else { continue }
      for secret in EraseTests.secrets {
        #expect(
          bytes.firstRange(of: Data(secret.utf8)) == nil, "\(name)", sourceLocation: sourceLocation)
      }
    }
    try must("verify", sourceLocation: sourceLocation)
  }
}
