/// Every way a run can end. Scripts depend on these numbers.
package enum ExitCode: Int32, Sendable, CaseIterable {
  case done = 0
  case failed = 1
  case usage = 2
  case damaged = 3
  case notFound = 4
  case needsUser = 5
  case temporary = 75

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
  /// One sentence without a full stop: what is wrong, where, and what to do.
  var sentence: String { get }
  /// A second line for what does not fit one sentence.
  var hint: String? { get }
}

extension ReportableError {
  package var hint: String? { nil }
}

/// The failure a command throws when no more specific error type exists.
package struct CommandFailure: ReportableError, Equatable {
  package let exitCode: ExitCode
  package let sentence: String
  package let hint: String?

  package init(_ exitCode: ExitCode, _ sentence: String, hint: String? = nil) {
    self.exitCode = exitCode
    self.sentence = sentence
    self.hint = hint
  }
}

package struct FailureReport: Equatable, Sendable {
  package let exitCode: ExitCode
  package let sentence: String
  package let hint: String?

  package init(_ error: any Error) {
    if let error = error as? any ReportableError {
      exitCode = error.exitCode
      sentence = error.sentence
      hint = error.hint
    } else {
      exitCode = .failed
      sentence = String(describing: error)
      hint = nil
    }
  }
}
