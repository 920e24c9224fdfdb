import LedgerJSON
import LedgerModel

/// The backend's whole state, as a value. Every request changes it through ``answer(_:)``.
package struct World: Sendable {
  package let configuration: BackendConfiguration
  let ids: IDSource
  package var accounts: [UserID: Account] = [:]
  package var userOfEmail: [String: UserID] = [:]
  var sessions: SessionTable
  package var progress = ProgressTable()
  var sleep: [UserID: [SleepSession]] = [:]
  /// The effect of a fault on the values of the current request.
  var alteration: Alteration?

  init(_ configuration: BackendConfiguration) {
    self.configuration = configuration
    ids = IDSource(randomWord: configuration.randomWord)
    sessions = SessionTable(
      accessTokenUses: configuration.accessTokenUses,
      accessTokenSeconds: configuration.accessTokenSeconds, ids: ids)
  }

  var now: Timestamp { configuration.now() }

  /// Today in UTC, the backend's only zone.
  var today: CalendarDate { now.utc?.date ?? .last }

  /// The progress rows of an account, newest first; empty without such an account.
  func rows(of email: String) -> [BackendRow] {
    let user = userOfEmail[email.lowercased()]
    return user.map { progress.rows(of: $0).map { BackendRow($0) } } ?? []
  }

  mutating func answer(_ request: HTTPRequest) -> Reply {
    do {
      return try reply(to: request)
    } catch {
      return .failure(error)
    }
  }

  /// Checks in the real backend's order: API key, path and method, session, body.
  private mutating func reply(to request: HTTPRequest) throws(APIError) -> Reply {
    let segments = request.target.segments
    let key = request.headers.values("x-api-key")
    guard key == [configuration.apiKey] || Endpoint.isOpen(at: segments) else {
      throw .unauthorized("X-API-Key is missing or wrong")
    }
    let endpoint = try Endpoint.resolve(method: request.method, segments: segments)
    switch endpoint {
    case .probe: return .ok(["status": "ok"])
    case .auth(.register): return try register(request.body)
    case .auth(.login): return try login(request.body)
    case .auth(.refresh): return try refresh(request.body)
    case .deleteAccount: return try deleteAccount(of: try signedInUser(request))
    case .own(let endpoint):
      let user = try signedInUser(request)
      guard let account = accounts[user] else { throw .unauthorized("The account was deleted") }
      return try reply(to: request, at: endpoint, from: account)
    }
  }

  private mutating func reply(
    to request: HTTPRequest, at endpoint: Endpoint.Own, from account: Account
  ) throws(APIError) -> Reply {
    switch endpoint {
    case .readProfile: return try readProfile(of: account)
    case .createProfile: return try createProfile(request.body, of: account)
    case .replaceProfile: return try replaceProfile(request.body, of: account)
    case .updatePhysical: return try updatePhysical(request.body, of: account)
    case .readPreferences: return try readPreferences(of: account)
    case .updatePreferences: return try updatePreferences(request.body, of: account)
    case .deletePreferences: return try deletePreferences(of: account)
    case .createProgress: return try createProgress(request.body, of: account)
    case .listProgress: return try listProgress(request.target.queryItems, of: account)
    case .deleteProgress(let row): return try deleteProgress(row, of: account)
    case .createSleep: return try createSleep(request.body, of: account)
    case .listSleep: return try listSleep(request.target.queryItems, of: account)
    }
  }

  private mutating func signedInUser(_ request: HTTPRequest) throws(APIError) -> UserID {
    let credentials = request.headers.values("authorization")
    guard credentials.count == 1, let credential = credentials.first,
      credential.lowercased().hasPrefix("bearer ")
    else { throw .unauthorized("Authorization must be a bearer token") }
    let token = credential.dropFirst("bearer ".count).drop { $0 == " " }
    guard let user = sessions.use(accessToken: String(token), now: now) else {
      throw .unauthorized("The access token is invalid or has expired")
    }
    return user
  }
}

/// An account's id: the text of a UUID.
package struct UserID: Hashable, Sendable {
  package let text: String
}

/// A progress row's id: the text of a UUID.
package struct RowID: Hashable, Sendable {
  package let text: String
}

/// Generates ids and tokens from the configured source of randomness.
struct IDSource: Sendable {
  let randomWord: @Sendable () -> UInt64

  /// A UUID of version 4 (RFC 9562, 5.4).
  func uuid() -> String {
    let high = randomWord() & ~0xF000 | 0x4000
    let low = randomWord() & (1 << 62 - 1) | 1 << 63
    return LedgerUUID(high: high, low: low).description
  }

  /// 256 random bits, prefixed with the kind to make mix-ups visible.
  func token(_ kind: String) -> String {
    let words = (0..<4).map { _ in
      let digits = String(randomWord(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
    return "\(kind)_\(words.joined())"
  }
}
