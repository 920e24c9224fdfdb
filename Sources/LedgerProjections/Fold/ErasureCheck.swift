package import LedgerLog
import LedgerModel

/// The rule for erasures, checked against the fold (docs/log-format.md, Erasing).
extension LedgerState {
  /// The first violation of the rule in the folded lines.
  ///
  /// If the log has more lines, they are searched for the `event.erased` of folded lines.
  ///
  /// - Throws: ``LogError`` if the rest cannot be read; damage in it is returned.
  package func erasureDamage(in view: LogView) throws(LogError) -> Damage? {
    var erasures = erasureLog
    do throws(LogError) {
      try complete(&erasures, from: view)
    } catch {
      guard case .damaged(let damage) = error else { throw error }
      return damage
    }
    // The lines before a snapshot are not in memory, and were checked earlier.
    guard erasures.startSeq == 0 else { return erasures.unnamedDamage }
    return erasures.problems.first ?? remainder(of: erasures.entries)
  }

  /// The first erased line that no `event.erased` names, here or in the rest of the log.
  func unnamedErasure(in erasures: Erasures, of view: LogView) throws(LogError) -> Damage? {
    var erasures = erasures
    try complete(&erasures, from: view)
    return erasures.unnamedDamage
  }

  private func complete(_ erasures: inout Erasures, from view: LogView) throws(LogError) {
    guard offsetBytes < view.endBytes, erasures.isOpen(at: position.seq) else { return }
    try erasures.read(view, from: position, offsetBytes: offsetBytes)
  }

  /// The first event left of an erased entry: erasing covers all of an entry's earlier events.
  private func remainder(of entries: [Erasures.ErasedEntry]) -> Damage? {
    guard !entries.isEmpty else { return nil }
    let erased = Dictionary(entries.map { ($0.id.uuid, $0) }) { first, _ in first }
    // Hashing every row's id would cost more than the rest of the check.
    let marks = erased.keys.reduce(UInt64(0)) { $0 | 1 << ($1.low & 63) }
    func remains(_ id: LedgerUUID, _ seq: Int) -> Damage? {
      guard marks >> (id.low & 63) & 1 != 0, let entry = erased[id], seq < entry.recordedAt else {
        return nil
      }
      return entry.line.damage("but event \(seq) of the same entry is not")
    }
    for index in rows.indices {
      if let damage = remains(rows[index].id, Int(rows[index].seq)) { return damage }
    }
    for change in changes where !change.has(EntryChange.deletes) {
      if let damage = remains(change.id, Int(change.seq)) { return damage }
    }
    for record in sleep where !record.deletes {
      if let damage = remains(record.id, Int(record.seq)) { return damage }
    }
    for entry in entries {
      for conflict in profile.conflicts.all(of: entry.id.description) {
        if let damage = remains(entry.id.uuid, conflict.seq.number) { return damage }
      }
    }
    return nil
  }
}

extension LogView {
  /// The first event left of an erased entry, found by folding the log; for readers that check
  /// everything else without a fold.
  package func remainder(of erasures: Erasures) throws(LogError) -> Damage? {
    guard !erasures.entries.isEmpty else { return nil }
    return try Replay.run(self, Replay.Options(verifies: false)).state.erasureDamage(in: self)
  }
}
