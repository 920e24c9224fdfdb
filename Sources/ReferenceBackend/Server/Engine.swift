import Synchronization

/// Answers requests, with the faults on the way.
final class Engine: Sendable {
  private let configuration: BackendConfiguration
  private let processor: RequestProcessor
  private let late: LateDeliveries
  private let faults: Mutex<FaultScript>

  init(_ configuration: BackendConfiguration) {
    self.configuration = configuration
    processor = RequestProcessor(configuration)
    late = LateDeliveries(processor)
    faults = Mutex(FaultScript(configuration.faults))
  }

  var journalEntries: [JournalEntry] { processor.entries }

  var heldRequests: [JournalEntry] { late.entries }

  func deliverLate() -> Int { late.deliverAll() }

  func cancelLate() { late.cancel() }

  func setFaults(_ newFaults: [Fault]) {
    faults.withLock { $0 = FaultScript(newFaults) }
  }

  func forget(_ lost: Fault.Loss) { processor.forget(lost) }

  func resetSessions() { processor.resetSessions() }

  /// An account's rows, newest first; empty when there is no such account.
  func rows(of email: String) -> [ProgressRow] { processor.rows(of: email) }

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

  /// A request, its place in the journal, and what ends a wait on its behalf.
  private struct Arrival {
    let request: HTTPRequest
    let index: Journal.Index
    let stop: StopSignal
  }

  /// What a fault does before the request is processed; then, if it is, what it does after.
  private func deliver(_ arrival: Arrival, fault: Fault.Kind?) -> Delivery {
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

  private func deliver(_ reply: Reply, to arrival: Arrival, fault: Fault.Kind?) -> Delivery {
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
      // Without a body the header block itself would be cut, which no proxy does and which some
      // clients do not survive.
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
      // The system has no thread left: the request is lost, as it may be with any proxy, and the
      // journal shows it with no outcome.
    }
  }

  /// Waits until another refresh has revoked the session of this reply's tokens, or the time is up;
  /// false when the server stops.
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
    // 204 has no body, so it would hide the garbage.
    if garbled.status == 204 { garbled.status = 200 }
    return garbled
  }

  /// An answer that a fault puts in the place of the real one.
  private func scripted(_ status: Int) -> HTTPResponse {
    let error = APIError(status, "scripted_fault", "A scripted fault answered \(status)")
    var response = Reply.failure(error).response(wraps: configuration.wrapsAnswers)
    if (300..<400).contains(status) {
      // A client that follows this shows itself in the journal.
      response.headers.append((name: "Location", value: "/api/v1/elsewhere"))
      response.body = nil
    }
    return response
  }
}
