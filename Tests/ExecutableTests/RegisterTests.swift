import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// `register`, as somebody types it.
@Suite(.blocks) struct RegisterTests {
  #if os(Linux)
    /// `script` (util-linux) gives a program a terminal of its own.
    private static let terminal = "/usr/bin/script"

    @Test(
      "What is typed is kept: the birth date is synced, the name waits for the sync",
      .enabled(if: FileManager.default.isExecutableFile(atPath: terminal)))
    func typed() async throws {
      try await withBackend { backend in
        let ledger = try TestLedger()
        let command =
          "'\(Executable.ledger.path)' register --base-url \(backend.url) --email a@example.com"
        let told = try Executable(path: Self.terminal).run(
          ["-qec", command, "/dev/null"],
          environment: [
            "LEDGER_PASSWORD": BackendProcess.password, "LEDGER_API_KEY": backend.key,
            "PATH": "/usr/bin:/bin",
          ], input: "\nAda\n1990-13-02\n1990-01-02\n", in: ledger.folder.path)
        try #require(told.code == 0, "\(told.output) \(told.error)")
        #expect(told.output.contains("registered and signed in as a@example.com"))
        // Asked again.
        #expect(told.output.contains("name is empty"))
        #expect(told.output.contains("'1990-13-02' is not a calendar date"))
        try expectKept(in: ledger)
      }
    }
  #endif

  @Test("A sign-in that fails leaves the address of the backend")
  func failed() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("settings", "backend.url", backend.url)
      let failed = try Executable.ledger.run(
        ["login", "--base-url", "http://127.0.0.1:9", "--email", TestLedger.email],
        environment: ["LEDGER_PASSWORD": BackendProcess.password, "LEDGER_API_KEY": backend.key],
        in: ledger.folder.path)
      #expect(failed.code == 75, "\(failed.error)")
      #expect(try ledger.must("settings", "backend.url") == backend.url + "\n")
    }
  }

  @Test("Name and birth date of the ledger are used without asking, and nothing is recorded twice")
  func known() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger()
      try ledger.must("append", "profile", "--name", "Ada")
      try ledger.must("append", "physical", "--born", "1990-01-02")
      let told = try ledger.online(
        ["register", "--base-url", backend.url, "--email", "a@example.com"], at: backend)
      try #require(told.code == 0, "\(told.error)")
      try expectKept(in: ledger)
      let types = try ledger.log().lines.map(\.type)
      #expect(types.count { $0 == "profile.updated" } == 1)
      #expect(types.count { $0 == "physical.updated" } == 1)
    }
  }

  @Test("A ledger knows whose it is: login asks for no email, but another backend's login does")
  func knownAtLogin() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("logout")
      let again = try ledger.online(["login"], at: backend)
      try #require(again.code == 0, "\(again.error)")
      #expect(again.error.contains("signing in as "))
      let elsewhere = try ledger.online(["login", "--base-url", "http://127.0.0.1:9"], at: backend)
      #expect(elsewhere.code == 2)
      #expect(elsewhere.error.contains("Email:"))
    }
  }

  @Test("Nobody under 13 is registered, and nothing is sent")
  func young() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger()
      try ledger.must("append", "profile", "--name", "Ada")
      try ledger.must("append", "physical", "--born", "2020-01-02")
      let told = try ledger.online(
        ["register", "--base-url", backend.url, "--email", "a@example.com"], at: backend)
      #expect(told.code == 2)
      #expect(told.error.contains("no one under 13"))
      #expect(try backend.requests("POST").isEmpty)
    }
  }

  private func expectKept(in ledger: TestLedger) throws {
    let shown = try JSONValue(parsing: ledger.must("show", "profile", "--json")).object
    #expect(shown?["profile"]?.object?["name"] == "Ada")
    #expect(shown?["physical"]?.object?["date_of_birth"] == "1990-01-02")
    #expect(shown?["status"]?.object?["date_of_birth"] == "synced")
    #expect(shown?["status"]?.object?["name"] == "pending")
    try ledger.log().expectIntact()
  }
}
