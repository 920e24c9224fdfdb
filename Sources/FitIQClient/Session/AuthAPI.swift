import LedgerJSON
package import LedgerModel
import LedgerSync

/// Registration, login and logout. A success is stored before it is returned.
package struct AuthAPI: Sendable {
  private let address: BackendAddress
  private let apiKey: Secret
  private let store: any CredentialStore
  private let transport: any BackendTransport

  /// The calls to the backend at this address.
  package init(
    address: BackendAddress, apiKey: Secret, store: any CredentialStore,
    transport: any BackendTransport = HTTPTransport()
  ) {
    self.address = address
    self.apiKey = apiKey
    self.store = store
    self.transport = transport
  }

  /// Creates an account and signs in. The backend refuses people under 13, and an email that has an
  /// account (409).
  @discardableResult
  package func register(
    email: String, password: String, name: String, dateOfBirth: CalendarDate
  ) async throws(ClientError) -> Credentials {
    let response = try await call(
      .register(email: email, password: password, name: name, dateOfBirth: dateOfBirth),
      password: password)
    let userID = response.value?.object?["user_id"]?.string
    return try await keep(try tokens(in: response), email, userID)
  }

  /// Signs in.
  ///
  /// - Parameter admit: called before anything is stored; throws to refuse the account, since a
  ///   ledger belongs to one account.
  @discardableResult
  package func login(
    email: String, password: String,
    admit: (_ email: String, _ userID: String?) throws(ClientError) -> Void = { _, _ in }
  ) async throws(ClientError) -> Credentials {
    let response = try await call(
      .login(email: email, password: password), password: password)
    let tokens = try tokens(in: response)
    let userID = await userID(tokens.access)
    try admit(email.lowercased(), userID)
    return try await keep(tokens, email, userID)
  }

  /// Removes the tokens and the API key, but not the address and the account. The backend has no
  /// call for it.
  package static func logout(_ store: any CredentialStore) async throws(ClientError) {
    try await store.update(keepsAnswer: false) { old in
      var new = old?.withoutTokens()
      new?.apiKey = nil
      return new
    }
  }

  /// Removes all stored credentials, with the address and the account.
  package static func forget(_ store: any CredentialStore) async throws(ClientError) {
    let lock = try await AuthLock.take(store.lockPath)
    defer { lock.release() }
    try await BlockingExecutor.run { () throws(ClientError) in try store.remove() }
  }

  private func keep(
    _ tokens: TokenPair, _ email: String, _ userID: String?
  ) async throws(ClientError) -> Credentials {
    let fresh = Credentials(
      origin: address.origin, pathPrefix: address.pathPrefix, email: email.lowercased(),
      userID: userID, apiKey: apiKey, tokens: tokens, generation: 1)
    let kept = try await store.update { old in
      var kept = fresh
      kept.generation = (old?.generation ?? 0) + 1
      return kept
    }
    return kept ?? fresh
  }

  /// The login's answer lacks the user's id; the profile has it, if one exists.
  private func userID(_ token: Secret) async -> String? {
    let answer = await transport.send(
      WireRequest(.get, "/api/v1/users/me"), to: address,
      with: RequestCredentials(apiKey: apiKey, accessToken: token))
    guard case .response(let response) = answer, response.isSuccess else { return nil }
    return response.value?.object?["user_id"]?.string
  }

  private func tokens(in response: WireAnswer.Response) throws(ClientError) -> TokenPair {
    guard let tokens = TokenPair(in: response) else { throw .garbage(expected: "token pair") }
    return tokens
  }

  private func call(
    _ request: WireRequest, password: String
  ) async throws(ClientError) -> WireAnswer.Response {
    guard apiKey.fitsHeader else { throw .badAPIKey }
    switch await transport.send(request, to: address, with: RequestCredentials(apiKey: apiKey)) {
    case .response(let response) where response.isSuccess: return response
    case .response(let response) where (300..<400).contains(response.status):
      throw .refused(
        status: response.status,
        message: "it redirects, which is never followed; check the address")
    case .response(let response):
      let message = response.message.masking([Secret(password), apiKey])
      throw .refused(status: response.status, message: message)
    case .notSent(let reason): throw .offline(reason: reason)
    case .lost(let reason), .signedOut(let reason), .refreshFailed(let reason):
      throw .interrupted(reason: reason)
    }
  }
}

// The calls that open and renew a session.
extension WireRequest {
  fileprivate static func register(
    email: String, password: String, name: String, dateOfBirth: CalendarDate
  ) -> WireRequest {
    authPost(
      "register",
      [
        "email": .string(email), "password": .string(password), "name": .string(name),
        "date_of_birth": .string("\(dateOfBirth)"),
      ])
  }

  fileprivate static func login(email: String, password: String) -> WireRequest {
    authPost("login", ["email": .string(email), "password": .string(password)])
  }

  static func refresh(_ token: Secret) -> WireRequest {
    authPost("refresh", ["refresh_token": .string(token.text)])
  }

  private static func authPost(_ name: String, _ members: JSONObject) -> WireRequest {
    WireRequest(
      .post, "/api/v1/auth/\(name)", body: Array(members.serialized.utf8), needsSession: false)
  }
}
