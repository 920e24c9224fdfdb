public import LedgerKit
import ReferenceBackend
import Synchronization

/// A backend in the test's process with the rules of the real one and with scripted faults, without
/// sockets and waits. A ``LedgerSandbox`` has one.
public final class TestBackend: Sendable {
  /// A failure of a call that changes something.
  public enum Fault: Hashable, Sendable {
    /// No network: the request is not sent.
    case offline
    /// The request is sent and never arrives.
    case lostRequest
    /// The request has its effect and the answer is lost, which leaves the call unresolved.
    case lostAnswer
    /// The request times out and arrives two requests later.
    case late
    /// The request arrives twice, as from a retrying proxy.
    case twice
    /// 503, without effect.
    case unavailable
    /// 429, without effect. The ledger sends nothing until the time has passed.
    case rateLimited(retryAfterSeconds: Int)
    /// 422: the request is invalid and needs a person's decision.
    case refused
    /// The request has its effect and the answer does not follow the API.
    case garbage
  }

  /// A stored progress row.
  public struct Row: Hashable, Sendable {
    public var id: BackendID
    public var metric: Metric
    /// In the metric's own unit.
    public var quantity: Double
    /// To the second, in UTC; midnight for a day without a time.
    public var moment: Timestamp
    public var notes: String?
  }

  private struct State: Sendable {
    var backend: UnreliableBackend
    var faults: [Fault] = []
    var isOnline = true
    var requests: [WireRequest] = []
  }

  private let state: Mutex<State>

  init(_ configuration: BackendConfiguration) {
    state = Mutex(State(backend: UnreliableBackend(configuration)))
  }

  /// Whether requests reach the backend, sign-ins included.
  public var isOnline: Bool {
    get { state.withLock { $0.isOnline } }
    set { state.withLock { $0.isOnline = newValue } }
  }

  /// Schedules a fault for the next calls that change something; reads and sign-ins are unaffected.
  ///
  /// Each fault applies to one call, in the order of scheduling. A failed PUT, PATCH or DELETE is
  /// retried within the run, up to three attempts in all; a POST waits for the next run, which first
  /// checks whether its row exists.
  ///
  /// - Parameters:
  ///   - fault: the failure.
  ///   - times: the number of calls; 1 or more.
  public func fail(_ fault: Fault, times: Int = 1) {
    precondition(times > 0, "times must be positive")
    state.withLock { $0.faults += Array(repeating: fault, count: times) }
  }

  /// Scheduled faults that have not happened. Should be empty at the end of a test.
  public var remainingFaults: [Fault] { state.withLock { $0.faults } }

  /// Ends every session.
  public func endSessions() { state.withLock { $0.backend.backend.endSessions() } }

  /// All requests in their order, including those with faults.
  public var requests: [WireRequest] { state.withLock { $0.requests } }

  /// The progress rows of an account, newest first.
  ///
  /// - Parameter email: the sandbox's account by default.
  public func rows(of email: String = LedgerSandbox.email) -> [Row] {
    state.withLock { $0.backend.backend.rows(of: email) }.compactMap { Row($0) }
  }
}

extension TestBackend: BackendTransport {
  public func send(
    _ request: WireRequest, to _: BackendAddress, with credentials: RequestCredentials
  ) async -> WireAnswer {
    state.withLock { state in
      state.requests.append(request)
      guard state.isOnline else { return .notSent(reason: "there is no network") }
      state.backend.deliverDue()
      let isFaulty = request.method.mutates && request.needsSession && !state.faults.isEmpty
      let fault = isFaulty ? state.faults.removeFirst() : nil
      var wait = 0
      if case .rateLimited(let seconds) = fault { wait = seconds }
      return state.backend.answer(
        request, as: credentials.headers, fault: fault?.callFault, retryAfterSeconds: wait)
    }
  }
}

extension TestBackend.Fault {
  fileprivate var callFault: CallFault {
    switch self {
    case .offline: .notSent
    case .lostRequest: .lostBefore
    case .lostAnswer: .lostAfter
    case .late: .late
    case .twice: .twice
    case .unavailable: .serverErrorBefore
    case .rateLimited: .rateLimited
    case .refused: .refused
    case .garbage: .garbage
    }
  }
}

extension TestBackend.Row {
  fileprivate init?(_ row: BackendRow) {
    guard let id = BackendID(row.id), let metric = Metric(name: row.type),
      let moment = Timestamp(rfc3339: row.date)
    else { return nil }
    self.init(
      id: id, metric: metric, quantity: row.quantity, moment: moment, notes: row.notes)
  }
}
