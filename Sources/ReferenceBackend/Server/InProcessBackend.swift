package import LedgerModel

/// The backend without sockets, as a value in the caller's process.
///
/// Only faults that concern stored and shown values happen here: `lie`, `round`, `omit`, `no-id`,
/// `bad-row`, `forget` and `reset-session`. The others concern connections, time and the form of
/// answers.
package struct InProcessBackend: Sendable {
  package struct Answer: Sendable {
    package var status: Int
    package var body: [UInt8]
    /// The header `Retry-After`.
    package var retryAfterSeconds: Int?
  }

  package var world: World
  private var faults: FaultScript

  package init(_ configuration: BackendConfiguration) {
    world = World(configuration)
    faults = FaultScript(configuration.faults)
  }

  package var configuration: BackendConfiguration { world.configuration }

  /// - Parameter target: encoded path and query, as in a request line.
  package mutating func answer(
    _ method: String, _ target: String, headers: [(name: String, value: String)], body: [UInt8]
  ) -> Answer {
    let request: HTTPRequest
    do throws(HTTPFailure) {
      var fields = HTTPHeaders()
      try fields.append(line: Array("Host: in-process".utf8)[...])
      for (name, value) in headers { try fields.append(line: Array("\(name): \(value)".utf8)[...]) }
      let line = Array("\(method) \(target) HTTP/1.1".utf8)
      request = HTTPRequest(
        head: try RequestHead(requestLine: line[...], headers: fields), body: body)
    } catch {
      guard case .invalid(let status, let message) = error else {
        preconditionFailure("Without a connection, no \(error)")
      }
      let refusal = Reply.failure(APIError(status, "bad_request", message))
      return Answer(refusal.response(wraps: true))
    }
    let reply = world.answer(request, fault: faults.next(for: request)?.kind)
    return Answer(reply.response(wraps: world.configuration.wrapsAnswers))
  }

  /// The progress rows of an account, newest first; empty without such an account.
  package func rows(of email: String) -> [BackendRow] { world.rows(of: email) }

  /// The number of progress rows of all accounts.
  package var rowCount: Int { world.progress.count }

  /// Replaces the faults, whose request counts begin at zero.
  package mutating func setFaults(_ newFaults: [ScriptedFault]) { faults = FaultScript(newFaults) }

  /// Revokes every token. Accounts and data stay.
  package mutating func endSessions() { world.sessions.revokeAll() }

  /// Invalidates every access token; the sessions can be renewed.
  package mutating func expireAccessTokens() { world.sessions.expireAccessTokens() }

  /// Loses data, as after a failure.
  package mutating func lose(_ lost: ScriptedFault.Loss) { world.lose(lost) }

  package func hasAccount(_ email: String) -> Bool {
    world.userOfEmail[email.lowercased()] != nil
  }

  /// Adds a progress row to an existing account.
  ///
  /// - Parameters:
  ///   - quantity: within the metric's range.
  ///   - moment: rounded down to the second.
  /// - Returns: the row's id.
  package mutating func addRow(
    _ metric: Metric, _ quantity: Double, at moment: Timestamp, notes: String?, of email: String
  ) -> String {
    precondition(metric.accepts(quantity), "\(metric.name) must be \(metric.range)")
    guard let user = world.userOfEmail[email.lowercased()] else {
      preconditionFailure("there is no account \(email)")
    }
    let row = ProgressRow(
      id: RowID(text: world.ids.uuid()), metric: metric, quantity: quantity,
      moment: moment.wholeSeconds, notes: notes)
    world.progress.add(row, of: user)
    return row.id.text
  }

}

extension InProcessBackend.Answer {
  fileprivate init(_ response: HTTPResponse) {
    let wait = response.headers.first { $0.name == "Retry-After" }.flatMap { Int($0.value) }
    self.init(status: response.status, body: response.body ?? [], retryAfterSeconds: wait)
  }
}
