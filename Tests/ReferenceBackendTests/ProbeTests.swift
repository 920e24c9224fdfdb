import LedgerJSON
import ReferenceBackend
import Testing

/// `GET /health` and `GET /ready`.
@Suite(.blocks) struct ProbeTests {
  static let paths = ["/health", "/ready"]

  @Test("A probe is answered 200 without an API key and without a session", arguments: paths)
  func open(path: String) async throws {
    try await withBackend { api in
      var keyless = api
      keyless.apiKey = nil
      let answer = try await keyless.call("GET", at: path)
      #expect(answer.status == 200)
      #expect(answer.data == ["status": "ok"])
    }
  }

  @Test("A probe takes no other method", arguments: paths)
  func onlyReading(path: String) async throws {
    try await withBackend { api in
      let answer = try await api.call("POST", at: path, text: "{}")
      #expect(answer.status == 405)
      #expect(answer.header("Allow") == "GET")
    }
  }

  @Test("Only these two paths are open: others without a key are answered 401")
  func others() async throws {
    try await withBackend { api in
      var keyless = api
      keyless.apiKey = nil
      for path in ["/", "/healthz", "/health/more", "/api/v1/health", "/api/v1/progress"] {
        let answer = try await keyless.call("GET", at: path)
        #expect(answer.status == 401, "\(path)")
      }
    }
  }

  @Test("A fault can be attached to a probe")
  func faults() async throws {
    let fault = try ScriptedFault("GET /ready:status-before=503:1")
    try await withBackend(.with { $0.faults = [fault] }) { api in
      let first = try await api.call("GET", at: "/ready")
      let second = try await api.call("GET", at: "/ready")
      #expect([first.status, second.status] == [503, 200])
    }
  }
}
