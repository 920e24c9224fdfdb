/// An error that knows how it wants to be told and which exit code it ends with.
///
/// A room's own error type joins by an extension in the commands' module; the rooms themselves
/// know nothing of exit codes.
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

/// The failure a command throws when no richer error type is at hand.
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

/// What any error comes to: a sentence for the person, a number for the script.
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
      // An error nobody put into words is still told rather than swallowed.
      exitCode = .failed
      sentence = String(describing: error)
      hint = nil
    }
  }
}
