import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// What a sync says of a backend that it did not read completely, and of edits that wait.
@Suite(.blocks) struct HonestEndingTests {
  // MARK: The answer

  @Test("The JSON answer has exactly the members that are documented")
  func members() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      let names = [
        "sent", "acknowledged", "reconciled", "elided", "rejected", "held", "pulled", "deleted",
        "conflicts", "differs", "pending", "pull",
      ]
      for words in [["--pull-only"], ["--push-only"], [], ["--full"]] {
        let result = try Executable.ledger.run(
          ["sync", "--json"] + words, environment: ["TZ": "UTC"], in: ledger.folder.path)
        let run = try AnsweredRun(result)
        #expect(run.answer.members.map(\.name) == names)
        #expect(run.answer["pull"]?.string == (words == ["--push-only"] ? "skipped" : "full"))
      }
    }
  }

  @Test(
    "Flags that contradict each other are refused",
    arguments: [
      ["--resend", "--accept-deletions"], ["--push-only", "--resend"],
      ["--push-only", "--accept-deletions"], ["--push-only", "--full"], ["--watch", "--resend"],
    ])
  func exclusive(flags: [String]) throws {
    let ledger = try TestLedger()
    let refused = try Executable.ledger.run(["sync"] + flags, in: ledger.folder.path)
    #expect(refused.code == 2 && refused.error.contains("exclude each other"), "\(refused.error)")
  }

  @Test("Only a full listing with nothing left to do says that the backend has everything")
  func hasEverything() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      let everything = "the backend has everything"
      let unknown = try TestLedger()
      for words in [["sync"], ["sync", "--dry-run"], ["status"]] {
        let told = try Executable.ledger.run(words, in: unknown.folder.path)
        #expect(!(told.output + told.error).contains("has everything"), "\(words)")
      }
      try ledger.must("sync")
      #expect(try ledger.must("sync").contains(everything))
      #expect(try ledger.must("sync", "--full").contains(everything))
      let pushed = try ledger.must("sync", "--push-only")
      #expect(pushed.contains("nothing to send") && !pushed.contains(everything))
      try ledger.must("append", "weight", "75.5")
      let pulled = try ledger.must("sync", "--pull-only")
      #expect(pulled.contains("edits: 1 still pending") && !pulled.contains(everything))
      try ledger.must("logout")
      let out = try ledger.run("sync")
      #expect(out.code == 5 && !out.output.contains(everything))
    }
  }

  // MARK: Listings

  @Test(
    "A listing that fails is exit 75 or 5 with pull failed, never all is well",
    arguments: [
      ("status-before=500", 75), ("status-before=503", 75), ("garbage", 75), ("truncate", 75),
      ("drop-before", 75), ("status-before=403", 5), ("status-before=404", 5),
    ])
  func failingListing(fault: String, code: Int32) async throws {
    try await withBackend(["--fault", "GET /api/v1/progress:\(fault)"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("sync", "--push-only")
      let run = try ledger.sync()
      #expect(run.code == code, "\(run.error)")
      #expect(run.answer["pull"] == "failed")
      #expect(run.error.contains("not read completely") || run.error.contains("cannot be reached"))
      let text = try ledger.run("sync")
      #expect(text.code == code)
      #expect(!text.output.contains("has everything") && !text.output.contains("✓"))
      // What is new here is sent all the same, and nothing is deleted.
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02")
      #expect(try ledger.sync().code == code)
      #expect(try ledger.entries().count == 1)
    }
  }

  @Test(
    "A profile that cannot be read is not all is well", arguments: ["garbage", "status-before=500"])
  func failingProfile(fault: String) async throws {
    try await withBackend(["--fault", "GET /api/v1/users/me:\(fault)"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      // The first run may make the profile.
      _ = try ledger.sync()
      let run = try ledger.sync()
      #expect(run.code == 75 && run.answer["pull"] == "failed", "\(run.error)")
      #expect(!(try ledger.run("sync").output.contains("has everything")))
    }
  }

  @Test("A failing second listing of missing entries deletes nothing and is seen by the next run")
  func failingSecondListing() async throws {
    // The person's listing is the second request, the one of all rows the third.
    try await withBackend(["--fault", "GET /api/v1/progress:status-before=404:4"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.appendMany(0..<5)
      try ledger.must("sync")
      let token = try await backend.token()
      let id = try #require(try await backend.rowIDs(token).first)
      try await backend.call("DELETE", "/api/v1/progress/\(id)", token: token)
      let run = try ledger.sync()
      #expect(run.code == 5 && run.answer["pull"] == "failed", "\(run.error)")
      #expect(run.count("deleted") == 0 && run.error.contains("could not be listed again"))
      #expect(try ledger.entries().count == 5)
      let next = try ledger.sync()
      #expect(next.code == 0 && next.count("deleted") == 1, "\(next.error)")
      #expect(try ledger.entries().count == 4)
    }
  }

  // MARK: Deletions

  @Test("Deletions taken from the backend are counted apart and name the way back")
  func deletions() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.appendMany(0..<8)
      try await ledger.syncUntilQuiet()
      let token = try await backend.token()
      for id in try await backend.rowIDs(token).prefix(2) {
        try await backend.call("DELETE", "/api/v1/progress/\(id)", token: token)
      }
      let run = try ledger.sync()
      #expect(run.code == 0, "\(run.error)")
      #expect(run.count("deleted") == 2 && run.count("pulled") == 0)
      let deletions = try ledger.log().lines.filter { $0.type == "progress.deleted" }
      let seqs = deletions.compactMap(\.seq)
      let range = "'ledger undo \(seqs.min() ?? 0)..\(seqs.max() ?? 0)' logs them again"
      #expect(run.error.contains("2 deleted at the backend: \(range)"), "\(run.error)")
    }
  }

  // MARK: Held edits

  @Test("A name without a unit system is sent, with metric")
  func nameAlone() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.signedUp(at: backend)
      try ledger.must("append", "profile", "--name", "Ada")
      let run = try ledger.sync()
      #expect(run.code == 0 && run.count("held") == 0, "\(run.error)")
      let profile = try await backend.call("GET", "/api/v1/users/me", token: backend.token())
      #expect(profile.value.object?["preferred_unit_system"] == "metric")
      try ledger.expectSameAtBackend()
    }
  }

  @Test("A held edit names its cause and the command that lifts it: exit 5")
  func held() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.signedUp(at: backend)
      try ledger.must("append", "profile", "--bio", "Runs.")
      for _ in 1...2 {
        let run = try ledger.sync()
        #expect(run.code == 5 && run.count("held") == 1, "\(run.error)")
        #expect(run.error.contains("only with a name"), "\(run.error)")
        #expect(run.error.contains("'ledger append profile --name NAME'"), "\(run.error)")
        let text = try ledger.run("sync")
        #expect(!text.output.contains("✓") && !text.output.contains("has everything"))
      }
      try ledger.must("append", "profile", "--name", "Ada")
      #expect(try ledger.sync().code == 0)
    }
  }

  @Test("A birth date alone is held until a height or sex is known")
  func birthDateAlone() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.signedUp(at: backend)
      try ledger.must("append", "profile", "--name", "Ada")
      try ledger.must("append", "physical", "--born", "1990-01-03")
      let run = try ledger.sync()
      #expect(run.code == 5 && run.count("held") == 1, "\(run.error)")
      #expect(run.error.contains("'ledger append physical --height-cm CM'"), "\(run.error)")
      try ledger.must("append", "physical", "--height-cm", "170")
      #expect(try ledger.sync().code == 0)
      try ledger.expectSameAtBackend()
    }
  }

  @Test("A hold that no edit can lift is exit 0")
  func cannotClear() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "profile", "--language", "de")
      try ledger.must("append", "physical", "--height-cm", "170")
      try ledger.must("sync")
      try ledger.must("append", "profile", "--clear", "language")
      for _ in 1...2 {
        let run = try ledger.sync()
        #expect(run.code == 0 && run.count("held") == 1, "\(run.answer.serialized) \(run.error)")
        #expect(run.error.contains("held for good"), "\(run.error)")
      }
    }
  }

  // MARK: Rows

  @Test("Rows that cannot be read are named, ten at most: exit 5")
  func unreadableRows() async throws {
    try await withBackend(["--fault", "GET /api/v1/progress:bad-row=type"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.appendMany(0..<3)
      try ledger.must("sync", "--push-only")
      let token = try await backend.token()
      for _ in 1...2 {
        let run = try ledger.sync()
        #expect(run.code == 5, "\(run.answer.serialized) \(run.error)")
        let id = try #require(try await backend.rowIDs(token).first)
        #expect(run.error.contains("cannot be read: type"), "\(run.error)")
        #expect(run.error.contains(id), "\(run.error)")
        #expect(run.count("unreadable") == 1)
        #expect(run.count("deleted") == 0)
      }
      let skipped = try ledger.log().lines.filter { $0.type == "row.skipped" }
      #expect(skipped.count == 1)
      #expect(!(try ledger.run("sync").output.contains("has everything")))
    }
  }

  // MARK: watch

  @Test("A watching ledger says that the listing failed, and that it works again")
  func watch() async throws {
    let faults = (1...6).flatMap { ["--fault", "GET /api/v1/progress:status-before=500:\($0)"] }
    try await withBackend(faults) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("sync", "--push-only")
      let watch = try Executable.ledger.start(
        ["sync", "--watch"], environment: ["TZ": "UTC"], in: ledger.folder.path)
      defer { watch.kill() }
      try await until {
        try #require(watch.isRunning)
        return try watch.output().contains("has everything")
      }
      watch.terminate()
      let told = try watch.wait()
      let lines = told.output.split(separator: "\n")
      #expect(lines.count == 2, "\(told.output)")
      #expect(lines.first?.contains(" ! ") == true && lines.last?.contains(" ✓ ") == true)
      #expect(told.error.contains("not read completely"), "\(told.error)")
    }
  }
}

extension TestLedger {
  /// A ledger of a new account, which says nothing of the person.
  static func signedUp(at backend: BackendProcess) throws -> TestLedger {
    let ledger = try TestLedger()
    try ledger.settings("sync.settle_seconds", "0")
    let account = try TestLedger()
    try account.must("append", "profile", "--name", "Ada")
    try account.must("append", "physical", "--born", "1990-01-02")
    let made = try account.online(
      ["register", "--base-url", backend.url, "--email", email], at: backend)
    try #require(made.code == 0, "\(made.error)")
    try ledger.signIn(at: backend)
    return ledger
  }
}
