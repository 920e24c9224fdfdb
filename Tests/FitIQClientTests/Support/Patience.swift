import Dispatch
import FitIQClient

/// The time limit of waits that end for certain. Computing tests may occupy all threads of the
/// cooperative pool for minutes on a busy machine.
let patienceSeconds = 3600.0

extension HTTPTransport {
  /// A transport whose deadline only keeps a test from hanging.
  static var patient: HTTPTransport {
    HTTPTransport(deadlineSeconds: patienceSeconds)
  }
}

/// Polls until a condition holds.
func until(_ hasHappened: () throws -> Bool) async throws {
  while try !hasHappened() { try await Task.sleep(for: .milliseconds(5)) }
}

/// Holds a server's answers until a test opens it.
final class Gate: Sendable {
  private let opened = DispatchSemaphore(value: 0)

  /// Called on the server's connection thread.
  func pass() {
    opened.wait()
    // Let the next waiter through, too.
    opened.signal()
  }

  func open() { opened.signal() }
}
