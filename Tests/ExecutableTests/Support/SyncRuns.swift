import LedgerJSON
import LedgerTestSupport
import Testing

/// A run of a network command that answers with a JSON object.
struct AnsweredRun {
  var code: Int32
  var answer: JSONObject
  /// Standard error.
  var error: String

  init(_ result: Executable.Result, sourceLocation: SourceLocation = #_sourceLocation) throws {
    code = result.code
    error = result.error
    let json = try? JSONValue(parsing: Array(result.output.utf8.dropLast()))
    answer = try #require(
      json?.object, "\(result.code) \(result.output) \(result.error)",
      sourceLocation: sourceLocation)
  }

  func count(_ name: String) -> Int? { answer[name]?.integer }

  /// Differences as `field`, `entry` and `backend_id`.
  var differences: [JSONObject] { answer["differences"]?.array?.compactMap(\.object) ?? [] }
  var fields: [String] { differences.compactMap { $0["field"]?.string }.sorted() }
}

extension TestLedger {
  /// `sync --json`.
  func sync(
    _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> AnsweredRun {
    let result = try Executable.ledger.run(
      ["sync", "--json"] + arguments, environment: ["TZ": "UTC"], in: folder.path)
    return try AnsweredRun(result, sourceLocation: sourceLocation)
  }

  /// `verify --backend --json`.
  func audit(sourceLocation: SourceLocation = #_sourceLocation) throws -> AnsweredRun {
    try AnsweredRun(run("verify", "--backend", "--json"), sourceLocation: sourceLocation)
  }

  /// The backend has what it acknowledged, and nothing else.
  func expectSameAtBackend(
    checked: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let audit = try audit(sourceLocation: sourceLocation)
    #expect(audit.code == 0, "\(audit.error)", sourceLocation: sourceLocation)
    #expect(audit.answer["ok"] == true, sourceLocation: sourceLocation)
    #expect(
      audit.differences.isEmpty, "\(audit.answer.serialized)", sourceLocation: sourceLocation)
    if let checked {
      #expect(audit.count("checked") == checked, sourceLocation: sourceLocation)
    }
  }
}

extension BackendProcess {
  /// An access token from a sign-in of its own.
  func token(of email: String = TestLedger.email) async throws -> String {
    let (status, tokens) = try await call(
      "POST", "/api/v1/auth/login",
      ["email": .string(email), "password": .string(Self.password)])
    try #require(status == 200)
    return try #require(tokens.object?["access_token"]?.string)
  }

  /// The ids of all rows, newest first.
  func rowIDs(_ token: String) async throws -> [String] {
    let page = try await call(
      "GET", "/api/v1/progress?from=1900-01-01&to=2100-12-31&limit=100", token: token)
    return page.value.object?["entries"]?.array?.compactMap { $0.object?["id"]?.string } ?? []
  }
}
