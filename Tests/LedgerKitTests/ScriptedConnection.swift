import LedgerKit
import LedgerSync

/// A backend at the other end of the edge: it answers calls from a script, then accepts everything,
/// and lists the rows of what it was sent. Rows of calls whose answer is lost are there too.
actor ScriptedConnection: BackendConnection {
  private var script: [WireAnswer]
  private(set) var requests: [WireRequest] = []
  private var rows: [(id: String, body: String)] = []

  /// Whether calls wait until ``open()``; listings do not.
  private var isShut = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ script: WireAnswer...) { self.script = script }

  func shut() { isShut = true }

  func open() {
    isShut = false
    for call in waiting { call.resume() }
    waiting = []
  }

  /// How many calls wait.
  var waitingCount: Int { waiting.count }

  func send(_ request: WireRequest) async -> WireAnswer {
    requests.append(request)
    let id = "row-\(requests.count)"
    if isShut, request.method.mutates { await withCheckedContinuation { waiting.append($0) } }
    switch (request.method, request.path) {
    case (.get, "/api/v1/progress"):
      let wanted = request.query.first { $0.name == "type" }?.value
      let rows = rows.filter { row in wanted.map { row.body.contains("\"\($0)\"") } ?? true }
      let entries = rows.reversed().map { #"{"id":"\#($0.id)",\#($0.body.dropFirst())"# }
      let list = entries.joined(separator: ",")
      return Self.answer(200, #"{"data":{"entries":[\#(list)],"total":\#(entries.count)}}"#)
    case (.get, _): return Self.answer(404, #"{"error":{"message":"none"}}"#)
    default: break
    }
    let answer = script.isEmpty ? nil : script.removeFirst()
    if case .notSent = answer { return answer ?? .notSent(reason: "") }
    if request.method == .post, let body = request.body {
      rows.append((id, String(decoding: body, as: UTF8.self)))
    }
    return answer
      ?? Self.answer(request.method == .delete ? 204 : 201, #"{"data":{"id":"\#(id)"}}"#)
  }

  private static func answer(_ status: Int, _ body: String) -> WireAnswer {
    .response(.init(status: status, body: Array(body.utf8)))
  }

  /// The calls that change something.
  var lines: [String] {
    requests.filter(\.method.mutates).map { "\($0.method.rawValue) \($0.path)" }
  }
}
