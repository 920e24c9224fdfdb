import LedgerJSON
import LedgerModel

/// What the events of syncing say, in words.
enum SyncWords {
  static func sentence(_ data: SyncAttempted) -> String {
    "\(data.method) \(data.path) with \(list(data.events))"
      + (data.attempt > 1 ? ", attempt \(data.attempt)" : "")
  }

  static func sentence(_ data: SyncDeferred) -> String {
    let status = data.status.map { " (\($0))" } ?? ""
    return "put off \(list(data.events)): \(data.reason.rawValue)\(status)"
  }

  static func sentence(_ data: SyncAcknowledged) -> String {
    let how =
      switch data.via {
      case .response: data.status.map { " (\($0))" } ?? ""
      case .reconciled: ", found at the backend"
      case .elided: ", nothing to send"
      }
    return "acknowledged \(list(data.events))\(how)"
  }

  static func sentence(_ data: SyncRejected) -> String {
    "rejected \(list(data.events)) (\(data.status)): \(data.message)"
  }

  static func sentence(_ data: SyncHeld) -> String {
    "held \(list(data.events)): \(data.reason)"
  }

  static func sentence(_ data: ConflictDetected) -> String {
    let decision = data.decision == .open ? "open" : "\(data.decision.rawValue) wins"
    return "conflict over \(data.field): here \(text(data.local)), there \(text(data.remote)); "
      + decision
  }

  static func sentence(_ data: ConflictResolved) -> String {
    "conflict #\(data.conflict) resolved: took the \(data.decision.rawValue) value"
  }

  static func sentence(_ data: DuplicateSuspected) -> String {
    "\(counted(data.backendIDs.count, "row")) at the backend may be one entry"
  }

  /// Why an edit is held, and a command that lifts it.
  static func advice(onHold reason: String) -> String {
    HoldReason(rawValue: reason)?.advice ?? "held until a later edit lifts it: \(reason)"
  }

  static func sentence(_ data: SyncDiffered) -> String {
    "the backend has other values for \(list(data.events)): \(data.remote.serialized)"
  }

  static func sentence(_ data: RowSkipped) -> String {
    "row \(data.backendID?.text ?? "without id") of the backend skipped: \(data.field) "
      + "\(text(data.value)), \(data.reason)"
  }

  static func sentence(_ data: AccountReplaced) -> String {
    "the backend's account was created again: \(data.reason)"
  }

  static func sentence(_ data: DuplicateResolved) -> String {
    switch data.decision {
    case .one: "suspicion #\(data.suspicion) resolved: the rows are duplicates"
    case .both: "suspicion #\(data.suspicion) resolved: the rows are entries of their own"
    }
  }

  /// Why a call came to nothing.
  static func words(_ reason: DeferralReason) -> String {
    switch reason {
    case .offline: "the backend could not be reached"
    case .rateLimited: "the backend had too many calls"
    case .unauthorized: "the backend wanted a new sign-in"
    case .serverError: "the backend failed"
    }
  }

  static func list(_ events: [Seq]) -> String {
    let shown = events.prefix(4).map { "#\($0)" }.joined(separator: " ")
    return events.count > 4 ? "\(shown) and \(events.count - 4) more" : shown
  }

  private static func text(_ value: JSONValue?) -> String { (value ?? .null).serialized }
}
