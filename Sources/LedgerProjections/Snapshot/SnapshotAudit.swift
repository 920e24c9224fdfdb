package import LedgerLog
import LedgerModel

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
  static func begin(_ directory: LedgerDirectory) -> Begun<SnapshotAudit?>? {
    guard let view = try? LogView.open(directory), let stored = Snapshot.open(view) else {
      return nil
    }
    return Threads.begin {
      var options = Replay.Options(verifies: false, threads: 1)
      let starts = (try? stored.blocks?.whole())?.map { Int($0.startBytes) } ?? []
      options.blocks = LineBlockMaker(startingAt: starts + [stored.offsetBytes])
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

  /// Removes the snapshot, unless another one has taken its place.
  ///
  /// - Returns: whether it is gone.
  package func discard() -> Bool {
    do {
      let lock = try FileLock(
        directory.ledgerLock, .exclusive, waitSeconds: 1, on: directory.disk)
      defer { withExtendedLifetime(lock) {} }
      return try directory.removeSnapshot(file)
    } catch {
      return false
    }
  }

  // MARK: Comparing

  private static func compare(
    _ stored: LedgerState, _ view: LogView, _ folded: LedgerState
  ) -> Result {
    guard let opened = stored.opened, var state = try? stored.whole(),
      let orders = try? opened.orders()
    else { return .broken }
    // These must be right in themselves before anything is folded on them.
    guard state.counts(as: opened.counts), state.isOrder(orders.byID),
      state.isOrder(orders.byDay)
    else { return .differs }
    if let blocks = folded.blocks, let kept = state.blocks, !kept.isEmpty,
      !blocks.prefix(kept.count).elementsEqual(kept)
    {
      return .differs
    }
    do throws(LogError) {
      try Replay.advance(&state, to: view, until: Seq(exactly: folded.position.seq))
    } catch {
      return .differs
    }
    // Readers do not use it: what it holds may have been erased since.
    guard state.erasures == stored.erasures else { return .unused }
    return state.saysTheSame(as: folded) ? .right(seq: stored.position.seq) : .differs
  }
}

extension LedgerState {
  /// Whether two states that are whole have folded the same, whatever their columns look like.
  func saysTheSame(as other: LedgerState) -> Bool {
    position == other.position && offsetBytes == other.offsetBytes && tally == other.tally
      && account.json == other.account.json && bindings.json == other.bindings.json
      && notBefore == other.notBefore && erasures == other.erasures
      && rows.hasBytes(of: other.rows) && bound.hasBytes(of: other.bound)
      && changes.hasBytes(of: other.changes) && edits.cells.hasBytes(of: other.edits.cells)
      && mentions.sorted.elementsEqual(other.mentions.sorted) {
        ($0.target, $0.by) == ($1.target, $1.by)
      } && profile.saysTheSame(as: other.profile)
  }

  fileprivate func counts(as counts: SnapshotCounts) -> Bool { SnapshotCounts(self) == counts }

  /// Whether the keys are in order and each is of another row. As many as there are rows.
  fileprivate func isOrder(_ keys: [IDKey]) -> Bool {
    var previous: (UInt64, UInt32)?
    for key in keys {
      if let previous, previous >= (key.high, key.row) { return false }
      guard rows[Int(key.row)].id.high == key.high else { return false }
      previous = (key.high, key.row)
    }
    return true
  }

  /// Whether the keys are in order, and those of all live entries.
  fileprivate func isOrder(_ keys: [DayKey]) -> Bool {
    var previous: DayKey?
    for key in keys {
      if let previous, !(previous < key) { return false }
      guard dayKey(ofRow: Int(key.row)) == key else { return false }
      previous = key
    }
    return keys.count == entryCounts().live
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
