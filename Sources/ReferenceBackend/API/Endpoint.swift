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
