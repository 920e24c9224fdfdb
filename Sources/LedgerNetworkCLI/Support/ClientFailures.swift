package import FitIQClient
package import LedgerCLI
package import LedgerSync
package import ReferenceBackend

extension ClientError: ReportableError {
  package var exitCode: ExitCode {
    if isTemporary { return .temporary }
    switch self {
    case .badAddress, .badAPIKey, .tooYoung, .otherAccount: return .usage
    case .refused, .signedOut, .badCredentials: return .needsUser
    case .garbage, .storage, .keyStore, .credentialHelper, .offline, .interrupted, .busy:
      return .failed
    }
  }

  package var sentence: String { description }

  package var hint: String? {
    if case .refused(409, _) = self { return "'ledger login' signs in to an account that exists" }
    guard case .refused(401, let message) = self else { return nil }
    return message.contains("API")
      ? "the operator of the backend gives out the API key; 'ledger backend' prints its own"
      : "check the address and the password; 'ledger register' creates an account, also again "
        + "after it was deleted at the backend"
  }
}

extension BackendError: ReportableError {
  package var exitCode: ExitCode {
    switch self {
    case .cannotListen: .failed
    case .badFault: .usage
    }
  }

  package var sentence: String { description }
}

extension BackendAuditFailure: ReportableError {
  package var exitCode: ExitCode {
    switch self {
    case .signedOut: .needsUser
    case .unread(_, _, let mayPass): mayPass ? .temporary : .needsUser
    case .ledgerChanged: .temporary
    }
  }

  package var sentence: String {
    switch self {
    case .signedOut: "\(description); sign in again with 'ledger login'"
    case .unread(_, _, mayPass: true): "\(description); nothing was compared, try again"
    case .unread: "\(description); nothing was compared"
    case .ledgerChanged: "\(description); try again"
    }
  }
}
