import LedgerLog
import LedgerPlatform
import LedgerProjections

/// Whether `views.snapshot` is of use, and right.
enum SnapshotChecks {
  /// Looks at its front only.
  static func findings(_ view: LogView) -> [Finding] {
    let identity = view.directory.snapshotIdentity
    return switch SnapshotStatus.of(view) {
    case .missing: [.fine("snapshot", "none: the log is folded whole each time")]
    case .usable(let seq):
      [.fine("snapshot", "opens the ledger from event \(NumberText.count(seq)) on")]
    case .unusable: [unusable(identity)]
    }
  }

  /// What the comparison with the whole log has shown.
  static func findings(_ audit: SnapshotAudit) -> [Finding] {
    switch audit.result {
    case .unused: []
    case .broken: [unusable(audit.file)]
    case .right: [.fine("snapshot-answers", "the same as those of the whole log")]
    case .differs:
      [
        Finding(
          "snapshot-differs", .warning,
          "views.snapshot answers otherwise than the log, so what was shown may be wrong; the log "
            + "itself is not concerned",
          advice: "have it removed; the next view makes another",
          repair: .removeSnapshot(audit.file))
      ]
    }
  }

  private static func unusable(_ identity: FileIdentity?) -> Finding {
    Finding(
      "snapshot-unusable", .notice,
      "views.snapshot is not whole, or not of this log or version; it is passed by, which costs "
        + "time and nothing else",
      advice: "have it removed; the next view makes another",
      repair: .removeSnapshot(identity))
  }
}
