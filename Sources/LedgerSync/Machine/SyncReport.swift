/// What a run came to (cli.md, `sync`). Counts are edits, but for `sent`, which counts calls.
public struct SyncReport: Hashable, Sendable {
  public var sent = 0
  public var acknowledged = 0
  public var reconciled = 0
  public var elided = 0
  public var rejected = 0
  public var held = 0
  public var pulled = 0
  public var conflicts = 0
  /// Edits that still wait, those in doubt included.
  public var pending = 0
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
  }

  public init() {}
}
