import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// Sessions that end, by whoever's doing: the edits stay, and go out after the next sign-in.
@Suite(.blocks) struct SessionEndTests {
  private func stored(_ ledger: TestLedger, _ name: String) throws -> String {
    let bytes = try ledger.folder.bytes(".ledger/credentials.json")
    return try #require(JSONValue(parsing: [UInt8](bytes)).object?[name]?.string)
  }

  /// The session is over: a sync says so, and keeps everything.
  private func expectSignedOut(_ ledger: TestLedger, pending: Int) throws {
    for _ in 1...2 {
      let result = try ledger.run("sync", "--json")
      #expect(result.code == 5, "\(result.output) \(result.error)")
      #expect(result.error.contains("ledger login"), "\(result.error)")
      let status = try ledger.status()
      #expect(status["signed_in"] == false)
      #expect(status["pending"] == JSONValue(pending))
      #expect(status["rejected"] == 0)
    }
  }

  @Test("A revoked session ends the sync and keeps the edits")
  func aRevokedSession() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("sync")
      let first = try stored(ledger, "refresh_token")
      // Somebody has stolen the token and uses it; the ledger's own is dead by that.
      for status in [200, 401] {
        let answer = try await backend.call(
          "POST", "/api/v1/auth/refresh", ["refresh_token": .string(first)])
        #expect(answer.status == status)
      }
      try ledger.appendMany(0..<3)
      try expectSignedOut(ledger, pending: 3)
      try ledger.signIn(at: backend)
      try await ledger.syncUntilQuiet()
      try ledger.expectAllHeard()
      #expect(try await backend.rows().count == 3)
    }
  }

  /// A copy of a ledger, as from a backup, holds the same tokens. Whoever refreshes first is given a
  /// pair that the other one's attempt has revoked by the time it arrives.
  @Test("A copied ledger that loses the race for a refresh ends both sessions and keeps the edits")
  func aLostRefreshRace() async throws {
    let race = ["--fault", "POST /api/v1/auth/refresh:refresh-race=3600000:1"]
    try await withBackend(race + ["--access-token-uses", "20"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("sync")
      let copy = try TestLedger(ledger.files())
      try ledger.appendMany(0..<30)
      try copy.appendMany(30..<60)
      let runs = try [ledger, copy].map {
        try Executable.ledger.start(["sync", "--json"], in: $0.folder.path)
      }
      for run in runs {
        let result = try run.wait()
        #expect(result.code == 5, "\(result.output) \(result.error)")
      }
      let refreshes = try backend.requests("POST /api/v1/auth/refresh")
      #expect(refreshes.filter { $0.hasSuffix(" 200") }.count == 1)
      for side in [ledger, copy] {
        let pending = try #require(side.status()["pending"]?.integer)
        #expect(pending > 0)
        try expectSignedOut(side, pending: pending)
      }
      for side in [ledger, copy, ledger] {
        try side.signIn(at: backend)
        try await side.syncUntilQuiet()
        try side.expectAllHeard()
      }
      let rows = try await backend.rows()
      #expect(rows.map(\.quantity) == (0..<60).map(Double.init))
      for side in [ledger, copy] { #expect(try side.shownRows() == rows) }
    }
  }

  @Test("Signing out keeps the edits")
  func signingOutLosesNothing() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.appendMany(0..<2)
      try ledger.must("logout")
      try ledger.appendMany(2..<4)
      let refused = try ledger.run("sync", "--json")
      #expect(refused.code == 5, "\(refused.error)")
      #expect(try ledger.status()["signed_in"] == false)
      try ledger.must("logout")
      try ledger.signIn(at: backend)
      try await ledger.syncUntilQuiet()
      try ledger.expectAllHeard()
      #expect(try await backend.rows().map(\.quantity) == [0, 1, 2, 3])
    }
  }

  @Test("Signing out removes credentials that cannot be used", arguments: ["exposed", "damaged"])
  func unusableCredentials(_ state: String) async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      let path = ledger.folder.path + "/.ledger/credentials.json"
      if state == "exposed" {
        chmod(path, 0o644)
      } else {
        try Data("{\"access_token\":\"secret".utf8).write(to: URL(filePath: path))
        chmod(path, 0o600)
      }
      try #require(try ledger.run("sync").code == 5)
      #expect(try ledger.must("logout").contains("signed out"))
      let left = FileManager.default.contents(atPath: path) ?? Data()
      #expect(!String(decoding: left, as: UTF8.self).contains("token"))
      #expect(try ledger.status()["signed_in"] == false)
    }
  }

  /// By its address, by its user id once it has a profile, by a registration, after signing out.
  @Test("Another account is refused")
  func anotherAccountIsRefused() async throws {
    try await withBackend { backend in
      let bob = try TestLedger.registered(at: backend, email: "bob@example.com")
      let ledger = try TestLedger.registered(at: backend)
      try ledger.appendMany(0..<2)
      let before = try ledger.bytes()
      for email in ["bob@example.com", "carol@example.com"] {
        let words = ["--base-url", backend.url, "--email", email]
        let command = email.hasPrefix("carol") ? "register" : "login"
        for _ in 1...2 {
          let refused = try ledger.online([command] + words, at: backend)
          #expect(refused.code == 2, "\(refused.error)")
          #expect(refused.error.contains("belongs to ada@example.com"), "\(refused.error)")
          try bob.must("sync")
        }
      }
      #expect(try ledger.bytes() == before)
      try await ledger.syncUntilQuiet()
      #expect(try await backend.rows().count == 2)
      #expect(try await backend.rows(of: "bob@example.com").isEmpty)
      try ledger.must("logout")
      let refused = try ledger.online(
        ["login", "--base-url", backend.url, "--email", "bob@example.com"], at: backend)
      #expect(refused.code == 2, "\(refused.error)")
      #expect(try ledger.status()["signed_in"] == false)
    }
  }
}
