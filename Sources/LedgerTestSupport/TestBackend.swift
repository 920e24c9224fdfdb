public import LedgerKit
import ReferenceBackend
import Synchronization

/// A backend in the test's own process: no sockets, no waiting, and the rules of the real one, with
/// faults where the test wants them. A ``LedgerSandbox`` has one.
public final class TestBackend: Sendable {
  /// What may happen to a call that changes something.
  public enum Fault: Hashable, Sendable {
    /// There is no network: nothing leaves.
    case offline
    /// It leaves and never arrives.
    case lostRequest
    /// It arrives and has its effect, and the answer is lost: what a ledger is in doubt about.
    case lostAnswer
    /// It is given up on, and arrives all the same, two requests later.
    case late
    /// It arrives twice, as from a proxy that tries again.
    case twice
    /// 503; it has no effect.
    case unavailable
    /// 429; it has no effect. Nothing more is sent until the clock has moved so far.
    case rateLimited(retryAfterSeconds: Int)
    /// 422: the backend does not take it, and a person has to look.
    case refused
    /// It has its effect, and the answer is not what the API promises.
    case garbage
  }

  /// A progress row as the backend has it.
  public struct Row: Hashable, Sendable {
    public var id: BackendID
    public var metric: Metric
    /// In the metric's own unit.
    public var quantity: Double
    /// To the second, in UTC; midnight stands for a day without a time.
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

  /// Whether anything reaches it. While it is false not even signing in works.
  public var isOnline: Bool {
    get { state.withLock { $0.isOnline } }
    set { state.withLock { $0.isOnline = newValue } }
  }

  /// Lets the next calls that change something meet with a fault. Reading, and signing in, go on.
  ///
  /// Each fault meets one call, in the order of the calls; faults that were ordered before come
  /// first. A PUT, PATCH or DELETE that met with one is tried again within the run, up to three times
  /// in all; a POST waits for the next run, which first looks whether its row is there.
  ///
  /// - Parameters:
  ///   - fault: what happens to them.
  ///   - times: how many calls it happens to; 1 or more.
  public func fail(_ fault: Fault, times: Int = 1) {
    precondition(times > 0, "a fault that never happens is no fault")
    state.withLock { $0.faults += Array(repeating: fault, count: times) }
  }

  /// Faults that were ordered and have not happened yet: a test that ends with some has not tested
  /// what it says.
  public var remainingFaults: [Fault] { state.withLock { $0.faults } }

  /// Every session ends: whoever is signed in has to sign in again.
  public func endSessions() { state.withLock { $0.backend.backend.endSessions() } }

  /// Every request that was sent, in their order, those included that met with a fault.
  public var requests: [WireRequest] { state.withLock { $0.requests } }

  /// The progress rows of an account, newest first.
  ///
  /// - Parameter email: as it was registered; the sandbox's own by default.
  public func rows(of email: String = LedgerSandbox.email) -> [Row] {
    state.withLock { $0.backend.backend.rows(of: email) }.compactMap { Row($0) }
  }
}

extension TestBackend: BackendTransport {
  public func send(
    _ request: WireRequest, to _: BackendAddress, with pass: RequestCredentials
  ) async -> WireAnswer {
    state.withLock { state in
      state.requests.append(request)
      guard state.isOnline else { return .notSent(reason: "there is no network") }
      state.backend.deliverWhatIsDue()
      let isFaulty = request.method.mutates && request.needsSession && !state.faults.isEmpty
      let fault = isFaulty ? state.faults.removeFirst() : nil
      var wait = 0
      if case .rateLimited(let seconds) = fault { wait = seconds }
      return state.backend.answer(
        request, as: pass.headers, meeting: fault?.mishap, retryAfterSeconds: wait)
    }
  }
}

extension TestBackend.Fault {
  fileprivate var mishap: CallFault {
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
