import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// `delete-account`: first there, then here, and nothing here while it is not certain there.
@Suite(.blocks) struct DeleteAccountTests {
  @Test("delete-account deletes the account, then the ledger")
  func theAccountGoesAndThenTheLedger() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02")
      try await ledger.syncUntilQuiet()
      let told = try ledger.run("delete-account", "--yes")
      #expect(told.code == 0, "\(told.error)")
      #expect(told.output.contains("the account of \(TestLedger.email) is deleted"))
      #expect(!FileManager.default.fileExists(atPath: ledger.path))
      // There it is gone as well: somebody else may take the name.
      _ = try TestLedger.registered(at: backend)
    }
  }

  @Test("A foreign file in the ledger's folder stays")
  func aStrangersFileStays() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      let elsewhere = ledger.folder.path + "/elsewhere"
      try Data("mine".utf8).write(to: URL(filePath: elsewhere))
      try Data("mine".utf8).write(to: URL(filePath: ledger.path + "/notes.txt"))
      // Named like one of ours, and not ours.
      for name in ["settings.json.1.2.tmp", "views.snapshot"] {
        try FileManager.default.createSymbolicLink(
          atPath: ledger.path + "/" + name, withDestinationPath: elsewhere)
      }
      let told = try ledger.run("delete-account", "--yes", "--json")
      #expect(told.code == 0, "\(told.error)")
      let answer = try #require(JSONValue(parsing: Array(told.output.utf8.dropLast())).object)
      #expect(answer["account_deleted"] == true && answer["ledger_deleted"] == true)
      let left = ["notes.txt", "settings.json.1.2.tmp", "views.snapshot"]
      #expect(answer["left"]?.array?.compactMap(\.string) == left)
      #expect(try FileManager.default.contentsOfDirectory(atPath: ledger.path).sorted() == left)
      #expect(FileManager.default.contents(atPath: elsewhere) == Data("mine".utf8))
    }
  }

  @Test("--keep-ledger keeps the ledger")
  func theLedgerMayStay() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02")
      try ledger.must("delete-account", "--yes", "--keep-ledger")
      #expect(try ledger.entries().count == 1)
      #expect(try ledger.status()["signed_in"] == false)
      #expect(!FileManager.default.fileExists(atPath: ledger.path + "/credentials.json"))
      #expect(try ledger.last()["reason"] == "the account was deleted")
      try ledger.must("verify")
      for words in [["status"], ["sync"], []] {
        let answer = try Executable.ledger.run(words, in: ledger.folder.path)
        #expect(answer.error.contains("ledger register"), "\(words): \(answer.error)")
        #expect(!answer.error.contains("ledger login"), "\(words): \(answer.error)")
      }
    }
  }

  @Test("After a new registration, nothing says that the account was deleted")
  func registeredAgain() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("delete-account", "--yes", "--keep-ledger")
      let made = try ledger.online(
        ["register", "--base-url", backend.url, "--email", TestLedger.email], at: backend)
      #expect(made.code == 5 && made.error.contains("the account was created again"))
      #expect(try ledger.must("status").contains("the account was created again"))
      try ledger.must("logout")
      #expect(!(try ledger.must("status").contains("deleted")))
      let answer = try ledger.run("sync")
      #expect(answer.code == 5 && answer.error.contains("sign in with 'ledger login'"))
      #expect(!answer.error.contains("deleted"), "\(answer.error)")
    }
  }

  @Test("A lost answer keeps the ledger")
  func aLostAnswerKeepsTheLedger() async throws {
    try await withBackend(["--fault", "DELETE /api/v1/users/me:drop-after:1"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      let before = try ledger.bytes()
      let told = try ledger.run("delete-account", "--yes")
      #expect(told.code == 75)
      #expect(told.error.contains("may be gone or not"))
      #expect(try ledger.bytes() == before)
      #expect(FileManager.default.fileExists(atPath: ledger.path + "/credentials.json"))
      // Asked again, the backend says that it is gone.
      try ledger.must("delete-account", "--yes")
      #expect(!FileManager.default.fileExists(atPath: ledger.path))
    }
  }

  /// A proxy's page is no word of the backend's.
  @Test(
    "A refusal keeps everything",
    arguments: ["status-before=403", "status-before=503", "rate-limit=30"])
  func aRefusalKeepsEverything(_ fault: String) async throws {
    try await withBackend(["--fault", "DELETE /api/v1/users/me:\(fault)"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      let before = try ledger.bytes()
      let told = try ledger.run("delete-account", "--yes")
      #expect(told.code == (fault.hasSuffix("403") ? 5 : 75), "\(told.error)")
      #expect(try ledger.bytes() == before)
      #expect(FileManager.default.fileExists(atPath: ledger.path + "/credentials.json"))
    }
  }

  @Test("Offline nothing is deleted")
  func offlineNothingIsDeleted() async throws {
    let ledger = try await {
      var ledger: TestLedger?
      try await withBackend { ledger = try TestLedger.registered(at: $0) }
      return try #require(ledger)
    }()
    let before = try ledger.bytes()
    let told = try ledger.run("delete-account", "--yes")
    #expect(told.code == 75)
    #expect(told.error.contains("nothing was deleted"))
    #expect(try ledger.bytes() == before)
    #expect(FileManager.default.fileExists(atPath: ledger.path + "/credentials.json"))
  }

  @Test("delete-account needs an account and a confirmation")
  func itWantsAnAccountAndAYes() async throws {
    let ledger = try TestLedger()
    #expect(try ledger.run("delete-account", "--yes").code == 5)
    #expect(try ledger.log().lines.count == 1)
  }
}
