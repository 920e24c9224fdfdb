public import FitIQClient
public import Foundation
public import LedgerImport
public import LedgerLog
public import LedgerModel
public import LedgerStore
public import LedgerSync

// `localizedDescription` of the ledger's errors: their sentence, in English. Translate by `code`.

extension Refusal: LocalizedError {
  /// The sentence, in English.
  public var errorDescription: String? { description }
}

extension EditRefusal: LocalizedError {
  /// The sentence, in English.
  public var errorDescription: String? { description }
}

extension UndoRefusal: LocalizedError {
  /// The sentence, in English.
  public var errorDescription: String? { description }
}

extension EraseRefusal: LocalizedError {
  /// The sentence, in English.
  public var errorDescription: String? { description }
}

extension ConflictRefusal: LocalizedError {
  /// The sentence, in English.
  public var errorDescription: String? { description }
}

extension SuspicionRefusal: LocalizedError {
  /// The sentence, in English.
  public var errorDescription: String? { description }
}

extension LogError: LocalizedError {
  /// The sentence, in English.
  public var errorDescription: String? { description }
}

extension ClientError: LocalizedError {
  /// The sentence, in English.
  public var errorDescription: String? { description }
}

extension Damage: LocalizedError {
  /// The sentence, in English.
  public var errorDescription: String? { description }
}

extension IOFailure: LocalizedError {
  /// The sentence, in English.
  public var errorDescription: String? { description }
}

extension Checkpoint.FormatError: LocalizedError {
  /// The sentence, in English.
  public var errorDescription: String? { description }
}

extension ImportError: LocalizedError {
  /// The sentence, in English.
  public var errorDescription: String? { description }
}

extension BackendAuditFailure: LocalizedError {
  /// The sentence, in English.
  public var errorDescription: String? { description }
}

extension HistoryFailure: LedgerError, LocalizedError {
  /// `not-read`.
  public var code: String { "not-read" }
  /// The sentence, in English.
  public var errorDescription: String? { description }
}
