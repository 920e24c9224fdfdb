import LedgerLog
public import LedgerPlatform

/// What can go wrong on the way to the backend: one case a cause, one sentence a case. No sentence
/// ever holds a password, a key or a token.
public enum ClientError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text is no address that credentials may be sent to.
  case badAddress(problem: String)
  /// What was typed cannot be sent.
  case badInput(problem: String)
  /// The backend said no.
  case refused(status: Int, message: String)
  /// Nothing left this machine.
  case offline(reason: String)
  /// The request left, and no whole answer came: it may have been done.
  case interrupted(reason: String)
  /// A success whose body is not what the API promises.
  case garbage(expected: String)
  /// Nobody is signed in, or no longer.
  case signedOut(reason: String)
  /// What is stored is not what was stored.
  case badCredentials(problem: String)
  /// The system refused to read or write the credentials.
  case storage(IOFailure)
  /// The system's key store refused; its own number for why.
  case keyStore(code: Int32)
  /// The program that keeps the credentials did not do what it was asked for.
  case credentialHelper(problem: String)
  /// Another process held the lock for too long.
  case busy(seconds: Int)

  public var description: String {
    switch self {
    case .badAddress(let problem): "the backend's address cannot be used: \(problem)"
    case .badInput(let problem): problem
    case .refused(let status, let message): "the backend refused (\(status)): \(message)"
    case .offline(let reason): "the backend cannot be reached: \(reason); try again"
    case .interrupted(let reason):
      "no whole answer came: \(reason); it may have been done all the same, so after a "
        + "registration try to log in first"
    case .garbage(let expected): "the backend's answer holds no \(expected); check its address"
    case .signedOut(let reason): "\(reason); sign in again"
    case .badCredentials(let problem): "\(problem); sign in again"
    case .storage(let failure): failure.description
    case .keyStore(let code): "the key store refused, with its error \(code)"
    case .credentialHelper(let problem): "the credential helper \(problem)"
    case .busy(let seconds):
      "another process has been renewing the session for \(seconds) s; try again"
    }
  }

  /// Whether the same call may succeed in a moment, with nothing changed (exit 75).
  public var isTemporary: Bool {
    switch self {
    case .offline, .interrupted, .busy: true
    case .refused(let status, _): status == 429 || status >= 500
    case .badAddress, .badInput, .garbage, .signedOut, .badCredentials, .storage, .keyStore,
      .credentialHelper:
      false
    }
  }
}
