import Foundation
import LedgerJSON
import Testing

/// Sleep sessions on their way to the backend, through the program.
@Suite(.blocks) struct SleepSyncTests {
  private func logNight(_ ledger: TestLedger) throws {
    try ledger.must(
      "append", "sleep", "2026-01-22T23:00:00+01:00", "2026-01-23T07:00:00+01:00", "--notes",
      "calm")
  }

  private func sessions(_ ledger: TestLedger) throws -> [JSONObject] {
    let answer = try JSONValue(parsing: Array(ledger.must("show", "sleep", "--json").utf8))
    return (answer.object?["sessions"]?.array ?? []).compactMap(\.object)
  }

  @Test("A session is sent once, and is synced")
  func sends() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try logNight(ledger)
      try await ledger.syncUntilQuiet()
      let session = try #require(sessions(ledger).first)
      #expect(session["status"] == "synced" && session["backend_id"] != nil)
      #expect(try backend.requests("POST /api/v1/sleep") == ["POST /api/v1/sleep 201"])
    }
  }

  @Test("A session whose answer was lost is sent again, and the backend makes it once")
  func sendsAgain() async throws {
    try await withBackend(["--fault", "POST /api/v1/sleep:drop-after:1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try logNight(ledger)
      try await ledger.syncUntilQuiet()
      #expect(try sessions(ledger).first?["status"] == "synced")
      let statuses = try backend.requests("POST /api/v1/sleep").map { String($0.suffix(3)) }
      #expect(statuses.last == "200" && statuses.count == 2, "\(statuses)")
    }
  }

  @Test("Undoing a session that the backend has says that the change stays here")
  func undone() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try logNight(ledger)
      try await ledger.syncUntilQuiet()
      let undone = try ledger.must("undo")
      #expect(undone.contains("; the backend cannot change or delete a sleep session"))
      #expect(!undone.contains("'ledger sync' sends"), "\(undone)")
    }
  }

  @Test("A correction of a session that the backend has is held for good, and counts here")
  func holds() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try logNight(ledger)
      try await ledger.syncUntilQuiet()
      try ledger.must("append", "correction", "@", "--notes", "restless")
      let run = try ledger.sync()
      #expect(run.code == 0 && run.count("held") == 1, "\(run.answer.serialized) \(run.error)")
      let waiting = try ledger.must("show", "sync", "--json")
      #expect(waiting.contains("backend-cannot-change-sleep"), "\(waiting)")
      #expect(try sessions(ledger).first?["notes"] == "restless")
      #expect(try ledger.must("show", "sleep").contains("  held  "))
      try ledger.must("append", "correction", "@", "--notes", "calm again")
      #expect(try ledger.must("show", "sleep").contains("  pending  "))
      #expect(try ledger.sync().code == 0)
      #expect(try ledger.must("show", "sync").contains("and the change counts here only"))
      try ledger.must("append", "deletion", "@")
      #expect(try ledger.sync().code == 0)
      #expect(try sessions(ledger).isEmpty)
    }
  }

  @Test("A session deleted before it was sent makes no call")
  func elides() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try logNight(ledger)
      try ledger.must("append", "deletion", "@")
      try await ledger.syncUntilQuiet()
      #expect(try backend.requests("POST /api/v1/sleep").isEmpty)
      #expect(try ledger.status()["pending"] == 0)
    }
  }

  @Test("A session of one device comes to the other, and verify --backend agrees on both")
  func comesToAnotherDevice() async throws {
    try await withBackend { backend in
      let first = try TestLedger.registered(at: backend)
      try logNight(first)
      try await first.syncUntilQuiet()
      let second = try await TestLedger.another(at: backend)
      let nights = try sessions(second)
      let night = try #require(nights.first)
      #expect(night["start"] == "2026-01-22T22:00:00+00:00" && night["notes"] == "calm")
      #expect(night["status"] == "synced" && nights.count == 1)
      for ledger in [first, second] {
        let audit = try ledger.run("verify", "--backend", "--json")
        #expect(audit.code == 0, "\(audit.output) \(audit.error)")
      }
    }
  }

  @Test("An erased session that waits for the backend is called a session")
  func erased() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try logNight(ledger)
      try await ledger.syncUntilQuiet()
      try ledger.must("erase", "--metric", "sleep", "--reason", "test", "--yes")
      #expect(try ledger.must("show", "sync").contains("erased sleep session  pending"))
      #expect(try ledger.must("show", "sync", "--json").contains(#""subject":"sleep""#))
      _ = try ledger.sync()
      #expect(try ledger.must("show", "sync").contains("erased sleep session  held"))
    }
  }

  @Test("What the backend stored differently is in conflict until a person decides")
  func differs() async throws {
    try await withBackend(["--fault", "POST /api/v1/sleep:lie=notes:1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try logNight(ledger)
      #expect(try ledger.sync().code == 5)
      #expect(try sessions(ledger).first?["status"] == "failed")
      #expect(try ledger.run("verify", "--backend").code != 0)
      let shown = try ledger.run("conflicts")
      #expect(shown.output.contains("sleep of") && shown.output.contains("“Not what was sent”"))
      #expect(shown.error.contains("decide: ledger resolve "))
      #expect(shown.error.contains("counts here only"))
      try ledger.must("resolve", "--all", "--take", "remote")
      #expect(try ledger.sync().code == 0)
      #expect(try sessions(ledger).first?["notes"] == "Not what was sent")
      #expect(try ledger.run("verify", "--backend").code == 0)
    }
  }

  @Test("The decision for the values here says that they count here only")
  func keptHere() async throws {
    try await withBackend(["--fault", "POST /api/v1/sleep:lie=notes:1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try logNight(ledger)
      #expect(try ledger.sync().code == 5)
      let decided = try ledger.run("resolve", "--all", "--take", "local")
      #expect(decided.code == 0)
      #expect(decided.error.contains("the change counts here only"), "\(decided.error)")
      #expect(!decided.error.contains("carries it out"))
    }
  }
}
