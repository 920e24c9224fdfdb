public import LedgerModel

/// A call to send, with the edits that it covers.
public struct PlannedCall: Hashable, Sendable {
  /// What a call does.
  public enum Kind: Hashable, Sendable {
    /// The backend has no profile yet.
    case createProfile
    /// The profile as it is now.
    case replaceProfile
    /// Sex, height, date of birth.
    case patchPhysical
    /// Allergies, dietary restrictions, food dislikes.
    case patchPreferences
    /// A row for this entry.
    case logProgress(EntryID)
    /// The entry was deleted here.
    case deleteProgress(EntryID, BackendID)
    /// The entry was sent again with corrected values: delete the row with the old ones.
    case deleteSuperseded(EntryID, BackendID)
    /// The user declared the row a duplicate of the entry's.
    case deleteDuplicate(EntryID, BackendID)
    /// A sleep session; the backend makes none twice.
    case logSleep(EntryID)
  }

  /// What it does.
  public var kind: Kind
  /// The request as it is sent.
  package var request: WireRequest
  /// The edits that an acknowledgement will cover, oldest first; never empty.
  public var events: [Seq]
  /// 32 hexadecimal digits over the body and the first edit's salt.
  package var fingerprint: String
  /// From 1.
  public var attempt: Int
  /// A description for people, in their units.
  public var why: String
  /// The person's.
  package var units = UnitSystem.metric
  /// The values of the row that a POST creates. Its answer is compared with them; calls with equal
  /// rows are never in flight together (docs/sync.md, What an answer means).
  package var key: RowKey?
  /// Of a sleep session, to compare with the answer.
  package var sleep: SleepCall?

  var isDeletion: Bool { deletedID != nil }

  var deletedID: BackendID? {
    switch kind {
    case .deleteProgress(_, let id), .deleteSuperseded(_, let id), .deleteDuplicate(_, let id):
      id
    case .createProfile, .replaceProfile, .patchPhysical, .patchPreferences, .logProgress,
      .logSleep:
      nil
    }
  }

  /// `nil` for calls of the profile.
  public var entry: EntryID? {
    switch kind {
    case .logProgress(let entry), .deleteProgress(let entry, _), .deleteSuperseded(let entry, _),
      .deleteDuplicate(let entry, _), .logSleep(let entry):
      entry
    case .createProfile, .replaceProfile, .patchPhysical, .patchPreferences: nil
    }
  }
}

/// What to do for the open edits.
public struct Plan: Hashable, Sendable {
  /// Edits that are not sent yet.
  public struct Hold: Hashable, Sendable {
    /// The edits.
    public var events: [Seq]
    /// Why.
    public var reason: HoldReason
    /// Whether it is not recorded yet.
    public var isNews: Bool
  }

  /// Edits that need not be sent.
  public struct Elision: Hashable, Sendable {
    /// The edits.
    public var events: [Seq]
    /// `nil` for edits of the profile.
    public var entry: EntryID?
  }

  /// In sending order: profile, physical, preferences, sleep, progress.
  public var calls: [PlannedCall] = []
  /// Edits that the backend does not accept yet.
  public var holds: [Hold] = []
  /// Entries deleted before they were ever sent, and fields that the backend already has.
  public var elisions: [Elision] = []
  /// Edits whose answer was lost; not sent again until reconciled.
  public var inDoubt: [Seq] = []
  /// Rows that unresolved calls may have created: no equal row is sent until they are reconciled.
  var unresolvedGroups: Set<RowGroup> = []
  /// Whether a conflict from an answer is open: then at most one progress POST is sent, as a probe
  /// (docs/sync.md, Checked answers).
  package var isProbing = false
  /// The entry row where the next batch starts; `nil` after the last one.
  package var next: Int?
  /// Hashes of the ids of all rows that entries have, for a plan that creates rows; `nil` if not asked
  /// for.
  var boundRows: Set<UInt64>?

  /// Nothing to do.
  public init() {}

  /// Adds all but the calls of the next batch.
  mutating func add(_ batch: Plan) {
    holds += batch.holds
    elisions += batch.elisions
    inDoubt += batch.inDoubt
    unresolvedGroups.formUnion(batch.unresolvedGroups)
    isProbing = batch.isProbing
  }
}

/// What to plan.
package struct PlanRequest: Hashable, Sendable {
  package var remote: ProfilePresence
  /// Entries whose unresolved calls were not found at the backend: send them again.
  package var notFound: Set<EntryID> = []
  package var includesPerson = true
  /// Whether to delete superseded and duplicate rows.
  package var includesLeftovers = true
  /// Whether all rows were listed: a duplicate with a smaller id than the entry's own row is deleted
  /// only then.
  package var hasAllRows = false
  /// The first entry row and the most entries: a large outbox is planned in batches.
  package var firstRow = 0
  package var limit = Int.max
  /// Whether to add ``Plan/boundRows``.
  var wantsBoundRows = false

  package init(_ remote: ProfilePresence = .unknown) {
    self.remote = remote
  }
}

/// Whether the backend has a profile.
package enum ProfilePresence: Hashable, Sendable {
  case unknown
  case absent
  case present
}
