/// Matches an answer or an elapsed wait to what it was for.
package struct RequestID: Hashable, Sendable {
  let number: Int
}

/// All requests in flight and all waits of a run. Each is tagged with its purpose, which routes the
/// answer.
struct RequestPool: Sendable {
  enum Purpose: Sendable {
    case call(InFlightCall)
    case fetch(Fetch)
  }

  /// What to do when a wait has elapsed.
  enum Alarm: Sendable {
    case reconcile
    case fetchProfileAgain
    case relistMissing
    case retryCall(CallQueue)
    case retryFetch(Fetch)
  }

  private var lastNumber = 0
  private var inFlight: [RequestID: Purpose] = [:]
  private var alarms: [RequestID: Alarm] = [:]

  var isIdle: Bool { inFlight.isEmpty && alarms.isEmpty }
  var inFlightCount: Int { inFlight.count }

  var isProfileCallInFlight: Bool {
    inFlight.values.contains { purpose in
      if case .call(let call) = purpose { call.queue.isOfProfile } else { false }
    }
  }

  mutating func send(_ request: WireRequest, for purpose: Purpose) -> SyncMachine.Effect {
    let id = nextID()
    inFlight[id] = purpose
    return .send(id, request)
  }

  mutating func wait(milliseconds: Int, then alarm: Alarm) -> SyncMachine.Effect {
    let id = nextID()
    alarms[id] = alarm
    return .wait(id, milliseconds: milliseconds)
  }

  /// Waits before a retry.
  ///
  /// - Parameter failures: from 1.
  mutating func backOff(
    after failures: Int, then alarm: Alarm, using generator: inout some RandomNumberGenerator
  ) -> SyncMachine.Effect {
    let wait = Backoff.withinRun.milliseconds(after: failures, using: &generator)
    return self.wait(milliseconds: wait, then: alarm)
  }

  /// - Returns: `nil` for a request that was canceled.
  mutating func answered(_ id: RequestID) -> Purpose? { inFlight.removeValue(forKey: id) }

  /// - Returns: `nil` for a wait that was canceled.
  mutating func elapsed(_ id: RequestID) -> Alarm? { alarms.removeValue(forKey: id) }

  /// Drops all waits and fetches. Calls in flight stay: their answers have to be recorded.
  mutating func cancel() {
    alarms = [:]
    inFlight = inFlight.filter { if case .call = $0.value { true } else { false } }
  }

  private mutating func nextID() -> RequestID {
    lastNumber += 1
    return RequestID(number: lastNumber)
  }
}
