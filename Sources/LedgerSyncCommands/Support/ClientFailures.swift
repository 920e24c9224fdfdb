package import FitIQClient
package import LedgerCommands
package import ReferenceBackend

extension ClientError: ReportableError {
  package var exitCode: ExitCode {
    if isTemporary { return .temporary }
    switch self {
    case .badAddress, .badInput: return .usage
    case .refused, .signedOut, .badCredentials: return .needsPerson
    case .garbage, .storage, .keyStore, .offline, .interrupted, .busy: return .failed
    }
  }

  package var sentence: String { description }
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
