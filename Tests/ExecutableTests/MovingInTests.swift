import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// docs/moving-in.md: the old app's store, and a backend that has its rows.
@Suite(.blocks) struct MovingInTests {
  /// The old store's entries in JSON: backend ids right, local, or missing.
  private static let entries = #"""
    {"profile":{"metadata":{"firstName":"Ada"}},"entries":[
      {"id":"1","type":"weight","quantity":75.5,"date":"2026-01-05T06:30:00Z","backendID":"local-1",
       "syncStatus":"synced"},
      {"id":"2","type":"weight","quantity":75.1,"date":"2026-01-06","syncStatus":"syncing"},
      {"id":"3","type":"steps","quantity":9000,"date":"2026-01-06T00:00:00Z","notes":"walk",
       "backendID":"local-3","syncStatus":"failed"},
      {"id":"4","type":"steps","quantity":9000,"date":"2026-01-07T10:00:00Z"}]}
    """#

  @Test("The backend's own ids bind their entries; nothing is sent, and all of it is synced")
  func realIDs() async throws {
    try await withBackend { backend in
      let first = try TestLedger.registered(at: backend)
      // Two equal rows: only their ids tell them apart.
      for _ in 0..<2 { try first.must("append", "steps", "9000", "--date", "2026-01-06") }
      try first.must(
        "append", "weight", "75.5", "--date", "2026-01-05", "--time", "06:30", "--zone", "UTC")
      try await first.syncUntilQuiet()
      let rows = try JSONValue(parsing: first.run("show", "progress", "--json").output).object?[
        "entries"]?.array
      let entries = try #require(rows).enumerated().map { index, row -> String in
        let id = try #require(row.object?["backend_id"]?.string)
        let type = try #require(row.object?["type"]?.string)
        let isWeight = type == "weight"
        let date = isWeight ? "2026-01-05T06:30:00Z" : "2026-01-06"
        return
          #"{"id":"old-\#(index)","type":"\#(type)","quantity":\#(isWeight ? "75.5" : "9000"),"#
          + #""date":"\#(date)","backendID":"\#(id)","syncStatus":"synced"}"#
      }
      let moved = try TestLedger()
      let imported = try moved.run(
        "import", "legacy", "-", input: "[\(entries.joined(separator: ","))]")
      #expect(imported.code == 0, "\(imported.error)")
      try moved.settings("sync.settle_seconds", "0")
      try moved.signIn(at: backend)
      let calls = try backend.requests().count
      try await moved.syncUntilQuiet()
      let sent = try backend.requests().dropFirst(calls).filter { $0.contains("/progress") }
      #expect(sent.allSatisfy { $0.hasPrefix("GET ") }, "\(sent)")
      let shown = try moved.run("show", "progress", "--json").output
      for row in try #require(rows) {
        let id = try #require(row.object?["backend_id"]?.string)
        #expect(shown.components(separatedBy: id).count == 2, "\(shown)")
      }
      #expect(shown.components(separatedBy: #""status":"synced""#).count == 4, "\(shown)")
      try moved.expectSameAtBackend()
    }
  }

  @Test("A ledger restored from its events keeps its rows after a sign-in to the same account")
  func restoredBindings() async throws {
    try await withBackend { backend in
      let first = try TestLedger.registered(at: backend)
      try first.must("append", "weight", "75.5", "--date", "2026-01-05")
      try first.must("append", "steps", "9000", "--date", "2026-01-06")
      try await first.syncUntilQuiet()
      let ids = { (ledger: TestLedger) in
        try JSONValue(parsing: ledger.run("show", "progress", "--json").output).object?["entries"]?
          .array?.map { [$0.object?["entry"], $0.object?["backend_id"], $0.object?["status"]] }
      }
      let before = try ids(first)
      let restored = try TestLedger()
      try restored.must("import", "jsonl", "-", input: first.run("export", "jsonl").output)
      try restored.settings("sync.settle_seconds", "0")
      try restored.signIn(at: backend)
      let calls = try backend.requests().count
      try await restored.syncUntilQuiet()
      let sent = try backend.requests().dropFirst(calls).filter { !$0.hasPrefix("GET ") }
      #expect(sent.isEmpty, "\(sent)")
      #expect(try ids(restored) == before && before?.count == 2)
      try restored.expectSameAtBackend()
    }
  }

  @Test("What a restored backup holds as unsent is not sent again, if it was sent since")
  func restoredBeforeSync() async throws {
    try await withBackend { backend in
      let first = try TestLedger.registered(at: backend)
      try await first.syncUntilQuiet()
      try first.must("append", "steps", "9000", "--date", "2026-01-06")
      let backup = try first.run("export", "jsonl").output
      try await first.syncUntilQuiet()
      let restored = try TestLedger(device: "tablet")
      try restored.must("import", "jsonl", "-", input: backup)
      try restored.settings("sync.settle_seconds", "0")
      try restored.signIn(at: backend)
      try await restored.syncUntilQuiet()
      #expect(try await backend.rows().count == 1)
      #expect(try restored.entries().map { $0["status"] } == ["synced"])
    }
  }

  @Test("A ledger moved in sends nothing that the backend has, and every entry is synced")
  func nothingIsSent() async throws {
    try await withBackend { backend in
      let first = try TestLedger.registered(at: backend)
      try first.must(
        "append", "weight", "75.5", "--date", "2026-01-05", "--time", "06:30", "--zone", "UTC")
      try first.must("append", "weight", "75.1", "--date", "2026-01-06")
      try first.must("append", "steps", "9000", "--date", "2026-01-06", "--notes", "walk")
      try first.must(
        "append", "steps", "9000", "--date", "2026-01-07", "--time", "10:00", "--zone", "UTC")
      try await first.syncUntilQuiet()
      let moved = try TestLedger()
      let imported = try moved.run(
        "import", "legacy", "-", input: Self.entries, zone: "Europe/Vienna")
      #expect(imported.code == 0, "\(imported.error)")
      try moved.settings("sync.settle_seconds", "0")
      try moved.signIn(at: backend)
      let calls = try backend.requests().filter { !$0.hasPrefix("GET ") }.count
      try await moved.syncUntilQuiet()
      let after = try backend.requests().filter { !$0.hasPrefix("GET ") }
      #expect(after.dropFirst(calls).filter { $0.contains("/progress") }.isEmpty, "\(after)")
      let shown = try moved.run("show", "progress", "--json").output
      #expect(shown.components(separatedBy: #""status":"synced""#).count == 5, "\(shown)")
      try moved.expectSameAtBackend()
    }
  }
}
