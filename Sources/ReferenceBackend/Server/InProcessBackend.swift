import LedgerModel

/// The backend without its sockets: requests go in and answers come out, in the caller's own
/// process.
///
/// Of the configuration's faults only those happen here that concern what is stored and which
/// values are shown: `lie`, `round`, `omit`, `no-id`, `bad-row`, `forget` and `reset-session`. The
/// others concern connections, time and the form of answers, which only the server has.
package struct InProcessBackend: Sendable {
  package struct Answer: Sendable {
    package var status: Int
    package var body: [UInt8]
    /// `Retry-After`, where it says so.
    package var retryAfterSeconds: Int?
  }

  var world: World
  private var faults: FaultScript

  package init(_ configuration: BackendConfiguration) {
    world = World(configuration)
    faults = FaultScript(configuration.faults)
  }

  package var configuration: BackendConfiguration { world.configuration }

  /// - Parameter target: the path, escaped, with its query, as it stands in a request's first line.
  package mutating func answer(
    _ method: String, _ target: String, headers: [(name: String, value: String)], body: [UInt8]
  ) -> Answer {
    let request: HTTPRequest
    do throws(HTTPProblem) {
      var fields = HTTPHeaders()
      try fields.append(line: Array("Host: in-process".utf8)[...])
      for (name, value) in headers { try fields.append(line: Array("\(name): \(value)".utf8)[...]) }
      let line = Array("\(method) \(target) HTTP/1.1".utf8)
      request = HTTPRequest(
        head: try RequestHead(requestLine: line[...], headers: fields), body: body)
    } catch {
      let refusal = Reply.failure(APIError(error.status, "bad_request", error.message))
      return Answer(refusal.response(wraps: true))
    }
    let reply = world.answer(request, meeting: faults.next(for: request)?.kind)
    return Answer(reply.response(wraps: world.configuration.wrapsAnswers))
  }

  /// The progress rows of the account with this address, newest first; empty without one.
  package func rows(of email: String) -> [BackendRow] {
    let user = world.userOfEmail[email.lowercased()]
    return user.map { world.progress.rows(of: $0).map { BackendRow($0) } } ?? []
  }

  /// How many progress rows there are, of all accounts.
  package var rowCount: Int { world.progress.count }

  /// Replaces the faults; each counts its requests from here on.
  package mutating func setFaults(_ newFaults: [Fault]) { faults = FaultScript(newFaults) }

  /// Revokes every token, as after a change of the server's keys. Accounts and data stay.
  package mutating func endSessions() { world.sessions.revokeAll() }

  /// Loses data, as the `forget` fault does.
  package mutating func forget(_ lost: Fault.Loss = .everything) { world.lose(lost) }
}

extension InProcessBackend.Answer {
  fileprivate init(_ response: HTTPResponse) {
    let wait = response.headers.first { $0.name == "Retry-After" }.flatMap { Int($0.value) }
    self.init(status: response.status, body: response.body ?? [], retryAfterSeconds: wait)
  }
}
