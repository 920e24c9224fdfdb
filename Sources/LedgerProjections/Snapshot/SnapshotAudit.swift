package import LedgerLog
import LedgerModel
package import LedgerPlatform

/// The snapshot beside a log, compared with what the log folds to. Page sums show accidents; this
/// shows values that were changed on purpose, since those were never folded from a line.
package struct SnapshotAudit: Sendable {
  package enum Result: Sendable {
    /// There is none that readers use, or it is of later events than were folded.
    case unused
    /// Of this event, and right.
    case right(seq: Int)
    /// A page or an element is not as it was written.
    case broken
    /// It says something that the log does not.
    case differs
  }

  package let result: Result
  private let directory: LedgerDirectory
  /// The file that was compared.
  package let file: FileIdentity?

  /// - Parameter folded: the state of the same log, folded from line 1. Where it has no blocks, those
  ///   of the snapshot are not compared.
  package init(_ view: LogView, _ folded: LedgerState) {
    directory = view.directory
    guard let stored = Snapshot.open(view), stored.position.seq <= folded.position.seq else {
      (result, file) = (.unused, nil)
      return
    }
    result = Self.compare(stored, view, folded)
    file = stored.opened?.pages.identity
  }

  /// Folds the log on another thread, and compares; `nil` where there is no snapshot to compare.
  package static func begin(_ directory: LedgerDirectory) -> BackgroundWork<SnapshotAudit?>? {
    guard let view = try? LogView.open(directory), let stored = Snapshot.open(view) else {
      return nil
    }
    return Threads.begin {
      var options = Replay.Options(verifies: false, threads: 1)
      let starts = (try? stored.blocks?.whole())?.map { Int($0.startBytes) } ?? []
      options.blocks = LineBlockBuilder(startingAt: starts + [stored.offsetBytes])
      guard let outcome = try? Replay.run(view, options), outcome.damage == nil else { return nil }
      return SnapshotAudit(view, outcome.state)
    }
  }

  package var isWrong: Bool {
    switch result {
    case .broken, .differs: true
    case .unused, .right: false
    }
  }

  /// Removes the snapshot, unless another one has replaced it.
  ///
  /// - Returns: false if it could not be removed.
  package func discard() -> Bool {
    do {
      let lock = try FileLock(
        directory.ledgerLock, .exclusive, waitSeconds: 1, on: directory.disk)
      defer { withExtendedLifetime(lock) {} }
      try directory.removeSnapshot(file)
      return true
    } catch {
      return false
    }
  }

  // MARK: Comparing

  private static func compare(
    _ stored: LedgerState, _ view: LogView, _ folded: LedgerState
  ) -> Result {
    guard let opened = stored.opened else { return .broken }
    var state = stored
    do throws(LogError) {
      try Replay.advance(&state, to: view, until: Seq(exactly: folded.position.seq))
    } catch {
      return state.isBroken ? .broken : .differs
    }
    // Readers do not use it: what it holds may have been erased since.
    guard state.erasures == stored.erasures else { return .unused }
    let touched = state.touchedRows()
    let isRight = Threads.begin { try? opened.isRight(folded, touched: touched) }
    let saysTheSame = try? state.saysTheSame(as: folded) && stored.hasBlocks(of: folded)
    guard let isRight = isRight.wait(), let saysTheSame, !state.isBroken else { return .broken }
    return isRight && saysTheSame ? .right(seq: stored.position.seq) : .differs
  }
}

extension OpenedSnapshot {
  /// Whether what only a snapshot holds, orders and counts, is that of its own state.
  ///
  /// - Parameters:
  ///   - folded: what that state, brought up to date, is the same as.
  ///   - touched: the rows that may have changed since.
  fileprivate func isRight(
    _ folded: LedgerState, touched: Set<Int>
  ) throws -> Bool {
    try counts.inConflict == state.editsInConflict() && isOrderedByID(folded)
      && isOrderedByDay(folded, touched: touched)
  }
}

extension LedgerState {
  /// Whether a state that lies in a snapshot, brought up to date, has folded the same as a whole one.
  fileprivate func saysTheSame(as whole: LedgerState) throws -> Bool {
    try position == whole.position && offsetBytes == whole.offsetBytes
      && tally == whole.tally && account.json == whole.account.json
      && bindings.json == whole.bindings.json && notBefore == whole.notBefore
      && erasures == whole.erasures && rows.hasBytes(of: whole.rows)
      && bound.hasBytes(of: whole.bound) && changes.hasBytes(of: whole.changes)
      && edits.cells.hasBytes(of: whole.edits.cells)
      && mentions.whole().sorted.elementsEqual(whole.mentions.sorted) {
        ($0.target, $0.by) == ($1.target, $1.by)
      } && profile.saysTheSame(as: whole.profile) && SnapshotCounts(self) == SnapshotCounts(whole)
  }

  /// Whether a state that was folded from line 1 begins with the same blocks, if it has any.
  fileprivate func hasBlocks(of folded: LedgerState) -> Bool {
    guard let blocks, !blocks.isEmpty, let others = folded.blocks else { return true }
    return others.prefix(blocks.count).elementsEqual(blocks)
  }
}

extension ProfileTable {
  fileprivate func saysTheSame(as other: ProfileTable) -> Bool {
    json == other.json
      && ProfileField.allCases.allSatisfy {
        history($0).versions.elementsEqual(other.history($0).versions)
      }
      && ProfileSubject.allCases.allSatisfy { edits(of: $0) == other.edits(of: $0) }
  }
}
