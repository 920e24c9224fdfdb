import LedgerLog
public import LedgerModel
public import LedgerPlatform
import LedgerSync

/// What can go wrong between this machine and the backend. No description ever holds a password, a
/// key or a token.
public enum ClientError: LedgerError, Hashable, Sendable {
  /// Credentials may not be sent to this address.
  case badAddress(problem: String)
  /// The API key has a space, or a character that is not visible ASCII.
  case badAPIKey
  /// The backend registers only users who are at least this old, in years.
  case tooYoung(bornOn: CalendarDate, leastAge: Int)
  /// The ledger belongs to another account.
  case otherAccount(owner: AccountSignedIn, email: String, origin: String)
  /// The backend answered with an error status.
  case refused(status: Int, message: String)
  /// The request was not sent.
  case offline(reason: String)
  /// The request was sent and no complete answer came, so it may have had its effect.
  case interrupted(reason: String)
  /// A success whose body does not follow the API.
  case garbage(expected: String)
  /// There is no session, or it ended.
  case signedOut(reason: String)
  /// The stored credentials are unreadable.
  case badCredentials(problem: String)
  /// Reading or writing the credentials failed.
  case storage(IOFailure)
  /// The system's key store failed with this error code.
  case keyStore(code: Int32)
  /// The credential helper failed.
  case credentialHelper(problem: String)
  /// Another process held the credentials' lock for the whole wait.
  case busy(seconds: Int)

  /// Stable, for programs.
  public var code: String {
    switch self {
    case .badAddress: "bad-address"
    case .badAPIKey: "bad-api-key"
    case .tooYoung: "too-young"
    case .otherAccount: "other-account"
    case .refused: "backend-refused"
    case .offline: "offline"
    case .interrupted: "interrupted"
    case .garbage: "unexpected-answer"
    case .signedOut: "signed-out"
    case .badCredentials: "bad-credentials"
    case .storage: "credential-storage"
    case .keyStore: "key-store"
    case .credentialHelper: "credential-helper"
    case .busy: "session-busy"
    }
  }

  public var description: String {
    switch self {
    case .badAddress(let problem): "the backend's address cannot be used: \(problem)"
    case .badAPIKey: "an API key is made of visible ASCII characters, without spaces"
    case .tooYoung(let date, let age):
      "the birth date is \(date); the backend registers no one under \(age)"
    case .otherAccount(let owner, let email, let origin):
      "this ledger belongs to \(owner.account) at \(owner.origin), not to \(email) at \(origin); "
        + "another account needs a ledger of its own"
    case .refused(let status, let message): "the backend refused (\(status)): \(message)"
    case .offline(let reason): "the backend cannot be reached: \(reason); try again"
    case .interrupted(let reason):
      "no complete answer came: \(reason); the request may have had its effect, so after a "
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

  /// Whether the same call may succeed later without any change (exit code 75).
  public var isTemporary: Bool {
    switch self {
    case .offline, .interrupted, .busy: true
    case .refused(let status, _): status == 429 || WireAnswer.Response(status: status).mayPassLater
    case .badAddress, .badAPIKey, .tooYoung, .otherAccount, .garbage, .signedOut,
      .badCredentials, .storage, .keyStore, .credentialHelper:
      false
    }
  }
}

extension BackendAddress {
  /// Accepts https, and http to this machine only, because keys and tokens are sent there.
  ///
  /// - Throws: ``ClientError/badAddress(problem:)``. Its message never repeats the text, which may
  ///   hold a password.
  public init(_ text: String) throws(ClientError) {
    do throws(AddressProblem) {
      try self.init(parsing: text)
    } catch {
      throw .badAddress(problem: error.words)
    }
  }
}
