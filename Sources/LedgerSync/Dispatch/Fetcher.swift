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

  init(limit: Int) {
    self.limit = limit
  }

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
      case 500...: break
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
