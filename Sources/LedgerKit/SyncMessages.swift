import LedgerModel
public import LedgerSync

extension SyncReport {
  /// Sentences in English for the user: ``remarks``, and one for each reason of ``needsUser``; at least one
  /// while the user is needed. ``Ledger/outbox()``, ``Ledger/openConflicts()`` and ``Ledger/suspicions()`` have
  /// the details.
  public var messages: [String] {
    let held = holds.sorted { $0.key.rawValue < $1.key.rawValue }.map { reason, count in
      Self.counted(count, "edit waits: \(reason.cause)", "edits wait: \(reason.cause)")
    }
    let tasks =
      [
        Self.counted(
          counts.rejected - rejected, "edit was refused earlier", "edits were refused earlier")
      ] + held + [
        Self.counted(
          unreadable.count, "row of the backend cannot be read",
          "rows of the backend cannot be read"),
        Self.counted(
          missingSessions, "synced sleep session is missing at the backend",
          "synced sleep sessions are missing at the backend"),
        Self.counted(
          openConflicts, "conflict waits for a decision", "conflicts wait for a decision"),
        Self.counted(
          suspicions, "suspected duplicate waits for a decision",
          "suspected duplicates wait for a decision"),
      ]
    return remarks + tasks.compactMap(\.self)
  }

  private static func counted(_ count: Int, _ one: String, _ many: String) -> String? {
    count > 0 ? "\(count) \(count == 1 ? one : many)" : nil
  }
}
