import LedgerJSON

enum Endpoint: Equatable {
  /// `GET /health` and `GET /ready`: need neither an API key nor a session.
  case probe
  /// Needs no session yet.
  case auth(Auth)
  /// Needs a session, but not its account.
  case deleteAccount
  /// Needs a session and its account.
  case own(Own)

  enum Auth {
    case register, login, refresh
  }

  enum Own: Equatable {
    case readProfile, createProfile, replaceProfile
    case updatePhysical
    case readPreferences, updatePreferences, deletePreferences
    case createProgress, listProgress
    case deleteProgress(RowID)
    case createSleep, listSleep
  }

  /// The endpoint of a method and a path, as in the table of docs/api.
  static func resolve(method: String, segments: [String]) throws(APIError) -> Endpoint {
    guard let methods = methods(at: segments) else {
      // Unknown methods are refused before unknown paths.
      guard knownMethods.contains(method) else { throw methodNotAllowed(method, knownMethods) }
      throw .notFound("Path")
    }
    guard let found = methods.first(where: { $0.method == method }) else {
      throw methodNotAllowed(method, methods.map(\.method))
    }
    return found.endpoint
  }

  static func exists(at segments: [String]) -> Bool {
    methods(at: segments) != nil
  }

  /// Whether the path is answered without an API key.
  static func isOpen(at segments: [String]) -> Bool {
    segments == ["health"] || segments == ["ready"]
  }

  private static func methods(
    at segments: [String]
  ) -> [(method: String, endpoint: Endpoint)]? {
    if isOpen(at: segments) { return [("GET", .probe)] }
    guard segments.starts(with: ["api", "v1"]) else { return nil }
    let rest = Array(segments.dropFirst(2))
    switch rest {
    case ["auth", "register"]: return [("POST", .auth(.register))]
    case ["auth", "login"]: return [("POST", .auth(.login))]
    case ["auth", "refresh"]: return [("POST", .auth(.refresh))]
    case ["users", "me"]:
      return [
        ("GET", .own(.readProfile)), ("POST", .own(.createProfile)),
        ("PUT", .own(.replaceProfile)), ("DELETE", .deleteAccount),
      ]
    case ["users", "me", "physical"]: return [("PATCH", .own(.updatePhysical))]
    case ["users", "me", "preferences"]:
      return [
        ("GET", .own(.readPreferences)), ("PATCH", .own(.updatePreferences)),
        ("DELETE", .own(.deletePreferences)),
      ]
    case ["progress"]: return [("POST", .own(.createProgress)), ("GET", .own(.listProgress))]
    case ["sleep"]: return [("POST", .own(.createSleep)), ("GET", .own(.listSleep))]
    // An older path that clients still use; otherwise it would be a row's id.
    case ["progress", "history"]: return nil
    default:
      guard rest.count == 2, rest[0] == "progress", !rest[1].isEmpty else { return nil }
      return [("DELETE", .own(.deleteProgress(RowID(text: rest[1]))))]
    }
  }

  private static let knownMethods = ["DELETE", "GET", "PATCH", "POST", "PUT"]

  private static func methodNotAllowed(_ method: String, _ allowed: [String]) -> APIError {
    let list = allowed.sorted().joined(separator: ", ")
    return APIError(
      405, "method_not_allowed", "\(method) is not allowed here; allowed are \(list)",
      headers: ["Allow": list])
  }
}

/// The API's answer, before it becomes HTTP.
enum Reply {
  /// `nil` data for 204.
  case success(status: Int, data: JSONValue?)
  case failure(APIError)

  static func ok(_ data: JSONValue) -> Reply { .success(status: 200, data: data) }
  static func created(_ data: JSONValue) -> Reply { .success(status: 201, data: data) }
  static let noContent = Reply.success(status: 204, data: nil)

  var status: Int {
    switch self {
    case .success(let status, _): status
    case .failure(let error): error.status
    }
  }

  /// The token in the answer of a successful refresh.
  var refreshToken: String? {
    guard case .success(_, .object(let object)?) = self,
      case .string(let token)? = object["refresh_token"]
    else { return nil }
    return token
  }

  /// - Parameter wraps: whether the data is wrapped as `{"data":…,"success":true}`, which the real
  ///   backend does most of the time.
  func response(wraps: Bool) -> HTTPResponse {
    switch self {
    case .success(let status, let data?):
      let body: JSONValue = wraps ? ["data": data, "success": true] : data
      return HTTPResponse(status: status, body: Array(body.serialized.utf8))
    case .success(let status, nil):
      return HTTPResponse(status: status)
    case .failure(let error):
      let headers = error.headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
      return HTTPResponse(
        status: error.status, headers: headers, body: Array(error.json.serialized.utf8))
    }
  }
}

/// An error answer: `{"error":{"message","code"}}`.
struct APIError: Error, Equatable {
  let status: Int
  let code: String
  let message: String
  var headers: [String: String] = [:]

  init(_ status: Int, _ code: String, _ message: String, headers: [String: String] = [:]) {
    self.status = status
    self.code = code
    self.message = message
    self.headers = headers
  }

  /// The body or the query has the wrong form.
  static func invalid(_ message: String) -> APIError {
    APIError(400, "validation_error", message)
  }

  /// A progress value outside its rules.
  static func unprocessable(_ message: String) -> APIError {
    APIError(422, "unprocessable", message)
  }

  static func unauthorized(_ message: String) -> APIError {
    APIError(401, "unauthorized", message, headers: ["WWW-Authenticate": "Bearer"])
  }

  static func notFound(_ what: String) -> APIError {
    APIError(404, "not_found", "\(what) not found")
  }

  static func conflict(_ message: String) -> APIError {
    APIError(409, "conflict", message)
  }

  var json: JSONValue {
    ["error": ["message": .string(message), "code": .string(code)]]
  }
}
