import LedgerLog
import LedgerModel
import LedgerPlatform

/// What the calls and answers that are left in a log say about an erased entry: `erase` refuses one whose
/// answer is unknown, takes every answer that repeats its values, keeps the ids of its rows and deletes
/// these (docs/log-format.md, Erasing).
///
/// Cases that the log leaves open are not reported.
struct ErasedCalls {
  private struct Call {
    var id: CallID
    var seq: Int
    var isAnswered = false
  }

  private let run: ErasureRun
  /// `nil` if no answer names it.
  private let entry: EntryID?
  private let replacedAt: Int
  private let firstRecord: Int
  private var calls: [Call] = []
  /// Edits whose last call had no answer when the entry was erased; one that was
  /// acknowledged is resolved.
  private var doubts: Set<Int> = []
  private var acknowledged: Set<Int> = []
  /// Edits that were acknowledged when the entry was erased.
  private var acknowledgedBefore: Set<Int> = []
  /// Erased answers that are yet to come.
  private var comingAnswers: ArraySlice<Int>
  /// The rows bound to the entry, by the event that says so.
  private var rows: [BackendID: Int] = [:]
  private var deletedRows: Set<BackendID> = []
  /// Whether an answer to an erased event names its row.
  private var bound: Set<Int> = []
  /// The first answer that names a row of the entry.
  private var boundAt: Int?
  /// The answers that bind a row to the entry.
  private var bindings: [Int] = []
  private var undone: Set<Int> = []
  /// The rows of calls that delete one, with the calls' seqs.
  private var deletes: [(row: String, by: Int)] = []
  /// The first answer left that repeats values.
  private var repeatedBy: Int?

  /// - Parameters:
  ///   - naming: the events that name an event of the entry, in the order of the log.
  ///   - replacedAt: the last `account.replaced`; calls and rows before it are ignored.
  /// - Returns: `nil` for the run of something else than an entry.
  init?(_ run: ErasureRun, naming events: [RecordedEvent], replacedAt: Int) {
    guard run.isOfEntry else { return nil }
    (self.run, entry, self.replacedAt) = (run, run.entry, replacedAt)
    firstRecord = run.firstRecord
    comingAnswers = Self.erasedAnswers(run).map(\.seq).sorted()[...]
    for recorded in events {
      settleDoubts(before: recorded.seq.number)
      note(recorded.event.payload, at: recorded.seq.number)
    }
    settleDoubts(before: .max)
  }

  private static func erasedAnswers(_ run: ErasureRun) -> [Erasures.Line] {
    run.taken.map(\.line).filter { line in
      line.type == EventKind.syncRejected.rawValue || line.type == EventKind.syncDiffered.rawValue
    }
  }

  private mutating func settleDoubts(before seq: Int) {
    while let answer = comingAnswers.first, answer < seq {
      comingAnswers.removeFirst()
      doubts = []
    }
  }

  private mutating func note(_ payload: Event.Payload, at seq: Int) {
    switch payload {
    case .syncAttempted(let data):
      calls.append(Call(id: data.call, seq: seq))
      if let row = data.deletedRow { deletes.append((row, seq)) }
      guard seq < firstRecord, seq > replacedAt else { return }
      doubts.formUnion(data.events.map(\.number).filter { !acknowledged.contains($0) })
    case .syncAcknowledged(let data):
      if seq > replacedAt { acknowledged.formUnion(data.events.map(\.number)) }
      if seq < firstRecord { acknowledgedBefore.formUnion(data.events.map(\.number)) }
      answer(data.call, data.events, seq)
      guard data.entry == entry, let row = data.backendID else { return }
      boundAt = boundAt ?? seq
      if data.isOfDeletion {
        deletedRows.insert(row)
      } else {
        rows[row] = seq
        bindings.append(seq)
      }
      bound.formUnion(data.events.map(\.number))
    case .syncDeferred(let data): answer(data.call, data.events, seq)
    case .syncHeld(let data): answer(nil, data.events, seq)
    case .syncRejected(let data):
      answer(data.call, data.events, seq)
      if seq < firstRecord { repeatedBy = repeatedBy ?? seq }
    case .syncDiffered(let data):
      answer(data.call, data.events, seq)
      if seq < firstRecord, data.entry == entry { repeatedBy = repeatedBy ?? seq }
    case .editUndone(let data):
      undone.insert(data.event.number)
      answer(nil, [data.event], seq)
    default: break
    }
  }

  private mutating func answer(_ call: CallID?, _ events: [Seq], _ seq: Int) {
    if seq < firstRecord { doubts.subtract(events.map(\.number)) }
    guard let call, let place = calls.firstIndex(where: { $0.id == call }) else { return }
    calls[place].isAnswered = true
  }

  /// - Parameter deletions: those of the entry that the log has.
  func damage(deletions: [RecordedEvent]) -> Damage? {
    guard let first = run.taken.first?.line else { return nil }
    if let repeatedBy {
      return first.damage("but event \(repeatedBy), which repeats what it had, is not")
    }
    if let damage = foreignRefusal ?? withoutRow { return damage }
    if !doubts.isEmpty { return first.damage("while the answer to a call for it was unknown") }
    if let damage = beforeFirstCall ?? afterDeletion { return damage }
    if let damage = withoutLastRow(deletions) { return damage }
    // A deletion that was not acknowledged is still to be sent, so it is recorded again.
    let isDeleted =
      !deletions.isEmpty
      || run.taken.contains { line, part in
        part == .deletion && (line.by == .sync || acknowledged.contains(line.seq))
      }
    guard !isDeleted else { return nil }
    let pulled = run.taken.first { line, part in
      part == .logging && line.type.hasSuffix(".pulled") && !bound.contains(line.seq)
        && line.seq > replacedAt
    }
    if let pulled { return pulled.line.damage("but no event keeps the id of its row") }
    let isLeft = rows.contains { $0.value > replacedAt && !deletedRows.contains($0.key) }
    return isLeft ? first.damage("but the deletion of its row is not on record") : nil
  }

  /// Whether a row was bound to the entry.
  private var hasRow: Bool {
    !bound.isEmpty || run.taken.contains { $0.line.type.hasSuffix(".pulled") }
  }

  /// The first erased event that a sync makes only of an entry with a row, when none was bound.
  private var withoutRow: Damage? {
    guard !hasRow else { return nil }
    let made = [EventKind.syncDiffered.rawValue, EventKind.conflictDetected.rawValue]
    let line = run.taken.map(\.line).filter { $0.seq > replacedAt }.first { line in
      made.contains(line.type)
        || line.by == .sync && ErasedPart(type: line.type)?.isOfEntry == true
    }
    return line?.damage("but no event binds a row to its entry")
  }

  /// The erased event that gave the entry its last row, if no answer keeps the id of that row. A row is
  /// deleted only if a later event gave the entry another one, or with the entry.
  private func withoutLastRow(_ deletions: [RecordedEvent]) -> Damage? {
    // Early versions kept no row that a sync had changed.
    guard !run.isOfOlderVersion else { return nil }
    let isSettled =
      deletions.contains { deletion in
        deletion.event.by == .sync || acknowledgedBefore.contains(deletion.seq.number)
      }
      || run.taken.contains { line, part in
        part == .deletion && (line.by == .sync || acknowledgedBefore.contains(line.seq))
      }
    guard !isSettled else { return nil }
    let pulled = run.taken.map(\.line).filter { $0.type.hasSuffix(".pulled") }
    let rowsKnown = (bindings + pulled.map(\.seq)).filter { $0 > replacedAt }
    // Before it had a row, a sync may have decided without one.
    let changes = run.taken.map(\.line).filter { line in
      (line.type == EventKind.syncDiffered.rawValue
        || line.type == EventKind.progressCorrected.rawValue && line.by == .sync)
        && rowsKnown.contains { $0 < line.seq }
    }
    guard let last = (pulled + changes).max(by: { $0.seq < $1.seq }), last.seq > replacedAt,
      !bindings.contains(where: { $0 > last.seq })
    else { return nil }
    return last.damage("but no event keeps the id of the row that it bound")
  }

  /// The first erased change that a person cannot have made, since the entry was deleted.
  private var afterDeletion: Damage? {
    var isDeleted = false
    for (line, part) in run.taken.sorted(by: { $0.line.seq < $1.line.seq }) where part.isOfEntry {
      let isChange = part == .correction || part == .deletion
      if isDeleted, isChange, line.by == .user {
        return line.damage("after a deletion of its entry")
      }
      // A correction by another device may win over a deletion here.
      isDeleted = part == .deletion && !undone.contains(line.seq)
    }
    return nil
  }

  /// The first erased difference or conflict from before the entry had a row.
  private var beforeFirstCall: Damage? {
    let made = [EventKind.syncDiffered.rawValue, EventKind.conflictDetected.rawValue]
    let pulled = run.taken.lazy.filter { $0.line.type.hasSuffix(".pulled") }.map(\.line.seq)
    guard let first = (calls.map(\.seq) + pulled + [boundAt].compactMap(\.self)).min() else {
      return nil
    }
    return run.taken.lazy.map(\.line).first { made.contains($0.type) && $0.seq < first }?
      .damage("before a call for its entry")
  }

  /// The first erased refusal that is of no call for the entry.
  private var foreignRefusal: Damage? {
    let rejected = EventKind.syncRejected.rawValue
    let answers = Self.erasedAnswers(run).filter { $0.type == rejected }.sorted { $0.seq < $1.seq }
    for (count, line) in answers.enumerated()
    where calls.count(where: { !$0.isAnswered && $0.seq < line.seq }) <= count {
      return line.damage("but no call for the entry had this answer")
    }
    return nil
  }

  /// Rows of which a DELETE names events of the entry, though they are not known to be its rows.
  var strangeRows: [(row: String, by: Int)] {
    let known = Set(rows.keys).union(deletedRows).map(\.text)
    return deletes.filter { !known.contains($0.row) }
  }
}

extension LedgerState {
  /// The first violation of an entry's erasure that calls and answers show.
  func callDamage(in runs: [ErasureRun], of view: LogView) throws(LogError) -> Damage? {
    let entries = Set(runs.compactMap(\.entry))
    let deletions = entries.isEmpty ? [:] : deletions(of: entries)
    let replacedAt = bindings.replacedAt
    // A deletion without a reason keeps its content, and a call for it may have been refused.
    func edits(of run: ErasureRun) -> [Int] {
      run.taken.map(\.line.seq) + (run.entry.flatMap { deletions[$0] } ?? [])
    }
    let naming = mentions.mentions(ofEach: Set(runs.filter(\.isOfEntry).flatMap(edits)))
    for run in runs where run.isOfEntry {
      let deletions = run.entry.flatMap { deletions[$0] } ?? []
      var events: [RecordedEvent] = []
      for number in Set(edits(of: run).flatMap { naming[$0] ?? [] }).sorted() {
        guard let seq = Seq(exactly: number) else { continue }
        events.append(try view.line(seq).event())
      }
      guard let calls = ErasedCalls(run, naming: events, replacedAt: replacedAt) else { continue }
      let left = try deletions.map { seq throws(LogError) in try view.line(Seq(seq)).event() }
      if let damage = calls.damage(deletions: left) { return damage }
      if let by = try call(in: calls.strangeRows, ofOthersThan: run.entry, in: view) {
        return run.taken.first?.line.damage("but call \(by) for it deletes a row of another entry")
      }
    }
    if let damage = try strayConflict(in: runs, of: view) { return damage }
    return try strayCorrection(in: runs, of: view)
  }

  /// The first erased correction by sync right before the 404 for another entry's former row: a sync writes
  /// that answer after the correction to the new row.
  private func strayCorrection(
    in runs: [ErasureRun], of view: LogView
  ) throws(LogError) -> Damage? {
    let corrected = EventKind.progressCorrected.rawValue
    for run in runs where run.isOfEntry {
      for (line, _) in run.taken where line.type == corrected && line.by == .sync {
        guard let after = Seq(exactly: line.seq + 1), after.number <= position.seq,
          case .syncAcknowledged(let answer) = try view.line(after).event().event.payload,
          answer.via == .reconciled, answer.status == 404, answer.entry != run.entry
        else { continue }
        // A 404 that closes a suspicion may follow the correction of another entry.
        if let named = answer.events.first,
          case .duplicateSuspected = try view.line(named).event().event.payload
        {
          continue
        }
        return line.damage("but the answer after it is about another entry")
      }
    }
    return nil
  }

  /// The first of these calls whose row another entry has.
  private func call(
    in deletes: [(row: String, by: Int)], ofOthersThan entry: EntryID?, in view: LogView
  ) throws(LogError) -> Int? {
    guard !deletes.isEmpty else { return nil }
    var found: Int?
    try view.forEachEvent { recorded, _ in
      let (owner, row): (EntryID?, BackendID?) =
        switch recorded.event.payload {
        case .syncAcknowledged(let data): (data.entry, data.isOfDeletion ? nil : data.backendID)
        case .progressPulled(let data): (data.entry, data.backendID)
        default: (nil, nil)
        }
      if let owner, owner != entry, let row {
        found = deletes.first { $0.row == row.text }?.by
      }
      return found == nil
    }
    return found
  }

  /// The deletions of these entries that the log has.
  private func deletions(of entries: Set<EntryID>) -> [EntryID: [Int]] {
    let marks = entries.reduce(UInt64(0)) { $0 | 1 << ($1.uuid.low & 63) }
    var deletions: [EntryID: [Int]] = [:]
    for change in changes where marks >> (change.id.low & 63) & 1 != 0 {
      guard change.has(EntryChange.deletes), entries.contains(EntryID(change.id)) else { continue }
      deletions[EntryID(change.id), default: []].append(Int(change.seq))
    }
    for record in sleep where record.deletes && entries.contains(EntryID(record.id)) {
      deletions[EntryID(record.id), default: []].append(Int(record.seq))
    }
    return deletions
  }

  /// The first erased conflict right after an answer that differed and is about something else, or such an
  /// answer of an entry whose conflict is left.
  private func strayConflict(
    in runs: [ErasureRun], of view: LogView
  ) throws(LogError) -> Damage? {
    let detected = EventKind.conflictDetected.rawValue
    for run in runs where run.isOfEntry {
      for (line, _) in run.taken where line.type == EventKind.syncDiffered.rawValue {
        guard let after = Seq(exactly: line.seq + 1), after.number <= position.seq else { continue }
        if case .conflictDetected = try view.line(after).event().event.payload {
          return line.damage("but the conflict after it is not")
        }
      }
    }
    for run in runs where run.isOfEntry || run.isOfFields {
      for (line, _) in run.taken where line.type == detected {
        guard let before = Seq(exactly: line.seq - 1) else { continue }
        if case .syncDiffered(let data) = try view.line(before).event().event.payload,
          data.entry != run.entry
        {
          return line.damage("but the answer before it is about something else")
        }
      }
    }
    return nil
  }
}

extension SyncAttempted {
  /// The row that the call deletes.
  fileprivate var deletedRow: String? {
    let prefix = "/api/v1/progress/"
    guard path.hasPrefix(prefix) else { return nil }
    return PercentEncoding.decode(path.utf8.dropFirst(prefix.utf8.count))
  }
}
