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

  /// What a person can do about a hold (backend.md, «From pending events to calls»).
  static func advice(onHold reason: String) -> String {
    switch reason {
    case "profile-needs-name-and-unit-system":
      "the backend wants a name and a unit system: ledger append profile --name … --unit-system …"
    case "physical-needs-height-or-sex":
      "the backend takes a birth date only with a height or a sex: ledger append physical …"
    case "physical-needs-profile": "the backend wants a profile first: ledger append profile …"
    case "cannot-clear": "the backend has no way to clear a language; set another one"
    default: "it waits until a later edit takes the reason away: \(reason)"
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
