import LedgerSync

/// How a run of the projector behaves.
public struct SyncOptions: Sendable {
  /// How the backend wants to be told when something was measured.
  public var dialect: Dialect
  /// What the run is to do, and how fast.
  public var wishes: SyncConfiguration
  /// How long to wait for another run on the same ledger, in seconds (cli.md: 30).
  public var lockWaitSeconds: Int
  /// How long calls under way may still be answered after the run was cancelled. What is not
  /// answered by then is in doubt, or is sent again.
  public var grace: Duration
  /// Called as the run goes on.
  public var onProgress: (@Sendable (SyncProgress) -> Void)?

  /// The defaults are those of `ledger sync`.
  public init(
    dialect: Dialect = .dateTime, wishes: SyncConfiguration = SyncConfiguration(),
    lockWaitSeconds: Int = 30,
    grace: Duration = .seconds(2), onProgress: (@Sendable (SyncProgress) -> Void)? = nil
  ) {
    self.dialect = dialect
    self.wishes = wishes
    self.lockWaitSeconds = lockWaitSeconds
    self.grace = grace
    self.onProgress = onProgress
  }
}
