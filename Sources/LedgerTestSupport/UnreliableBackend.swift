import LedgerJSON
import LedgerModel
package import LedgerSync
package import ReferenceBackend

/// The reference backend in this process, with the faults of a network. The caller chooses the fault
/// of every call.
package struct UnreliableBackend: Sendable {
  /// The headers that authorize a request.
  package typealias AuthorizationHeaders = [(name: String, value: String)]

  package var backend: InProcessBackend
  /// The number of rows created by duplicate and late deliveries.
  package private(set) var lateRows = 0
  private var held: [Held] = []

  private struct Held: Sendable {
    var request: WireRequest
    var headers: AuthorizationHeaders
    /// The number of further requests before it arrives.
    var after: Int
  }

  package init(_ configuration: BackendConfiguration) {
    backend = InProcessBackend(configuration)
  }

  /// Creates an account.
  ///
  /// - Returns: the headers of its session.
  package mutating func register(_ email: String) throws -> AuthorizationHeaders {
    let key = ("X-API-Key", backend.configuration.apiKey)
    let body = """
      {"email":"\(email)","password":"secret12","name":"A","date_of_birth":"1990-07-20"}
      """
    let request = WireRequest(.post, "/api/v1/auth/register", body: Array(body.utf8))
    guard case .response(let response) = perform(request, as: [key]),
      let token = response.value?.object?["access_token"]?.string
    else { throw NoAccount() }
    return [key, ("Authorization", "Bearer \(token)")]
  }

  /// Adds a row, and the account if there is none.
  ///
  /// - Returns: the row's id.
  mutating func addRow(
    _ metric: Metric, _ quantity: Double, at moment: Timestamp, notes: String?, for email: String
  ) -> String {
    if !backend.hasAccount(email) {
      do { _ = try register(email) } catch { preconditionFailure("cannot register \(email)") }
    }
    return backend.addRow(metric, quantity, at: moment, notes: notes, of: email)
  }

  package struct NoAccount: Error {
    package init() {}
  }

  /// - Parameters:
  ///   - lateness: the number of further requests before a late one arrives.
  ///   - retryAfterSeconds: the `Retry-After` of a rate limit.
  package mutating func answer(
    _ request: WireRequest, as headers: AuthorizationHeaders, fault: CallFault?, lateness: Int = 2,
    retryAfterSeconds: Int = 60
  ) -> WireAnswer {
    switch fault {
    case nil: return perform(request, as: headers)
    case .notSent: return .notSent(reason: "no network")
    case .lostBefore: return .lost(reason: "reset")
    case .lostAfter:
      _ = perform(request, as: headers)
      return .lost(reason: "reset")
    case .late:
      hold(request, as: headers, lateness: lateness)
      return .lost(reason: "timed out")
    case .twice:
      let first = perform(request, as: headers)
      performLate(request, as: headers)
      return first
    case .serverErrorBefore: return Self.failure(503)
    case .serverErrorAfter:
      _ = perform(request, as: headers)
      return Self.failure(502)
    case .rateLimited:
      return .response(.init(status: 429, retryAfterSeconds: retryAfterSeconds))
    case .portal: return .response(.init(status: 200, body: Array("<html>".utf8)))
    case .redirected: return .response(.init(status: 307))
    case .refreshFailed: return .refreshFailed(reason: "busy")
    case .refused: return Self.failure(422)
    case .garbage, .noID, .unwrapped:
      guard case .response(var response) = perform(request, as: headers) else {
        return Self.failure(500)
      }
      response.mangle(fault)
      return .response(response)
    }
  }

  private static func failure(_ status: Int) -> WireAnswer {
    .response(.init(status: status, body: Array(#"{"error":{"message":"no"}}"#.utf8)))
  }

  /// Holds a request that the client has given up.
  package mutating func hold(
    _ request: WireRequest, as headers: AuthorizationHeaders, lateness: Int
  ) {
    held.append(Held(request: request, headers: headers, after: lateness))
  }

  /// Delivers the held requests that are due.
  package mutating func deliverDue(all: Bool = false) {
    let due = held.filter { all || $0.after == 0 }
    held.removeAll { all || $0.after == 0 }
    for index in held.indices { held[index].after -= 1 }
    for late in due { performLate(late.request, as: late.headers) }
  }

  private mutating func performLate(_ request: WireRequest, as headers: AuthorizationHeaders) {
    let count = backend.rowCount
    _ = perform(request, as: headers)
    lateRows += max(0, backend.rowCount - count)
  }

  private mutating func perform(_ request: WireRequest, as headers: AuthorizationHeaders)
    -> WireAnswer
  {
    var target = request.path
    for (index, item) in request.query.enumerated() {
      target += "\(index == 0 ? "?" : "&")\(item.name)=\(item.value)"
    }
    let answer = backend.answer(
      request.method.rawValue, target, headers: headers, body: request.body ?? [])
    return .response(
      .init(
        status: answer.status, body: answer.body, retryAfterSeconds: answer.retryAfterSeconds))
  }
}

extension WireAnswer.Response {
  fileprivate mutating func mangle(_ fault: CallFault?) {
    switch fault {
    case .garbage:
      if status == 204 { status = 200 }
      body = Array("<html>".utf8)
    case .noID: if isSuccess, status != 204 { body = Array("{}".utf8) }
    case .unwrapped: if isSuccess, let value { body = Array(value.serialized.utf8) }
    default: break
    }
  }
}

/// A failure of one call between client and backend.
package enum CallFault: String, CaseIterable, Sendable {
  /// Not sent.
  case notSent
  /// Sent without effect; no answer.
  case lostBefore
  /// Has its effect; no answer.
  case lostAfter
  /// No answer; has its effect after further requests.
  case late
  /// Delivered twice, answered once.
  case twice
  case serverErrorBefore, serverErrorAfter
  case rateLimited
  case garbage, noID, unwrapped, redirected
  /// Answered by a captive portal, without effect.
  case portal
  /// The session could not be renewed.
  case refreshFailed
  /// Refused by the backend.
  case refused
}
