import Synchronization

/// Answers requests: the world behind its lock, the journal, and the faults on the way.
final class Engine: Sendable {
  private let configuration: BackendConfiguration
  private let world: Mutex<World>
  private let journal = Mutex(Journal())
  private let faults: Mutex<FaultScript>

  init(_ configuration: BackendConfiguration) {
    self.configuration = configuration
    world = Mutex(World(configuration))
    faults = Mutex(FaultScript(configuration.faults))
  }

  var journalEntries: [JournalEntry] { journal.withLock { $0.entries } }

  func setFaults(_ newFaults: [Fault]) {
    faults.withLock { $0 = FaultScript(newFaults) }
  }

  /// An account's rows, newest first; empty when there is no such account.
  func rows(of email: String) -> [ProgressRow] {
    world.withLock { world in
      world.userOfEmail[email.lowercased()].map { world.progress.rows(of: $0) } ?? []
    }
  }

  func answer(_ request: HTTPRequest, stop: StopSignal) -> Delivery {
    let fault = faults.withLock { $0.next(for: request) }
    let index = journal.withLock { $0.begin(request) }
    let delivery = deliver(request, fault: fault?.kind, stop: stop)
    let status: Int? =
      switch delivery {
      case .answer(let response), .truncated(let response): response.status
      case .hangUp: nil
      }
    let entry = journal.withLock { $0.finish(index, status: status) }
    configuration.onRequest?(entry)
    return delivery
  }

  /// What a fault does before the request is processed; then, if it is, what it does after.
  private func deliver(_ request: HTTPRequest, fault: Fault.Kind?, stop: StopSignal) -> Delivery {
    switch fault {
    case .dropBefore:
      return .hangUp
    case .statusBefore(let status):
      return .answer(scripted(status))
    case .rateLimit(let seconds):
      var response = scripted(429)
      response.headers.append((name: "Retry-After", value: "\(seconds)"))
      return .answer(response)
    case .delayBefore(let milliseconds):
      guard stop.sleep(milliseconds: milliseconds) else { return .hangUp }
    case .dropAfter, .statusAfter, .delay, .truncate, .garbage, .noID, .unwrapped, nil:
      break
    }
    let reply = world.withLock { $0.answer(request) }
    return deliver(reply, fault: fault, stop: stop)
  }

  private func deliver(_ reply: Reply, fault: Fault.Kind?, stop: StopSignal) -> Delivery {
    let response = reply.response(wraps: configuration.wrapsAnswers)
    switch fault {
    case .dropAfter:
      return .hangUp
    case .statusAfter(let status):
      return .answer(scripted(status))
    case .delay(let milliseconds):
      return stop.sleep(milliseconds: milliseconds) ? .answer(response) : .hangUp
    case .truncate:
      return .truncated(response)
    case .garbage:
      var garbled = response
      garbled.body = Array("<html>This is not the answer you are looking for".utf8)
      // 204 has no body, so it would hide the garbage.
      if garbled.status == 204 { garbled.status = 200 }
      return .answer(garbled)
    case .noID:
      return .answer(reply.withoutID.response(wraps: configuration.wrapsAnswers))
    case .unwrapped:
      return .answer(reply.response(wraps: false))
    case .dropBefore, .statusBefore, .rateLimit, .delayBefore, nil:
      return .answer(response)
    }
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
