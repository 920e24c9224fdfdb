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

struct Fetch: Sendable {
  enum Target: Hashable, Sendable {
    case profile
    case preferences
    /// The total of a listing.
    case rowCount
    case page(Lister.Position)
  }

  var target: Target
  var request: WireRequest
  var tries = 0
}

/// Sends GETs, a limited number at a time, and retries failures: a GET changes nothing.
struct Fetcher: Sendable {
  enum Outcome: Hashable, Sendable {
    case found(WireAnswer.Response)
    /// 404.
    case absent
    case failed(Failure)
    /// No other request would succeed either.
    case stopped(SyncReport.Stop)
  }

  struct Failure: Hashable, Sendable {
    var why: String
    /// Whether a later run may succeed: not after a refusal.
    var mayPass = true
  }

  let limit: Int
  private var waiting: ArraySlice<Fetch> = []

  init(limit: Int) { self.limit = max(limit, 1) }

  var isIdle: Bool { waiting.isEmpty }

  mutating func add(_ request: WireRequest, for target: Fetch.Target) {
    waiting.append(Fetch(target: target, request: request))
  }

  mutating func cancel() { waiting = [] }

  mutating func retry(_ fetch: Fetch) { waiting.insert(fetch, at: waiting.startIndex) }

  /// Sends as many GETs as the limit allows.
  mutating func launch(_ requests: inout RequestPool) -> [SyncMachine.Effect] {
    var effects: [SyncMachine.Effect] = []
    while requests.inFlightCount < limit, var fetch = waiting.popFirst() {
      fetch.tries += 1
      effects.append(requests.send(fetch.request, for: .fetch(fetch)))
    }
    return effects
  }

  /// - Returns: `nil` if the GET will be retried.
  func handle(
    _ answer: WireAnswer, to fetch: Fetch, _ requests: inout RequestPool,
    _ effects: inout [SyncMachine.Effect], using generator: inout some RandomNumberGenerator
  ) -> Outcome? {
    let why: String
    switch answer {
    case .response(let response) where response.isSuccess && response.reportsFailure:
      why = "the backend answered \(response.status), and that it failed: \(response.message)"
    case .response(let response) where response.isSuccess:
      guard response.value == nil else { return .found(response) }
      why = "the backend's answer cannot be read"
    case .response(let response):
      why = "the backend answered \(response.status): \(response.message)"
      switch response.status {
      case 404: return .absent
      case 429: return .stopped(.rateLimited(seconds: response.retryAfterSeconds ?? 60))
      case _ where response.mayPassLater: break
      // A redirect may come from a captive portal.
      default: return .failed(Failure(why: why, mayPass: (300..<400).contains(response.status)))
      }
    case .notSent(let reason): return .stopped(.offline(reason))
    case .lost(let reason): why = reason
    case .refreshFailed(let reason): return .stopped(.refreshFailed(reason))
    case .signedOut(let reason): return .stopped(.signedOut(reason))
    }
    guard fetch.tries < Backoff.mostTries else { return .failed(Failure(why: why)) }
    effects.append(
      requests.backOff(after: fetch.tries, then: .retryFetch(fetch), using: &generator))
    return nil
  }
}

/// The wait before a retry: doubling, with jitter, so that clients that failed together do not retry
/// together.
public struct Backoff: Hashable, Sendable {
  /// The longest wait after the first failure.
  public var firstMilliseconds: Int
  /// The longest wait after any failure.
  public var mostMilliseconds: Int

  /// Waits that double from the first to the longest.
  public init(firstMilliseconds: Int, mostMilliseconds: Int) {
    self.firstMilliseconds = firstMilliseconds
    self.mostMilliseconds = mostMilliseconds
  }

  static let withinRun = Backoff(firstMilliseconds: 250, mostMilliseconds: 8_000)

  /// Attempts within a run, the first one included.
  static let mostTries = 3

  /// - Parameter tries: how often it failed, from 1.
  /// - Returns: milliseconds between half the full wait and the full wait.
  package func milliseconds(
    after tries: Int, using generator: inout some RandomNumberGenerator
  ) -> Int {
    let doublings = min(max(tries, 1) - 1, 20)
    let full = min(firstMilliseconds << doublings, mostMilliseconds)
    return Int.random(in: full / 2...max(full, 1), using: &generator)
  }
}
