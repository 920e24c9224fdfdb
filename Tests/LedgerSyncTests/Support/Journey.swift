import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// A ledger on disk and a backend near by, with runs between them that a seed shuffles: the order in
/// which calls arrive and answers come back, what is delivered together, and where a run is cut off.
final class Journey {
  let fixture: LedgerFixture
  var backend: ScriptedBackend
  var configuration = SyncConfiguration()
  var generator: SplitMix
  private(set) var now: Timestamp
  /// Mutating calls that left, over all runs.
  private(set) var sent = 0

  /// Called when a request is about to arrive at the backend: edits made here are made while the
  /// call is under way.
  var meanwhile: ((WireRequest) throws -> Void)?
  /// Called when a record is durable and the machine has not been told yet.
  var afterRecord: (([Event.Payload]) throws -> Void)?
  /// Whether the run is to be told to stop, asked at each happening.
  var cancels: (() -> Bool)?
  /// The most mutating calls that were under way at a time, over all runs.
  private(set) var mostUnderWay = 0
  /// Requests that the machine sent, over all runs.
  private(set) var launched = 0
  /// How often the way to the backend was to double a row.
  var doubles = 0
  /// Waits that the machine asked for, in milliseconds.
  private(set) var waits: [Int] = []
  private var underWay: [RequestID: WireRequest] = [:]
  /// Calls that the log says were attempted, up to `readTo`.
  private var recorded: [String] = []
  private var readTo = (position: ChainPosition.start, offsetBytes: 0)
  /// How many ticks until the process is killed.
  private var left = Int.max

  struct CutOff: Error {}

  init(seed: UInt64, dialect: BackendConfiguration.MomentFormat = .dateTime) throws {
    fixture = try LedgerFixture()
    now = LedgerFixture.now
    backend = try ScriptedBackend(now: LedgerFixture.now, dialect: dialect)
    generator = SplitMix(seed)
    configuration.settleSeconds = 5
  }

  private enum Pending {
    case outgoing(RequestID, WireRequest)
    case incoming(RequestID, WireAnswer)
    case alarm(RequestID, milliseconds: Int)
  }

  /// One run, up to its end.
  ///
  /// - Parameter ticks: after how many ticks the process is killed; `nil` to let it live.
  @discardableResult
  func sync(killedAfter ticks: Int? = nil) throws -> SyncReport {
    var driver = SyncDriver(ObservedLedger(journey: self, stored: stored), configuration)
    var pending: [Pending] = []
    left = ticks ?? .max
    underWay = [:]
    while true {
      try step(&driver, &pending)
      if let report = driver.report { return report }
      while driver.isWaiting {
        try tick()
        guard let next = pending.indices.randomElement(using: &generator) else {
          Issue.record("the machine waits for nothing")
          throw CutOff()
        }
        switch pending.remove(at: next) {
        case .outgoing(let id, let request):
          if request.method.mutates {
            sent += 1
            try checkAttemptIsDurable(request)
          }
          try meanwhile?(request)
          pending.append(.incoming(id, try backend.answer(request)))
        case .incoming(let id, let answer):
          underWay[id] = nil
          driver.receive(.answered(id, answer))
        case .alarm(let id, let milliseconds):
          now.millisecondsSince1970 += Int64(milliseconds)
          driver.receive(.elapsed(id))
        }
      }
      // Some answers that are available arrive together, as behind a slow disk.
      if Bool.random(using: &generator) {
        for (index, item) in pending.enumerated().reversed() {
          guard case .incoming(let id, let answer) = item else { continue }
          pending.remove(at: index)
          underWay[id] = nil
          driver.receive(.answered(id, answer))
        }
      }
      if cancels?() == true {
        cancels = { false }
        driver.cancel()
      }
    }
  }

  private func step(
    _ driver: inout SyncDriver<ObservedLedger>, _ pending: inout [Pending]
  ) throws {
    var generator = self.generator
    defer { self.generator = generator }
    func perform(_ effect: SyncDriver<ObservedLedger>.External) throws {
      try tick()
      switch effect {
      case .send(let id, let request):
        depart(id, request)
        pending.append(.outgoing(id, request))
      case .wait(let id, let milliseconds):
        waits.append(milliseconds)
        pending.append(.alarm(id, milliseconds: milliseconds))
      case .progress: break
      }
    }
    try driver.step(at: { now }, using: &generator, perform)
    if driver.report != nil { try tick() }
  }

  /// Counts an effect or an event on the wire; the process may be killed before it.
  fileprivate func tick() throws {
    left -= 1
    guard left >= 0 else { throw CutOff() }
  }

  /// Never more at a time than the setting says, and never two that would make the same row.
  private func depart(_ id: RequestID, _ request: WireRequest) {
    launched += 1
    underWay[id] = request
    #expect(underWay.count <= max(configuration.concurrency, 1))
    let calls = underWay.values.filter(\.method.mutates)
    mostUnderWay = max(mostUnderWay, calls.count)
    guard request.path == "/api/v1/progress", request.method == .post else { return }
    #expect(calls.count { $0 == request } == 1, "two equal entries are under way")
  }

  /// Reads the log from its start again: an erasure has rewritten it.
  func rereadLog() { (readTo, recorded) = ((.start, 0), []) }

  /// Runs until nothing is left to do; what was held back on the way arrives before the last ones.
  func settle(runs: Int = 4) throws -> SyncReport {
    var report = SyncReport()
    for run in 1...runs {
      let before = try logEnd()
      now.millisecondsSince1970 += 120_000
      if run == 2 { backend.deliverDue(all: true) }
      report = try sync()
      if run > 2, report.pending == 0, try logEnd() == before { break }
    }
    return report
  }

  func logEnd() throws -> Int { try fixture.ledger.view().endBytes }

  func pass(seconds: Int64) { now.millisecondsSince1970 += seconds * 1000 }

  private var dialect: Dialect {
    backend.world.configuration.dialect == .loggedAt ? .loggedAt : .dateTime
  }

  func view() throws -> SyncContext<LogView> { try stored.context() }

  private var stored: StoredLedger {
    StoredLedger(fixture.ledger, RowIndexCache(), dialect, in: .current)
  }

  /// The log must say what is about to leave before it does.
  private func checkAttemptIsDurable(_ request: WireRequest) throws {
    let view = try LogView.open(fixture.ledger.directory)
    readTo.position = try view.forEachEvent(
      from: readTo.position, offsetBytes: readTo.offsetBytes
    ) { event, _ in
      if case .syncAttempted(let data) = event.event.payload {
        recorded.append("\(data.method) \(data.path)")
      }
      return true
    }
    readTo.offsetBytes = view.endBytes
    let call = "\(request.method.rawValue) \(request.path)"
    #expect(recorded.contains(call) && recorded.count >= sent, "\(call) left unrecorded")
  }
}

/// What tests ask of both sides after a run.
extension Journey {
  /// The log's events, in their order.
  func payloads() throws -> [Event.Payload] {
    var payloads: [Event.Payload] = []
    try LogView.open(fixture.ledger.directory).forEachEvent { event, _ in
      payloads.append(event.event.payload)
      return true
    }
    return payloads
  }

  func attempts() throws -> [SyncAttempted] {
    try payloads().compactMap { payload -> SyncAttempted? in
      if case .syncAttempted(let data) = payload { data } else { nil }
    }
  }

  func acknowledgements() throws -> [SyncAcknowledged] {
    try payloads().compactMap { payload -> SyncAcknowledged? in
      if case .syncAcknowledged(let data) = payload { data } else { nil }
    }
  }

  func deferrals() throws -> [SyncDeferred] {
    try payloads().compactMap { payload -> SyncDeferred? in
      if case .syncDeferred(let data) = payload { data } else { nil }
    }
  }

  func rejections() throws -> [SyncRejected] {
    try payloads().compactMap { payload -> SyncRejected? in
      if case .syncRejected(let data) = payload { data } else { nil }
    }
  }

  func conflicts() throws -> [ConflictDetected] {
    try payloads().compactMap { payload -> ConflictDetected? in
      if case .conflictDetected(let data) = payload { data } else { nil }
    }
  }

  func suspicions() throws -> [DuplicateSuspected] {
    try payloads().compactMap { payload -> DuplicateSuspected? in
      if case .duplicateSuspected(let data) = payload { data } else { nil }
    }
  }

  func holds() throws -> [SyncHeld] {
    try payloads().compactMap { payload -> SyncHeld? in
      if case .syncHeld(let data) = payload { data } else { nil }
    }
  }

  func state(of seq: Seq) throws -> EditState {
    try fixture.ledger.state().edits.state(seq.number)
  }

  func entry(_ id: EntryID) throws -> EntryView {
    let state = try fixture.ledger.state()
    return state.entry(at: try #require(state.row(of: id)))
  }

  /// The backend's id that an entry is bound to.
  func backendID(_ id: EntryID) throws -> String? {
    let seq = try entry(id).boundBy
    return try seq.flatMap { try view().texts.backendID(boundBy: $0) }?.text
  }

  /// Requests that change something, as `POST /api/v1/progress`, in the order of their arrival.
  var calls: [String] {
    backend.requests.filter(\.method.mutates).map { ScriptedBackend.kind(of: $0) }
  }

  func count(_ kind: String) -> Int {
    backend.requests.count { ScriptedBackend.kind(of: $0) == kind }
  }

  /// The bodies of the calls of a kind.
  func bodies(_ kind: String) throws -> [JSONObject] {
    try backend.requests.filter { ScriptedBackend.kind(of: $0) == kind }.map { request in
      let value = try JSONValue(parsing: request.body ?? [])
      return try #require(value.object)
    }
  }

  /// What another device adds to the backend.
  @discardableResult
  func add(
    _ quantity: Double, _ metric: Metric = .weight, at moment: Timestamp = LedgerFixture.now,
    notes: String? = nil, id: String = "row"
  ) -> String {
    let text = "\(id)-\(backend.rows.count)-\(quantity)"
    if let user = backend.account?.userID {
      backend.world.progress.add(
        ProgressRow(
          id: RowID(text: text), metric: metric, quantity: quantity, moment: moment, notes: notes),
        of: user)
    }
    return text
  }

  /// A run of which the first POST of an entry is lost: with its effect, or without.
  func loseFirstPost(_ fault: CallFault = .lostBefore) throws {
    backend.faults.append(FaultPoint(fault: fault, kind: Self.post, ordinal: count(Self.post) + 1))
    try sync()
  }

  /// The next request of a kind gets this answer; it does not reach the backend.
  func answerFirst(_ kind: String, with answer: WireAnswer) {
    var isFirst = true
    backend.instead = { request in
      guard isFirst, ScriptedBackend.kind(of: request) == kind else { return nil }
      isFirst = false
      return answer
    }
  }

  static let post = "POST /api/v1/progress"
  static let delete = "DELETE /api/v1/progress/{id}"
  static let put = "PUT /api/v1/users/me"
  static let create = "POST /api/v1/users/me"
  static let physical = "PATCH /api/v1/users/me/physical"
  static let preferences = "PATCH /api/v1/users/me/preferences"
  static let list = "GET /api/v1/progress"

  static let me = ProfileUpdated(name: "Ada", preferredUnitSystem: .metric)

  /// With a profile that both sides agree on.
  static func settledPerson(seed: UInt64 = 1) throws -> Journey {
    let journey = try Journey(seed: seed)
    try journey.fixture.edit(.updateProfile(me))
    // The second run learns what registration left there, such as the birth date.
    for _ in 1...2 { try journey.sync() }
    journey.pass(seconds: 60)
    return journey
  }
}

/// The stored ledger, with the hooks of a journey.
private struct ObservedLedger: SyncLedger {
  let journey: Journey
  var stored: StoredLedger

  mutating func answer(_ query: SyncQuery) throws -> SyncQueryResult {
    try journey.tick()
    return try stored.answer(query)
  }

  func record(
    _ payloads: [Event.Payload], at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws {
    try journey.tick()
    try stored.record(payloads, at: now, using: &generator)
    try journey.afterRecord?(payloads)
  }

  func decide(
    _ decision: SyncDecision, at now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) throws -> SyncOutcome {
    try journey.tick()
    return try stored.decide(decision, at: now, using: &generator)
  }
}
