import LedgerModel

/// Counts of edits by where they stand; they exclude one another (cli.md, `status`).
public struct SyncCounts: Hashable, Sendable {
  public var pending = 0
  public var inDoubt = 0
  public var held = 0
  public var rejected = 0
  public var conflicts = 0

  public init(
    pending: Int = 0, inDoubt: Int = 0, held: Int = 0, rejected: Int = 0, conflicts: Int = 0
  ) {
    self.pending = pending
    self.inDoubt = inDoubt
    self.held = held
    self.rejected = rejected
    self.conflicts = conflicts
  }
}

/// Entries by where they stand (cli.md, `replay`).
public struct EntryCounts: Hashable, Sendable {
  public var live = 0
  public var deleted = 0
  /// Live ones that the backend has yet to answer for, those in doubt included.
  public var pending = 0
  public var synced = 0
  public var failed = 0
}

extension SyncCounts {
  fileprivate mutating func add(_ state: EditState) {
    switch state {
    case .pending: pending += 1
    case .held: held += 1
    case .rejected: rejected += 1
    case .none, .inDoubt, .acknowledged, .undone: break
    }
  }
}

extension LedgerState {
  public func syncCounts() -> SyncCounts {
    let inConflict = editsInConflict()
    var counts = SyncCounts()
    for seq in 0...edits.lastSeq {
      switch edits.state(seq) {
      case .none, .acknowledged, .undone: break
      case .inDoubt: counts.inDoubt += 1
      case .pending, .held, .rejected:
        guard isAboutSomething(seq) else { continue }
        if inConflict.contains(seq) {
          counts.conflicts += 1
        } else {
          counts.add(edits.state(seq))
        }
      }
    }
    return counts
  }

  /// The changes of an entry whose logging was undone are about nothing, and are never sent.
  public func isAboutSomething(_ edit: Int) -> Bool {
    edits.row(edit).map { isMade(rows[$0]) } ?? true
  }

  /// Edits that wait for a person to decide an open conflict: the one in force, and those before it
  /// that are still to be answered.
  public func editsInConflict() -> Set<Int> {
    var seqs: Set<Int> = []
    for field in ProfileField.allCases where profile.hasOpenConflict(field) {
      if let current = profile.current(field, edits) { seqs.insert(current.seq) }
      seqs.formUnion(profile.edits(setting: field).filter { edits.state($0).isOpen })
    }
    return seqs
  }

  public func entryCounts() -> EntryCounts {
    var counts = EntryCounts()
    for row in rows where isMade(row) {
      guard !resolve(row).isDeleted else {
        counts.deleted += 1
        continue
      }
      counts.live += 1
      switch status(row) {
      case .pending, .syncing: counts.pending += 1
      case .synced: counts.synced += 1
      case .failed: counts.failed += 1
      }
    }
    return counts
  }
}
