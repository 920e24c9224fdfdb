import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// Passwords, tokens and the API key stay in `credentials.json`, whatever happens on the way.
@Suite(.blocks) struct SecretTests {
  /// Looks into everything that a ledger's folder holds and everything that was said.
  private func expectNowhere(
    _ secrets: [String], in ledger: TestLedger, _ said: [Executable.Result]
  ) throws {
    let files = try #require(FileManager.default.enumerator(atPath: ledger.path))
    var texts = said.flatMap { [$0.output, $0.error] }
    for case let name as String in files where name != "credentials.json" {
      guard let bytes = FileManager.default.contents(atPath: ledger.path + "/" + name) else {
        continue
      }
      texts.append(String(decoding: bytes, as: UTF8.self))
    }
    #expect(texts.contains { $0.contains(#""type":"account.signed_in""#) })
    for secret in secrets {
      for text in texts { #expect(!text.contains(secret), "\(secret) in \(text.suffix(400))") }
    }
    let attributes = try FileManager.default.attributesOfItem(
      atPath: ledger.path + "/credentials.json")
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  /// Every token there ever was, gathered between the runs.
  @Test("No secret is written or printed")
  func nothingSecretIsWrittenOrSaid() async throws {
    let faults = [
      "POST /api/v1/progress:garbage:2", "POST /api/v1/progress:status-after=500:3",
      "PATCH /api/v1/users/me/physical:status-before=400:1",
      "POST /api/v1/auth/refresh:status-before=503:2",
    ].flatMap { ["--fault", $0] }
    try await withBackend(faults + ["--access-token-uses", "7"]) { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "physical", "--height-cm", "170")
      var secrets: Set<String> = [BackendProcess.password, backend.key]
      var said: [Executable.Result] = []
      for round in 0..<4 {
        try ledger.appendMany(round * 3..<round * 3 + 3)
        // A crash's torn tail goes to quarantine.
        let log = try #require(FileHandle(forWritingAtPath: ledger.path + "/events.jsonl"))
        try log.seekToEnd()
        try log.write(contentsOf: Data(#"{"id":"torn"#.utf8))
        try log.close()
        for words in [["sync"], ["sync", "--json"], ["status"], ["log"], ["show", "sync"]] {
          said.append(try Executable.ledger.run(words, in: ledger.folder.path))
          let bytes = try ledger.folder.bytes(".ledger/credentials.json")
          let stored = try JSONValue(parsing: [UInt8](bytes)).object
          for name in ["access_token", "refresh_token"] {
            secrets.insert(try #require(stored?[name]?.string))
          }
        }
      }
      #expect(secrets.count >= 6)
      #expect(FileManager.default.fileExists(atPath: ledger.path + "/quarantine"))
      try expectNowhere(secrets.sorted(), in: ledger, said)
    }
  }

  /// In one spelling after the other: as it is, with the escapes some writers put in, as no JSON.
  @Test("A token repeated in the backend's error is masked")
  func anErrorThatRepeatsTheTokenIsMasked() async throws {
    let tokens = (access: "access/ab+cd==ef", refresh: "refresh/gh+ij==kl", key: "key/mn+op==qr")
    let all = [tokens.access, tokens.refresh, tokens.key].joined(separator: " and ")
    let escaped = all.replacingOccurrences(of: "/", with: #"\/"#)
    let coded = all.unicodeScalars.map { #"\u00"# + String($0.value, radix: 16) }.joined()
    let spellings = [all, escaped, coded]
    let server = try EchoServer { request in
      if request.hasPrefix("POST /api/v1/auth/login") {
        return (
          200, #"{"access_token":"\#(tokens.access)","refresh_token":"\#(tokens.refresh)"}"#
        )
      }
      if request.hasPrefix("GET /api/v1/progress") {
        return (200, #"{"entries":[],"total":0,"limit":100,"offset":0}"#)
      }
      if let place = ["\"quantity\":0", "\"quantity\":1", "\"quantity\":2"].firstIndex(
        where: request.contains)
      {
        return (400, #"{"error":{"message":"what is \#(spellings[place])?"}}"#)
      }
      if request.hasPrefix("POST /api/v1/progress") { return (403, "what is \(all)?") }
      return (404, #"{"error":{"message":"no \#(escaped)"}}"#)
    }
    defer { server.stop() }
    let ledger = try TestLedger()
    let environment = ["LEDGER_PASSWORD": BackendProcess.password, "LEDGER_API_KEY": tokens.key]
    let login = try Executable.ledger.run(
      ["login", "--base-url", server.url, "--email", TestLedger.email], environment: environment,
      in: ledger.folder.path)
    try #require(login.code == 0, "\(login.error)")
    try ledger.appendMany(0..<4)
    let sync = try ledger.run("sync")
    #expect(sync.code == 5, "\(sync.output) \(sync.error)")
    let rejected = try ledger.log().lines.filter { $0.type == "sync.rejected" }
    let messages = rejected.compactMap { $0.data["message"]?.string }
    #expect(messages.count == 4)
    #expect(messages.filter { $0 == "what is *** and *** and ***?" }.count == 3)
    try expectNowhere(
      [tokens.access, tokens.refresh, tokens.key, BackendProcess.password], in: ledger,
      [login, sync, try ledger.run("log"), try ledger.run("show", "sync")])
  }
}
