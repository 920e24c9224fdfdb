package import LedgerLog
import LedgerModel

/// The rule for erasures, where a log was folded (docs/log-format.md, Erasing).
extension LedgerState {
  /// The first thing that `erase` would not have made, in what was folded.
  ///
  /// A state that ends before the log does may hold lines whose `event.erased` comes later: then the
  /// rest of the log is read for them.
  ///
  /// - Throws: ``LogError`` for what keeps the rest from being read; damage there is returned.
  package func erasureDamage(in view: LogView) throws(LogError) -> Damage? {
    var erasures = erasureLog
    do throws(LogError) {
      try complete(&erasures, from: view)
    } catch {
      guard case .damaged(let damage) = error else { throw error }
      return damage
    }
    // What a snapshot was folded from is not here to be compared with, and was checked before.
    guard erasures.startSeq == 0 else { return erasures.unnamedDamage }
    return erasures.problems.first ?? remainder(of: erasures.entries)
  }

  /// The first of some erased lines that no `event.erased` names, among those or in the rest of the
  /// log.
  func unnamedErasure(in erasures: Erasures, of view: LogView) throws(LogError) -> Damage? {
    var erasures = erasures
    try complete(&erasures, from: view)
    return erasures.unnamedDamage
  }

  private func complete(_ erasures: inout Erasures, from view: LogView) throws(LogError) {
    guard offsetBytes < view.endBytes, erasures.isOpen(at: position.seq) else { return }
    try erasures.read(view, from: position, offsetBytes: offsetBytes)
  }

  /// Something that still says what an erased entry was: erasing takes all of it.
  private func remainder(of entries: [Erasures.ErasedEntry]) -> Damage? {
    guard !entries.isEmpty else { return nil }
    let erased = Dictionary(entries.map { ($0.id.uuid, $0) }) { first, _ in first }
    func remains(_ id: LedgerUUID, _ seq: Int) -> Damage? {
      guard let entry = erased[id], seq < entry.recordedAt else { return nil }
      return entry.line.damage("but event \(seq) of the same entry is not")
    }
    for index in rows.indices {
      if let damage = remains(rows[index].id, Int(rows[index].seq)) { return damage }
    }
    for change in changes where !change.has(EntryChange.deletes) {
      if let damage = remains(change.id, Int(change.seq)) { return damage }
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
  /// What is left in this log of an entry that its records call erased, found by a fold; for readers
  /// that have checked everything else without one.
  package func remainder(of erasures: Erasures) throws(LogError) -> Damage? {
    guard !erasures.entries.isEmpty else { return nil }
    return try Replay.run(self, Replay.Options(verifies: false)).state.erasureDamage(in: self)
  }
}
