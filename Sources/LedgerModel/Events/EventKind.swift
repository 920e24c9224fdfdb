/// The types of events this version knows (docs/log-format.md, Events). A type it does not know is kept,
/// chained, counted and skipped in the views.
public enum EventKind: String, CaseIterable, Sendable {
  case ledgerCreated = "ledger.created"
  case profileUpdated = "profile.updated"
  case physicalUpdated = "physical.updated"
  case preferencesUpdated = "preferences.updated"
  case progressLogged = "progress.logged"
  case progressCorrected = "progress.corrected"
  case progressDeleted = "progress.deleted"
  case syncAttempted = "sync.attempted"
  case syncDeferred = "sync.deferred"
  case syncAcknowledged = "sync.acknowledged"
  case syncRejected = "sync.rejected"
  case syncHeld = "sync.held"
  case syncDiffered = "sync.differed"
  case rowSkipped = "row.skipped"
  case profilePulled = "profile.pulled"
  case progressPulled = "progress.pulled"
  case conflictDetected = "conflict.detected"
  case conflictResolved = "conflict.resolved"
  case duplicateSuspected = "duplicate.suspected"
  case duplicateResolved = "duplicate.resolved"
  case editUndone = "edit.undone"
  case accountSignedIn = "account.signed_in"
  case accountSignedOut = "account.signed_out"
  case accountReplaced = "account.replaced"
  case eventErased = "event.erased"
  case logRepaired = "log.repaired"

  /// The list is gone through: for a `switch` over so many texts the standard library sets up a
  /// dictionary in every process that reads an event.
  public init?(rawValue: String) {
    guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = kind
  }

  /// The newest form of this type's `data` that this version reads and the one it writes.
  public var version: Int { 1 }

  /// Whether events of this type are a person's edits, which the backend is to hear of.
  public var isEdit: Bool {
    switch self {
    case .profileUpdated, .physicalUpdated, .preferencesUpdated,
      .progressLogged, .progressCorrected, .progressDeleted:
      true
    case .ledgerCreated, .syncAttempted, .syncDeferred, .syncAcknowledged, .syncRejected,
      .syncHeld, .syncDiffered, .rowSkipped, .profilePulled, .progressPulled, .conflictDetected,
      .conflictResolved, .duplicateSuspected, .duplicateResolved, .editUndone, .accountSignedIn,
      .accountSignedOut, .accountReplaced, .eventErased, .logRepaired:
      false
    }
  }
}

/// On whose behalf an event was recorded.
public enum Actor: String, CaseIterable, Sendable {
  case user, `import`, sync, system
}
