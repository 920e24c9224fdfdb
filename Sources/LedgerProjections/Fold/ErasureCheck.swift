import LedgerJSON
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
    if let problem = erasures.problems.first { return problem }
    guard !erasures.runs.isEmpty else { return nil }
    guard offsetBytes < view.endBytes else { return try damage(of: erasures, in: view) }
    // Later lines tell, too: a later value, an answer, a row.
    var options = Replay.Options(verifies: false)
    options.checksErasures = false
    let whole = try Replay.run(view, options)
    if let damage = whole.damage { return ErasureProblem.unchecked(damage).damage }
    if let problem = whole.state.erasureLog.problems.first { return problem }
    return try whole.state.damage(of: whole.state.erasureLog, in: view)
  }

  private func damage(of erasures: Erasures, in view: LogView) throws(LogError) -> Damage? {
    var runs = erasures.runs
    if let damage = runs.lazy.compactMap(\.damageBeforeLogging).first { return damage }
    let owners = try owners(of: runs, in: view)
    for index in runs.indices where runs[index].entry == nil && runs[index].isOfEntry {
      runs[index].entry = runs[index].taken.lazy.compactMap { owners[$0.line.seq] }.first
    }
    if let damage = foreignEvent(in: runs, owners) { return damage }
    if let damage = try remainder(of: runs, in: view) ?? orphan(of: runs) { return damage }
    if let damage = try callDamage(in: runs, of: view) { return damage }
    if let damage = foreignField(in: runs) { return damage }
    if let damage = try lostField(in: runs, of: view) { return damage }
    return try answerDamage(in: runs, of: view)
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

  // MARK: Entries

  /// The entries of erased events, from the answers to them.
  private func owners(
    of runs: [ErasureRun], in view: LogView
  ) throws(LogError) -> [Int: EntryID] {
    let erased = runs.flatMap(\.taken).filter(\.part.isOfEntry)
    let seqs = Set(erased.map(\.line.seq))
    var owners: [Int: EntryID] = [:]
    for number in mentions.mentions(of: seqs).sorted() {
      guard let seq = Seq(exactly: number) else { continue }
      let (entry, events): (EntryID?, [Seq]) =
        switch try view.line(seq).event().event.payload {
        case .syncAcknowledged(let data): (data.entry, data.events)
        case .syncDiffered(let data): (data.entry, data.events)
        default: (nil, [])
        }
      guard let entry else { continue }
      for event in events where event < seq { owners[event.number] = entry }
    }
    return owners
  }

  /// The first erased event whose answer names another entry than its `event.erased`.
  private func foreignEvent(in runs: [ErasureRun], _ owners: [Int: EntryID]) -> Damage? {
    for run in runs {
      guard let entry = run.entry else { continue }
      let foreign = run.taken.first { owners[$0.line.seq].map { $0 != entry } ?? false }
      if let foreign {
        return foreign.line.damage("but its event.erased names another entry than the answer to it")
      }
    }
    return nil
  }

  /// The first event left of an erased entry: erasing covers all of an entry's earlier events, but for
  /// deletions without a reason.
  private func remainder(
    of runs: [ErasureRun], in view: LogView
  ) throws(LogError) -> Damage? {
    // An entry that was erased may have been logged again, and erased again.
    let erased = Dictionary(runs.compactMap { run in run.entry.map { ($0.uuid, run) } }) {
      _, last in last
    }
    guard !erased.isEmpty else { return nil }
    // Hashing every row's id would cost more than the rest of the check.
    let marks = erased.keys.reduce(UInt64(0)) { $0 | 1 << ($1.low & 63) }
    func remains(_ id: LedgerUUID, _ seq: Int, isDeletion: Bool = false) throws(LogError) -> Damage?
    {
      guard marks >> (id.low & 63) & 1 != 0, let run = erased[id], seq < run.lastRecord else {
        return nil
      }
      if isDeletion, let seq = Seq(exactly: seq), try !hasReason(seq, in: view) { return nil }
      return run.taken.first?.line.damage("but event \(seq) of the same entry is not")
    }
    for index in rows.indices {
      if let damage = try remains(rows[index].id, Int(rows[index].seq)) { return damage }
    }
    for change in changes {
      let isDeletion = change.has(EntryChange.deletes)
      if let damage = try remains(change.id, Int(change.seq), isDeletion: isDeletion) {
        return damage
      }
    }
    for record in sleep {
      if let damage = try remains(record.id, Int(record.seq), isDeletion: record.deletes) {
        return damage
      }
    }
    for id in erased.keys {
      for conflict in profile.conflicts.all(of: EntryID(id).description) {
        if let damage = try remains(id, conflict.seq.number) { return damage }
      }
    }
    return nil
  }

  /// The first erased logging that must belong to another entry than its records name: a correction or
  /// deletion that is left can belong to no other logging.
  private func orphan(of runs: [ErasureRun]) -> Damage? {
    let ofEntries = runs.filter(\.isOfEntry)
    let orphans = orphans(besides: Set(ofEntries.compactMap(\.entry?.uuid)))
    guard !orphans.isEmpty else { return nil }
    // No answer tells the entry of such a record, of an older version.
    let unknown =
      ofEntries.filter { $0.entry == nil }.flatMap(\.taken).map(\.line.seq).min() ?? .max
    for run in ofEntries {
      guard let logging = run.taken.map(\.line).min(by: { $0.seq < $1.seq }) else { continue }
      let left = orphans.first { orphan in
        guard orphan.seq > logging.seq, orphan.seq < run.firstRecord,
          orphan.isOfSession == logging.type.hasPrefix("sleep.")
        else { return false }
        return run.entry == nil ? !orphan.isDeletion : orphan.seq < unknown
      }
      if let left {
        return logging.damage("but event \(left.seq), which can only be of its entry, is not")
      }
    }
    return nil
  }

  /// A correction or deletion that is left of an entry without a logging.
  private struct Orphan {
    var seq: Int
    var isDeletion: Bool
    var isOfSession: Bool
  }

  /// - Parameter erased: the entries of erased loggings.
  private func orphans(besides erased: Set<LedgerUUID>) -> [Orphan] {
    var orphans: [Orphan] = []
    for change in changes where edits.row(Int(change.seq)) == nil && !erased.contains(change.id) {
      // It may be logged later.
      guard !allRows(of: change.id).contains(where: { _ in true }) else { continue }
      let isDeletion = change.has(EntryChange.deletes)
      orphans.append(.init(seq: Int(change.seq), isDeletion: isDeletion, isOfSession: false))
    }
    for record in sleep where !record.isSession && record.session == .max {
      guard !erased.contains(record.id), allSessions(of: EntryID(record.id)).isEmpty else {
        continue
      }
      orphans.append(.init(seq: Int(record.seq), isDeletion: record.deletes, isOfSession: true))
    }
    return orphans
  }

  private func hasReason(_ deletion: Seq, in view: LogView) throws(LogError) -> Bool {
    switch try view.line(deletion).event().event.payload {
    case .progressDeleted(let data): data.reason != nil || !data.unknown.isEmpty
    case .sleepDeleted(let data): data.reason != nil || !data.unknown.isEmpty
    default: false
    }
  }
}

extension LogView {
  /// The part of the rule for erasures that takes a fold of the log; for readers that check everything
  /// else without one.
  package func remainder(of erasures: Erasures) throws(LogError) -> ErasureProblem? {
    guard !erasures.isEmpty else { return nil }
    var options = Replay.Options(verifies: false)
    // Checked here, once.
    options.checksErasures = false
    let folded = try Replay.run(self, options)
    // An event that cannot be understood may be what allows an erasure, or what forbids it.
    if let damage = folded.damage { return .unchecked(damage) }
    return try folded.state.erasureDamage(in: self).map { .damage($0) }
  }
}
