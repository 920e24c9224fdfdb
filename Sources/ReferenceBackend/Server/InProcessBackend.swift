import LedgerModel

/// The backend without its sockets: requests go in and answers come out, in the caller's own
/// process. Faults of the configuration are the server's business and do not happen here.
package struct InProcessBackend: Sendable {
  package struct Answer: Sendable {
    package var status: Int
    package var body: [UInt8]
    /// `Retry-After`, where it says so.
    package var retryAfterSeconds: Int?
  }

  var world: World

  package init(_ configuration: BackendConfiguration) {
    world = World(configuration)
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
    return Answer(world.answer(request).response(wraps: world.configuration.wrapsAnswers))
  }

  /// The progress rows of the account with this address, newest first; empty without one.
  package func rows(of email: String) -> [BackendRow] {
    let user = world.userOfEmail[email.lowercased()]
    return user.map { world.progress.rows(of: $0).map { BackendRow($0) } } ?? []
  }

  /// How many progress rows there are, of all accounts.
  package var rowCount: Int { world.progress.count }

  /// Every token dies, as after a change of the server's keys: whoever is signed in must sign in
  /// again.
  package mutating func endSessions() {
    let configuration = world.configuration
    world.sessions = SessionTable(
      accessTokenUses: configuration.accessTokenUses,
      accessTokenSeconds: configuration.accessTokenSeconds, ids: world.ids)
  }
}

extension InProcessBackend.Answer {
  fileprivate init(_ response: HTTPResponse) {
    let wait = response.headers.first { $0.name == "Retry-After" }.flatMap { Int($0.value) }
    self.init(status: response.status, body: response.body ?? [], retryAfterSeconds: wait)
  }
}
