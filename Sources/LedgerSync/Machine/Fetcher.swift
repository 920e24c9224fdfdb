/// GETs, several at a time; what fails is tried again, since nothing is changed by asking.
struct Fetcher: Sendable {
  /// What the caller knows a request by.
  typealias Key = Int

  enum Outcome: Hashable, Sendable {
    case found(WireAnswer.Response)
    /// 404.
    case absent
    case failed(Failure)
    /// Nothing else will succeed either.
    case stopped(SyncReport.Stop)
  }

  /// Why something could not be had.
  struct Failure: Hashable, Sendable {
    var why: String
    /// Whether trying again later may help: not after a refusal.
    var mayPass = true
  }

  private struct Errand: Sendable {
    var key: Key
    var request: WireRequest
    var tries = 0
  }

  let limit: Int
  private var waiting: [Errand] = []
  private var flying: [RequestID: Errand] = [:]
  private var resting: [RequestID: Errand] = [:]

  init(limit: Int) {
    self.limit = limit
  }

  var isIdle: Bool { waiting.isEmpty && flying.isEmpty && resting.isEmpty }

  mutating func add(_ request: WireRequest, as key: Key) {
    waiting.append(Errand(key: key, request: request))
  }

  /// Forgets what is not under way; what is will be answered to nobody.
  mutating func cancel() {
    waiting = []
    flying = [:]
    resting = [:]
  }

  /// What may leave now.
  mutating func launch(_ tickets: inout RequestIDGenerator) -> [SyncMachine.Effect] {
    var effects: [SyncMachine.Effect] = []
    while flying.count < limit, !waiting.isEmpty {
      var errand = waiting.removeFirst()
      errand.tries += 1
      let ticket = tickets.next()
      flying[ticket] = errand
      effects.append(.send(ticket, errand.request))
    }
    return effects
  }

  /// - Returns: whether the alarm was one of these.
  mutating func rested(_ ticket: RequestID) -> Bool {
    guard let errand = resting.removeValue(forKey: ticket) else { return false }
    waiting.insert(errand, at: 0)
    return true
  }

  /// - Returns: `nil` for an answer that none of these awaits, or that is asked for again.
  mutating func handle(
    _ answer: WireAnswer, to ticket: RequestID, _ tickets: inout RequestIDGenerator,
    _ effects: inout [SyncMachine.Effect], using generator: inout some RandomNumberGenerator
  ) -> (key: Key, outcome: Outcome)? {
    guard let errand = flying.removeValue(forKey: ticket) else { return nil }
    switch answer {
    case .response(let response) where response.isSuccess:
      guard response.value != nil else {
        return again(errand, "the backend's answer cannot be read", &tickets, &effects, &generator)
      }
      return (errand.key, .found(response))
    case .response(let response) where response.status == 404: return (errand.key, .absent)
    case .response(let response) where response.status == 429:
      return (errand.key, .stopped(.rateLimited(seconds: response.retryAfterSeconds ?? 60)))
    case .response(let response) where response.status >= 500:
      return again(
        errand, "the backend answered \(response.status): \(response.message)", &tickets, &effects,
        &generator)
    case .response(let response):
      let why = "the backend answered \(response.status): \(response.message)"
      // A redirect may be that of a captive portal.
      let mayPass = (300..<400).contains(response.status)
      return (errand.key, .failed(Failure(why: why, mayPass: mayPass)))
    case .notSent(let reason): return (errand.key, .stopped(.offline(reason)))
    case .lost(let reason): return again(errand, reason, &tickets, &effects, &generator)
    case .refreshFailed(let reason): return (errand.key, .stopped(.refreshFailed(reason)))
    case .signedOut(let reason): return (errand.key, .stopped(.signedOut(reason)))
    }
  }

  private mutating func again(
    _ errand: Errand, _ why: String, _ tickets: inout RequestIDGenerator,
    _ effects: inout [SyncMachine.Effect], _ generator: inout some RandomNumberGenerator
  ) -> (key: Key, outcome: Outcome)? {
    guard errand.tries < Backoff.mostTries else { return (errand.key, .failed(Failure(why: why))) }
    let ticket = tickets.next()
    resting[ticket] = errand
    let wait = Backoff.withinRun.milliseconds(after: errand.tries, using: &generator)
    effects.append(.wait(ticket, milliseconds: wait))
    return nil
  }
}
