/// Every way a run can end, in one place, because scripts build on these numbers.
package enum ExitCode: Int32, Sendable, CaseIterable {
  /// What was asked for is done.
  case done = 0
  /// The disk, the output or another program failed.
  case failed = 1
  /// The command line is wrong, or the rules refuse the edit: nothing was written.
  case usage = 2
  /// The log is damaged or was tampered with.
  case damaged = 3
  /// There is no such ledger, entry or event.
  case notFound = 4
  /// Done, but something is left that only a person can decide.
  case needsPerson = 5
  /// Offline or locked: the same command may work in a moment.
  case temporary = 75

  /// As the manual page says it.
  var meaning: String {
    switch self {
    case .done: "done"
    case .failed: "failed: a file could not be read or written"
    case .usage: "usage, or an edit that the rules refuse: nothing was written"
    case .damaged: "the log is damaged or was tampered with"
    case .notFound: "there is no such ledger, entry or event"
    case .needsPerson:
      "done, but a person is needed: refused edits, an open conflict, sign in, rows left out"
    case .temporary: "temporary: offline, locked, asked to wait, an answer in doubt; try again"
    }
  }
}
