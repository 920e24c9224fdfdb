import LedgerJSON
import LedgerModel
import LedgerProjections

/// Calls that are sent one after the other: those of one entry, or one of the profile. A call is
/// sent only after the one before it was accepted.
struct CallQueue: Sendable {
  var calls: ArraySlice<PlannedCall>
  /// How often the first call was tried in this run.
  var tries = 0

  var rowGroup: RowGroup? { calls.first?.key?.group }
  var isOfProfile: Bool { calls.first.map { $0.entry == nil } ?? false }

  static func queues(of plan: Plan) -> [CallQueue] {
    var queues: [CallQueue] = []
    for call in plan.calls {
      if let entry = call.entry, queues.last?.calls.first?.entry == entry {
        queues[queues.count - 1].calls.append(call)
      } else {
        queues.append(CallQueue(calls: [call]))
      }
    }
    return queues
  }
}

struct InFlightCall: Sendable {
  var queue: CallQueue
  var call: PlannedCall
  var id: CallID
}

/// Sends calls, a limited number at a time. Each attempt is recorded before the call is sent; an
/// outcome is recorded together with the next attempts, so that one durable write serves several.
///
/// A queue is in one of these states: waiting; blocked, while a call for an equal row is in flight;
/// held back until the probe is answered; recording its attempt; in flight; backing off before a
/// retry. The last two are in the ``RequestPool``.
struct CallDispatcher: Sendable {
  /// Whether progress POSTs may be sent. While the backend stores other values than were sent, one
  /// is sent as a probe; the others follow if its answer is right (docs/sync.md, Checked answers).
  private enum Probe {
    case unneeded, next, inFlight, failed
  }

  private var limit: Int
  /// What is known of the profile at the backend.
  var remote: ProfilePresence
  var report = SyncReport()
  /// Events for the next write.
  private var unrecorded: [Event.Payload] = []

  private var waiting: ArraySlice<CallQueue> = []
  private var blocked: [RowGroup: [CallQueue]] = [:]
  private var heldBack: [CallQueue] = []
  private var recording: [InFlightCall] = []
  /// The groups of the rows that calls in flight create.
  private var groupsInFlight: Set<RowGroup> = []
  /// The groups of the rows that unresolved calls may have created.
  private var unresolvedGroups: Set<RowGroup> = []
  private var probe = Probe.unneeded
  /// Whether a probe of this run was answered with the values that were sent.
  private var hasProbed = false
  /// The last profile in an answer, to be merged after the calls.
  private(set) var answeredProfile: JSONObject?
  /// Hashes of the ids of all rows that entries have; `nil` until a plan creates rows.
  private var boundRows: Set<UInt64>?
  private var isRecording = false
  /// Consecutive answers that were lost.
  private var lostInARow = 0

  init(limit: Int, remote: ProfilePresence) {
    self.limit = max(limit, 1)
    self.remote = remote
  }

  /// Whether nothing is left to do, apart from requests in flight and retries.
  var isIdle: Bool {
    waiting.isEmpty && blocked.isEmpty && recording.isEmpty && heldBack.isEmpty
      && unrecorded.isEmpty && !isRecording
  }

  /// A request for a plan that this can take over.
  var planRequest: PlanRequest {
    var request = PlanRequest(remote)
    request.wantsBoundRows = boundRows == nil
    return request
  }

  /// Takes over a plan's calls, holds and elisions.
  mutating func accept(_ plan: Plan) {
    unresolvedGroups.formUnion(plan.unresolvedGroups)
    boundRows = boundRows ?? plan.boundRows
    waiting = ArraySlice(CallQueue.queues(of: plan))
    if plan.isProbing, probe == .unneeded, !hasProbed { probe = .next }
    report.held += plan.holds.reduce(0) { $0 + $1.events.count }
    for hold in plan.holds { report.note(hold) }
    report.elided += plan.elisions.reduce(0) { $0 + $1.events.count }
    unrecorded += plan.holds.filter(\.isNews).map { hold in
      .syncHeld(SyncHeld(events: hold.events, reason: hold.reason.rawValue))
    }
    unrecorded += plan.elisions.map { elision in
      .syncAcknowledged(
        SyncAcknowledged(events: elision.events, via: .elided, entry: elision.entry))
    }
  }

  /// Resets the count of the profile's holds; the next plan counts them again.
  mutating func forgetHolds() { report.forgetHolds { $0 != .backendCannotChangeSleep } }

  /// Sends no more calls in this run for rows that may equal these.
  mutating func addUnresolved(_ keys: some Sequence<RowKey>) {
    for key in keys { unresolvedGroups.formUnion(key.group.withNeighbors) }
  }

  /// Starts no more calls; calls in flight may still be answered.
  mutating func stop(_ stop: SyncReport.Stop) {
    report.note(stop)
    waiting = []
    blocked = [:]
    heldBack = []
  }

  // MARK: Sending

  /// The next write, with the attempts of calls to be sent after it; `nil` for none, or during one.
  mutating func record(
    at now: Timestamp, given requests: RequestPool,
    using generator: inout some RandomNumberGenerator
  ) -> [Event.Payload]? {
    guard !isRecording else { return nil }
    while recording.count + requests.inFlightCount < limit, let queue = nextQueue(requests) {
      guard let call = queue.calls.first, !holdIfImpossible(call) else { continue }
      let id = CallID.make(at: now, using: &generator)
      unrecorded.append(.syncAttempted(SyncAttempted(call, id)))
      if let group = call.key?.group { groupsInFlight.insert(group) }
      recording.append(InFlightCall(queue: queue, call: call, id: id))
    }
    guard !unrecorded.isEmpty else { return nil }
    defer { unrecorded = [] }
    isRecording = true
    return unrecorded
  }

  /// Sends the calls whose attempts are now durable. If the run was stopped meanwhile, records that
  /// they were not sent.
  mutating func recorded(_ requests: inout RequestPool) -> [SyncMachine.Effect] {
    isRecording = false
    defer { recording = [] }
    if let stop = report.stop {
      unrecorded += recording.map { call in
        .syncDeferred(
          SyncDeferred(call: call.id, events: call.call.events, reason: stop.deferralReason))
      }
      return []
    }
    report.sent += recording.count
    return recording.map { requests.send($0.call.request, for: .call($0)) }
  }

  /// Calls of the profile are sent before all others, one at a time.
  private mutating func nextQueue(_ requests: RequestPool) -> CallQueue? {
    guard !requests.isProfileCallInFlight, !recording.contains(where: \.queue.isOfProfile)
    else { return nil }
    while let queue = waiting.popFirst() {
      guard let group = queue.rowGroup else { return queue }
      if unresolvedGroups.contains(group) { continue }
      if groupsInFlight.contains(group) {
        blocked[group, default: []].append(queue)
      } else if mayCreateRow(queue) {
        return queue
      }
    }
    return nil
  }

  /// Whether a row may be created now; holds the queue back while a probe is in flight.
  private mutating func mayCreateRow(_ queue: CallQueue) -> Bool {
    switch probe {
    case .unneeded: return true
    case .next:
      probe = .inFlight
      return true
    case .inFlight: heldBack.append(queue)
    case .failed: break
    }
    return false
  }

  private mutating func updateProbe(_ outcome: CallOutcome) {
    switch (outcome, probe) {
    case (.differed, _): probe = .failed
    case (.acknowledged, .inFlight):
      hasProbed = true
      releaseHeldBack(.unneeded)
    case (.rejected, .inFlight): releaseHeldBack(.next)
    case (.deferred(let deferral), .inFlight) where deferral.next == .again: releaseHeldBack(.next)
    case (.unresolved, .inFlight), (.deferred, .inFlight), (.signedOut, .inFlight): probe = .failed
    case (.acknowledged, _), (.rejected, _), (.unresolved, _), (.deferred, _), (.signedOut, _):
      break
    }
    if probe == .failed { heldBack = [] }
  }

  private mutating func releaseHeldBack(_ probe: Probe) {
    self.probe = probe
    waiting.insert(contentsOf: heldBack, at: waiting.startIndex)
    heldBack = []
  }

  /// Holds a call that an earlier outcome of this run made impossible.
  ///
  /// - Returns: whether it is held.
  private mutating func holdIfImpossible(_ call: PlannedCall) -> Bool {
    guard call.kind == .patchPhysical, remote == .absent else { return false }
    // Not reported as a hold that an edit can lift: it ends when the profile is created.
    report.held += call.events.count
    unrecorded.append(
      .syncHeld(
        SyncHeld(events: call.events, reason: HoldReason.physicalNeedsProfile.rawValue)))
    return true
  }

  // MARK: Answers

  mutating func retry(_ queue: CallQueue) { waiting.insert(queue, at: waiting.startIndex) }

  /// - Returns: the wait before a retry, if there is one.
  mutating func handle(
    _ answer: WireAnswer, to call: InFlightCall, at now: Timestamp, _ requests: inout RequestPool,
    using generator: inout some RandomNumberGenerator
  ) -> SyncMachine.Effect? {
    var call = call
    let planned = call.call
    let outcome = refuseTakenRow(planned.outcome(of: answer), of: planned)
    if case .acknowledged = outcome { call.call.events = planned.covered(by: answer) }
    var retry: SyncMachine.Effect?
    unrecorded += outcome.payloads(of: call, at: now)
    forgetFields(of: planned)
    countLoss(answer, outcome)
    if call.call.createsRow { updateProbe(outcome) }
    switch outcome {
    case .acknowledged(let status, _, let remote):
      if remote?["quantity"] != nil {
        report.remark("\(planned.why): the backend rounded the quantity")
      }
      countRows(call, status)
      noteProfile(answer, to: planned)
      acknowledge(call)
    case .differed(let difference):
      countRows(call, difference.status)
      noteDifference(difference, planned)
    case .rejected(let status, let message):
      report.rejected += planned.events.count
      report.remark("refused: \(planned.why): \(message) (\(status))")
    case .unresolved(let why):
      report.remark("in doubt: \(planned.why): \(why)")
      if let key = planned.key { addUnresolved([key]) }
    case .signedOut(let why): stop(.signedOut(why))
    case .deferred(let deferral): retry = deferCall(call, deferral, &requests, &generator)
    }
    if let group = planned.key?.group { release(group) }
    if report.stop != nil { requests.cancel() }
    return retry
  }

  /// Rejects an answer with the id of a row that is bound to an entry: no row was created.
  private mutating func refuseTakenRow(
    _ outcome: CallOutcome, of call: PlannedCall
  ) -> CallOutcome {
    let (status, id): (Int, BackendID?) =
      switch outcome {
      case .acknowledged(let status, let id, _): (status, id)
      case .differed(let difference): (difference.status, difference.backendID)
      case .rejected, .deferred, .unresolved, .signedOut: (0, nil)
      }
    guard call.createsRow, let id, boundRows?.insert(RowIndex.hash(id)).inserted == false else {
      return outcome
    }
    return .rejected(
      status: status, message: "it answers with \(id), a row that an entry has already")
  }

  /// Counts rows that were created or deleted, for the totals of the next listing.
  private mutating func countRows(_ call: InFlightCall, _ status: Int) {
    if call.call.createsRow { report.rowsCreated += 1 }
    // 200 answers with a session that existed before.
    if case .logSleep = call.call.kind, status == 201 { report.sessionsCreated += 1 }
    guard call.call.isDeletion else { return }
    if status == 204 { report.rowsCreated -= 1 }
    // A backend may give the ids of deleted rows again.
    if let id = call.call.deletedID { boundRows?.remove(RowIndex.hash(id)) }
  }

  /// An earlier answer does not tell what the backend has of what was sent since.
  private mutating func forgetFields(of call: PlannedCall) {
    guard answeredProfile != nil, call.request.path.hasPrefix("/api/v1/users/") else { return }
    for member in call.sentFields.members { answeredProfile?[member.name] = nil }
  }

  private mutating func noteProfile(_ answer: WireAnswer, to call: PlannedCall) {
    switch call.kind {
    case .createProfile, .replaceProfile, .patchPhysical:
      guard case .response(let response) = answer, let profile = response.value?.object else {
        return
      }
      // What was sent is acknowledged; only other members are to be merged.
      let sent = call.sentFields
      let hasMore = ProfileField.allCases.contains {
        profile[$0.rawValue] != nil && sent[$0.rawValue] == nil
      }
      if hasMore { answeredProfile = profile }
    case .patchPreferences, .logProgress, .deleteProgress, .deleteSuperseded, .deleteDuplicate,
      .logSleep:
      break
    }
  }

  /// Ends the queue: the rest of it waits until the conflict is resolved.
  private mutating func noteDifference(_ difference: CallOutcome.Difference, _ call: PlannedCall) {
    report.differing += call.events.count
    noteRemoteProfile(call)
    let values = difference.fields.map { $0.words(of: call.key?.metric, in: call.units) }
    let isMoment = difference.fields.contains { $0.field == RowField.moment.rawValue }
    report.remark(
      "\(call.why): the backend stored \(values.joined(separator: ", "))"
        + (isMoment ? "; check the setting backend.dialect" : ""))
  }

  private mutating func acknowledge(_ call: InFlightCall) {
    noteRemoteProfile(call.call)
    switch call.call.kind {
    // Its events were acknowledged by the call before.
    case .deleteSuperseded: break
    default: report.acknowledged += call.call.events.count
    }
    let rest = call.queue.calls.dropFirst()
    if !rest.isEmpty, report.stop == nil {
      waiting.insert(CallQueue(calls: rest), at: waiting.startIndex)
    }
  }

  private mutating func noteRemoteProfile(_ call: PlannedCall) {
    switch call.kind {
    case .createProfile, .replaceProfile: remote = .present
    case .patchPhysical, .patchPreferences, .logProgress, .deleteProgress, .deleteSuperseded,
      .deleteDuplicate, .logSleep:
      break
    }
  }

  /// - Returns: the wait before a retry, if there is one.
  private mutating func deferCall(
    _ call: InFlightCall, _ deferral: CallOutcome.Deferral, _ requests: inout RequestPool,
    _ generator: inout some RandomNumberGenerator
  ) -> SyncMachine.Effect? {
    switch deferral.next {
    case .stop(let stop): self.stop(stop)
    case .others: report.remark("not now: \(call.call.why): \(deferral.why)")
    case .alone(let stop):
      limit = 1
      if let wait = backOff(call.queue, &requests, &generator) { return wait }
      self.stop(stop)
    case .again:
      if let wait = backOff(call.queue, &requests, &generator) { return wait }
      report.remark("not now: \(call.call.why): \(deferral.why)")
    }
    return nil
  }

  /// - Returns: `nil` after the last try or once the run is stopped.
  private func backOff(
    _ queue: CallQueue, _ requests: inout RequestPool,
    _ generator: inout some RandomNumberGenerator
  ) -> SyncMachine.Effect? {
    var queue = queue
    queue.tries += 1
    guard queue.tries < Backoff.mostTries, report.stop == nil else { return nil }
    queue.calls[queue.calls.startIndex].attempt += 1
    return requests.backOff(after: queue.tries, then: .retryCall(queue), using: &generator)
  }

  /// Unblocks the queues that would create an equal row.
  private mutating func release(_ group: RowGroup) {
    groupsInFlight.remove(group)
    guard let queues = blocked.removeValue(forKey: group), !unresolvedGroups.contains(group)
    else { return }
    waiting.insert(contentsOf: queues, at: waiting.startIndex)
  }

  /// Stops the run when answer after answer is lost: each more would leave another call unresolved.
  private mutating func countLoss(_ answer: WireAnswer, _ outcome: CallOutcome) {
    let isLoss =
      switch outcome {
      case .unresolved: true
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
  /// Why a call was not sent.
  fileprivate var deferralReason: DeferralReason {
    switch self {
    case .offline, .busy, .cancelled: .offline
    case .rateLimited: .rateLimited
    case .signedOut, .refreshFailed: .unauthorized
    case .accountReplaced, .massDeletion, .returnedRows: .offline
    }
  }
}

extension PlannedCall {
  /// The body as an event can hold it, to show it after a rejection; if too long, the start of its text.
  fileprivate var recordableBody: JSONValue? {
    guard let body = request.body, let value = try? JSONValue(parsing: body) else { return nil }
    if let object = value.object?.recordable { return .object(object) }
    let start = String(value.serialized.unicodeScalars.prefix(1_000))
    return .string("\(start) … (\(body.count) bytes)")
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
  /// The events that record the outcome.
  fileprivate func payloads(of inFlight: InFlightCall, at now: Timestamp) -> [Event.Payload] {
    let (call, id) = (inFlight.call, inFlight.id)
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
    case .unresolved: return []
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
  /// The row or the fields as the backend has them, and a conflict for each different field.
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
  fileprivate func adding(seconds: Int) -> Timestamp {
    Timestamp(millisecondsSince1970: millisecondsSince1970 + Int64(seconds) * 1000)
  }
}
