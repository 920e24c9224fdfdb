public import LedgerModel

/// A call that is due: what leaves, for which edits, and why.
public struct PlannedCall: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// The backend has no profile yet.
    case createProfile
    case replaceProfile
    case patchPhysical
    case patchPreferences
    case logProgress(EntryID)
    /// The entry was deleted here.
    case deleteProgress(EntryID, BackendID)
    /// The entry was sent again with corrected values; the row with the old ones goes.
    case deleteSuperseded(EntryID, BackendID)
  }

  public var kind: Kind
  public var request: WireRequest
  /// The edits that an acknowledgement will cover, oldest first; never empty.
  public var events: [Seq]
  /// 32 hexadecimal digits over the body and the first edit's salt.
  public var fingerprint: String
  /// 1 for the first time that these edits leave.
  public var attempt: Int
  /// In words, for those who read a plan.
  public var why: String
}

/// Why edits are not sent yet (backend.md, «From pending events to calls»). The codes are stable:
/// other programs read them.
public enum HoldReason: String, CaseIterable, Sendable {
  case profileNeedsNameAndUnitSystem = "profile-needs-name-and-unit-system"
  case physicalNeedsHeightOrSex = "physical-needs-height-or-sex"
  case physicalNeedsProfile = "physical-needs-profile"
  case cannotClear = "cannot-clear"

  /// What a person can do about it.
  public var advice: String {
    switch self {
    case .profileNeedsNameAndUnitSystem:
      "the backend wants a name and a unit system: ledger append profile --name … --unit-system …"
    case .physicalNeedsHeightOrSex:
      "the backend takes a birth date only with a height or a sex: ledger append physical …"
    case .physicalNeedsProfile: "the backend wants a profile first: ledger append profile …"
    case .cannotClear: "the backend has no way to clear a language; set another one"
    }
  }
}

/// All that is to be done for the edits that are open.
public struct Plan: Hashable, Sendable {
  public struct Hold: Hashable, Sendable {
    public var events: [Seq]
    public var reason: HoldReason
    /// Whether the log does not say so yet.
    public var isNews: Bool
  }

  public struct Elision: Hashable, Sendable {
    public var events: [Seq]
    public var entry: EntryID
  }

  /// In the order in which they leave: profile, physical, preferences, progress.
  public var calls: [PlannedCall] = []
  public var holds: [Hold] = []
  /// Entries that were deleted before they were ever sent: nothing to say.
  public var elisions: [Elision] = []
  /// Edits whose answer was lost: never sent again blindly.
  public var inDoubt: [Seq] = []

  public init() {}
}

/// What is known of the profile at the backend.
public enum RemoteProfile: Hashable, Sendable {
  case unknown
  case absent
  case present
}
