public import LedgerModel
public import LedgerProjections

/// What a run came to (cli.md, `sync`). Counts are edits, but for `sent`, which counts calls.
public struct SyncReport: Hashable, Sendable {
  /// Calls that left.
  public var sent = 0
  /// Edits that the backend confirmed.
  public var acknowledged = 0
  /// Edits whose answer was lost and whose row was found at the backend.
  public var reconciled = 0
  /// Edits that needed no call.
  public var elided = 0
  /// Refused in this run.
  public var rejected = 0
  /// Edits that the backend does not take yet (``HoldReason``).
  public var held = 0
  /// Entries, corrections and fields of the person that came from the backend.
  public var pulled = 0
  /// Entries whose rows the backend no longer has.
  public var deleted = 0
  /// The events that recorded them; `nil` for none.
  public var deletions: ClosedRange<Seq>?
  /// Edits that the backend has with another value than was sent.
  public var differs = 0
  /// How much of the backend was read.
  public var pull = PullExtent.skipped
  /// Rows of the backend that cannot be read.
  public var unreadable: [UnreadableRow] = []
  /// Held edits that another edit can lift, with what it takes.
  public var holds: [HoldReason: Int] = [:]
  /// Held edits that no edit can lift.
  public var lastingHolds = 0
  /// Conflicts that the policy decided in this run, and all that are open.
  public var conflicts = 0
  /// Edits that still wait, those in doubt included.
  public var pending = 0
  /// Of those, the ones whose answer was lost.
  public var inDoubt = 0
  /// Rows at the backend that look like doubles.
  public var suspected = 0
  /// Whether a person is needed: something is refused, held for an edit, in an open conflict,
  /// suspected to be a duplicate, or cannot be read.
  public var needsPerson = false
  /// Whether the backend could not be read for a reason that may pass.
  public var mayPass = false
  /// Open suspicions of duplicates.
  public var suspicions = 0
  /// Open conflicts.
  public var openConflicts = 0
  /// All edits that wait for something when the run ends, by what they wait for.
  public var counts = SyncCounts()
  /// Whether all fields and rows were read in this run and no edit waits for a call or a person.
  /// Only then the backend has everything.
  public var hasEverything = false
  /// Rows that the calls of this run made, less those that they deleted.
  var rowsMade = 0
  /// What the next run is to know of this one's listing; `nil` where nothing was listed.
  package var listing: ListingFacts?
  /// Why the run ended before its plan did.
  public var stop: Stop?
  /// What a person should read: refusals, answers that were lost.
  public var remarks: [String] = []

  /// Why a run ended early; nothing is lost by any of these.
  public enum Stop: Hashable, Sendable {
    /// No connection: nothing is lost, try again.
    case offline(String)
    /// The backend asked for patience.
    case rateLimited(seconds: Int)
    /// Sign in again; every edit stays pending.
    case signedOut(String)
    /// The session could not be renewed just now.
    case refreshFailed(String)
    /// The caller asked to stop.
    case cancelled
    /// The account was created again at the backend; nothing was recorded.
    case accountReplaced(AccountChange)
    /// So many of the synced entries would be deleted that a person has to say so; nothing was
    /// recorded.
    case massDeletion(missing: Int, of: Int)
    /// So many rows that were deleted are listed again, as after a restored backup; nothing was
    /// recorded.
    case returnedRows(Int)

    /// Whether the run ended before it was done, for a reason outside of the ledger.
    var isOutside: Bool {
      switch self {
      case .offline, .rateLimited, .signedOut, .refreshFailed, .cancelled: true
      case .accountReplaced, .massDeletion, .returnedRows: false
      }
    }

    /// Which of two to tell: what a person must do comes before what passes by itself.
    var weight: Int {
      switch self {
      case .accountReplaced, .massDeletion, .returnedRows: 6
      case .signedOut: 5
      case .cancelled: 4
      case .rateLimited: 3
      case .refreshFailed: 2
      case .offline: 1
      }
    }
  }

  /// A run that did nothing.
  public init() {}

  mutating func note(_ hold: Plan.Hold) {
    if hold.reason.remedy != nil {
      holds[hold.reason, default: 0] += hold.events.count
    } else {
      lastingHolds += hold.events.count
    }
  }

  mutating func note(_ stop: Stop) {
    if let earlier = self.stop, earlier.weight >= stop.weight { return }
    self.stop = stop
  }

  /// The most remarks that are kept: a thousand refusals read like ten.
  private static let mostRemarks = 20

  mutating func remark(_ text: String) {
    switch remarks.count {
    case ..<Self.mostRemarks: remarks.append(text)
    case Self.mostRemarks: remarks.append("… and more of the same; 'ledger log' has them all")
    default: break
    }
  }
}

/// How much of the backend's rows a run has read (cli.md, `sync`).
public enum PullExtent: String, CaseIterable, Sendable {
  /// All of them.
  case full
  /// The newest ones; the rest was as many as expected.
  case recent
  /// They were asked for, and not all came.
  case failed
  /// They were not asked for.
  case skipped
}

/// An account that was created again at the backend.
public struct AccountChange: Hashable, Sendable {
  /// The `user_id` that the ledger belongs to, as far as known.
  public var from: String?
  /// The backend's `user_id` now, as far as known.
  public var to: String?
  /// How it was recognized.
  public var reason: String

  /// A change from one account to another of the same address.
  public init(from: String?, to: String?, reason: String) {
    self.from = from
    self.to = to
    self.reason = reason
  }
}

/// What is known of the backend's rows from the last full listing and the calls since: whether the
/// next run may do with the newest rows (docs/sync.md, Pulling). A cache: without it the next run
/// lists all.
package struct ListingFacts: Hashable, Sendable {
  /// When all rows were listed.
  package var fullAt: Timestamp
  /// The last event then.
  package var fullSeq: Int
  /// How many rows the backend has, if no other device changed any.
  package var expectedRows: Int

  package init(fullAt: Timestamp, fullSeq: Int, expectedRows: Int) {
    self.fullAt = fullAt
    self.fullSeq = fullSeq
    self.expectedRows = expectedRows
  }

  /// Up to so many rows are listed by every run.
  package static let fewRows = 500
  /// How long a full listing is good for, in milliseconds.
  private static let longestMilliseconds: Int64 = 86_400_000

  /// Whether a run at this time may list the newest rows only. A listing in the future was dated by
  /// a clock that went wrong.
  func allowsRecent(at now: Timestamp) -> Bool {
    let age = now.millisecondsSince1970 - fullAt.millisecondsSince1970
    return expectedRows > Self.fewRows && age >= 0 && age < Self.longestMilliseconds
  }
}

/// How far a run has come, for who watches.
public struct SyncProgress: Hashable, Sendable {
  /// What a run is doing.
  public enum Stage: String, Hashable, Sendable {
    /// It looks for calls whose answer was lost.
    case settling
    /// It lists the backend's rows.
    case pulling
    /// It sends edits.
    case pushing
  }

  /// What the run is doing.
  public var stage: Stage
  /// How much of this stage is done.
  public var done: Int
  /// As far as it is known.
  public var total: Int

  /// So far within a stage.
  public init(stage: Stage, done: Int, total: Int) {
    self.stage = stage
    self.done = done
    self.total = total
  }
}
