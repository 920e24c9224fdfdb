import ReferenceBackend
import Testing

@Suite(.blocks) struct FaultTextTests {
  @Test("A valid fault is parsed")
  func goodTextIsRead() throws {
    let fault = try ScriptedFault("POST /api/v1/progress:drop-after:2")
    #expect(fault.method == "POST")
    #expect(fault.path == "/api/v1/progress")
    #expect(fault.kind == .dropAfter)
    #expect(fault.occurrence == 2)
    let every = try ScriptedFault("* /api/v1/progress/{id}:delay=250")
    #expect(every.method == nil)
    #expect(every.kind == .delay(milliseconds: 250))
    #expect(every.occurrence == nil)
    #expect(try ScriptedFault("GET /api/v1/users/me:rate-limit=30").kind == .rateLimit(seconds: 30))
  }

  @Test(
    "Invalid text is refused with the reason",
    arguments: [
      ("", "METHOD PATH:KIND"),
      ("POST  /api/v1/progress:truncate", "METHOD PATH:KIND"),
      ("post /api/v1/progress:truncate", "method 'post'"),
      ("POST /api/v1/progress", ":KIND"),
      ("POST /api/v1/progress:truncate:1:2", ":KIND:N"),
      ("POST /api/v1/progres:truncate", "no path '/api/v1/progres'"),
      ("POST api/v1/progress:truncate", "no path 'api/v1/progress'"),
      ("POST /api/v1/progress:drop", "kind 'drop'"),
      ("POST /api/v1/progress:truncate=5", "takes no number"),
      ("POST /api/v1/progress:delay", "delay needs a number"),
      ("POST /api/v1/progress:delay=-5", "'-5'"),
      ("POST /api/v1/progress:status-after=200", "from 300 to 599"),
      ("POST /api/v1/progress:truncate:0", "N is '0'"),
      ("POST /api/v1/progress:truncate:", "N is ''"),
      ("POST /api/v1/progress:truncate:two", "N is 'two'"),
    ])
  func badTextIsNamed(text: String, hint: String) {
    let error = #expect(throws: BackendError.self) { try ScriptedFault(text) }
    let sentence = error.map { "\($0)" } ?? ""
    #expect(sentence.contains(hint), "\(sentence)")
    #expect(sentence.contains("'\(text)'"))
  }

  @Test("Every kind of the list is read, with and without what its brackets enclose")
  func everyKindIsRead() throws {
    let values = [
      "CODE": "500", "SECONDS": "1", "MS": "1", "MEMBER": "notes", "VALUE": "type", "DECIMALS": "1",
      "LOSS": "rows",
    ]
    let calls = ["refresh-race": "POST /api/v1/auth/refresh"]
    for kind in ScriptedFault.kinds {
      let parts = kind.split { "[=]".contains($0) }.map(String.init)
      let call = calls[parts[0]] ?? "GET /api/v1/progress"
      let value = parts.dropFirst().first.map { "=" + (values[$0] ?? $0) } ?? ""
      _ = try ScriptedFault("\(call):\(parts[0])\(value)")
      if kind.contains("[") { _ = try ScriptedFault("\(call):\(parts[0])") }
    }
  }
}
