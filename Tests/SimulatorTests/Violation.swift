/// A promise that was not kept.
struct Violation: Error, CustomStringConvertible {
  /// What all runs must keep (docs/reliability.md).
  enum Promise: String, Sendable {
    case acknowledgedSurvives = "an acknowledged append survives"
    case refusedIsAbsent = "what was refused is not there"
    case logIsSound = "after recovery the log is a prefix of what was written, and its chain holds"
    case ledgerOpens = "what a crash leaves can be opened and written to"
    case cutIsDurable = "what is cut off is off the platter before anything is written in its place"
    case nothingIsThrownAway = "bytes that recovery cuts off are in quarantine"
    case foldsAgree = "fold(tail) after fold(prefix) is fold(log)"
    case erasedIsGone = "what was erased is in no file, and is never sent"
    case rotIsNoticed = "a changed bit is noticed"
    case attemptFirst = "no mutating byte leaves before its attempt is durable"
    case equalApart = "two entries that look the same are never under way together"
    case oneBinding = "one backend id binds to one entry"
    case rest = "once diskFaults stops, every edit ends acknowledged, rejected or held"
    case oneRow = "the backend has one row an entry, or the ledger suspects the others"
    case syncedIsTrue = "what counts as synced has a row with the same values"
    case sameSums = "the sums of a day are those of the backend's rows"
    case nothingVanishes = "no entry disappears that no person deleted"
    case nothingDoubles = "corrections make no second entry"
    case editsCount = "an entry has the values that a person gave it"
    case ownAccount = "no account is asked to delete a row of an earlier one"
    case onePerson = "what counts as synced of the person is what the backend has"
    case onlyKnownErrors = "operations fail only in the ways that they name"
  }

  var promise: Promise
  var detail: String
  /// The log of each device.
  var logs: [[UInt8]] = []

  init(_ promise: Promise, _ detail: String) {
    self.promise = promise
    self.detail = detail
  }

  var description: String { "broken promise: \(promise.rawValue): \(detail)" }
}
