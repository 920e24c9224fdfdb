import LedgerModel
import LedgerSync
import LedgerTestSupport
import ReferenceBackend
import Synchronization

/// A backend in this process, behind an unreliable network.
struct SimulatedBackend {
  private var backend: UnreliableBackend
  var networkFaults = NetworkFaults.fair
  private var headers: UnreliableBackend.AuthorizationHeaders
  private(set) var user: UserID
  static let email = "a@example.org"
  /// All rows that there ever were.
  private(set) var history: [String: ProgressRow] = [:]
  /// Whether a call about height, sex or birth date arrived late, perhaps after a later one.
  private(set) var hasLatePhysical = false
  private var backup: [ProgressRow] = []
  /// Rows of earlier accounts.
  private var ofEarlierAccounts: Set<String> = []
  /// Rows that a restored backup lacked.
  private(set) var lost: Set<String> = []
  /// Rows that a restored backup brought back.
  private(set) var returned: Set<String> = []

  init(
    _ clock: WorldClock, dialect: BackendConfiguration.MomentFormat, seed: UInt64
  ) throws {
    var configuration = BackendConfiguration()
    configuration.now = { clock.now }
    configuration.dialect = dialect
    let random = Mutex(SplitMix(seed))
    configuration.randomWord = { random.withLock { $0.next() } }
    backend = UnreliableBackend(configuration)
    (headers, user) = try Self.register(at: &backend)
  }

  private static func register(
    at backend: inout UnreliableBackend
  ) throws -> (headers: UnreliableBackend.AuthorizationHeaders, user: UserID) {
    let headers = try backend.register(email)
    guard let user = backend.backend.world.userOfEmail[email] else {
      throw UnreliableBackend.NoAccount()
    }
    return (headers, user)
  }

  var world: World { backend.backend.world }

  var dialect: Dialect {
    world.configuration.dialect == .loggedAt ? .loggedAt : .dateTime
  }

  var rows: [ProgressRow] { world.progress.rows(of: user) }

  var account: Account? { world.accounts[user] }

  /// The number of rows created by duplicate and late deliveries.
  var lateRows: Int { backend.lateRows }

  mutating func answer(
    _ request: WireRequest, using generator: inout SplitMix
  ) throws(Violation) -> WireAnswer {
    deliverDue()
    if request.method == .delete, let id = request.path.split(separator: "/").last,
      ofEarlierAccounts.contains(String(id))
    {
      throw Violation(.ownAccount, "\(id)")
    }
    defer { if request.method == .post { keepHistory() } }
    let percent =
      request.method.mutates
      ? networkFaults.percent : networkFaults.asksPercent ?? networkFaults.percent / 5
    guard generator.below(100) < percent else {
      return backend.answer(request, as: headers, fault: nil)
    }
    let callFault = generator.pick(networkFaults.callFaults)
    switch callFault {
    case .late:
      return backend.answer(
        request, as: headers, fault: callFault, lateness: Self.lateness(using: &generator))
    case .rateLimited:
      return backend.answer(
        request, as: headers, fault: callFault, retryAfterSeconds: generator.within(1...90))
    // A refused DELETE leaves a row for good, which no rule about rows could tell from a lost one.
    case .refused where request.method == .get || request.method == .delete:
      return backend.answer(request, as: headers, fault: .serverErrorBefore)
    default: return backend.answer(request, as: headers, fault: callFault)
    }
  }

  private static func lateness(using generator: inout SplitMix) -> Int { generator.below(8) }

  /// Nobody waits for it any more; it may come all the same.
  mutating func hold(_ request: WireRequest, using generator: inout SplitMix) {
    backend.hold(request, as: headers, lateness: Self.lateness(using: &generator))
  }

  /// What was held back arrives, if enough has happened since, or at once.
  mutating func deliverDue(all: Bool = false) {
    let (before, physical) = (backend.lateRows, account?.physicalJSON)
    backend.deliverDue(all: all)
    if backend.lateRows > before { keepHistory() }
    if account?.physicalJSON != physical { hasLatePhysical = true }
  }

  mutating func backUp() { backup = rows }

  /// What came after the last backup is gone, and what was deleted since is back.
  mutating func restoreBackup() {
    let before = Set(rows.map(\.id.text))
    let after = Set(backup.map(\.id.text))
    lost.formUnion(before.subtracting(after))
    returned.formUnion(after.subtracting(before))
    backend.backend.world.progress.removeAll(of: user)
    for row in backup { backend.backend.world.progress.add(row, of: user) }
  }

  /// The account is deleted, and another one registered with the same address.
  ///
  /// - Parameter isNoticed: whether all ledgers know the user id of the earlier one.
  mutating func loseAccount(isNoticed: Bool) throws {
    lost.formUnion(rows.map(\.id.text))
    if isNoticed { ofEarlierAccounts.formUnion(history.keys) }
    backup = []
    backend.backend.world.lose(.everything)
    (headers, user) = try Self.register(at: &backend)
  }

  mutating func loseProfile() { backend.backend.world.lose(.profiles) }

  private mutating func keepHistory() {
    for row in rows { history[row.id.text] = row }
  }
}
