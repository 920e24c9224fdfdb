import Synchronization

final class Engine: Sendable {
  private let configuration: BackendConfiguration
  let processor: RequestProcessor
  let late: LateDeliveries
  private let faults: Mutex<FaultScript>

  init(_ configuration: BackendConfiguration) {
    self.configuration = configuration
    processor = RequestProcessor(configuration)
    late = LateDeliveries(processor)
    faults = Mutex(FaultScript(configuration.faults))
  }

  func setFaults(_ newFaults: [ScriptedFault]) {
    faults.withLock { $0 = FaultScript(newFaults) }
  }

  func answer(_ request: HTTPRequest, stop: StopSignal) -> Delivery {
    let fault = faults.withLock { $0.next(for: request) }
    let arrival = Arrival(request: request, index: processor.begin(request), stop: stop)
    let delivery = deliver(arrival, fault: fault?.kind)
    let status: Int? =
      switch delivery {
      case .answer(let response), .truncated(let response): response.status
      case .hangUp: nil
      }
    let entry = processor.finish(arrival.index, status: status)
    configuration.onRequest?(entry)
    return delivery
  }

  /// A request, its place in the journal, and the signal that ends its waits.
  private struct Arrival {
    let request: HTTPRequest
    let index: Journal.Index
    let stop: StopSignal
  }

  /// Applies the faults that act before the request is processed, then processes it.
  private func deliver(_ arrival: Arrival, fault: ScriptedFault.Kind?) -> Delivery {
    switch fault {
    case .dropBefore:
      return .hangUp
    case .statusBefore(let status):
      return .answer(scripted(status))
    case .rateLimit(let seconds):
      var response = scripted(429)
      response.headers.append((name: "Retry-After", value: "\(seconds)"))
      return .answer(response)
    case .late(let milliseconds):
      hold(arrival, milliseconds: milliseconds)
      return .hangUp
    case .delayBefore(let milliseconds):
      guard arrival.stop.sleep(milliseconds: milliseconds) else { return .hangUp }
    case .dropAfter, .statusAfter, .delay, .duplicate, .refreshRace, .truncate, .garbage,
      .unwrapped, .lie, .round, .omit, .badRow, .forget, .resetSession, nil:
      break
    }
    let reply = processor.process(arrival.request, arrival.index, fault: fault)
    return deliver(reply, to: arrival, fault: fault)
  }

  /// Applies the faults that act after the request was processed.
  private func deliver(_ reply: Reply, to arrival: Arrival, fault: ScriptedFault.Kind?) -> Delivery
  {
    let response = reply.response(wraps: configuration.wrapsAnswers)
    switch fault {
    case .dropAfter:
      return .hangUp
    case .statusAfter(let status):
      return .answer(scripted(status))
    case .delay(let milliseconds):
      return arrival.stop.sleep(milliseconds: milliseconds) ? .answer(response) : .hangUp
    case .refreshRace(let milliseconds):
      return awaitRival(of: reply, arrival, milliseconds) ? .answer(response) : .hangUp
    case .truncate:
      // Without a body the headers would be cut, which no proxy does and some clients do not survive.
      let hasBody = response.body != nil && arrival.request.method != "HEAD"
      return hasBody ? .truncated(response) : .hangUp
    case .garbage:
      return .answer(garbled(response))
    case .unwrapped:
      return .answer(reply.response(wraps: false))
    case .dropBefore, .statusBefore, .rateLimit, .delayBefore, .duplicate, .late, .lie, .round,
      .omit, .badRow, .forget, .resetSession, nil:
      return .answer(response)
    }
  }

  private func hold(_ arrival: Arrival, milliseconds: Int32) {
    do {
      try late.hold(
        arrival.request, arrival.index, milliseconds: milliseconds, stop: arrival.stop)
    } catch {
      // Out of threads or descriptors: the request is lost, and its journal entry has no outcome.
    }
  }

  /// Waits until another refresh revoked the session of this reply's tokens, or the time is up.
  ///
  /// - Returns: false when the server stops.
  private func awaitRival(of reply: Reply, _ arrival: Arrival, _ milliseconds: Int32) -> Bool {
    guard let token = reply.refreshToken else { return true }
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    while ContinuousClock.now < end, !processor.isRevoked(sessionOf: token) {
      guard arrival.stop.sleep(milliseconds: 5) else { return false }
    }
    return true
  }

  private func garbled(_ response: HTTPResponse) -> HTTPResponse {
    var garbled = response
    garbled.body = Array("<html>This is not the answer you are looking for".utf8)
    // A 204 has no body.
    if garbled.status == 204 { garbled.status = 200 }
    return garbled
  }

  /// A fault's answer instead of the real one.
  private func scripted(_ status: Int) -> HTTPResponse {
    let error = APIError(status, "scripted_fault", "A scripted fault answered \(status)")
    var response = Reply.failure(error).response(wraps: configuration.wrapsAnswers)
    if (300..<400).contains(status) {
      // A client that follows this is visible in the journal.
      response.headers.append((name: "Location", value: "/api/v1/elsewhere"))
      response.body = nil
    }
    return response
  }
}

/// Processes requests: the world and the journal, each behind a lock. Shared by the engine and the
/// late deliveries.
final class RequestProcessor: Sendable {
  private let world: Mutex<World>
  private let journal = Mutex(Journal())

  init(_ configuration: BackendConfiguration) {
    world = Mutex(World(configuration))
  }

  var entries: [JournalEntry] { journal.withLock { $0.entries } }

  func entry(_ index: Journal.Index) -> JournalEntry { journal.withLock { $0[index] } }

  func begin(_ request: HTTPRequest) -> Journal.Index {
    journal.withLock { $0.begin(request) }
  }

  func finish(_ index: Journal.Index, status: Int?) -> JournalEntry {
    journal.withLock { $0.finish(index, status: status) }
  }

  /// Processes the request, twice without interruption for a `duplicate` fault.
  ///
  /// - Returns: the first reply.
  @discardableResult
  func process(
    _ request: HTTPRequest, _ index: Journal.Index, fault: ScriptedFault.Kind? = nil
  ) -> Reply {
    let (first, others) = world.withLock { world in
      let first = world.answer(request, fault: fault)
      return (first, fault == .duplicate ? [world.answer(request)] : [])
    }
    journal.withLock { journal in
      for reply in [first] + others { journal.add(outcome: reply.status, to: index) }
    }
    return first
  }

  func isRevoked(sessionOf refreshToken: String) -> Bool {
    world.withLock { $0.sessions.isRevoked(sessionOf: refreshToken) }
  }

  func forget(_ lost: ScriptedFault.Loss) { world.withLock { $0.lose(lost) } }

  func resetSessions() { world.withLock { $0.sessions.revokeAll() } }

  func rows(of email: String) -> [BackendRow] { world.withLock { $0.rows(of: email) } }
}
