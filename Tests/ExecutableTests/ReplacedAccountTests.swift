import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// A backend that lost everything, or whose account was created again, takes nothing away here.
@Suite(.blocks) struct ReplacedAccountTests {
  /// How the account comes to be another one of the same address.
  enum Way: String, CaseIterable {
    /// The backend forgets all accounts and data when it is probed; the person registers again.
    case reset
    /// The account is deleted by another device and registered again.
    case deleted

    /// One, where a run does the same after both.
    static let oneOfThem = TestSize.of([reset], full: allCases)
  }

  private static let entries = 40

  /// A ledger with 40 synced entries whose account is created again by the closure.
  private func withLedger(
    _ body: (BackendProcess, TestLedger, _ recreate: (Way) async throws -> Void) async throws ->
      Void
  ) async throws {
    try await withBackend(["--fault", "GET /health:forget:1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "physical", "--height-cm", "170")
      try ledger.appendMany(0..<Self.entries)
      try await ledger.syncUntilQuiet()
      try await body(backend, ledger) { way in
        switch way {
        case .reset: try await backend.call("GET", "/health")
        case .deleted:
          let token = try await backend.token()
          let status = try await backend.call("DELETE", "/api/v1/users/me", token: token).status
          try #require(status == 204)
        }
        let made = try await backend.call(
          "POST", "/api/v1/auth/register",
          [
            "email": .string(TestLedger.email), "password": .string(BackendProcess.password),
            "name": "Ada", "date_of_birth": "1990-01-02",
          ])
        try #require(made.status == 201)
      }
    }
  }

  /// Signs in to the account as it is now; a person is told that it was created again.
  private func signInAgain(_ ledger: TestLedger, at backend: BackendProcess) throws {
    let told = try ledger.online(
      ["login", "--base-url", backend.url, "--email", TestLedger.email], at: backend)
    #expect([0, 5].contains(told.code), "\(told.error)")
    #expect(try ledger.status()["signed_in"] == true)
  }

  @Test(
    "A sync after the account was created again stops: exit 5, nothing deleted",
    arguments: Way.allCases)
  func stops(way: Way) async throws {
    try await withLedger { backend, ledger, recreate in
      try await recreate(way)
      let over = try ledger.sync()
      #expect(over.code == 5 && over.answer["pull"] == "failed", "\(over.error)")
      try signInAgain(ledger, at: backend)
      for _ in 1...2 {
        let before = try ledger.bytes()
        let stopped = try ledger.sync()
        #expect(stopped.code == 5)
        #expect(stopped.count("deleted") == 0 && stopped.count("sent") == 0)
        for way in ["ledger sync --resend", "ledger sync --accept-deletions"] {
          #expect(stopped.error.contains(way), "\(stopped.error)")
        }
        #expect(try ledger.bytes() == before)
        let text = try ledger.run("sync")
        #expect(text.code == 5 && !text.output.contains("has everything"), "\(text.output)")
      }
      #expect(try ledger.entries().count == Self.entries)
      let plan = try ledger.run("sync", "--dry-run")
      #expect(plan.code == 5, "\(plan.error)")
      // Sending alone does not hide it.
      try ledger.must("append", "weight", "75.5", "--date", "2026-03-01")
      let pushed = try ledger.sync("--push-only")
      #expect(pushed.code == 5 && pushed.count("sent") == 0, "\(pushed.error)")
      // A run that does not reach the backend leaves that on record.
      _ = try ledger.run("sync", "--base-url", "http://127.0.0.1:1")
      let reasons: [JSONValue] = ["account-replaced", "rows-missing"]
      let reason = try ledger.status()["stopped"]?.object?["reason"]
      #expect(reason.map(reasons.contains) == true)
      #expect(try ledger.must("status").contains("stopped"))
    }
  }

  @Test("An account created again is accepted at the address of the last sign-in")
  func otherAddress() async throws {
    try await withLedger { backend, ledger, recreate in
      let other = backend.url.replacing("127.0.0.1", with: "localhost")
      func signIn(_ more: String...) throws {
        let answer = try ledger.online(["login", "--base-url", other] + more, at: backend)
        #expect([0, 5].contains(answer.code), "\(answer.error)")
        #expect(try ledger.status()["signed_in"] == true)
      }
      try signIn("--email", TestLedger.email)
      try await recreate(.reset)
      try signIn("--email", TestLedger.email)
      // The address of the account is known.
      try signIn()
    }
  }

  @Test("--resend rebuilds the backend from the ledger", arguments: Way.oneOfThem)
  func resend(way: Way) async throws {
    try await withLedger { backend, ledger, recreate in
      let rows = try await backend.rows()
      try await recreate(way)
      try signInAgain(ledger, at: backend)
      let before = try ledger.bytes()
      let plan = try ledger.must("sync", "--resend", "--dry-run", "--json")
      #expect(plan.split(separator: "\n").count { $0.contains("/api/v1/progress") } == Self.entries)
      #expect(try ledger.bytes() == before)
      let told = try ledger.sync("--resend")
      #expect(told.code == 0, "\(told.error)")
      #expect(told.count("deleted") == 0)
      #expect(try ledger.status()["stopped"] == nil)
      try ledger.expectAllHeard()
      try ledger.expectSameAtBackend()
      #expect(try await backend.rows() == rows)
      let last = try ledger.status()["last_sync"]?.string ?? ""
      let again = try ledger.sync()
      // Also a run without news is the last one.
      #expect(try ledger.status()["last_sync"]?.string ?? "" > last)
      #expect(again.code == 0 && again.count("sent") == 0, "\(again.error)")
    }
  }

  @Test("--resend on a second device sends nothing twice", arguments: Way.oneOfThem)
  func secondDevice(way: Way) async throws {
    try await withLedger { backend, ledger, recreate in
      let second = try await TestLedger.another(at: backend)
      let rows = try await backend.rows()
      try await recreate(way)
      try signInAgain(ledger, at: backend)
      try #require(try ledger.sync("--resend").code == 0)
      try signInAgain(second, at: backend)
      #expect(try second.sync().code == 5)
      let told = try second.sync("--resend")
      #expect(told.code == 0, "\(told.error)")
      for side in [second, ledger, second] {
        try await side.syncUntilQuiet()
        try side.expectAllHeard()
        try side.expectSameAtBackend()
        #expect(try side.shownRows() == rows)
      }
      #expect(try await backend.rows() == rows)
    }
  }

  @Test("An entry without a time that another device corrected is suspected by --resend")
  func correctedElsewhere() async throws {
    try await withLedger { backend, ledger, recreate in
      try ledger.must("append", "weight", "80", "--date", "2026-01-09")
      try ledger.must("sync")
      let second = try await TestLedger.another(at: backend)
      let seq = try #require(ledger.log().lines.last { $0.type == "progress.logged" }?.seq)
      try ledger.must("append", "correction", "\(seq)", "--quantity", "81")
      try await ledger.syncUntilQuiet()
      try await recreate(.reset)
      try signInAgain(ledger, at: backend)
      try #require(try ledger.sync("--resend").code == 0)
      // The second device never heard of the correction.
      try signInAgain(second, at: backend)
      let told = try second.sync("--resend")
      #expect(told.code == 5 && told.count("pulled") == 0, "\(told.error)")
      #expect(try second.status()["suspected"] == 1)
      #expect(try second.entries().count == Self.entries + 1)
      try second.must("resolve", "--all", "--take", "one")
      for side in [second, ledger, second] { try await side.syncUntilQuiet() }
      #expect(try await backend.rows().count == Self.entries + 1)
      #expect(try ledger.shownRows() == second.shownRows())
    }
  }

  @Test(
    "--accept-deletions deletes here what is missing there, and names how to log it again",
    arguments: Way.oneOfThem)
  func acceptDeletions(way: Way) async throws {
    try await withLedger { backend, ledger, recreate in
      try await recreate(way)
      try signInAgain(ledger, at: backend)
      let plan = try ledger.run("sync", "--accept-deletions", "--dry-run")
      #expect(plan.error.contains("would delete here \(Self.entries) entries"), "\(plan.error)")
      let told = try ledger.sync("--accept-deletions")
      #expect(told.count("deleted") == Self.entries, "\(told.error)")
      #expect(told.count("pulled") == 0)
      #expect(told.error.contains("\(Self.entries) deleted at the backend: 'ledger undo "))
      #expect(try ledger.entries().isEmpty)
      try await ledger.syncUntilQuiet()
      try ledger.expectSameAtBackend()
      #expect(try await backend.rows().isEmpty)
    }
  }

  @Test("An edit made before the account was created again is sent by --resend, once")
  func unsentEdits() async throws {
    try await withLedger { backend, ledger, recreate in
      try ledger.appendMany(100..<103)
      let logged = try ledger.log().lines.first { $0.type == "progress.logged" }
      try ledger.must("append", "deletion", "\(try #require(logged?.seq))")
      try await recreate(.reset)
      try signInAgain(ledger, at: backend)
      try #require(try ledger.sync("--resend").code == 0)
      #expect(try await backend.rows().count == Self.entries + 2)
      try ledger.expectAllHeard()
      try ledger.expectSameAtBackend()
    }
  }

  @Test("Signing in to an account that was created again says so: exit 5, both ways on")
  func login() async throws {
    try await withLedger { backend, ledger, recreate in
      try await recreate(.reset)
      // A profile is what tells a login who it is.
      let token = try await backend.token()
      try await backend.call(
        "POST", "/api/v1/users/me", ["name": "Ada", "preferred_unit_system": "metric"],
        token: token)
      let told = try ledger.online(
        ["login", "--base-url", backend.url, "--email", TestLedger.email], at: backend)
      #expect(told.code == 5, "\(told.error)")
      for words in ["created again", "ledger sync --resend", "ledger sync --accept-deletions"] {
        #expect(told.error.contains(words), "\(told.error)")
      }
      #expect(!told.output.contains("next: ledger sync"))
      #expect(try ledger.status()["signed_in"] == true)
      let signedIn = try #require(ledger.log().lines.last)
      #expect(signedIn.type == "account.signed_in" && signedIn.data["user_id"] != nil)
      let stopped = try ledger.sync()
      #expect(stopped.code == 5 && stopped.count("deleted") == 0)
      try #require(try ledger.sync("--resend").code == 0)
      try ledger.expectSameAtBackend()
    }
  }

  @Test("Registering the same address again says that the account was created again")
  func register() async throws {
    try await withLedger { backend, ledger, _ in
      try await backend.call("GET", "/health")
      // The ledger knows whose it is.
      let told = try ledger.online(["register", "--base-url", backend.url], at: backend)
      #expect(told.code == 5 && told.error.contains("created again"), "\(told.error)")
      #expect(try ledger.status()["stopped"]?.object?["reason"] == "account-replaced")
      try #require(try ledger.sync("--resend").code == 0)
      try ledger.expectSameAtBackend()
    }
  }

  @Test("A birth date that the new registration gave the backend is not held for long")
  func birthDateAlone() async throws {
    try await withBackend(["--fault", "GET /health:forget:1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.appendMany(0..<3)
      try await ledger.syncUntilQuiet()
      try await backend.call("GET", "/health")
      let told = try ledger.online(
        ["register", "--base-url", backend.url, "--email", TestLedger.email], at: backend)
      try #require(told.code == 5, "\(told.error)")
      let run = try ledger.sync("--resend")
      #expect(run.code == 0 && run.count("held") == 0, "\(run.error)")
      try ledger.expectSameAtBackend()
    }
  }

  @Test("Rows that vanish in numbers stop the run, although the account is the same")
  func rowsAlone() async throws {
    try await withBackend(["--fault", "GET /health:forget=rows:1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.appendMany(0..<Self.entries)
      try await ledger.syncUntilQuiet()
      try await backend.call("GET", "/health")
      let before = try ledger.bytes()
      let stopped = try ledger.sync()
      #expect(stopped.code == 5 && stopped.count("deleted") == 0)
      #expect(stopped.answer["pull"] == "full")
      #expect(stopped.error.contains("40 of 40"), "\(stopped.error)")
      #expect(try ledger.bytes() == before)
      let copy = try TestLedger(ledger.files())
      try #require(try ledger.sync("--resend").code == 0)
      try ledger.expectSameAtBackend()
      // A copy of the ledger, as from a backup, has the same rows to send again.
      let told = try copy.sync("--resend")
      #expect(told.code == 0 && told.count("sent") == 0, "\(told.answer.serialized) \(told.error)")
      #expect(try await backend.rows().count == Self.entries)
    }
  }

  @Test("The plan of a resend holds no birth date that the new account has from its registration")
  func plannedBirthDate() async throws {
    try await withBackend(["--fault", "GET /health:forget:1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try await ledger.syncUntilQuiet()
      try await backend.call("GET", "/health")
      let made = try await backend.call(
        "POST", "/api/v1/auth/register",
        [
          "email": .string(TestLedger.email), "password": .string(BackendProcess.password),
          "name": "Ada", "date_of_birth": "1990-01-02",
        ])
      try #require(made.status == 201)
      try signInAgain(ledger, at: backend)
      let plan = try ledger.run("sync", "--resend", "--dry-run")
      #expect(
        !plan.output.contains("\nheld ") && plan.output.contains("\nwaits edit "), "\(plan.output)")
      let run = try ledger.sync("--resend")
      #expect(run.code == 0 && run.count("held") == 0, "\(run.error)")
    }
  }

  @Test("Credentials of another account, as after a copy, are refused by all that uses the backend")
  func copiedCredentials() async throws {
    try await withBackend { backend in
      let other = try TestLedger.registered(at: backend, email: "mal@example.com")
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "80")
      let name = "credentials.json"
      try Data(other.folder.bytes(".ledger/\(name)")).write(
        to: URL(filePath: ledger.folder.path + "/.ledger/\(name)"))
      for command in [
        ["sync"], ["sync", "--resend"], ["verify", "--backend"], ["delete-account"],
      ] {
        let sent = try backend.requests().count
        let refused = try Executable.ledger.run(command, in: ledger.folder.path)
        #expect(refused.code == 2, "\(command): \(refused.error)")
        #expect(refused.error.contains("belongs to ada@example.com"), "\(refused.error)")
        #expect(try backend.requests().count == sent)
      }
    }
  }
}
