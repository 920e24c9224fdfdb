package import LedgerLog
import LedgerPlatform

/// Whether a log has a snapshot beside it that its readers will use.
package enum SnapshotStatus: Hashable, Sendable {
  /// None there: every log was without one once.
  case missing
  /// Of another format, not whole, or not of this log: readers pass it by, and fold the whole log.
  case unusable
  /// Folded up to this event.
  case usable(seq: Int)

  /// Looks at the snapshot's front alone, not at all its pages.
  package static func of(_ view: LogView) -> SnapshotStatus {
    if let state = Snapshot.open(view) { return .usable(seq: state.position.seq) }
    do throws(IOFailure) {
      _ = try OpenFile(view.directory.snapshot, .read)
    } catch {
      return error.isMissing ? .missing : .unusable
    }
    return .unusable
  }
}
