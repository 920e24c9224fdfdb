import LedgerJSON

/// A refusal as the API words it: `{"error":{"message","code"}}`.
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

  /// The body has the wrong shape, or a member that may not stand there.
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
