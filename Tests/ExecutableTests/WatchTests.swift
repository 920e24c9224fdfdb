import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// `sync --watch`, `--trace` and the ways of asking for less.
@Suite(.blocks) struct WatchTests {
  @Test("A watch syncs an edit at once and stops cleanly")
  func aWatchingLedgerWakesForAnEditAndStopsCleanly() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      let watch = try Executable.ledger.start(["sync", "--watch"], in: ledger.folder.path)
      defer { watch.kill() }
      try await until { try !backend.requests("POST /api/v1/users/me 201").isEmpty }
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02")
      try await until { try !backend.requests("POST /api/v1/progress 201").isEmpty }
      watch.terminate()
      let told = try watch.wait()
      #expect(told.code == 0, "\(told.error)")
      #expect(told.error.hasSuffix("stopped\n"))
      let line = /20\d\d-\d\d-\d\d \d\d:\d\d:\d\d ✓ 1 call sent; edits: 1 acknowledged/
      #expect(told.output.split(separator: "\n").contains { $0.wholeMatch(of: line) != nil })
      // Nothing is left behind: another run begins at once, and has nothing to say.
      #expect(try ledger.must("sync").contains("nothing to send"))
    }
  }

  @Test(
    "While it backs off, an edit by another process or a signal starts a run",
    arguments: [false, true])
  func endsItsBackoff(bySignal: Bool) async throws {
    var registered: TestLedger?
    try await withBackend { registered = try TestLedger.registered(at: $0) }
    let ledger = try #require(registered)
    // The second one is left alone: it tells how many runs there are without a wake-up.
    let ledgers = [ledger, try TestLedger(ledger.files())]
    let watches = try ledgers.map {
      try Executable.ledger.start(["sync", "--watch", "--trace"], in: $0.folder.path)
    }
    defer { for watch in watches { watch.kill() } }
    func runs(_ watch: Int) throws -> Int {
      let told = try watches[watch].error()
      try #require(watches[watch].isRunning, "\(told)")
      return told.split(separator: "\n")
        .count { $0 == "→ GET /api/v1/users/me" }
    }
    // By then the pauses are of seconds, and grow.
    try await until { try runs(0) >= 3 && runs(1) >= 3 }
    let before = try runs(1)
    for _ in 1...6 {
      let seen = try runs(0)
      if bySignal {
        watches[0].send(SIGUSR1)
      } else {
        try ledger.must("append", "weight", "75.5", "--date", "2026-01-02")
      }
      try await until { try runs(0) != seen }
    }
    #expect(try runs(1) - before < 6)
    for watch in watches { watch.terminate() }
    for watch in watches { #expect(try watch.wait().code == 0) }
    withExtendedLifetime(ledgers) {}
  }

  @Test("A trace shows calls without secrets")
  func aTraceShowsEverythingButSecrets() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02")
      let told = try ledger.run("sync", "--trace", "--json")
      #expect(told.code == 0)
      let lines = try told.error.split(separator: "\n").map { line in
        try #require(try JSONValue(parsing: Array(line.utf8)).object)
      }
      let post = try #require(lines.first { $0["target"] == "/api/v1/progress" })
      #expect(post["method"] == "POST")
      #expect(post["status"] == 201)
      #expect(post["body"] == #"{"type":"weight","quantity":75.5,"date":"2026-01-02"}"#)
      #expect(post["headers"]?.object?["Authorization"] == "Bearer ***")
      let stored = try JSONValue(parsing: Array(ledger.folder.bytes(".ledger/credentials.json")))
      for name in ["api_key", "access_token", "refresh_token"] {
        let secret = try #require(stored.object?[name]?.string)
        #expect(!told.error.contains(secret), "\(name)")
      }
    }
  }

  @Test("A dry run prints the calls of the next sync")
  func aDryRunPrintsWhatIsThenSent() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("settings", "sync.concurrency", "1")
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02", "--notes", "a \"b\" ü")
      try ledger.must("append", "steps", "4000", "--date", "2026-01-02", "--time", "08:30")
      let before = try ledger.bytes()
      let planned = try ledger.must("sync", "--dry-run", "--json").split(separator: "\n").map {
        try #require(try JSONValue(parsing: Array($0.utf8)).object)
      }
      #expect(try ledger.bytes() == before)
      let told = try ledger.run("sync", "--trace", "--json")
      let sent = try told.error.split(separator: "\n").compactMap { line in
        try JSONValue(parsing: Array(line.utf8)).object
      }.filter { $0["method"] != "GET" }
      #expect(planned.map { $0["method"] } == sent.map { $0["method"] })
      #expect(planned.map { $0["path"] } == sent.map { $0["target"] })
      #expect(
        planned.map { $0["body"].map(\.serialized) ?? "" } == sent.map { $0["body"]?.string ?? "" })
      #expect(sent.count == 3)
    }
  }

  @Test("--pull-only sends no edit, --push-only pulls nothing")
  func pullOnlySendsNoEditAndPushOnlyLooksAtNothingNew() async throws {
    try await withBackend { backend in
      let first = try TestLedger.registered(at: backend)
      let second = try await TestLedger.another(at: backend)
      try first.must("append", "weight", "75.5", "--date", "2026-01-02")
      try second.must("append", "weight", "80", "--date", "2026-01-03")
      try first.must("sync", "--push-only")
      #expect(try first.entries().count == 1)
      try second.must("sync", "--pull-only")
      #expect(try second.entries().count == 2)
      #expect(try await backend.rows().count == 1)
      let both = try second.run("sync", "--pull-only", "--push-only")
      #expect(both.code == 2)
      #expect(both.error.contains("exclude each other"))
    }
  }
}
