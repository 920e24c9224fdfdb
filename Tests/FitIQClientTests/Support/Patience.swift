import FitIQClient
import LedgerTestSupport

extension HTTPTransport {
  /// A transport whose deadline only keeps a test from hanging.
  static var patient: HTTPTransport { HTTPTransport(deadlineSeconds: patienceSeconds) }
}
