import LedgerJSON
import LedgerModel
import LedgerSync
import Synchronization

@testable import ReferenceBackend

/// The reference backend's own rules, in this process and without sockets, with weather on the way.
struct SimulatedBackend {
  private(set) var world: World
  var weather = Weather.fair
  /// Requests that something holds back, and after how many further requests each arrives.
  private var held: [(request: WireRequest, after: Int)] = []
  /// How many rows were made by requests that came more than once, or when nobody waited any more.
  private(set) var strays = 0
  private let token: String
  private let user: UserID

  init(
    _ clock: WorldClock, dialect: BackendConfiguration.Dialect, seed: UInt64
  ) throws {
    var configuration = BackendConfiguration()
    configuration.now = { clock.now }
    configuration.dialect = dialect
    let random = Mutex(SplitMix(seed))
    configuration.randomWord = { random.withLock { $0.next() } }
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

  var dialect: Dialect {
    world.configuration.dialect == .loggedAt ? .loggedAt : .dateTime
  }

  var rows: [ProgressRow] { world.progress.rows(of: user) }

  var account: Account? { world.accounts[user] }

  mutating func answer(
    _ request: WireRequest, using generator: inout SplitMix
  ) throws -> WireAnswer {
    try deliverWhatIsDue()
    // Runs begin by asking; where that always failed, nothing else would ever happen.
    let percent = request.method.mutates ? weather.percent : weather.percent / 5
    guard generator.below(100) < percent else { return try perform(request) }
    return try answer(request, generator.pick(weather.mishaps), using: &generator)
  }

  private mutating func answer(
    _ request: WireRequest, _ mishap: Mishap, using generator: inout SplitMix
  ) throws -> WireAnswer {
    switch mishap {
    case .notSent: return .notSent(reason: "no network")
    case .lostBefore: return .lost(reason: "reset")
    case .lostAfter:
      _ = try perform(request)
      return .lost(reason: "reset")
    case .late:
      hold(request, using: &generator)
      return .lost(reason: "timed out")
    case .twice:
      let first = try perform(request)
      try stray(request)
      return first
    case .serverErrorBefore: return Self.failure(503)
    case .serverErrorAfter:
      _ = try perform(request)
      return Self.failure(502)
    case .rateLimited:
      return .response(
        .init(status: 429, body: [], retryAfterSeconds: generator.within(1...90)))
    case .garbage:
      guard case .response(let response) = try perform(request) else { return Self.failure(500) }
      return .response(
        .init(status: response.status == 204 ? 200 : response.status, body: Array("<html>".utf8)))
    case .portal: return .response(.init(status: 200, body: Array("<html>".utf8)))
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
    case .refused:
      // A refused DELETE leaves a row for good, which no rule about rows could tell from a lost one.
      guard request.method != .get, request.method != .delete else { return Self.failure(503) }
      return Self.failure(422)
    }
  }

  private static func failure(_ status: Int) -> WireAnswer {
    .response(.init(status: status, body: Array(#"{"error":{"message":"no"}}"#.utf8)))
  }

  /// Nobody waits for it any more; it may come all the same.
  mutating func hold(_ request: WireRequest, using generator: inout SplitMix) {
    held.append((request, generator.below(8)))
  }

  /// What was held back arrives, if enough has happened since, or at once.
  mutating func deliverWhatIsDue(all: Bool = false) throws {
    let due = held.filter { all || $0.after == 0 }
    held = all ? [] : held.filter { $0.after > 0 }.map { ($0.request, $0.after - 1) }
    for (request, _) in due { try stray(request) }
  }

  private mutating func stray(_ request: WireRequest) throws {
    let count = rows.count
    _ = try perform(request)
    strays += max(0, rows.count - count)
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
