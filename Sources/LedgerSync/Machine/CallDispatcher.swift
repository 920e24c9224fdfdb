import LedgerJSON
import LedgerModel
import LedgerProjections

/// Carries calls: so many at a time, each recorded before it leaves, and what came back recorded
/// with the next ones that leave, so that one durable write serves many.
///
/// A call is in one of these places: waiting in a lane; parked, while one that would make the same
/// row is under way; launching, while its attempt is being recorded; flying; resting, before it is
/// tried again.
struct CallDispatcher: Sendable {
  /// Whether progress POSTs may leave. While the backend stores other values than were sent, one
  /// leaves as a probe; the others follow if its answer is right (docs/sync.md, Checked answers).
  private enum Probe {
    case unneeded, next, inFlight, failed
  }

  struct InFlightCall: Sendable {
    var lane: CallQueue
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

  private var waiting: ArraySlice<CallQueue> = []
  private var parked: [RowGroup: [CallQueue]] = [:]
  private var launching: [InFlightCall] = []
  private var flying: [RequestID: InFlightCall] = [:]
  private var resting: [RequestID: CallQueue] = [:]
  /// What rows under way will look like.
  private var busy: Set<RowGroup> = []
  /// What rows in doubt may look like.
  private var barred: Set<RowGroup> = []
  private var probe = Probe.unneeded
  /// Whether a probe of this run was answered with what was sent.
  private var hasProbed = false
  /// Lanes that wait for the probe's answer.
  private var heldBack: [CallQueue] = []
  /// The last profile that an answer showed, to be merged when the calls have ended.
  private(set) var answeredProfile: JSONObject?
  private var isRecording = false
  /// Answers that were lost since the last one that was not.
  private var lostInARow = 0

  init(limit: Int, remote: RemoteProfile) {
    self.limit = max(limit, 1)
    self.remote = remote
  }

  var isIdle: Bool {
    waiting.isEmpty && parked.isEmpty && launching.isEmpty && flying.isEmpty && resting.isEmpty
      && heldBack.isEmpty && facts.isEmpty && !isRecording
  }

  /// Takes over a plan's calls, and what it says without calling.
  mutating func accept(_ plan: Plan) {
    barred.formUnion(plan.barred)
    waiting = ArraySlice(CallQueue.lanes(of: plan))
    if plan.isProbing, probe == .unneeded, !hasProbed { probe = .next }
    report.held += plan.holds.reduce(0) { $0 + $1.events.count }
    for hold in plan.holds { report.note(hold) }
    report.elided += plan.elisions.reduce(0) { $0 + $1.events.count }
    facts += plan.holds.filter(\.isNews).map { hold in
      .syncHeld(SyncHeld(events: hold.events, reason: hold.reason.rawValue))
    }
    facts += plan.elisions.map { elision in
      .syncAcknowledged(
        SyncAcknowledged(events: elision.events, via: .elided, entry: elision.entry))
    }
  }

  /// What is held is counted again by the next plan.
  mutating func forgetHolds() {
    (report.held, report.lastingHolds) = (0, 0)
    report.holds = [:]
  }

  /// Nothing that would make such a row leaves in this run.
  mutating func bar(_ keys: some Sequence<RowKey>) {
    for key in keys { barred.formUnion(key.group.withNeighbors) }
  }

  /// Starts nothing more; what flies may land.
  mutating func stop(_ stop: SyncReport.Stop) {
    report.note(stop)
    waiting = []
    parked = [:]
    resting = [:]
    heldBack = []
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
      if let group = call.key?.group { busy.insert(group) }
      launching.append(InFlightCall(lane: lane, call: call, id: id))
    }
    guard !facts.isEmpty else { return nil }
    defer { facts = [] }
    isRecording = true
    return facts
  }

  /// The attempts are durable: their calls may leave, unless the run was stopped meanwhile. Then they
  /// surely never left, which the log is told.
  mutating func recorded(_ tickets: inout RequestIDGenerator) -> [SyncMachine.Effect] {
    isRecording = false
    defer { launching = [] }
    if let stop = report.stop {
      facts += launching.map { flight in
        .syncDeferred(
          SyncDeferred(call: flight.id, events: flight.call.events, reason: stop.reason))
      }
      return []
    }
    return launching.map { flight in
      let ticket = tickets.next()
      flying[ticket] = flight
      report.sent += 1
      return .send(ticket, flight.call.request)
    }
  }

  /// The person's calls go before all others, one at a time.
  private mutating func nextLane() -> CallQueue? {
    let isPersonUnderWay =
      launching.contains { $0.lane.isOfPerson } || flying.values.contains { $0.lane.isOfPerson }
    guard !isPersonUnderWay else { return nil }
    while let lane = waiting.popFirst() {
      guard let group = lane.group else { return lane }
      if barred.contains(group) { continue }
      if busy.contains(group) {
        parked[group, default: []].append(lane)
      } else if mayMakeRow(lane) {
        return lane
      }
    }
    return nil
  }

  /// Whether a row may be made now; a lane that has to wait for the probe is held back.
  private mutating func mayMakeRow(_ lane: CallQueue) -> Bool {
    switch probe {
    case .unneeded: return true
    case .next:
      probe = .inFlight
      return true
    case .inFlight: heldBack.append(lane)
    case .failed: break
    }
    return false
  }

  /// Takes in what the answer to a POST of an entry says of the backend.
  private mutating func notePost(_ meaning: CallOutcome) {
    switch (meaning, probe) {
    case (.differed, _): probe = .failed
    case (.acknowledged, .inFlight):
      probe = .unneeded
      hasProbed = true
      waiting.insert(contentsOf: heldBack, at: waiting.startIndex)
      heldBack = []
    case (.rejected, .inFlight): probeAgain()
    case (.deferred(let deferral), .inFlight) where deferral.next == .again: probeAgain()
    case (.inDoubt, .inFlight), (.deferred, .inFlight), (.signedOut, .inFlight): probe = .failed
    case (.acknowledged, _), (.rejected, _), (.inDoubt, _), (.deferred, _), (.signedOut, _): break
    }
    if probe == .failed { heldBack = [] }
  }

  private mutating func probeAgain() {
    probe = .next
    waiting.insert(contentsOf: heldBack, at: waiting.startIndex)
    heldBack = []
  }

  /// A call that what happened in this run has made impossible.
  private mutating func isPointless(_ call: PlannedCall) -> Bool {
    guard call.kind == .patchPhysical, remote == .absent else { return false }
    // The call that makes the profile got no answer, so no edit lifts this: it passes with the profile.
    report.held += call.events.count
    facts.append(
      .syncHeld(
        SyncHeld(events: call.events, reason: HoldReason.physicalNeedsProfile.rawValue)))
    return true
  }

  // MARK: Landing

  /// - Returns: whether the alarm was one of these.
  mutating func rested(_ ticket: RequestID) -> Bool {
    guard let lane = resting.removeValue(forKey: ticket) else { return false }
    waiting.insert(lane, at: waiting.startIndex)
    return true
  }

  /// - Returns: whether the answer was to one of these.
  mutating func handle(
    _ answer: WireAnswer, to ticket: RequestID, at now: Timestamp,
    _ tickets: inout RequestIDGenerator,
    _ effects: inout [SyncMachine.Effect], using generator: inout some RandomNumberGenerator
  ) -> Bool {
    guard let flight = flying.removeValue(forKey: ticket) else { return false }
    let meaning = flight.call.meaning(of: answer)
    facts += meaning.payloads(of: flight, at: now)
    countLoss(answer, meaning)
    if flight.lane.makesRow { notePost(meaning) }
    switch meaning {
    case .acknowledged(let status, _, let remote):
      if remote?["quantity"] != nil {
        report.remark("\(flight.call.why): the backend rounded the quantity")
      }
      count(flight, status)
      noteProfile(answer, of: flight.call)
      land(flight)
    case .differed(let difference):
      count(flight, difference.status)
      differ(flight, difference)
    case .rejected(let status, let message):
      report.rejected += flight.call.events.count
      report.remark("refused: \(flight.call.why): \(message) (\(status))")
    case .inDoubt(let why):
      report.remark("in doubt: \(flight.call.why): \(why)")
      if let key = flight.call.key { bar([key]) }
    case .signedOut(let why): stop(.signedOut(why))
    case .deferred(let deferral):
      if let wait = again(flight, deferral, &tickets, &generator) { effects.append(wait) }
    }
    if let group = flight.call.key?.group { release(group) }
    return true
  }

  /// Rows that were made or deleted, for the total that the next listing is expected to have.
  private mutating func count(_ flight: InFlightCall, _ status: Int) {
    if flight.lane.makesRow { report.rowsMade += 1 }
    if flight.call.isDeletion, status == 204 { report.rowsMade -= 1 }
  }

  private mutating func noteProfile(_ answer: WireAnswer, of call: PlannedCall) {
    switch call.kind {
    case .createProfile, .replaceProfile, .patchPhysical:
      guard case .response(let response) = answer, let profile = response.value?.object else {
        return
      }
      // What was sent is acknowledged; the rest of the answer is news.
      let sent = call.sentFields
      let hasMore = ProfileField.allCases.contains {
        profile[$0.rawValue] != nil && sent[$0.rawValue] == nil
      }
      if hasMore { answeredProfile = profile }
    case .patchPreferences, .logProgress, .deleteProgress, .deleteSuperseded, .deleteDuplicate:
      break
    }
  }

  /// The call is over; what would have followed it waits for a person.
  private mutating func differ(_ flight: InFlightCall, _ difference: CallOutcome.Difference) {
    report.differs += flight.call.events.count
    switch flight.call.kind {
    case .createProfile, .replaceProfile: remote = .present
    default: break
    }
    let values = difference.fields.map { field in
      "\(field.field) \(field.remote.serialized) instead of \(field.local.serialized)"
    }
    let isMoment = difference.fields.contains { $0.field == RowField.moment.rawValue }
    report.remark(
      "\(flight.call.why): the backend stored \(values.joined(separator: ", "))"
        + (isMoment ? "; check 'ledger settings backend.dialect'" : ""))
  }

  private mutating func land(_ flight: InFlightCall) {
    switch flight.call.kind {
    case .createProfile, .replaceProfile: remote = .present
    case .patchPhysical, .patchPreferences, .logProgress, .deleteProgress, .deleteSuperseded,
      .deleteDuplicate:
      break
    }
    if case .deleteSuperseded = flight.call.kind {
    } else {
      report.acknowledged += flight.call.events.count
    }
    let rest = flight.lane.calls.dropFirst()
    if !rest.isEmpty, report.stop == nil {
      waiting.insert(CallQueue(calls: rest), at: waiting.startIndex)
    }
  }

  private mutating func again(
    _ flight: InFlightCall, _ deferral: CallOutcome.Deferral, _ tickets: inout RequestIDGenerator,
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
    _ lane: CallQueue, _ tickets: inout RequestIDGenerator,
    _ generator: inout some RandomNumberGenerator
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
  private mutating func release(_ group: RowGroup) {
    busy.remove(group)
    guard let lanes = parked.removeValue(forKey: group), !barred.contains(group) else { return }
    waiting.insert(contentsOf: lanes, at: waiting.startIndex)
  }

  /// Where every answer is lost, sending on would put everything in doubt.
  private mutating func countLoss(_ answer: WireAnswer, _ meaning: CallOutcome) {
    let isLoss =
      switch meaning {
      case .inDoubt: true
      case .deferred(let deferral): deferral.next == .again
      case .acknowledged, .differed, .rejected, .signedOut: false
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

extension SyncReport.Stop {
  /// Why a call did not leave.
  fileprivate var reason: DeferralReason {
    switch self {
    case .offline, .cancelled: .offline
    case .rateLimited: .rateLimited
    case .signedOut, .refreshFailed: .unauthorized
    case .accountReplaced, .massDeletion, .returnedRows: .offline
    }
  }
}

extension PlannedCall {
  /// The longest body that is recorded with a refusal.
  private static let longestBodyBytes = 8_192

  /// The body as an event can hold it, so that it can be seen after a refusal.
  fileprivate var recordableBody: JSONValue? {
    guard let body = request.body, body.count <= Self.longestBodyBytes else { return nil }
    return (try? JSONValue(parsing: body))?.object?.recordable.map { .object($0) }
  }
}

extension SyncAttempted {
  fileprivate init(_ call: PlannedCall, _ id: CallID) {
    self.init(
      call: id, method: call.request.method.rawValue, path: call.request.path,
      events: call.events, fingerprint: call.fingerprint, attempt: call.attempt)
  }
}

extension CallOutcome {
  /// What the log is told.
  fileprivate func payloads(of flight: CallDispatcher.InFlightCall, at now: Timestamp) -> [Event
    .Payload]
  {
    let (call, id) = (flight.call, flight.id)
    switch self {
    case .acknowledged(let status, let backendID, let remote):
      return [
        .syncAcknowledged(
          SyncAcknowledged(
            call: id, events: call.events, status: status, via: .response, entry: call.entry,
            backendID: backendID, remote: remote))
      ]
    case .differed(let difference): return difference.payloads(of: call, id)
    case .rejected(let status, let message):
      return [
        .syncRejected(
          SyncRejected(
            call: id, events: call.events, status: status, message: message,
            body: call.recordableBody))
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

extension CallOutcome.Difference {
  /// The row or the fields as the backend has them, and a conflict for each field that differs.
  fileprivate func payloads(of call: PlannedCall, _ id: CallID) -> [Event.Payload] {
    let differed = SyncDiffered(
      call: id, events: call.events, status: status, via: .response, entry: call.entry,
      backendID: backendID, remote: remote)
    return [.syncDiffered(differed)]
      + fields.map { field in
        let subject =
          call.entry?.description ?? ProfileField(rawValue: field.field)?.subject.rawValue ?? ""
        return .conflictDetected(
          ConflictDetected(
            subject: subject, field: field.field, local: field.local, remote: field.remote,
            decision: .open, backendID: backendID))
      }
  }
}

extension Timestamp {
  func adding(seconds: Int) -> Timestamp {
    Timestamp(millisecondsSince1970: millisecondsSince1970 + Int64(seconds) * 1000)
  }
}
