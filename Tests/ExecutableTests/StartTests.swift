import LedgerJSON
import LedgerTestSupport
import Testing

/// `ledger` alone.
@Suite(.blocks) struct StartTests {
  @Test("In a ledger it is the status, and one line about what to do next")
  func status() throws {
    let ledger = try TestLedger()
    for words in [[], ["--json"], ["--quiet"]] as [[String]] {
      let alone = try Executable.ledger.run(
        words, environment: ["TZ": "UTC"], in: ledger.folder.path)
      let status = try Executable.ledger.run(
        ["status"] + words, environment: ["TZ": "UTC"], in: ledger.folder.path)
      #expect(alone.code == 0)
      #expect(alone.output == status.output, "\(words)")
      #expect(alone.error == status.error, "\(words)")
    }
    #expect(try ledger.run().error == "next: ledger append weight 75.5\n")
    try ledger.must("append", "weight", "75")
    #expect(
      try ledger.run().error
        == "view it: ledger report; sync it: ledger login --base-url https://…, or ledger register\n"
    )
  }

  @Test("Signed in, it says to sync; when all is sent, to look at it")
  func signedIn() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75")
      #expect(try ledger.run().error == "next: ledger sync\n")
      try await ledger.syncUntilQuiet()
      #expect(try ledger.run().error == "view it: ledger report\n")
      // What is held for good is no reason to sync.
      try ledger.must("append", "sleep", "2026-01-22 23:00", "2026-01-23 07:00")
      try await ledger.syncUntilQuiet()
      try ledger.must("edit", "@", "--end", "06:40")
      try ledger.must("sync")
      #expect(try ledger.run().error == "view it: ledger report\n")
      try ledger.must("logout")
      #expect(
        try ledger.run().error
          == "signed out; sign in with: ledger login, or make an account: ledger register\n")
      try ledger.must("append", "weight", "75")
      #expect(
        try ledger.run().error
          == "signed out; sign in with: ledger login, or make an account: ledger register\n")
      try ledger.must("settings", "--unset", "backend.url")
      #expect(
        try ledger.run().error
          == "signed out; sign in with: ledger login --base-url \(backend.url), "
          + "or make an account: ledger register\n")
      let second = try TestLedger()
      try second.signIn(at: backend)
      #expect(try second.run().error == "next: ledger sync\n")
    }
  }

  @Test("Outside of a ledger it says how to begin, and ends as every command does there")
  func outside() throws {
    let folder = try TemporaryFolder()
    let result = try Executable.ledger.run([], in: folder.path)
    #expect(result.code == 4)
    #expect(result.output.isEmpty)
    #expect(result.error.contains("There is no .ledger in this folder or above it."))
    #expect(result.error.contains("  ledger init  make a new, empty ledger\n"))
    let json = try Executable.ledger.run(["--json"], in: folder.path)
    #expect(json.code == 4)
    #expect(json.error == (try Executable.ledger.run(["status", "--json"], in: folder.path).error))
    let named = try Executable.ledger.run(["--ledger", "nowhere"], in: folder.path)
    #expect(named.code == 4)
    #expect(named.error.hasPrefix("ledger: there is no ledger at nowhere"))
    #expect(try Executable.ledger.run(["--bogus"], in: folder.path).code == 2)
  }
}
