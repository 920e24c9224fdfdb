import LedgerModel

/// FitIQ's REST API (docs/api), in memory and on loopback.
///
/// It listens until ``stop()``, which also runs when the last reference is released.
package final class BackendServer: Sendable {
  private let engine: Engine
  private let http: HTTPServer

  private init(engine: Engine, http: HTTPServer) {
    self.engine = engine
    self.http = http
  }

  /// Starts a backend without accounts.
  ///
  /// - Throws: ``BackendError/cannotListen(port:reason:)`` when the port is taken, or the system is
  ///   out of descriptors or threads.
  package static func start(
    _ configuration: BackendConfiguration = BackendConfiguration()
  ) throws(BackendError) -> BackendServer {
    let engine = Engine(configuration)
    let service = HTTPService(
      limits: HTTPLimits(
        patienceMilliseconds: configuration.patienceMilliseconds,
        connections: configuration.connections),
      now: configuration.now,
      answer: { request, stop in engine.answer(request, stop: stop) },
      explain: { status, message in
        Reply.failure(APIError(status, "bad_request", message)).response(wraps: true)
      })
    do {
      let http = try HTTPServer(port: configuration.port, service: service)
      return BackendServer(engine: engine, http: http)
    } catch {
      throw .cannotListen(port: configuration.port, reason: "\(error)")
    }
  }

  /// The port on 127.0.0.1.
  package var port: UInt16 { http.port }

  /// The origin, without a slash at the end: `http://127.0.0.1:PORT`.
  package var baseURL: String { "http://127.0.0.1:\(port)" }

  /// Closes all connections and returns once all threads ended. Requests that a fault delays or
  /// holds are dropped and never take effect. Idempotent.
  package func stop() {
    http.stop()
    engine.late.cancel()
  }

  deinit {
    stop()
  }

  /// All well-formed requests in the order of arrival.
  package var journal: [JournalEntry] { engine.processor.entries }

  /// The progress rows of an account, newest first; empty without such an account.
  package func rows(of email: String) -> [BackendRow] {
    engine.processor.rows(of: email)
  }

  /// The requests that a `late` fault holds, in the order in which they will take effect. Contains
  /// a request before its client sees the connection drop.
  package var heldRequests: [JournalEntry] { engine.late.entries }

  /// Lets all held requests take effect now. Their results are in the ``journal``, under
  /// ``JournalEntry/outcomes``.
  ///
  /// - Returns: how many there were.
  @discardableResult
  package func deliverLate() -> Int { engine.late.deliverAll() }

  /// Loses data, as the `forget` fault does.
  package func forget(_ lost: ScriptedFault.Loss = .everything) { engine.processor.forget(lost) }

  /// Revokes every token, as the `reset-session` fault does. Accounts and data stay.
  package func resetSessions() { engine.processor.resetSessions() }

  /// Replaces the faults, whose request counts begin at zero. Held requests stay held.
  package func setFaults(_ faults: [ScriptedFault]) { engine.setFaults(faults) }
}

/// A stored progress row, with the values of the API.
package struct BackendRow: Sendable, Equatable {
  package let id: String
  /// The metric's name.
  package let type: String
  /// In the metric's unit.
  package let quantity: Double
  /// RFC 3339 in UTC without fractional seconds.
  package let date: String
  package let notes: String?

  init(_ row: ProgressRow) {
    id = row.id.text
    type = row.metric.name
    quantity = row.quantity
    date = row.moment.rfc3339Seconds
    notes = row.notes
  }
}

/// Why a backend could not be started.
package enum BackendError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The port is taken, or the system is out of descriptors or threads.
  case cannotListen(port: UInt16, reason: String)
  /// A fault's text is invalid; see ``ScriptedFault/init(_:)``.
  case badFault(text: String, problem: String)

  package var description: String {
    switch self {
    case .cannotListen(let port, let reason):
      "the backend cannot listen on 127.0.0.1:\(port) (\(reason)); choose another port"
    case .badFault(let text, let problem):
      "The fault '\(text)' is not understood: \(problem)."
    }
  }
}
