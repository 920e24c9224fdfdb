import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

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

  /// Requests that change something, as «POST /api/v1/progress», in the order of their arrival.
  var calls: [String] {
    backend.requests.filter(\.method.mutates).map { InProcessBackend.kind(of: $0) }
  }

  func count(_ kind: String) -> Int {
    backend.requests.count { InProcessBackend.kind(of: $0) == kind }
  }

  /// The bodies of the calls of a kind.
  func bodies(_ kind: String) throws -> [JSONObject] {
    try backend.requests.filter { InProcessBackend.kind(of: $0) == kind }.map { request in
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
