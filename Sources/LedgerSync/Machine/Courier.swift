import LedgerModel

/// Carries calls: so many at a time, each recorded before it leaves, and what came back recorded
/// with the next ones that leave, so that one durable write serves many.
///
/// A call is in one of these places: waiting in a lane; parked, while one that would make the same
/// row is under way; launching, while its attempt is being recorded; flying; resting, before it is
/// tried again.
struct Courier: Sendable {
  struct Flight: Sendable {
    var lane: Lane
    var call: PlannedCall
    var id: CallID
  }

  /// How many calls may be under way.
  private var limit: Int
  /// What is known of the profile at the backend.
  var remote: RemoteProfile
  var report = SyncReport()
  /// To be recorded with the next write.
  var facts: [Event.Payload] = []

  private var waiting: ArraySlice<Lane> = []
  private var parked: [RowKey: [Lane]] = [:]
  private var launching: [Flight] = []
  private var flying: [Ticket: Flight] = [:]
  private var resting: [Ticket: Lane] = [:]
  /// What rows under way will look like.
  private var busy: Set<RowKey> = []
  /// What rows in doubt may look like.
  private var barred: Set<RowKey> = []
  private var isRecording = false
  /// Answers that were lost since the last one that was not.
  private var lostInARow = 0

  init(limit: Int, remote: RemoteProfile) {
    self.limit = max(limit, 1)
    self.remote = remote
  }

  var isIdle: Bool {
    waiting.isEmpty && parked.isEmpty && launching.isEmpty && flying.isEmpty && resting.isEmpty
      && facts.isEmpty && !isRecording
  }

  /// Takes over a plan's calls, and what it says without calling.
  mutating func accept(_ plan: Plan) {
    barred.formUnion(plan.barred)
    waiting = ArraySlice(Lane.lanes(of: plan))
    report.held += plan.holds.reduce(0) { $0 + $1.events.count }
    report.elided += plan.elisions.reduce(0) { $0 + $1.events.count }
    facts += plan.holds.filter(\.isNews).map { hold in
      .syncHeld(SyncHeld(events: hold.events, reason: hold.reason.rawValue))
    }
    facts += plan.elisions.map { elision in
      .syncAcknowledged(
        SyncAcknowledged(events: elision.events, via: .elided, entry: elision.entry))
    }
  }

  /// Starts nothing more; what flies may land.
  mutating func stop(_ stop: SyncReport.Stop) {
    report.note(stop)
    waiting = []
    parked = [:]
    resting = [:]
  }

  // MARK: Leaving

  /// The next write, with the attempts of all calls that may leave after it; `nil` when there is
  /// nothing to write or a write is under way.
  mutating func record(
    at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) -> [Event.Payload]? {
    guard !isRecording else { return nil }
    while launching.count + flying.count < limit, let lane = nextLane() {
      guard let call = lane.calls.first, !isPointless(call) else { continue }
      let id = CallID.make(at: now, using: &generator)
      facts.append(.syncAttempted(SyncAttempted(call, id)))
      if let key = call.key { busy.insert(key) }
      launching.append(Flight(lane: lane, call: call, id: id))
    }
    guard !facts.isEmpty else { return nil }
    defer { facts = [] }
    isRecording = true
    return facts
  }

  /// The attempts are durable: their calls may leave.
  mutating func recorded(_ tickets: inout TicketRoll) -> [SyncMachine.Effect] {
    isRecording = false
    defer { launching = [] }
    return launching.map { flight in
      let ticket = tickets.next()
      flying[ticket] = flight
      report.sent += 1
      return .send(ticket, flight.call.request)
    }
  }

  /// The person's calls go before all others, one at a time.
  private mutating func nextLane() -> Lane? {
    let isPersonUnderWay =
      launching.contains { $0.lane.isOfPerson } || flying.values.contains { $0.lane.isOfPerson }
    guard !isPersonUnderWay else { return nil }
    while let lane = waiting.popFirst() {
      guard let key = lane.key else { return lane }
      if barred.contains(key) { continue }
      guard busy.contains(key) else { return lane }
      parked[key, default: []].append(lane)
    }
    return nil
  }

  /// A call that what happened in this run has made impossible.
  private mutating func isPointless(_ call: PlannedCall) -> Bool {
    guard call.kind == .patchPhysical, remote == .absent else { return false }
    report.held += call.events.count
    facts.append(
      .syncHeld(
        SyncHeld(events: call.events, reason: HoldReason.physicalNeedsProfile.rawValue)))
    return true
  }

  // MARK: Landing

  /// - Returns: whether the alarm was one of these.
  mutating func rested(_ ticket: Ticket) -> Bool {
    guard let lane = resting.removeValue(forKey: ticket) else { return false }
    waiting.insert(lane, at: waiting.startIndex)
    return true
  }

  /// - Returns: whether the answer was to one of these.
  mutating func handle(
    _ answer: WireAnswer, to ticket: Ticket, at now: Timestamp, _ tickets: inout TicketRoll,
    _ effects: inout [SyncMachine.Effect], using generator: inout some RandomNumberGenerator
  ) -> Bool {
    guard let flight = flying.removeValue(forKey: ticket) else { return false }
    let meaning = flight.call.meaning(of: answer)
    facts += meaning.payloads(of: flight, at: now)
    countLoss(answer, meaning)
    switch meaning {
    case .acknowledged: land(flight)
    case .rejected(let status, let message):
      report.rejected += flight.call.events.count
      report.remark("refused: \(flight.call.why): \(message) (\(status))")
    case .inDoubt(let why):
      report.remark("in doubt: \(flight.call.why): \(why)")
      if let key = flight.call.key { barred.insert(key) }
    case .signedOut(let why): stop(.signedOut(why))
    case .deferred(let deferral):
      if let wait = again(flight, deferral, &tickets, &generator) { effects.append(wait) }
    }
    if let key = flight.call.key { release(key) }
    return true
  }

  private mutating func land(_ flight: Flight) {
    switch flight.call.kind {
    case .createProfile, .replaceProfile: remote = .present
    case .patchPhysical, .patchPreferences, .logProgress, .deleteProgress, .deleteSuperseded: break
    }
    if case .deleteSuperseded = flight.call.kind {
    } else {
      report.acknowledged += flight.call.events.count
    }
    let rest = flight.lane.calls.dropFirst()
    if !rest.isEmpty, report.stop == nil {
      waiting.insert(Lane(calls: rest), at: waiting.startIndex)
    }
  }

  private mutating func again(
    _ flight: Flight, _ deferral: Meaning.Deferral, _ tickets: inout TicketRoll,
    _ generator: inout some RandomNumberGenerator
  ) -> SyncMachine.Effect? {
    switch deferral.next {
    case .stop(let stop): self.stop(stop)
    case .others: report.remark("not now: \(flight.call.why): \(deferral.why)")
    case .alone(let stop):
      limit = 1
      if let wait = rest(flight.lane, &tickets, &generator) { return wait }
      self.stop(stop)
    case .again:
      if let wait = rest(flight.lane, &tickets, &generator) { return wait }
      report.remark("not now: \(flight.call.why): \(deferral.why)")
    }
    return nil
  }

  /// - Returns: `nil` when the call in front was tried often enough, or nothing more may leave.
  private mutating func rest(
    _ lane: Lane, _ tickets: inout TicketRoll, _ generator: inout some RandomNumberGenerator
  ) -> SyncMachine.Effect? {
    var lane = lane
    lane.tries += 1
    guard lane.tries < Backoff.mostTries, report.stop == nil else { return nil }
    lane.calls[lane.calls.startIndex].attempt += 1
    let ticket = tickets.next()
    resting[ticket] = lane
    let wait = Backoff.withinRun.milliseconds(after: lane.tries, using: &generator)
    return .wait(ticket, milliseconds: wait)
  }

  /// Calls that would make the same row may leave now, one of them.
  private mutating func release(_ key: RowKey) {
    busy.remove(key)
    guard let lanes = parked.removeValue(forKey: key), !barred.contains(key) else { return }
    waiting.insert(contentsOf: lanes, at: waiting.startIndex)
  }

  /// Where every answer is lost, sending on would put everything in doubt.
  private mutating func countLoss(_ answer: WireAnswer, _ meaning: Meaning) {
    let isLoss =
      switch meaning {
      case .inDoubt: true
      case .deferred(let deferral): deferral.next == .again
      case .acknowledged, .rejected, .signedOut: false
      }
    lostInARow = isLoss ? lostInARow + 1 : 0
    guard lostInARow >= max(4, limit) else { return }
    let why =
      switch answer {
      case .lost(let reason): reason
      case .response(let response): "status \(response.status): \(response.message)"
      case .notSent, .signedOut, .refreshFailed: ""
      }
    stop(.offline("one answer after the other was lost: \(why)"))
  }
}

extension SyncAttempted {
  fileprivate init(_ call: PlannedCall, _ id: CallID) {
    self.init(
      call: id, method: call.request.method.rawValue, path: call.request.path,
      events: call.events, fingerprint: call.fingerprint, attempt: call.attempt)
  }
}

extension Meaning {
  /// What the log is told.
  fileprivate func payloads(of flight: Courier.Flight, at now: Timestamp) -> [Event.Payload] {
    let (call, id) = (flight.call, flight.id)
    switch self {
    case .acknowledged(let status, let backendID, let remote):
      return [
        .syncAcknowledged(
          SyncAcknowledged(
            call: id, events: call.events, status: status, via: .response, entry: call.entry,
            backendID: backendID, remote: remote))
      ]
    case .rejected(let status, let message):
      return [
        .syncRejected(
          SyncRejected(call: id, events: call.events, status: status, message: message))
      ]
    case .inDoubt: return []
    case .signedOut:
      return [.syncDeferred(SyncDeferred(call: id, events: call.events, reason: .unauthorized))]
    case .deferred(let deferral):
      return [
        .syncDeferred(
          SyncDeferred(
            call: id, events: call.events, reason: deferral.reason, status: deferral.status,
            notBefore: deferral.waitSeconds.map { now.adding(seconds: $0) }))
      ]
    }
  }
}

extension Timestamp {
  func adding(seconds: Int) -> Timestamp {
    Timestamp(millisecondsSince1970: millisecondsSince1970 + Int64(seconds) * 1000)
  }
}
