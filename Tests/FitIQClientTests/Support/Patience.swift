import Dispatch
import FitIQClient

/// How long a test waits for what surely comes. Tests that compute may keep every thread of Swift's
/// pool for minutes on a busy machine, and no verdict may depend on that.
let patienceSeconds = 3600.0

extension URLSessionTransport {
  /// One whose deadline only keeps a test from hanging.
  static var patient: URLSessionTransport {
    URLSessionTransport(deadlineSeconds: patienceSeconds)
  }
}

/// Waits until something has happened that nobody reports.
func until(_ hasHappened: () throws -> Bool) async throws {
  while try !hasHappened() { try await Task.sleep(for: .milliseconds(5)) }
}

/// Holds a server's answers back until a test lets them go.
final class Gate: Sendable {
  private let opened = DispatchSemaphore(value: 0)

  /// Called by the server, on a thread of its own.
  func pass() {
    opened.wait()
    // Once open, open for everybody.
    opened.signal()
  }

  func open() { opened.signal() }
}
