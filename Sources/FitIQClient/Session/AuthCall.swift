import LedgerJSON
import LedgerModel
import LedgerSync

/// The calls that open and renew a session.
enum AuthCall {
  static func register(
    email: String, password: String, name: String, dateOfBirth: CalendarDate
  ) -> WireRequest {
    post(
      "register",
      [
        "email": .string(email), "password": .string(password), "name": .string(name),
        "date_of_birth": .string("\(dateOfBirth)"),
      ])
  }

  static func login(email: String, password: String) -> WireRequest {
    post("login", ["email": .string(email), "password": .string(password)])
  }

  static func refresh(_ token: Secret) -> WireRequest {
    post("refresh", ["refresh_token": .string(token.text)])
  }

  private static func post(_ name: String, _ members: JSONObject) -> WireRequest {
    var body: [UInt8] = []
    members.write(into: &body)
    return WireRequest(.post, "/api/v1/auth/\(name)", body: body, needsSession: false)
  }
}

extension TokenPair {
  /// - Returns: `nil` when one is missing or could not be sent back.
  init?(in response: WireAnswer.Response) {
    guard let object = response.value?.object,
      let access = object["access_token"]?.string.map({ Secret($0) }), access.fitsHeader,
      let refresh = object["refresh_token"]?.string.map({ Secret($0) }), refresh.fitsHeader
    else { return nil }
    self.init(access: access, refresh: refresh)
  }
}
