public import LedgerModel

/// One run of the projector, as a pure machine: inputs come in, effects go out, and whoever drives
/// it does what the effects say, in their order, and reports back. All it remembers between runs is
/// in the log.
///
/// Phases and what may follow: `idle` → `asking` or `planning`; `asking` → `planning` or `done`;
/// `planning` → `recording` or `done`; `recording` → `calling` or `done`; `calling` → `recording`.
public struct SyncMachine: Sendable {
  public enum Input: Sendable {
    /// Begin. `needsProfileCheck`: whether edits wait that depend on a profile at the backend.
    case begin(needsProfileCheck: Bool)
    case planned(Plan)
    /// The events of the last `.record` are durable.
    case recorded
    case answered(WireAnswer)
  }

  public enum Effect: Hashable, Sendable {
    /// A GET, which changes nothing and leaves no trace in the log.
    case ask(WireRequest)
    /// Plan from the log as it is now.
    case plan(RemoteProfile)
    /// Append these, durably, then say `.recorded`.
    case record([Event.Payload])
    /// Send the call whose attempt was recorded.
    case send(PlannedCall)
    case finish(SyncReport)
  }

  private enum Phase: Sendable {
    case idle
    case asking
    case planning
    /// What to do once the events are durable.
    case recording(then: Next)
    case calling(PlannedCall, CallID)
    case done
  }

  private enum Next: Sendable {
    case send(PlannedCall, CallID)
    case nextCall
    case finish
  }

  private var phase = Phase.idle
  private var remote = RemoteProfile.unknown
  private var queue: ArraySlice<PlannedCall> = []
  private var report = SyncReport()
  /// Entries whose new row was not accepted in this run: their old row stays until it is.
  private var unsettled: Set<EntryID> = []

  public init() {}

  /// Steps once. `now` and the random numbers come in from outside.
  public mutating func handle(
    _ input: Input, at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) -> [Effect] {
    switch (phase, input) {
    case (.idle, .begin(let needsProfileCheck)):
      guard needsProfileCheck else { return plan() }
      phase = .asking
      return [.ask(WireRequest(.get, "/api/v1/users/me"))]
    case (.asking, .answered(let answer)): return learn(answer)
    case (.planning, .planned(let plan)): return accept(plan, at: now, using: &generator)
    case (.recording(let next), .recorded): return go(on: next, at: now, using: &generator)
    case (.calling(let call, let id), .answered(let answer)):
      return conclude(call, id, call.meaning(of: answer), at: now)
    case (.idle, _), (.asking, _), (.planning, _), (.recording, _), (.calling, _), (.done, _):
      preconditionFailure("the driver sent an input that this phase does not await")
    }
  }

  private mutating func plan() -> [Effect] {
    phase = .planning
    return [.plan(remote)]
  }

  /// Whether the backend has a profile.
  private mutating func learn(_ answer: WireAnswer) -> [Effect] {
    switch answer {
    case .response(let response) where response.isSuccess: remote = .present
    case .response(let response) where response.status == 404: remote = .absent
    case .response(let response) where response.status == 429:
      return finish(.rateLimited(seconds: response.retryAfterSeconds ?? 60))
    case .response(let response):
      return finish(.offline("the backend answered \(response.status): \(response.message)"))
    case .notSent(let reason), .lost(let reason): return finish(.offline(reason))
    case .refreshFailed(let reason): return finish(.refreshFailed(reason))
    case .signedOut(let reason): return signOut(reason, after: [])
    }
    return plan()
  }

  private mutating func accept(
    _ plan: Plan, at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) -> [Effect] {
    queue = plan.calls[...]
    if !plan.inDoubt.isEmpty {
      report.remarks.append(
        "\(plan.inDoubt.count) edits are in doubt: their answers were lost, so they are not sent "
          + "again")
    }
    report.held = plan.holds.reduce(0) { $0 + $1.events.count }
    report.elided = plan.elisions.reduce(0) { $0 + $1.events.count }
    let events =
      plan.holds.filter(\.isNews).map { hold in
        Event.Payload.syncHeld(SyncHeld(events: hold.events, reason: hold.reason.rawValue))
      }
      + plan.elisions.map { elision in
        Event.Payload.syncAcknowledged(
          SyncAcknowledged(events: elision.events, via: .elided, entry: elision.entry))
      }
    guard !events.isEmpty else { return nextCall(at: now, using: &generator) }
    phase = .recording(then: .nextCall)
    return [.record(events)]
  }

  private mutating func go(
    on next: Next, at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) -> [Effect] {
    switch next {
    case .send(let call, let id):
      report.sent += 1
      phase = .calling(call, id)
      return [.send(call)]
    case .nextCall: return nextCall(at: now, using: &generator)
    case .finish: return finish(report.stop)
    }
  }

  /// The attempt is durable before the first byte leaves.
  private mutating func nextCall(
    at now: Timestamp, using generator: inout some RandomNumberGenerator
  ) -> [Effect] {
    while let call = queue.popFirst() {
      switch call.kind {
      case .patchPhysical where remote == .absent:
        report.held += call.events.count
        phase = .recording(then: .nextCall)
        let reason = HoldReason.physicalNeedsProfile.rawValue
        return [.record([.syncHeld(SyncHeld(events: call.events, reason: reason))])]
      case .deleteSuperseded(let entry, _) where unsettled.contains(entry): continue
      case .createProfile, .replaceProfile, .patchPhysical, .patchPreferences, .logProgress,
        .deleteProgress, .deleteSuperseded:
        break
      }
      let id = CallID.make(at: now, using: &generator)
      phase = .recording(then: .send(call, id))
      let attempt = SyncAttempted(
        call: id, method: call.request.method.rawValue, path: call.request.path,
        events: call.events, fingerprint: call.fingerprint, attempt: call.attempt)
      return [.record([.syncAttempted(attempt)])]
    }
    return finish(nil)
  }

  private mutating func conclude(
    _ call: PlannedCall, _ id: CallID, _ meaning: Meaning, at now: Timestamp
  ) -> [Effect] {
    let events = call.events
    switch meaning {
    case .acknowledged(let status, let backendID, let remote):
      settle(call)
      return record(
        .syncAcknowledged(
          SyncAcknowledged(
            call: id, events: events, status: status, via: .response, entry: call.entry,
            backendID: backendID, remote: remote)))
    case .rejected(let status, let message):
      report.rejected += events.count
      report.remarks.append("refused: \(call.why): \(message) (\(status))")
      unsettle(call)
      return record(
        .syncRejected(SyncRejected(call: id, events: events, status: status, message: message)))
    case .inDoubt(let why):
      report.remarks.append("in doubt: \(call.why): \(why)")
      unsettle(call)
      phase = .recording(then: .nextCall)
      return [.record([])]
    case .deferred(let reason, let status, let seconds, let why):
      unsettle(call)
      return deferCall(call, id, reason, status, seconds, why, at: now)
    case .signedOut(let why):
      let deferred = SyncDeferred(call: id, events: events, reason: .unauthorized)
      return signOut(why, after: [.syncDeferred(deferred)])
    }
  }

  private mutating func settle(_ call: PlannedCall) {
    switch call.kind {
    case .createProfile, .replaceProfile: remote = .present
    case .patchPhysical, .patchPreferences, .logProgress, .deleteProgress: break
    case .deleteSuperseded: return
    }
    report.acknowledged += call.events.count
  }

  private mutating func unsettle(_ call: PlannedCall) {
    if let entry = call.entry { unsettled.insert(entry) }
  }

  private mutating func record(_ payload: Event.Payload) -> [Effect] {
    phase = .recording(then: .nextCall)
    return [.record([payload])]
  }

  private mutating func deferCall(
    _ call: PlannedCall, _ id: CallID, _ reason: DeferralReason, _ status: Int?,
    _ seconds: Int?, _ why: String, at now: Timestamp
  ) -> [Effect] {
    let deferred = SyncDeferred(
      call: id, events: call.events, reason: reason, status: status,
      notBefore: seconds.map {
        Timestamp(millisecondsSince1970: now.millisecondsSince1970 + Int64($0) * 1000)
      })
    switch reason {
    case .offline: report.stop = .offline(why)
    case .rateLimited: report.stop = .rateLimited(seconds: seconds ?? 60)
    case .unauthorized: report.stop = .refreshFailed(why)
    case .serverError: report.remarks.append("not now: \(call.why): \(why)")
    }
    phase = .recording(then: report.stop == nil ? .nextCall : .finish)
    return [.record([.syncDeferred(deferred)])]
  }

  /// Edits stay pending; the log says that the person is signed out.
  private mutating func signOut(_ why: String, after events: [Event.Payload]) -> [Effect] {
    report.stop = .signedOut(why)
    phase = .recording(then: .finish)
    return [.record(events + [.accountSignedOut(AccountSignedOut(reason: "session-expired"))])]
  }

  private mutating func finish(_ stop: SyncReport.Stop?) -> [Effect] {
    report.stop = stop
    phase = .done
    return [.finish(report)]
  }
}
