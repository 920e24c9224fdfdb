package import LedgerJSON

/// Every way a run can end. Scripts depend on these numbers.
package enum ExitCode: Int32, Sendable, CaseIterable {
  case done = 0
  case failed = 1
  case usage = 2
  case damaged = 3
  case notFound = 4
  case needsUser = 5
  case temporary = 75

  /// The code of an error that has no more specific one.
  var errorCode: String {
    switch self {
    case .done: "done"
    case .failed: "failed"
    case .usage: "usage"
    case .damaged: "damaged"
    case .notFound: "not-found"
    case .needsUser: "needs-user"
    case .temporary: "temporary"
    }
  }

  /// As the manual page says it.
  var meaning: String {
    switch self {
    case .done: "done"
    case .failed: "failed: a file could not be read or written"
    case .usage: "usage, or an edit that the rules refuse: nothing was written"
    case .damaged: "the log is damaged or was tampered with"
    case .notFound: "there is no such ledger, entry or event"
    case .needsUser:
      "done, but a person is needed: refused edits, an open conflict, sign in, rows left out"
    case .temporary: "temporary: offline, locked, asked to wait, an answer in doubt; try again"
    }
  }
}

/// An error with its sentence and exit code.
///
/// The error types of other modules conform in extensions of the CLI modules; the modules
/// themselves know no exit codes.
package protocol ReportableError: Error {
  var exitCode: ExitCode { get }
  /// The stable code of `--json` (docs/cli.md, Errors).
  var code: String { get }
  /// One sentence without a full stop: what is wrong, where, and what to do.
  var sentence: String { get }
  /// A second line for what does not fit one sentence.
  var hint: String? { get }
  /// Further members of `--json`.
  var details: JSONObject { get }
}

extension ReportableError {
  package var code: String { exitCode.errorCode }
  package var hint: String? { nil }
  package var details: JSONObject { [:] }
}

/// The failure a command throws when no more specific error type exists.
package struct CommandFailure: ReportableError, Equatable {
  package let exitCode: ExitCode
  package let sentence: String
  package let hint: String?
  package let code: String
  package let details: JSONObject

  /// - Parameters:
  ///   - code: of docs/cli.md, where it is more than that of the exit code.
  ///   - cause: gives the code and the details.
  package init(
    _ exitCode: ExitCode, _ sentence: String, hint: String? = nil, code: String? = nil,
    cause: (any ReportableError)? = nil
  ) {
    self.exitCode = exitCode
    self.sentence = sentence
    self.hint = hint
    self.code = code ?? cause?.code ?? exitCode.errorCode
    details = cause?.details ?? [:]
  }
}

package struct FailureReport: Equatable, Sendable {
  package let exitCode: ExitCode
  package let sentence: String
  package let hint: String?
  package let code: String
  package let details: JSONObject

  package init(_ error: any Error) {
    if let error = error as? any ReportableError {
      exitCode = error.exitCode
      sentence = error.sentence
      hint = error.hint
      code = error.code
      details = error.details
    } else {
      exitCode = .failed
      sentence = String(describing: error)
      hint = nil
      code = exitCode.errorCode
      details = [:]
    }
  }

  /// `{"error":{…}}`, for `--json`.
  var json: JSONObject {
    var error: JSONObject = [
      "code": .string(code), "message": .string(sentence),
      "exit_code": JSONValue(Int(exitCode.rawValue)),
    ]
    error["hint"] = hint.map { .string($0) }
    for member in details.members { error[member.name] = member.value }
    return ["error": .object(error)]
  }
}
