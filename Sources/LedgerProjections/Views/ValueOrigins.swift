public import LedgerJSON
public import LedgerModel

extension LedgerState {
  /// Which event gave each value of an entry that it did not have from the start; what is not named
  /// is as it was logged or pulled.
  public func origins(ofRow index: Int) -> [EntryPart: Seq] {
    var origins: [EntryPart: Seq] = [:]
    _ = layChanges(of: rows[index], over: ResolvedRow(rows[index])) { part, seq in
      origins[part] = Seq(exactly: Int(seq))
    }
    return origins
  }

  /// The event whose value the field has, and the value; a cleared field has the value `null`.
  public func origin(of field: ProfileField) -> (value: JSONValue, seq: Seq)? {
    profile.current(field, edits).map { ($0.value, Seq($0.seq)) }
  }
}

/// Where a value in the ledger came from.
public enum ValueSource: Hashable, Sendable {
  /// A person's own edit on this device.
  case edit
  /// Data that was imported on this device.
  case imported
  /// The backend had it, and this side had nothing else to say.
  case pulled
  /// A conflict that the setting `sync.conflicts` decided for the backend when it was found.
  case policy(conflict: Seq)
  /// A conflict that a person decided.
  case decision(conflict: Seq, ConflictDecision)
  /// The backend's answer to a call, or its listing.
  case answer

  /// - Parameter recorded: the event that gave the value.
  public init(_ recorded: RecordedEvent) {
    switch recorded.event.payload {
    case .profilePulled, .progressPulled: self = .pulled
    case .conflictDetected: self = .policy(conflict: recorded.seq)
    case .conflictResolved(let data): self = .decision(conflict: data.conflict, data.decision)
    case .ledgerCreated, .profileUpdated, .physicalUpdated, .preferencesUpdated, .progressLogged,
      .progressCorrected, .progressDeleted, .syncAttempted, .syncDeferred, .syncAcknowledged,
      .syncRejected, .syncHeld, .syncDiffered, .rowSkipped, .duplicateSuspected,
      .duplicateResolved, .editUndone, .accountSignedIn, .accountSignedOut, .accountReplaced,
      .eventErased, .logRepaired, .unknown, .erased:
      switch recorded.event.by {
      case .user, .system: self = .edit
      case .import: self = .imported
      case .sync: self = .answer
      }
    }
  }
}
