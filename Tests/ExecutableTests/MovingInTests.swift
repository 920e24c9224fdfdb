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
