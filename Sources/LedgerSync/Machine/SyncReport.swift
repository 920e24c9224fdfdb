/// What a run came to (cli.md, `sync`). Counts are edits, but for `sent`, which counts calls.
public struct SyncReport: Hashable, Sendable {
  /// Calls that left.
  public var sent = 0
  /// Edits that the backend confirmed.
  public var acknowledged = 0
  /// Edits whose lost answer was found to have been a yes.
  public var reconciled = 0
  /// Edits that need not be said any more.
  public var elided = 0
  /// Refused in this run.
  public var rejected = 0
  /// Edits that the backend does not take yet (``HoldReason``).
  public var held = 0
  /// Entries, deletions and fields of the person that came from the backend.
  public var pulled = 0
  /// Conflicts that the policy decided in this run, and all that are open.
  public var conflicts = 0
  /// Edits that still wait, those in doubt included.
  public var pending = 0
  /// Of those, the ones whose answer was lost.
  public var inDoubt = 0
  /// Rows at the backend that look like doubles.
  public var suspected = 0
  /// Whether a person is needed: something is refused or in an open conflict.
  public var needsPerson = false
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

    /// Which of two to tell: what a person must do comes before what passes by itself.
    var weight: Int {
      switch self {
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
