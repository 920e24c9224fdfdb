import Foundation
import LedgerTestSupport
import Testing

/// A server whose certificate nobody vouches for gets neither password nor key.
@Suite(.blocks) struct UntrustedServerTests {
  private static let openssl = Executable(path: "/usr/bin/openssl")
  private static let hasOpenSSL = FileManager.default.isExecutableFile(atPath: openssl.path)

  @Test(
    "A self-signed certificate is refused",
    .enabled(if: hasOpenSSL, "it makes the certificate with openssl"))
  func aSelfSignedCertificateIsRefused() async throws {
    let folder = try TemporaryFolder()
    let made = try Self.openssl.run(
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem",
        "-days", "2", "-subj", "/CN=localhost",
      ], in: folder.path)
    try #require(made.code == 0, "\(made.error)")
    let server = try Self.openssl.start(
      ["s_server", "-accept", "127.0.0.1:0", "-key", "key.pem", "-cert", "cert.pem", "-www"],
      in: folder.path)
    defer { server.kill() }
    let port = try await Self.port(of: server)

    let ledger = try TestLedger()
    let login = try Executable.ledger.run(
      ["login", "--base-url", "https://localhost:\(port)", "--email", TestLedger.email],
      environment: ["LEDGER_PASSWORD": BackendProcess.password, "LEDGER_API_KEY": "key"],
      in: ledger.folder.path)
    #expect(login.code == 75, "\(login.error)")
    #expect(login.error.contains("certificate"), "\(login.error)")
    #expect(!FileManager.default.fileExists(atPath: ledger.path + "/credentials.json"))
  }

  /// Where it listens: `ACCEPT 127.0.0.1:PORT`.
  private static func port(of server: Executable.Run) async throws -> String {
    while true {
      let said = try server.output() + server.error()
      let place = said.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") }
      if let port = place?.split(separator: ":").last { return String(port) }
      try #require(server.isRunning, "\(said)")
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
