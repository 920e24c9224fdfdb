/// Why a backend could not be started, in a sentence.
public enum BackendError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The system refused the port, a descriptor or a thread.
  case cannotListen(port: UInt16, reason: String)
  /// The text of a fault names no fault; see ``Fault/init(_:)``.
  case badFault(text: String, problem: String)

  public var description: String {
    switch self {
    case .cannotListen(let port, let reason):
      "The backend cannot listen on 127.0.0.1:\(port) (\(reason)); choose another port."
    case .badFault(let text, let problem):
      "The fault '\(text)' is not understood: \(problem)."
    }
  }
}
