public import LedgerJSON
public import LedgerModel

/// A field that both sides changed differently, and the decision. The user can override a decision by
/// policy and reverse their own.
public struct ConflictView: Hashable, Identifiable, Sendable {
  /// The user's newest decision.
  public struct Resolution: Hashable, Sendable {
    /// The event of the decision.
    public var seq: Seq
    /// What was decided.
    public var decision: ConflictDecision
  }

  /// The event that detected it, which identifies the conflict.
  public var seq: Seq
  public var id: Seq { seq }
  /// `profile`, `physical`, `preferences`, or an entry's id; later versions may have others.
  public var subject: String
  /// As the log names it.
  public var fieldName: String
  /// The last value both sides agreed on. Like the other values, `null` for none.
  public var base: JSONValue
  /// The ledger's value.
  public var local: JSONValue
  /// The backend's value.
  public var remote: JSONValue
  /// The decision by policy, or `open`.
  public var detected: ConflictDecision
  /// The row that has the remote value, for a conflict over an entry.
  public var backendID: BackendID?
  /// `nil` until the user decides.
  public var resolution: Resolution?
  /// A later conflict over the same field that replaced this one while it was open.
  public var replacedBy: Seq?

  /// The profile field; `nil` for an entry or an unknown subject.
  public var field: ProfileField? {
    ProfileSubject(rawValue: subject) == nil ? nil : ProfileField(rawValue: fieldName)
  }

  /// The entry; `nil` for a profile field.
  public var entry: EntryID? { EntryID(subject) }

  /// A side's value as readable text: a list separated by commas, a height in cm; `nil` for no value.
  public func text(of side: ConflictSide) -> String? {
    switch side == .local ? local : remote {
    case .null: nil
    case .string(let text): text
    case .array(let values):
      values.isEmpty ? nil : values.map { $0.string ?? $0.serialized }.joined(separator: ", ")
    case let other: other.serialized
    }
  }

  /// The current decision.
  public var decision: ConflictDecision { resolution?.decision ?? detected }

  /// Whether the user has to decide it.
  public var isOpen: Bool { decision == .open && replacedBy == nil }

  /// Whether the correction of another device won over the deletion here.
  package var keptOverDeletion: Bool { remote == "corrected" && decision == .remote }
}

extension ConflictView {
  init(_ data: ConflictDetected, at seq: Seq) {
    self.init(
      seq: seq, subject: data.subject, fieldName: data.field, base: data.base ?? .null,
      local: data.local ?? .null, remote: data.remote ?? .null, detected: data.decision,
      backendID: data.backendID)
  }
}

extension LedgerState {
  /// All conflicts, decided ones included, oldest first.
  package func conflicts() -> [ConflictView] { profile.conflicts.all }

  /// The conflict that this event detected.
  package func conflict(_ seq: Seq) -> ConflictView? { profile.conflicts[seq] }

  /// The conflicts of an entry, oldest first.
  package func conflicts(of entry: EntryID) -> [ConflictView] {
    profile.conflicts.all(of: entry.description)
  }

  /// Conflicts that the user has to decide, oldest first: those over profile fields and live entries.
  package func openConflicts() -> [ConflictView] {
    conflicts().filter { conflict in
      conflict.isOpen && conflict.entry.map(isLive) != false
    }
  }

  private func isLive(_ entry: EntryID) -> Bool {
    if let row = row(of: entry) { return !resolve(rows[row]).isDeleted }
    return session(of: entry).map { !session(at: $0).isDeleted } ?? false
  }

  /// Whether there is an open conflict over an entry whose row differs from what was sent.
  package var hasOpenConflictFromAnswer: Bool {
    openConflicts().contains { conflict in
      // One over the entry as a whole is of a listing.
      guard conflict.fieldName != "entry", let row = conflict.entry.flatMap(row(of:))
      else { return false }
      return edits(ofRow: row).contains { edits.state($0.number) == .differed }
    }
  }

  /// Whether an entry that is not deleted has an open conflict.
  package func hasOpenConflict(of entry: EntryID) -> Bool {
    profile.conflicts.hasOpenOfEntries && conflicts(of: entry).contains(where: \.isOpen)
      && isLive(entry)
  }
}

/// A side of a conflict.
public enum ConflictSide: String, CaseIterable, Codable, Sendable {
  /// The ledger's value.
  case local
  /// The backend's side.
  case remote

  package var decision: ConflictDecision { self == .local ? .local : .remote }
}

// MARK: Suspected duplicates

/// Rows at the backend that may be duplicates of an entry's row.
public struct SuspicionView: Hashable, Identifiable, Codable, Sendable {
  /// The event that recorded it, which identifies the suspicion.
  public var seq: Seq
  public var id: Seq { seq }
  /// The entry that may have a duplicate.
  public var entry: EntryID
  /// The rows that may be the same measurement.
  public var backendIDs: [BackendID]
  /// The user's decision; `nil` while it is open.
  public var decision: DuplicateDecision?
  /// The event that recorded the decision.
  public var resolvedBy: Seq?

  /// Whether the user has to decide it.
  public var isOpen: Bool { decision == nil }
}

extension SuspicionView {
  init(_ suspicion: BindingTable.Suspicion) {
    self.init(
      seq: Seq(suspicion.seq), entry: suspicion.entry, backendIDs: suspicion.backendIDs,
      decision: suspicion.resolution?.decision,
      resolvedBy: suspicion.resolution.map { Seq($0.seq) })
  }
}

extension LedgerState {
  /// All suspicions, decided ones included, oldest first.
  package func suspicions() -> [SuspicionView] { bindings.suspicions.map(SuspicionView.init) }

  /// Suspicions that the user has to decide, oldest first.
  package func openSuspicions() -> [SuspicionView] { suspicions().filter(\.isOpen) }

  /// The suspicion that an event resolved.
  package func suspicion(resolvedBy seq: Int) -> SuspicionView? {
    bindings.suspicions.first { $0.resolution?.seq == seq }.map(SuspicionView.init)
  }
}
