import LedgerJSON
import LedgerModel
import LedgerSync
import LedgerTestSupport

@testable import ReferenceBackend

extension CallFault {
  /// Those after which a run, or a later one, comes through by itself.
  static let passing = allCases.filter { $0 != .portal && $0 != .refused }
}

/// Which call a fault happens to: the n-th of a kind.
struct FaultPoint: Sendable {
  var fault: CallFault
  /// As ``ScriptedBackend/kind(of:)`` says it.
  var kind: String
  /// From 1.
  var ordinal: Int
}

/// A backend in this process with faults at the calls that a test names.
struct ScriptedBackend {
  private var backend: UnreliableBackend
  var faults: [FaultPoint] = []
  /// After how many further requests a late one arrives.
  var lateness = 2
  /// Answers in the backend's place; `nil` leaves the request to it.
  var instead: ((WireRequest) throws -> WireAnswer?)?
  /// Every request that came or might have, in its order.
  private(set) var requests: [WireRequest] = []
  /// The kinds of all requests that arrived or might have.
  private(set) var journal: [String] = []
  private var counts: [String: Int] = [:]
  private let headers: UnreliableBackend.AuthorizationHeaders
  let user: UserID

  init(now: Timestamp, dialect: BackendConfiguration.MomentFormat = .dateTime) throws {
    var configuration = BackendConfiguration()
    configuration.now = { now }
    configuration.dialect = dialect
    backend = UnreliableBackend(configuration)
    headers = try backend.register("a@example.org")
    user = try backend.backend.world.userOfEmail["a@example.org"].orThrow()
  }

  var world: World {
    get { backend.backend.world }
    set { backend.backend.world = newValue }
  }

  var rows: [ProgressRow] { world.progress.rows(of: user) }

  var account: Account? { world.accounts[user] }

  /// Changes what the backend has of the person, as another device would.
  mutating func change(_ body: (inout Account) -> Void) {
    if var account = world.accounts[user] {
      body(&account)
      world.accounts[user] = account
    }
  }

  /// Scripts faults of the reference backend, as `ledger backend --fault` takes them.
  mutating func scriptFaults(_ texts: String...) throws {
    backend.backend.setFaults(try texts.map { try ScriptedFault($0) })
  }

  /// Changes rows, as a faulty server would.
  mutating func changeRows(_ change: (inout ProgressRow) -> Void) {
    for var row in rows {
      world.progress.remove(row.id)
      change(&row)
      world.progress.add(row, of: user)
    }
  }

  /// The call's method and path, ids left out.
  static func kind(of request: WireRequest) -> String {
    let path =
      request.path.hasPrefix("/api/v1/progress/") ? "/api/v1/progress/{id}" : request.path
    return "\(request.method.rawValue) \(path)"
  }

  mutating func answer(_ request: WireRequest) throws -> WireAnswer {
    deliverDue()
    let kind = Self.kind(of: request)
    counts[kind, default: 0] += 1
    requests.append(request)
    if let answer = try instead?(request) { return answer }
    let fault = faults.first { $0.kind == kind && $0.ordinal == counts[kind] }
    if fault?.fault != .notSent { journal.append(kind) }
    return backend.answer(request, as: headers, fault: fault?.fault, lateness: lateness)
  }

  /// What was held back arrives, if enough has happened since, or at once.
  mutating func deliverDue(all: Bool = false) { backend.deliverDue(all: all) }
}

extension Optional where Wrapped: Sendable {
  fileprivate func orThrow() throws -> Wrapped {
    guard let self else { throw UnreliableBackend.NoAccount() }
    return self
  }
}
