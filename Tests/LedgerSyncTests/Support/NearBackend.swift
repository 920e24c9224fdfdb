import LedgerJSON
import LedgerModel
import LedgerSync

@testable import ReferenceBackend

/// What can go wrong with one call.
enum Mishap: String, CaseIterable, Sendable {
  /// Nothing left.
  case notSent
  /// It left, had no effect, and no answer came.
  case lostBefore
  /// It had its effect, and no answer came.
  case lostAfter
  /// It has its effect a while after it was given up on.
  case late
  /// It is delivered twice, and answered once.
  case twice
  case serverErrorBefore, serverErrorAfter
  case rateLimited
  case garbage, noID, unwrapped, redirected
  /// The session could not be renewed.
  case refreshFailed
}

/// Which call it happens to: the n-th of a kind.
struct Fate: Sendable {
  var mishap: Mishap
  /// As ``NearBackend/kind(of:)`` says it.
  var kind: String
  /// From 1.
  var ordinal: Int
}

/// The reference backend's own rules, in this process and without sockets, with mishaps on the way.
struct NearBackend {
  var world: World
  var fates: [Fate] = []
  /// After how many further requests a late one arrives.
  var lateness = 2
  /// Answers in the backend's place; `nil` leaves the request to it.
  var instead: ((WireRequest) throws -> WireAnswer?)?
  /// Every request that came or might have, in its order.
  private(set) var requests: [WireRequest] = []
  /// The kinds of all requests that arrived or might have.
  private(set) var journal: [String] = []
  /// Requests that something holds back, and after how many further requests each arrives.
  private(set) var held: [(request: WireRequest, after: Int)] = []
  private var counts: [String: Int] = [:]
  private let token: String
  private let user: UserID

  init(now: Timestamp, dialect: BackendConfiguration.Dialect = .dateTime) throws {
    var configuration = BackendConfiguration()
    configuration.now = { now }
    configuration.dialect = dialect
    world = World(configuration)
    let body =
      #"{"email":"a@example.org","password":"secret12","name":"A","date_of_birth":"1990-07-20"}"#
    let reply = world.answer(
      try Self.http(
        WireRequest(.post, "/api/v1/auth/register", body: Array(body.utf8)), token: nil))
    guard case .success(_, .object(let data)?) = reply, let token = data["access_token"]?.string,
      let user = world.userOfEmail["a@example.org"]
    else { throw HTTPProblem(500, "the account could not be made: \(reply)") }
    self.token = token
    self.user = user
  }

  var rows: [ProgressRow] { world.progress.rows(of: user) }

  var account: Account? { world.accounts[user] }

  /// Changes what the backend has of the person, as another device would.
  mutating func change(_ body: (inout Account) -> Void) {
    if var account = world.accounts[user] {
      body(&account)
      world.accounts[user] = account
    }
  }

  /// The call's method and path, ids left out.
  static func kind(of request: WireRequest) -> String {
    let path =
      request.path.hasPrefix("/api/v1/progress/") ? "/api/v1/progress/{id}" : request.path
    return "\(request.method.rawValue) \(path)"
  }

  mutating func answer(_ request: WireRequest) throws -> WireAnswer {
    try deliverWhatIsDue()
    let kind = Self.kind(of: request)
    counts[kind, default: 0] += 1
    requests.append(request)
    if let answer = try instead?(request) { return answer }
    let fate = fates.first { $0.kind == kind && $0.ordinal == counts[kind] }
    if fate?.mishap != .notSent { journal.append(kind) }
    guard let mishap = fate?.mishap else { return try perform(request) }
    return try answer(request, mishap)
  }

  private mutating func answer(_ request: WireRequest, _ mishap: Mishap) throws -> WireAnswer {
    switch mishap {
    case .notSent: return .notSent(reason: "no network")
    case .lostBefore: return .lost(reason: "reset")
    case .lostAfter:
      _ = try perform(request)
      return .lost(reason: "reset")
    case .late:
      held.append((request, lateness))
      return .lost(reason: "timed out")
    case .twice:
      let first = try perform(request)
      _ = try perform(request)
      return first
    case .serverErrorBefore: return Self.failure(503)
    case .serverErrorAfter:
      _ = try perform(request)
      return Self.failure(502)
    case .rateLimited:
      return .response(.init(status: 429, body: [], retryAfterSeconds: 60))
    case .garbage:
      guard case .response(let response) = try perform(request) else { return Self.failure(500) }
      return .response(
        .init(status: response.status == 204 ? 200 : response.status, body: Array("<html>".utf8)))
    case .noID:
      guard case .response(var response) = try perform(request) else { return Self.failure(500) }
      if response.isSuccess, response.status != 204 { response.body = Array("{}".utf8) }
      return .response(response)
    case .unwrapped:
      guard case .response(var response) = try perform(request) else { return Self.failure(500) }
      if response.isSuccess, let value = response.value {
        response.body = []
        value.write(into: &response.body)
      }
      return .response(response)
    case .redirected: return .response(.init(status: 307))
    case .refreshFailed: return .refreshFailed(reason: "busy")
    }
  }

  private static func failure(_ status: Int) -> WireAnswer {
    .response(.init(status: status, body: Array(#"{"error":{"message":"no"}}"#.utf8)))
  }

  /// What was held back arrives, if enough has happened since, or at once.
  mutating func deliverWhatIsDue(all: Bool = false) throws {
    let due = held.filter { all || $0.after == 0 }
    held = all ? [] : held.filter { $0.after > 0 }.map { ($0.request, $0.after - 1) }
    for (request, _) in due { _ = try perform(request) }
  }

  private mutating func perform(_ request: WireRequest) throws -> WireAnswer {
    let response = world.answer(try Self.http(request, token: token)).response(wraps: true)
    let wait = response.headers.first { $0.name == "Retry-After" }.flatMap { Int($0.value) }
    return .response(
      .init(status: response.status, body: response.body ?? [], retryAfterSeconds: wait))
  }

  private static func http(_ request: WireRequest, token: String?) throws -> HTTPRequest {
    var target = request.path
    for (index, item) in request.query.enumerated() {
      target += "\(index == 0 ? "?" : "&")\(item.name)=\(item.value)"
    }
    var headers = HTTPHeaders()
    var lines = ["Host: near", "X-API-Key: \(BackendConfiguration.demoAPIKey)"]
    if let token { lines.append("Authorization: Bearer \(token)") }
    for line in lines { try headers.append(line: Array(line.utf8)[...]) }
    let line = Array("\(request.method.rawValue) \(target) HTTP/1.1".utf8)
    return HTTPRequest(
      head: try RequestHead(requestLine: line[...], headers: headers), body: request.body ?? [])
  }
}
