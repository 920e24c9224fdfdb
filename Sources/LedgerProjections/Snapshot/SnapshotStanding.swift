package import LedgerLog

/// Whether a log has a snapshot beside it that its readers will use.
package enum SnapshotStanding: Hashable, Sendable {
  /// None there: every log was without one once.
  case missing
  /// Of another format, not whole, or not of this log: readers pass it by, and fold the whole log.
  case unusable
  /// Folded up to this event.
  case usable(seq: Int)

  /// Looks at the snapshot's front alone, not at all its pages.
  package static func of(_ view: LogView) -> SnapshotStanding {
    if let state = Snapshot.open(view) { return .usable(seq: state.position.seq) }
    do throws(IOFailure) {
      _ = try OpenFile(view.directory.snapshot, .read)
    } catch {
      return error.isMissing ? .missing : .unusable
    }
    return .unusable
  }

  /// Answers a question from the snapshot, and what came since, alone; every page of it is read.
  ///
  /// - Returns: `nil` where no reader would use it, or some page of it is not whole.
  package static func answer<Answer>(
    from view: LogView, _ question: (LedgerState) throws -> Answer
  ) throws -> Answer? {
    guard let state = Snapshot.open(view), (try? state.whole()) != nil else { return nil }
    return try FoldedLog(view, keepsSnapshot: false).quickly(question)
  }
}
