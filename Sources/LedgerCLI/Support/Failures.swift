import LedgerImport
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore

// Exit codes (docs/cli.md) and sentences for the errors of other modules.

extension LogError: ReportableError {
  package var exitCode: ExitCode {
    switch self {
    case .io, .notKept, .unsettled, .poisoned: .failed
    case .noLedger, .noSuchEvent: .notFound
    case .exists, .lineTooLong, .unwritable: .usage
    case .notALedgerFile, .damaged: .damaged
    case .locked: .temporary
    }
  }

  package var sentence: String { description }
}

extension Refusal: ReportableError {
  package var exitCode: ExitCode {
    switch self {
    case .rule: .usage
    case .noSuchEntry: .notFound
    }
  }

  package var sentence: String { description }
}

extension EditRefusal: ReportableError {
  package var exitCode: ExitCode { refusal.exitCode }
  package var sentence: String { description }
}

extension ConflictRefusal: ReportableError {
  package var exitCode: ExitCode {
    switch self {
    case .noConflict: .notFound
    case .foreign, .isDecided, .entryIsDecided, .waitsForLater, .isSettled, .entryIsDeleted,
      .typeIsFixed, .unusableValue:
      .usage
    }
  }

  package var sentence: String { description }

  package var hint: String? {
    switch self {
    case .noConflict, .foreign: "'ledger conflicts --all' lists them"
    case .isDecided, .isSettled, .entryIsDeleted: nil
    case .entryIsDecided: "change the entry with 'ledger append correction'"
    case .waitsForLater(_, let later): "decide that one: ledger resolve \(later) --take local"
    case .typeIsFixed(let seq), .unusableValue(let seq, _, _):
      "keep yours: ledger resolve \(seq) --take local"
    }
  }
}

extension SuspicionRefusal: ReportableError {
  package var exitCode: ExitCode {
    switch self {
    case .noSuspicion: .notFound
    case .isDecided: .usage
    }
  }

  package var sentence: String { description }

  package var hint: String? {
    switch self {
    case .noSuspicion: "'ledger conflicts --all' lists them"
    case .isDecided: nil
    }
  }
}

extension ImportTransaction.Interruption: ReportableError {
  package var exitCode: ExitCode { cause.exitCode }
  package var sentence: String { cause.sentence }

  package var hint: String? {
    "events \(appended.lowerBound) to \(appended.upperBound) of this import are in the ledger; "
      + "import again to add the rest"
  }
}

extension ImportError: ReportableError {
  package var exitCode: ExitCode {
    switch kind {
    case .unreadable: .failed
    case .unfit: .usage
    }
  }

  package var sentence: String { description }
}
