/// What a run came to (cli.md, `sync`). Counts are edits, but for `sent`, which counts calls.
public struct SyncReport: Hashable, Sendable {
  public var sent = 0
  public var acknowledged = 0
  public var reconciled = 0
  public var elided = 0
  /// Refused in this run.
  public var rejected = 0
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
  public enum Stage: String, Hashable, Sendable {
    case settling, pulling, pushing
  }

  public var stage: Stage
  public var done: Int
  /// As far as it is known.
  public var total: Int

  public init(stage: Stage, done: Int, total: Int) {
    self.stage = stage
    self.done = done
    self.total = total
  }
}
