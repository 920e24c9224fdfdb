import LedgerLog
import LedgerProjections

/// Whether `views.snapshot` is of use, and right.
enum SnapshotChecks {
  /// Looks at its front only.
  static func findings(_ view: LogView) -> [Finding] {
    switch SnapshotStanding.of(view) {
    case .missing: [.fine("snapshot", "none: the log is folded whole each time")]
    case .usable(let seq):
      [.fine("snapshot", "opens the ledger from event \(NumberText.count(seq)) on")]
    case .unusable: [unusable(view)]
    }
  }

  /// Compares what it answers with what the whole log says.
  ///
  /// - Parameter whole: folded from line 1 of the same view.
  static func answerFindings(_ view: LogView, _ whole: AllViews) throws -> [Finding] {
    guard case .usable = SnapshotStanding.of(view) else { return [] }
    guard let answered = try SnapshotStanding.answer(from: view, { AllViews($0) }) else {
      return [unusable(view)]
    }
    guard answered != whole else {
      return [.fine("snapshot-answers", "the same as those of the whole log")]
    }
    return [
      Finding(
        "snapshot-differs", .warning,
        "views.snapshot answers otherwise than the log, so what was shown may be wrong; the log "
          + "itself is not concerned",
        advice: "have it removed; it is made anew by itself",
        repair: .removeDerived(path: view.directory.snapshot))
    ]
  }

  private static func unusable(_ view: LogView) -> Finding {
    Finding(
      "snapshot-unusable", .notice,
      "views.snapshot is not whole, or not of this log or version; it is passed by, which costs "
        + "time and nothing else",
      advice: "have it removed; it is made anew by itself",
      repair: .removeDerived(path: view.directory.snapshot))
  }
}
