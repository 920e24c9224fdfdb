public import FitIQClient
public import LedgerKit
public import LedgerSync
import ReferenceBackend
import Synchronization

@_exported public import struct LedgerSync.WireRequest

/// A backend in the test's process with the rules of the real one and with scripted faults, without
/// sockets and waits. A ``LedgerSandbox`` has one.
public final class TestBackend: Sendable {
  /// A failure of a call.
  public enum BackendFault: Hashable, Sendable {
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
    /// No answer, and no effect, until the call is canceled; see
    /// ``TestBackend/nextUnansweredCall()``.
    case unanswered
    /// The request has its effect and the answer does not follow the API.
    case garbage
  }

  /// The calls that a fault applies to.
  public enum Calls: Hashable, Sendable {
    /// POST, PUT, PATCH and DELETE, except for sign-ins and renewals.
    case changes
    /// GETs.
    case reads
    /// Replacing the tokens of a session, such as after ``TestBackend/expireAccessTokens()``.
    case renewals
  }

  /// A stored progress row.
  public struct Row: Hashable, Sendable {
    /// As the backend assigned it.
    public var id: BackendID
    /// What was measured.
    public var metric: Metric
    /// In the metric's own unit.
    public var quantity: Double
    /// To the second, in UTC; midnight for a day without a time.
    public var moment: Timestamp
    /// `nil` for none.
    public var notes: String?
  }

  fileprivate struct State: Sendable {
    var backend: UnreliableBackend
    var faults: [(fault: BackendFault, calls: Calls)] = []
    var isOnline = true
    var requests: [WireRequest] = []
  }

  private let state: Mutex<State>
  private let unanswered = AsyncStream.makeStream(of: WireRequest.self)

  init(_ configuration: BackendConfiguration) {
    state = Mutex(State(backend: UnreliableBackend(configuration)))
  }

  /// Whether requests reach the backend, sign-ins included.
  public var isOnline: Bool {
    get { state.withLock { $0.isOnline } }
    set { state.withLock { $0.isOnline = newValue } }
  }

  /// Schedules a fault for the next calls of a kind; sign-ins are unaffected.
  ///
  /// Each fault applies to one call, in the order of scheduling. A failed GET, PUT, PATCH or DELETE
  /// is retried within the run, up to three attempts in all; a POST waits for the next run, which
  /// first checks whether its row exists. A failed renewal ends the run.
  ///
  /// - Parameters:
  ///   - fault: the failure.
  ///   - calls: which calls it applies to.
  ///   - times: the number of calls; 1 or more.
  public func fail(_ fault: BackendFault, on calls: Calls = .changes, times: Int = 1) {
    precondition(times > 0, "times must be positive")
    state.withLock { $0.faults += Array(repeating: (fault, calls), count: times) }
  }

  /// Scheduled faults that have not happened. Should be empty at the end of a test.
  public var remainingFaults: [BackendFault] { state.withLock { $0.faults.map(\.fault) } }

  /// Waits until a call meets ``BackendFault/unanswered``; each call is returned once.
  ///
  /// - Returns: the call; `nil` if the task is canceled.
  public func nextUnansweredCall() async -> WireRequest? {
    await unanswered.stream.first { _ in true }
  }

  /// Makes the access tokens of all sessions invalid, as time does: the next call renews them.
  public func expireAccessTokens() {
    state.withLock { $0.backend.backend.expireAccessTokens() }
  }

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

  /// Adds a progress row, as another device would, and the account if there is none.
  ///
  /// - Parameters:
  ///   - metric: the metric.
  ///   - quantity: in the metric's unit, within its range.
  ///   - moment: rounded down to the second.
  ///   - notes: up to 500 characters.
  ///   - email: the sandbox's account by default.
  /// - Returns: the row's id.
  @discardableResult
  public func addRow(
    _ metric: Metric, _ quantity: Double, at moment: Timestamp, notes: String? = nil,
    for email: String = LedgerSandbox.email
  ) -> BackendID {
    state.withLock { state in
      let id = state.backend.addRow(metric, quantity, at: moment, notes: notes, for: email)
      guard let id = BackendID(id) else { preconditionFailure("the backend's ids are UUIDs") }
      return id
    }
  }

  /// Removes all progress rows and sleep sessions, as a backend that was restored from nothing.
  public func loseRows() { state.withLock { $0.backend.backend.lose(.rows) } }

  func hasAccount(_ email: String) -> Bool {
    state.withLock { $0.backend.backend.hasAccount(email) }
  }
}

extension TestBackend: BackendTransport {
  public func send(
    _ request: WireRequest, to _: BackendAddress, with credentials: RequestCredentials
  ) async -> WireAnswer {
    let answer = state.withLock { $0.answer(request, as: credentials.headers) }
    if let answer { return answer }
    unanswered.continuation.yield(request)
    await Task.untilCanceled()
    return .lost(reason: "canceled")
  }
}

extension TestBackend.State {
  /// - Returns: `nil` for no answer.
  fileprivate mutating func answer(
    _ request: WireRequest, as headers: UnreliableBackend.AuthorizationHeaders
  ) -> WireAnswer? {
    requests.append(request)
    guard isOnline else { return .notSent(reason: "there is no network") }
    backend.deliverDue()
    let calls = TestBackend.Calls(request)
    guard let index = faults.firstIndex(where: { $0.calls == calls }) else {
      return backend.answer(request, as: headers, fault: nil)
    }
    let fault = faults.remove(at: index).fault
    guard let callFault = fault.callFault else { return nil }
    var wait = 0
    if case .rateLimited(let seconds) = fault { wait = seconds }
    return backend.answer(request, as: headers, fault: callFault, retryAfterSeconds: wait)
  }
}

extension TestBackend.Calls {
  /// - Returns: `nil` for a sign-in.
  fileprivate init?(_ request: WireRequest) {
    if !request.needsSession {
      guard request.path == "/api/v1/auth/refresh" else { return nil }
      self = .renewals
    } else {
      self = request.method.mutates ? .changes : .reads
    }
  }
}

extension Task where Success == Never, Failure == Never {
  fileprivate static func untilCanceled() async {
    for await _ in AsyncStream<Never>.makeStream().stream {}
  }
}

extension TestBackend.BackendFault {
  /// `nil` for no answer.
  fileprivate var callFault: CallFault? {
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
    case .unanswered: nil
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
