public import LedgerJSON
public import LedgerModel

/// A field that both sides had changed, differently, and what was decided about it.
///
/// Every decision can be made again: one of the policy by a person, one of a person the other way.
public struct ConflictView: Hashable, Sendable {
  /// The newest decision of a person.
  public struct Resolution: Hashable, Sendable {
    /// The event that recorded it.
    public var seq: Seq
    /// Which side was taken.
    public var decision: ConflictDecision
  }

  /// The event that detected it: what the conflict is called.
  public var seq: Seq
  /// `profile`, `physical`, `preferences`, or an entry's id; a later version may know others.
  public var subject: String
  /// As the log names it.
  public var fieldName: String
  /// What both sides last agreed on. Like the other values, `null` where there was none.
  public var base: JSONValue
  /// What was said here.
  public var local: JSONValue
  /// What the backend had.
  public var remote: JSONValue
  /// As it was detected: what the policy said, or `open`.
  public var detected: ConflictDecision
  /// The row that has the remote value, for a conflict over an entry.
  public var backendID: BackendID?
  /// `nil` while no person has decided it.
  public var resolution: Resolution?
  /// A later conflict over the same field, which took the place of this one while it was open.
  public var replacedBy: Seq?

  /// The field that it is over; `nil` for something that this version has no fields for.
  public var field: ProfileField? {
    ProfileSubject(rawValue: subject) == nil ? nil : ProfileField(rawValue: fieldName)
  }

  /// The entry that it is over; `nil` for a conflict over a field of the person.
  public var entry: EntryID? { EntryID(subject) }

  /// A side's value as a person can read it: a text as it is, a list with commas, a height in cm;
  /// `nil` where that side has none.
  public func text(of side: ConflictSide) -> String? {
    switch side == .local ? local : remote {
    case .null: nil
    case .string(let text): text
    case .array(let values):
      values.isEmpty ? nil : values.map { $0.string ?? $0.serialized }.joined(separator: ", ")
    case let other: other.serialized
    }
  }

  /// What was decided last.
  public var decision: ConflictDecision { resolution?.decision ?? detected }

  /// Whether it waits for a person.
  public var isOpen: Bool { decision == .open && replacedBy == nil }
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
  /// All conflicts there ever were, oldest first.
  public func conflicts() -> [ConflictView] { profile.conflicts.all }

  /// The conflict that this event detected.
  public func conflict(_ seq: Seq) -> ConflictView? { profile.conflicts[seq] }
}

extension LedgerState {
  /// Conflicts that wait for a person, oldest first: those over fields of the person, and those over
  /// entries that are live.
  public func openConflicts() -> [ConflictView] {
    conflicts().filter { conflict in
      guard conflict.isOpen else { return false }
      guard let entry = conflict.entry else { return true }
      return row(of: entry).map { !resolve(rows[$0]).isDeleted } ?? false
    }
  }

  /// Whether a conflict over an entry whose row does not have what was sent waits for a person.
  public var hasOpenConflictFromAnswer: Bool {
    openConflicts().contains { conflict in
      guard let row = conflict.entry.flatMap(row(of:)) else { return false }
      return edits(ofRow: row).contains { edits.state($0.number) == .differed }
    }
  }

  /// Whether a conflict over an entry waits for a person.
  public func hasOpenConflict(of entry: EntryID) -> Bool {
    profile.conflicts.hasOpenOfEntries
      && profile.conflicts.all(of: entry.description).contains(where: \.isOpen)
  }
}

/// A side of a conflict.
public enum ConflictSide: String, CaseIterable, Sendable {
  /// What was said here.
  case local
  /// What the backend had.
  case remote

  package var decision: ConflictDecision { self == .local ? .local : .remote }
}

extension LedgerState {
  /// The conflicts of an entry, oldest first.
  package func conflicts(of entry: EntryID) -> [ConflictView] {
    profile.conflicts.all(of: entry.description)
  }
}
