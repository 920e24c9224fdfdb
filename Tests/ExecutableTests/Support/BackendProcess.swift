import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A running `ledger backend`, and a way to query it without a ledger.
struct BackendProcess {
  let url: String
  let key: String
  fileprivate let run: Executable.Run

  static let password = "correct-horse-battery"

  /// Every request so far, as `METHOD PATH STATUS`.
  func requests(_ prefix: String = "") throws -> [String] {
    try run.error().split(separator: "\n").map(String.init).filter { $0.hasPrefix(prefix) }
  }

  /// Waits until nothing has come in for a while: what a killed client left in a socket has been
  /// taken in by then.
  func settle() async throws {
    var seen = -1
    while case let count = try requests().count, count != seen {
      seen = count
      try await Task.sleep(for: .milliseconds(300))
    }
  }

  @discardableResult
  func call(
    _ method: String, _ path: String, _ body: JSONObject? = nil, token: String? = nil
  ) async throws -> (status: Int, value: JSONValue) {
    var request = URLRequest(
      url: try #require(URL(string: url + path)), timeoutInterval: patienceSeconds)
    request.httpMethod = method
    request.setValue(key, forHTTPHeaderField: "X-API-Key")
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    if let body {
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = Data(JSONValue.object(body).serialized.utf8)
    }
    let session = URLSession(configuration: .ephemeral)
    defer { session.finishTasksAndInvalidate() }
    let (data, response) = try await session.data(for: request)
    let http = try #require(response as? HTTPURLResponse)
    let value = data.isEmpty ? .null : try JSONValue(parsing: [UInt8](data))
    return (http.statusCode, value.object?["data"] ?? value)
  }

  /// A row as the backend has it.
  struct Row: Hashable, Comparable {
    var type: String
    var quantity: Double
    var date: String
    var notes: String?

    static func < (left: Row, right: Row) -> Bool {
      (left.date, left.type, left.quantity) < (right.date, right.type, right.quantity)
    }
  }

  /// All rows of an account, asked for with a sign-in of its own.
  func rows(of email: String = TestLedger.email) async throws -> [Row] {
    let (status, tokens) = try await call(
      "POST", "/api/v1/auth/login",
      ["email": .string(email), "password": .string(Self.password)])
    try #require(status == 200)
    var token = try #require(tokens.object?["access_token"]?.string)
    var refresh = try #require(tokens.object?["refresh_token"]?.string)
    var rows: [Row] = []
    while true {
      let path = "/api/v1/progress?from=1900-01-01&to=2100-12-31&limit=100&offset=\(rows.count)"
      let (status, page) = try await call("GET", path, token: token)
      if status == 401 {
        let fresh = try await call(
          "POST", "/api/v1/auth/refresh", ["refresh_token": .string(refresh)])
        token = try #require(fresh.value.object?["access_token"]?.string)
        refresh = try #require(fresh.value.object?["refresh_token"]?.string)
        continue
      }
      try #require(status == 200)
      let entries = try #require(page.object?["entries"]?.array)
      rows += entries.compactMap { $0.object.flatMap(Row.init) }
      if entries.count < 100 { return rows.sorted() }
    }
  }
}

extension BackendProcess.Row {
  init?(_ object: JSONObject) {
    guard let type = object["type"]?.string, let quantity = object["quantity"]?.number,
      let date = object["date"]?.string
    else { return nil }
    self.init(type: type, quantity: quantity, date: date, notes: object["notes"]?.string)
  }
}

/// Runs a backend for as long as the closure takes.
func withBackend(
  _ arguments: [String] = [], _ body: (BackendProcess) async throws -> Void
) async throws {
  let run = try Executable.ledger.start(["backend", "--json"] + arguments)
  defer { run.kill() }
  try await until {
    let problem = try run.error()
    try #require(run.isRunning, "\(problem)")
    return try run.output().hasSuffix("\n")
  }
  let said = try JSONValue(parsing: Array(run.output().dropLast().utf8)).object
  try await body(
    BackendProcess(
      url: try #require(said?["url"]?.string), key: try #require(said?["api_key"]?.string),
      run: run))
}
