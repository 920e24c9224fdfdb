package import LedgerModel

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
      "the fault '\(text)' is not understood: \(problem)"
    }
  }
}

/// The behaviour of a reference backend. The defaults suit most tests and the demonstration.
package struct BackendConfiguration: Sendable {
  /// The default API key.
  package static let demoAPIKey = "fitiq-demo-key"

  /// How a progress POST gives its moment (docs/api, `POST /api/v1/progress`). Members of the other
  /// dialect are unknown members and answered 400.
  package enum MomentFormat: String, CaseIterable, Sendable {
    /// `date` and an optional `time`, read as UTC.
    case dateTime = "date-time"
    /// `logged_at`, RFC 3339.
    case loggedAt = "logged-at"
  }

  /// How `PATCH /api/v1/users/me/physical` behaves. Nulls are answered 400, and an account without a
  /// profile 404, in every mode.
  package enum Physical: String, CaseIterable, Sendable {
    /// As observed: a birth date alone is answered 400, anything else with the profile.
    case strict
    /// As documented: any of the three fields is accepted and answered with the profile.
    case published
    /// As on older servers: strict, but answered with the three fields instead of the profile.
    case threeFields = "three-fields"
  }

  /// The port on 127.0.0.1; 0 for any free one.
  package var port: UInt16 = 0
  /// The value of `X-API-Key` that every request needs.
  package var apiKey = BackendConfiguration.demoAPIKey
  /// The dialect of progress POSTs.
  package var dialect = MomentFormat.dateTime
  /// Whether the other dialect's members are ignored in a progress POST. A POST without a moment in
  /// this dialect is then stored with the current time.
  package var ignoresOtherDialect = false
  /// The mode of `PATCH /api/v1/users/me/physical`.
  package var physical = Physical.strict
  /// Whether success bodies are wrapped as `{"data":…,"success":true}`.
  package var wrapsAnswers = true
  /// How many requests an access token is valid for, refused ones included; `nil` for no limit.
  package var accessTokenUses: Int?
  /// The lifetime of an access token in seconds; `nil` for no limit.
  package var accessTokenSeconds: Int?
  /// Scripted faults. If a request triggers several, the first one happens.
  package var faults: [ScriptedFault] = []
  /// The limit, in milliseconds, for an idle connection and for receiving a request.
  package var patienceMilliseconds: Int32 = 30_000
  /// The limit of concurrent connections, each on a thread; more wait in the system's queue.
  package var connections = 128
  /// The clock for accounts, rows, tokens, and the default range of a listing.
  package var now: @Sendable () -> Timestamp = LocalZone.now
  /// 64 random bits, for ids and tokens.
  package var randomWord: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  /// Called for every request that was answered or dropped, on the connection's thread.
  package var onRequest: (@Sendable (JournalEntry) -> Void)?

  /// The defaults.
  package init() {}
}
