import LedgerJSON

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
