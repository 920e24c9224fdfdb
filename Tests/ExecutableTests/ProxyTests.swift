import Foundation
import LedgerJSON
import LedgerTestSupport
import Synchronization
import Testing

/// What goes to this machine goes there directly, whatever the environment says of proxies; else a
/// password would leave it unencrypted.
@Suite(.blocks) struct ProxyTests {
  private static let password = "correct-horse-battery"

  /// Signs in to a server at an address, with a proxy that must not be asked.
  private func expectDirect(_ host: String, url: String? = nil, _ rules: [String: String]) throws {
    let received = Mutex<[String]>([])
    let proxied = Mutex<[String]>([])
    let proxy = try EchoServer { request in
      proxied.withLock { $0.append(request) }
      return (502, "")
    }
    defer { proxy.stop() }
    let server = try EchoServer(at: host) { request in
      received.withLock { $0.append(request) }
      return request.hasPrefix("POST /api/v1/auth/login ")
        ? (200, #"{"access_token":"an-access-token","refresh_token":"a-refresh-token"}"#)
        : (404, #"{"error":{"message":"no profile"}}"#)
    }
    defer { server.stop() }
    let address = url.map { "\($0):\(server.port)" } ?? server.url
    var environment = ["LEDGER_PASSWORD": Self.password, "LEDGER_API_KEY": "the-api-key"]
    for (name, value) in rules {
      environment[name] = value.replacingOccurrences(of: "PROXY", with: proxy.url)
    }
    let ledger = try TestLedger()
    let login = try Executable.ledger.run(
      ["login", "--base-url", address, "--email", TestLedger.email, "--json"],
      environment: environment, in: ledger.folder.path)
    #expect(login.code == 0, "\(login.error)")
    #expect(try JSONValue(parsing: login.output).object?["origin"]?.string == address)
    #expect(proxied.withLock { $0 } == [])
    let requests = received.withLock { $0 }
    #expect(requests.contains { $0.contains(Self.password) })
    let authority = address.dropFirst("http://".count)
    #expect(requests.allSatisfy { $0.contains("\r\nHost: \(authority)\r\n") }, "\(requests)")
  }

  static let rules: [[String: String]] = [
    ["http_proxy": "PROXY"], ["http_proxy": "PROXY", "no_proxy": "*,x"],
    ["http_proxy": "PROXY", "no_proxy": "example.com"],
    ["all_proxy": "PROXY", "NO_PROXY": "*", "no_proxy": ""],
    ["ALL_PROXY": "PROXY", "no_proxy": "x", "NO_PROXY": "*"],
  ]

  @Test("127.0.0.1 and localhost are reached directly", arguments: rules)
  func loopback(_ rules: [String: String]) throws {
    try expectDirect("127.0.0.1", rules)
    try expectDirect("127.0.0.1", url: "http://localhost", rules)
  }

  #if os(Linux)
    // Elsewhere the system has no other address of the block until it is given one.
    @Test("All of 127.0.0.0/8 is asked without a proxy", arguments: rules)
    func block(_ rules: [String: String]) throws {
      try expectDirect("127.0.0.2", rules)
      try expectDirect("127.255.1.9", rules)
    }
  #endif

  @Test("::1 is asked without a proxy", arguments: rules + [[:]])
  func ipv6(_ rules: [String: String]) throws { try expectDirect("::1", rules) }

  #if os(Linux)
    @Test(
      "A loopback IPv4 address in IPv6 form is asked without a proxy",
      arguments: ["[::ffff:127.0.0.1]", "[::ffff:7f00:1]"])
    func mapped(_ host: String) throws {
      for rules in Self.rules { try expectDirect("127.0.0.1", url: "http://" + host, rules) }
    }
  #endif

  @Test("A run against the reference backend sends nothing to a proxy")
  func sync() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try ledger.must("append", "weight", "75.5", "--date", "2026-01-02")
      let sync = try Executable.ledger.run(
        ["sync"], environment: ["http_proxy": "http://127.0.0.1:1", "no_proxy": "example.com"],
        in: ledger.folder.path)
      #expect(sync.code == 0, "\(sync.error)")
      #expect(try await backend.rows().count == 1)
    }
  }
}
