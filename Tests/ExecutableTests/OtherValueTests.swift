import Foundation
import LedgerJSON
import Testing

/// A backend that stores other values than were sent: never synced, and at most one probe a run.
@Suite(.blocks) struct OtherValueTests {
  @Test(
    "An entry that was stored with another value is not synced: exit 5, one probe a run",
    arguments: ["quantity", "type", "notes", "moment"])
  func probes(field: String) async throws {
    try await withBackend(["--fault", "POST /api/v1/progress:lie=\(field)"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.settings("sync.concurrency", "1")
      for number in 1...9 {
        try ledger.must(
          "append", "weight", "\(70 + number)", "--date", "2026-01-0\(number)", "--time", "08:00",
          "--notes", "n\(number)")
      }
      var posts = 0
      for number in 1...3 {
        let run = try ledger.sync()
        #expect(run.code == 5, "\(run.answer.serialized) \(run.error)")
        #expect(run.count("differs") == 1)
        #expect(run.count("acknowledged") == (number == 1 ? 1 : 0))
        #expect(run.error.contains("ledger conflicts"), "\(run.error)")
        #expect(run.error.contains("backend.dialect") == (field == "moment"), "\(run.error)")
        let sent = try backend.requests("POST /api/v1/progress 201").count
        #expect(sent - posts <= 1)
        posts = sent
        let text = try ledger.run("status", "--json")
        #expect(text.code == 0)
      }
      let statuses = try ledger.entries().compactMap { $0["status"]?.string }
      #expect(!statuses.contains("synced"), "\(statuses)")
      #expect(statuses.count == 9)
    }
  }

  @Test("Once a probe is answered with what was sent, the others follow in the same run")
  func afterwards() async throws {
    try await withBackend(["--fault", "POST /api/v1/progress:lie=quantity:1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.settings("sync.concurrency", "1")
      for number in 1...9 {
        try ledger.must(
          "append", "weight", "\(70 + number)", "--date", "2026-01-0\(number)", "--time", "08:00")
      }
      #expect(try ledger.sync().code == 5)
      let run = try ledger.sync()
      #expect(run.code == 5 && run.count("acknowledged") == 8, "\(run.answer.serialized)")
      #expect(run.error.contains("a conflict waits for you"), "\(run.error)")
      let entries = try ledger.entries()
      #expect(entries.count { $0["status"] == "synced" } == 8)
      #expect(entries.count { $0["status"] == "failed" } == 1)
      #expect(try await backend.rows().count == 9)
      #expect(try ledger.audit().fields == ["quantity"])
    }
  }

  @Test("A profile field that was stored with another value is a conflict: exit 5")
  func profile() async throws {
    try await withBackend(["--fault", "PUT /api/v1/users/me:lie=bio"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("sync")
      try ledger.must("append", "profile", "--bio", "Runs.")
      let run = try ledger.sync()
      #expect(run.code == 5 && run.count("differs") == 1, "\(run.answer.serialized) \(run.error)")
      #expect(run.error.contains("bio"), "\(run.error)")
      let audit = try ledger.audit()
      #expect(audit.code == 5 && audit.fields == ["bio"], "\(audit.answer.serialized)")
      #expect(try ledger.sync().code == 5)
    }
  }

  @Test(
    "A conflict over a birth date stays open until a person decides, whatever else was sent",
    arguments: [true, false])
  func birthDate(isFirst: Bool) async throws {
    let fault = "PATCH /api/v1/users/me/physical:lie=date_of_birth" + (isFirst ? "" : ":2")
    try await withBackend(["--fault", fault]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "physical", "--born", "1990-07-20", "--height-cm", "165")
      if !isFirst {
        try ledger.must("sync")
        try ledger.must("append", "profile", "--bio", "hi")
        try ledger.must("append", "physical", "--born", "1991-01-01")
      }
      for _ in 1...3 {
        let run = try ledger.sync()
        #expect(run.code == 5, "\(run.answer.serialized) \(run.error)")
        #expect(run.count("conflicts") == 1)
      }
      #expect(try ledger.run("conflicts", "--json").output.contains("date_of_birth"))
      #expect(try ledger.audit().fields == ["date_of_birth"])
      try ledger.must("resolve", "--all", "--take", "remote")
      #expect(try ledger.sync().code == 0)
      #expect(try ledger.audit().code == 0)
    }
  }

  @Test("Undoing an entry that was stored with another value deletes its row")
  func undo() async throws {
    try await withBackend(["--fault", "POST /api/v1/progress:lie=quantity:1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5", "--date", "2026-03-01", "--time", "07:30")
      #expect(try ledger.sync().code == 5)
      let logged = try #require(ledger.entries().first?["seq"]?.integer)
      try ledger.must("undo", "\(logged)")
      #expect(try ledger.sync().code == 0)
      #expect(try await backend.rows().isEmpty)
      #expect(try ledger.audit().code == 0)
    }
  }

  @Test("A field that a later call stored otherwise is compared with what the ledger has")
  func laterField() async throws {
    try await withBackend(["--fault", "PUT /api/v1/users/me:lie=bio:2"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("sync")
      try ledger.must("append", "profile", "--bio", "Runs.")
      #expect(try ledger.sync().code == 0)
      try ledger.must("append", "profile", "--name", "Eva")
      let run = try ledger.sync()
      #expect(run.code == 5, "\(run.answer.serialized) \(run.error)")
      #expect(try ledger.audit().fields == ["bio"])
    }
  }

  @Test("A difference that a listing shows is named")
  func listed() async throws {
    try await withBackend(["--fault", "GET /api/v1/progress:omit=notes"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5", "--date", "2026-03-01", "--notes", "early")
      #expect(try ledger.sync().code == 0)
      let run = try ledger.sync("--full")
      #expect(run.code == 5)
      #expect(
        run.error.contains("weight of 2026-03-01: the backend has notes"), "\(run.error)")
    }
  }

  @Test("The wait that an answer to a GET asks for counts for the next run, too")
  func rateLimitedGet() async throws {
    try await withBackend(["--fault", "GET /api/v1/users/me:status-before=429:1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5", "--date", "2026-03-01")
      #expect(try ledger.sync().code == 75)
      let sent = try backend.requests("GET").count
      let run = try ledger.sync()
      #expect(run.code == 75, "\(run.answer.serialized)")
      #expect(try ledger.run("verify", "--backend").code == 75)
      let plan = try ledger.run("sync", "--dry-run")
      #expect(plan.error.contains("by the log alone"), "\(plan.error)")
      #expect(try backend.requests("GET").count == sent)
    }
  }
}
