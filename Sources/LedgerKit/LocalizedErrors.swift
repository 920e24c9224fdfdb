public import FitIQClient
public import Foundation
public import LedgerImport
public import LedgerLog
public import LedgerModel
public import LedgerStore
public import LedgerSync

// `localizedDescription` of the ledger's errors: their sentence, in English. Translate by `code`.

extension LocalizedError where Self: LedgerError {
  public var errorDescription: String? { description }
}

extension Refusal: LocalizedError {}
extension EditRefusal: LocalizedError {}
extension UndoRefusal: LocalizedError {}
extension EraseRefusal: LocalizedError {}
extension ConflictRefusal: LocalizedError {}
extension SuspicionRefusal: LocalizedError {}
extension LogError: LocalizedError {}
extension ClientError: LocalizedError {}
extension ImportError: LocalizedError {}
extension BackendAuditFailure: LocalizedError {}
