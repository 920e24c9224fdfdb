import Foundation
import LedgerTestSupport
import Synchronization
import Testing

/// Answers of a backend that are not what was asked for: docs/bad-input.md, row by row.
@Suite(.blocks) struct BadAnswerTests {
  private static let tokens = #"{"access_token":"a.b.c","refresh_token":"d"}"#
  private static let noRows = #"{"entries":[],"total":0,"limit":100,"offset":0}"#

  private struct BadAnswer: Sendable {
    var flood: EchoServer.Flood?
    var row: String?
    /// Whether the sign-in itself is answered so.
    var isOfLogin = false
  }

  private static func row(id: String) -> String {
    #"{"id":"\#(id)","type":"steps","quantity":1,"date":"2026-01-02T00:00:00Z"}"#
  }

  private static let scenes: [String: BadAnswer] = [
    "300 MB to a POST": BadAnswer(flood: .init(bytes: 300_000_000)),
    "300 MB to a sign-in": BadAnswer(flood: .init(bytes: 300_000_000), isOfLogin: true),
    "a byte a second to a POST": BadAnswer(flood: .init(bytes: 1000, pause: .seconds(1))),
    "an id with a slash": BadAnswer(row: row(id: "../users/me")),
    "an id with a line break": BadAnswer(row: row(id: #"a\r\nX-Role: admin"#)),
    "an id of 70,000 characters": BadAnswer(row: row(id: String(repeating: "x", count: 70_000))),
    "an empty id": BadAnswer(row: row(id: "")),
    "an id that is a fraction": BadAnswer(row: #"{"id":7.5}"#),
    "a list where an object belongs": BadAnswer(row: "[]"),
    "lists 100,000 deep": BadAnswer(row: String(repeating: "[", count: 100_000)),
    "half of an object": BadAnswer(row: #"{"id":"abc","#),
  ]

  @Test(
    "Every bad answer of the backend is handled as its page says", arguments: scenes.keys.sorted())
  func answers(_ name: String) throws {
    let scene = try #require(Self.scenes[name])
    let row = try BadInputTable("the backend answers").row(name)
    let server = try EchoServer(
      flood: { request in
        let isMeant = request.hasPrefix(
          scene.isOfLogin ? "POST /api/v1/auth" : "POST /api/v1/progress")
        return isMeant ? scene.flood : nil
      },
      { request in
        if request.hasPrefix("POST /api/v1/auth/login") { return (200, Self.tokens) }
        if request.hasPrefix("GET /api/v1/progress") { return (200, Self.noRows) }
        if request.hasPrefix("POST /api/v1/progress") { return (201, scene.row ?? "{}") }
        return (404, #"{"error":{"message":"no"}}"#)
      })
    defer { server.stop() }
    let ledger = try TestLedger()
    let login = try Self.signIn(ledger, at: server)
    try ledger.appendMany(1..<2)
    let answered = scene.isOfLogin ? login : try ledger.run("sync")
    let said = Self.told(answered)
    #expect(answered.code == row.code, "\(name): \(said)")
    row.expectIs(said, "\(name)")
    // Whatever came, the edit is there and the log is whole.
    try ledger.must("verify")
    #expect(try ledger.log().lines.contains { $0.type == "progress.logged" })
  }

  @Test(
    "Ids are escaped in paths",
    arguments: [
      ("../users/me", "%2E%2E%2Fusers%2Fme"), (#"a\r\nX-Role: admin"#, "a%0D%0AX-Role%3A%20admin"),
      ("?from=1", "%3Ffrom%3D1"), ("%2e%2e", "%252e%252e"), ("ä.b~c-d_e", "%C3%A4%2Eb~c-d_e"),
    ])
  func idsAreEscapedInPaths(_ id: String, _ escaped: String) throws {
    let deleted = Mutex("")
    let server = try EchoServer { request in
      if request.hasPrefix("POST /api/v1/auth/login") { return (200, Self.tokens) }
      if request.hasPrefix("GET /api/v1/progress") { return (200, Self.noRows) }
      if request.hasPrefix("POST /api/v1/progress") { return (201, Self.row(id: id)) }
      if request.hasPrefix("DELETE ") { deleted.withLock { $0 = request } }
      return (404, #"{"error":{"message":"no"}}"#)
    }
    defer { server.stop() }
    let ledger = try TestLedger()
    let login = try Self.signIn(ledger, at: server)
    try #require(login.code == 0, "\(login.error)")
    try ledger.appendMany(1..<2)
    try ledger.must("sync")
    try ledger.must("append", "deletion", "\(try #require(ledger.log().lines.last?.seq) - 2)")
    _ = try ledger.run("sync")
    let request = deleted.withLock { $0 }
    #expect(request.hasPrefix("DELETE /api/v1/progress/\(escaped) HTTP/1.1\r\n"), "\(request)")
    #expect(!request.contains("\r\nX-Role"))
  }

  private static func signIn(
    _ ledger: TestLedger, at server: EchoServer
  ) throws -> Executable.Result {
    try ledger.settings("sync.settle_seconds", "0")
    return try Executable.ledger.run(
      ["login", "--base-url", server.url, "--email", TestLedger.email],
      environment: ["LEDGER_PASSWORD": BackendProcess.password, "LEDGER_API_KEY": "key"],
      in: ledger.folder.path)
  }

  @Test("Every bad answer of the page is tried")
  func everythingOnThePageIsTried() throws {
    try BadInputTable("the backend answers").expectTried(Array(Self.scenes.keys))
  }

  private static func told(_ result: Executable.Result) -> String {
    (result.output + result.error).split(separator: "\n").joined(separator: " / ")
  }
}
