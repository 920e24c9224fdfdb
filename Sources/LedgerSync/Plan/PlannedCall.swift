public import LedgerModel

/// A call that is due: what leaves, for which edits, and why.
public struct PlannedCall: Hashable, Sendable {
  /// What a call does.
  public enum Kind: Hashable, Sendable {
    /// The backend has no profile yet.
    case createProfile
    /// The profile as it is now.
    case replaceProfile
    /// Sex, height, date of birth.
    case patchPhysical
    /// The lists of what the person does not eat.
    case patchPreferences
    /// A row for this entry.
    case logProgress(EntryID)
    /// The entry was deleted here.
    case deleteProgress(EntryID, BackendID)
    /// The entry was sent again with corrected values; the row with the old ones goes.
    case deleteSuperseded(EntryID, BackendID)
    /// A person declared the row to be a duplicate of the entry's.
    case deleteDuplicate(EntryID, BackendID)
  }

  /// What it does.
  public var kind: Kind
  /// What leaves.
  public var request: WireRequest
  /// The edits that an acknowledgement will cover, oldest first; never empty.
  public var events: [Seq]
  /// 32 hexadecimal digits over the body and the first edit's salt.
  public var fingerprint: String
  /// 1 for the first time that these edits leave.
  public var attempt: Int
  /// In words, for those who read a plan.
  public var why: String
  /// The values of the row that a POST makes: its answer is compared with them, and two calls whose
  /// rows look the same are never in flight together (docs/sync.md, What an answer means).
  public var key: RowKey?
}

/// All that is to be done for the edits that are open.
public struct Plan: Hashable, Sendable {
  /// Edits that are not sent yet.
  public struct Hold: Hashable, Sendable {
    /// The edits.
    public var events: [Seq]
    /// Why.
    public var reason: HoldReason
    /// Whether the log does not say so yet.
    public var isNews: Bool
  }

  /// Edits that need not be sent.
  public struct Elision: Hashable, Sendable {
    /// The edits.
    public var events: [Seq]
    /// `nil` for edits of the person.
    public var entry: EntryID?
  }

  /// In the order in which they leave: profile, physical, preferences, progress.
  public var calls: [PlannedCall] = []
  /// What the backend does not take yet.
  public var holds: [Hold] = []
  /// What needs not be said: entries deleted before they were ever sent, fields that the backend has
  /// by now.
  public var elisions: [Elision] = []
  /// Edits whose answer was lost: never sent again blindly.
  public var inDoubt: [Seq] = []
  /// Rows that may have been made by calls in doubt: no row that looks the same is sent until they
  /// are settled.
  var barred: Set<RowGroup> = []
  /// Whether the backend stored another value than was sent, and no person has decided yet: then at
  /// most one progress POST leaves, as a probe (docs/sync.md, Checked answers).
  public var isProbing = false
  /// The entry row to go on from; `nil` when the plan is whole.
  public var next: Int?

  /// Nothing to do.
  public init() {}
}

/// What a plan is asked for.
public struct PlanRequest: Hashable, Sendable {
  public var remote: RemoteProfile
  /// Entries whose lost answers were looked into and not found: they are sent again.
  public var notFound: Set<EntryID> = []
  public var includesPerson = true
  /// Whether rows that entries have left behind are deleted.
  public var includesLeftovers = true
  /// The first entry row, and the most entries; plans of a large outbox come in stretches.
  public var firstRow = 0
  public var limit = Int.max

  public init(_ remote: RemoteProfile = .unknown) {
    self.remote = remote
  }
}

/// What is known of the profile at the backend.
public enum RemoteProfile: Hashable, Sendable {
  case unknown
  case absent
  case present
}
