import LedgerImport
package import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerStore

// Exit codes (docs/cli.md) and sentences for the errors of other modules.

extension LogError: ReportableError {
  package var exitCode: ExitCode {
    switch self {
    case .io, .notKept, .unsettled, .poisoned, .readOnly: .failed
    case .noLedger, .noSuchEvent: .notFound
    case .exists, .lineTooLong, .unwritable: .usage
    case .notALedgerFile, .damaged: .damaged
    case .locked: .temporary
    }
  }

  package var sentence: String {
    if case .noLedger = self {
      return "\(description); make one with 'ledger init', or name one with --ledger"
    }
    return description
  }
}

extension Refusal: ReportableError {
  package var exitCode: ExitCode { reason == .unknownEntry ? .notFound : .usage }

  package var details: JSONObject {
    var details = JSONObject()
    details["field"] = field.map { .string($0) }
    details["value"] = value.map { .string($0) }
    details["unit"] = unit.flatMap { $0.isEmpty ? nil : .string($0) }
    details["limit"] = limit.map { .string($0.words) }
    return details
  }

  package var sentence: String { description }

  package var hint: String? {
    guard reason == .entryDeleted, let entry = value else { return nil }
    return "'ledger log --entry \(entry)' shows its deletion, and 'ledger undo SEQ' takes that back"
  }
}

extension Refusal.Limit {
  fileprivate var words: String {
    switch self {
    case .quantity(let range): range.description
    case .characters(let count): "\(count.lowerBound) to \(count.upperBound) characters"
    case .latest(let day): "not after \(day)"
    case .days(let days) where days.upperBound == .last: "not before \(days.lowerBound)"
    case .days(let days): "\(days.lowerBound) to \(days.upperBound)"
    }
  }
}

extension EditRefusal: ReportableError {
  package var exitCode: ExitCode { refusal.exitCode }
  package var details: JSONObject { refusal.details }
  package var sentence: String { description }
  package var hint: String? { refusal.hint }
}

extension ConflictRefusal: ReportableError {
  package var exitCode: ExitCode {
    switch self {
    case .noConflict: .notFound
    case .unknownField, .isDecided, .entryIsDecided, .waitsForLater, .isSettled, .entryIsDeleted,
      .typeIsFixed, .unusableValue:
      .usage
    }
  }

  package var sentence: String { description }

  package var hint: String? {
    switch self {
    case .noConflict, .unknownField: "'ledger conflicts --all' lists them"
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

extension ImportError: ReportableError {
  package var exitCode: ExitCode {
    switch kind {
    case .unreadable: .failed
    case .unfit: .usage
    }
  }

  package var details: JSONObject {
    var details = JSONObject()
    details["field"] = question.map { .string($0.field.rawValue) }
    details["values"] = question.flatMap { question in
      question.values.isEmpty ? nil : .array(question.values.map { .string($0) })
    }
    return details
  }

  package var sentence: String { description + (question.map { "; \($0.advice)" } ?? "") }
}

extension CheckpointFileError: ReportableError {
  package var exitCode: ExitCode {
    switch self {
    case .io, .notSigned, .noTemporaryFile, .keygenNotStarted: .failed
    case .tooLong, .malformed: .usage
    case .unsigned, .badSignature: .damaged
    }
  }

  package var code: String {
    switch self {
    case .malformed(_, let fault): fault.code
    case .io, .tooLong, .unsigned, .badSignature, .notSigned, .noTemporaryFile, .keygenNotStarted:
      exitCode.errorCode
    }
  }

  package var sentence: String {
    switch self {
    case .io(let failure): failure.description
    case .tooLong(let path): "\(path) is not a checkpoint: it is longer than 16 MB"
    case .malformed(let path, let fault):
      "\(path) is not a checkpoint: line \(fault.line) should be \(fault.expected)"
    case .unsigned(let path, let signaturePath):
      "the checkpoint \(path) is not signed: \(signaturePath) cannot be read"
    case .badSignature(let path, let identity, let reason):
      "the signature of \(path) is not by \(quoted(identity)): \(reason ?? "it does not fit")"
    case .notSigned(let key, let reason):
      "ssh-keygen did not sign with \(key): \(reason ?? "it does not say why")"
    case .noTemporaryFile(let failure):
      "cannot write a temporary file for ssh-keygen: \(SystemError(failure.errorNumber))"
    case .keygenNotStarted(let purpose, ENOENT):
      "\(purpose == .signing ? "signing" : "checking a signature") needs the program ssh-keygen, "
        + "which is not installed"
    case .keygenNotStarted(_, let errorNumber):
      "cannot run ssh-keygen: \(SystemError(errorNumber))"
    }
  }

  package var hint: String? {
    if case .notSigned = self { "nothing was written" } else { nil }
  }
}
