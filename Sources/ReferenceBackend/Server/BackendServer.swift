import LedgerModel

/// FitIQ's REST API as docs/api describes it, in memory and on loopback.
///
/// It listens from ``start(_:)`` on until ``stop()``, which also runs when the last reference goes.
public final class BackendServer: Sendable {
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
  public static func start(
    _ configuration: BackendConfiguration = BackendConfiguration()
  ) throws(BackendError) -> BackendServer {
    let engine = Engine(configuration)
    let service = HTTPService(
      limits: HTTPLimits(
        patienceMilliseconds: configuration.patienceMilliseconds,
        connections: configuration.connections),
      now: configuration.now,
      answer: { request, stop in engine.answer(request, stop: stop) },
      explain: { problem in
        let error = APIError(problem.status, "bad_request", problem.message)
        return Reply.failure(error).response(wraps: true)
      })
    do {
      let http = try HTTPServer(port: configuration.port, service: service)
      return BackendServer(engine: engine, http: http)
    } catch {
      throw .cannotListen(port: configuration.port, reason: "\(error)")
    }
  }

  /// The port on 127.0.0.1 that was taken.
  public var port: UInt16 { http.port }

  /// The origin, without a slash at the end: `http://127.0.0.1:PORT`.
  public var baseURL: String { "http://127.0.0.1:\(port)" }

  /// Closes every connection and returns once all threads are gone. Requests that a fault delays
  /// or holds are dropped and never take effect. More than once does no harm.
  public func stop() {
    http.stop()
    engine.cancelLate()
  }

  deinit {
    stop()
  }

  /// Every well-formed request so far, in the order of arrival.
  public var journal: [JournalEntry] { engine.journalEntries }

  /// The progress rows of the account with this address, newest first; empty without one.
  public func rows(of email: String) -> [BackendRow] {
    engine.rows(of: email).map { BackendRow($0) }
  }

  /// The requests that a `late` fault holds back and that have not taken effect yet, in the order
  /// in which they will. A client that sees its connection drop finds its request here.
  public var heldRequests: [JournalEntry] { engine.heldRequests }

  /// Lets every held request take effect now instead of when its time comes, and returns once all
  /// have; what each came to stands in the ``journal`` under ``JournalEntry/outcomes``.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func deliverLate() -> Int { engine.deliverLate() }

  /// Loses data, as the `forget` fault does.
  public func forget(_ lost: Fault.Loss = .everything) { engine.forget(lost) }

  /// Revokes every token, as the `reset-session` fault does. Accounts and data stay.
  public func resetSessions() { engine.resetSessions() }

  /// Puts other faults in the place of those so far; each counts its requests from here on.
  /// Requests that are held already stay held.
  public func setFaults(_ faults: [Fault]) { engine.setFaults(faults) }
}
