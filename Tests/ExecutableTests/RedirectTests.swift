import Foundation
import LedgerJSON
import Testing

/// Credentials go where a person has sent them, and nowhere else.
@Suite(.blocks) struct RedirectTests {
  @Test("No redirect is followed")
  func noRedirectIsFollowed() async throws {
    let faults = [
      "POST /api/v1/progress:status-before=307:1", "POST /api/v1/progress:status-before=308:2",
      "GET /api/v1/users/me:status-before=302:1", "GET /api/v1/progress:status-before=301:1",
      "PATCH /api/v1/users/me/physical:status-before=303:1",
    ].flatMap { ["--fault", $0] }
    try await withBackend(faults) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "physical", "--height-cm", "170")
      try ledger.appendMany(0..<3)
      let first = try ledger.run("sync", "--json")
      #expect(first.code == 75, "\(first.output) \(first.error)")
      try await ledger.syncUntilQuiet()
      try ledger.expectAllHeard()
      #expect(try await backend.rows().count == 3)
      #expect(try backend.requests().allSatisfy { !$0.contains("elsewhere") })
      #expect(try backend.requests().filter { $0.contains(" 30") }.count == 5)
    }
  }

  @Test("A redirected sign-in is refused")
  func aRedirectedSignInIsRefused() async throws {
    try await withBackend(["--fault", "POST /api/v1/auth/login:status-before=307"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("logout")
      let refused = try ledger.online(["login", "--email", TestLedger.email], at: backend)
      #expect(refused.code == 5, "\(refused.error)")
      #expect(refused.error.contains("redirects"), "\(refused.error)")
      #expect(try ledger.status()["signed_in"] == false)
      #expect(try backend.requests().allSatisfy { !$0.contains("elsewhere") })
    }
  }

  @Test(
    "Without TLS only a loopback address is accepted",
    arguments: [
      "http://192.0.2.1", "http://example.com", "http://127.0.0.1.example.com",
      "http://[2001:db8::1]", "http://127.0.0.1@example.com", "http://0x7f.1", "ftp://127.0.0.1",
      "http://localhost.example.com",
    ])
  func onlyThisMachineWithoutTLS(_ address: String) async throws {
    try await withBackend { backend in
      let ledger = try TestLedger()
      let refused = try ledger.online(
        ["login", "--base-url", address, "--email", TestLedger.email], at: backend)
      #expect(refused.code == 2, "\(refused.error)")
      #expect(refused.error.contains("address"), "\(refused.error)")
      #expect(!FileManager.default.fileExists(atPath: ledger.path + "/credentials.json"))
      // Nor by the way of the settings.
      _ = try ledger.run("settings", "backend.url", address)
      let again = try ledger.online(["login", "--email", TestLedger.email], at: backend)
      #expect(again.code == 2, "\(again.error)")
    }
  }
}
