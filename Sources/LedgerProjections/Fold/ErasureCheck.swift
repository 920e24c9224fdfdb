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
    let runs = erasures.runs
    guard !runs.isEmpty else { return nil }
    let owners = try owners(of: runs, in: view)
    if let damage = foreignEvent(in: runs, owners) { return damage }
    let entries = erasures.entries + entries(of: runs, owners)
    if let damage = try remainder(of: entries, in: view) { return damage }
    if let damage = try callDamage(in: runs, of: view) { return damage }
    if let damage = try lostField(in: runs, of: view) { return damage }
    return try foreignAnswer(in: runs, of: view)
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

  /// The entries of erased events, from the answers to them, which are never erased.
  private func owners(
    of runs: [ErasureRun], in view: LogView
  ) throws(LogError) -> [Int: EntryID] {
    let erased = runs.flatMap(\.taken).filter(\.part.isOfEntry)
    let seqs = Set(erased.map(\.line.seq))
    var owners: [Int: EntryID] = [:]
    for number in mentions.mentions(of: seqs).sorted() {
      guard let seq = Seq(exactly: number),
        case .syncAcknowledged(let data) = try view.line(seq).event().event.payload,
        let entry = data.entry
      else { continue }
      for event in data.events where event < seq { owners[event.number] = entry }
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

  /// The entries of records that name no subject, as older versions wrote them.
  private func entries(
    of runs: [ErasureRun], _ owners: [Int: EntryID]
  ) -> [Erasures.ErasedEntry] {
    runs.filter { $0.entry == nil && $0.fields == nil }.flatMap { run in
      run.taken.compactMap { line, _ in
        owners[line.seq].map {
          Erasures.ErasedEntry(id: $0, recordedAt: run.lastRecord, line: line)
        }
      }
    }
  }

  /// The first event left of an erased entry: erasing covers all of an entry's earlier events, but for
  /// deletions without a reason.
  private func remainder(
    of entries: [Erasures.ErasedEntry], in view: LogView
  ) throws(LogError) -> Damage? {
    guard !entries.isEmpty else { return nil }
    let erased = Dictionary(entries.map { ($0.id.uuid, $0) }) { first, _ in first }
    // Hashing every row's id would cost more than the rest of the check.
    let marks = erased.keys.reduce(UInt64(0)) { $0 | 1 << ($1.low & 63) }
    func remains(_ id: LedgerUUID, _ seq: Int, isDeletion: Bool = false) throws(LogError) -> Damage?
    {
      guard marks >> (id.low & 63) & 1 != 0, let entry = erased[id], seq < entry.recordedAt else {
        return nil
      }
      if isDeletion, let seq = Seq(exactly: seq), try !hasReason(seq, in: view) { return nil }
      return entry.line.damage("but event \(seq) of the same entry is not")
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
    for entry in entries {
      for conflict in profile.conflicts.all(of: entry.id.description) {
        if let damage = try remains(entry.id.uuid, conflict.seq.number) { return damage }
      }
    }
    return nil
  }

  private func hasReason(_ deletion: Seq, in view: LogView) throws(LogError) -> Bool {
    switch try view.line(deletion).event().event.payload {
    case .progressDeleted(let data): data.reason != nil || !data.unknown.isEmpty
    case .sleepDeleted(let data): data.reason != nil || !data.unknown.isEmpty
    default: false
    }
  }

  // MARK: Profile fields

  /// The first erased edit or pull of a field that had no later value: only what is overwritten is erased.
  private func lostField(in runs: [ErasureRun], of view: LogView) throws(LogError) -> Damage? {
    let erased = runs.flatMap { run in run.taken.map { (run: run, line: $0.line, part: $0.part) } }
    /// Whether another erased line may have held a later value.
    func mayBeOverwritten(_ field: ProfileField, after seq: Int, in run: ErasureRun) -> Bool {
      erased.contains { other in
        guard other.line.seq > seq, other.run.fields?.contains(field.rawValue) ?? true else {
          return false
        }
        return other.part == .fieldEdit || other.part == .either
          || other.part == .fieldAnswer && other.run.lastRecord != run.lastRecord
      }
    }
    for run in runs {
      let fields = (run.fields ?? []).compactMap(ProfileField.init(rawValue:))
      for (line, part) in run.taken {
        func isOverwritten(_ field: ProfileField, whereAnswered: Bool) -> Bool {
          history(field, before: run.lastRecord).contains { seq in
            seq > line.seq || whereAnswered && edits.marker(seq) ?? 0 > line.seq
          } || mayBeOverwritten(field, after: line.seq, in: run)
        }
        if part == .fieldEdit, try !isUndone(line.seq, in: view),
          let field = fields.first(where: { !isOverwritten($0, whereAnswered: false) }),
          try !isPulled([field], since: line.seq, before: run.firstRecord, in: view)
        {
          return line.damage("but \(field.rawValue) had no later value")
        }
        for field in fields where part == .fieldEdit {
          guard try !isUndone(line.seq, in: view),
            try isNotReplaced(field, of: line, in: run, of: runs, view)
          else { continue }
          return line.damage("before the backend had the later \(field.rawValue)")
        }
        let isPull = line.type == EventKind.profilePulled.rawValue
        if isPull, !fields.isEmpty,
          !fields.contains(where: { isOverwritten($0, whereAnswered: true) }),
          try !isPulled(fields, since: 0, before: run.firstRecord, in: view)
        {
          return line.damage("but none of its fields had a later value")
        }
      }
    }
    return nil
  }

  /// Whether a pull gave one of the fields a value: an erasure moves the answer to an edit behind a pull,
  /// which the fold then does not take.
  private func isPulled(
    _ fields: [ProfileField], since seq: Int, before end: Int, in view: LogView
  ) throws(LogError) -> Bool {
    var isPulled = false
    try view.forEachEvent { recorded, _ in
      if case .profilePulled(let data) = recorded.event.payload, recorded.seq.number > seq {
        isPulled = fields.contains { data.fields[$0.rawValue] != nil }
      }
      return !isPulled && recorded.seq.number < end
    }
    return isPulled
  }

  /// Whether the backend had an erased value when it was erased, and the later one was still to be sent.
  private func isNotReplaced(
    _ field: ProfileField, of line: Erasures.Line, in run: ErasureRun, of runs: [ErasureRun],
    _ view: LogView
  ) throws(LogError) -> Bool {
    let acknowledged = EventKind.syncAcknowledged.rawValue
    func isAcknowledged(_ seq: Int, upTo end: Int) throws(LogError) -> Bool {
      for number in mentions.mentions(of: [seq]) where number <= end {
        guard let seq = Seq(exactly: number) else { continue }
        if case .syncAcknowledged = try view.line(seq).event().event.payload { return true }
      }
      return false
    }
    guard let newest = history(field, before: run.firstRecord).max(), newest > line.seq,
      let seq = Seq(exactly: newest),
      ErasedPart(type: try view.line(seq).event().event.payload.type) == .fieldEdit
    else { return false }
    let hasErasedAnswer = run.taken.contains { other, _ in
      other.type == acknowledged && other.seq > line.seq
    }
    if !hasErasedAnswer, try !isAcknowledged(line.seq, upTo: run.firstRecord) { return false }
    if try isAcknowledged(newest, upTo: end(of: run, in: view)) { return false }
    // An answer that was erased since may have been that to the later value.
    return !runs.contains { other in
      other.lastRecord > run.lastRecord
        && other.taken.contains {
          $0.line.type == acknowledged && $0.line.seq > newest && $0.line.seq < run.firstRecord
        }
    }
  }

  /// The last event that was written with the records of an erasure: acknowledgements take the place of
  /// erased ones.
  private func end(of run: ErasureRun, in view: LogView) throws(LogError) -> Int {
    var end = run.lastRecord
    while let next = Seq(exactly: end + 1), next.number <= position.seq {
      switch try view.line(next).event().event.payload {
      case .eventErased, .syncAcknowledged, .progressDeleted, .sleepDeleted: end += 1
      default: return end
      }
    }
    return end
  }

  /// The events before a seq that gave a field a value which was in force then.
  private func history(_ field: ProfileField, before seq: Int) -> [Int] {
    profile.edits(setting: field).filter { edit in
      edit < seq && (edits.state(edit) != .undone || edits.marker(edit) ?? 0 > seq)
    }
  }

  private func isUndone(_ number: Int, in view: LogView) throws(LogError) -> Bool {
    for by in mentions.mentions(of: [number]) {
      guard let seq = Seq(exactly: by) else { continue }
      if case .editUndone = try view.line(seq).event().event.payload { return true }
    }
    return false
  }

  /// The first erased answer that can be of no call about the profile: each such call has one answer.
  /// Records without a subject may name answers to calls for entries, too.
  private func foreignAnswer(
    in runs: [ErasureRun], of view: LogView
  ) throws(LogError) -> Damage? {
    let acknowledged = EventKind.syncAcknowledged.rawValue
    let others = [EventKind.syncRejected.rawValue, EventKind.syncDiffered.rawValue]
    let answers = runs.filter { $0.entry == nil }.flatMap { run in
      run.taken.filter { line, _ in
        line.type == acknowledged || run.fields != nil && others.contains(line.type)
      }.map { (run: run, line: $0.line) }
    }.sorted { $0.line.seq < $1.line.seq }
    guard let last = answers.last else { return nil }
    var calls = ProfileCalls()
    var next = 0
    var damage: Damage?
    try view.forEachEvent { recorded, _ in
      while next < answers.count, answers[next].line.seq <= recorded.seq.number {
        // The answer to a registration, which has no call in the log, is about the date of birth.
        let fields = answers[next].run.fields
        let isOfRegistration =
          calls.hasSignedIn && fields?.contains(ProfileField.dateOfBirth.rawValue) ?? false
        next += 1
        if calls.open.count + (isOfRegistration ? 1 : 0) < next {
          damage = answers[next - 1].line.damage("but no call about the profile had this answer")
          return false
        }
      }
      calls.note(recorded.event.payload)
      return recorded.seq.number < last.line.seq
    }
    return damage
  }
}

/// The calls about the profile that no answer in the log names.
private struct ProfileCalls {
  private(set) var open: Set<CallID> = []
  private(set) var hasSignedIn = false
  /// Whether the events belong to an erasure: acknowledgements there take the place of erased ones.
  private var isInErasure = false

  mutating func note(_ payload: Event.Payload) {
    switch payload {
    case .eventErased: isInErasure = true
    case .syncAcknowledged where isInErasure: return
    default: isInErasure = false
    }
    switch payload {
    case .syncAttempted(let data):
      if data.path.hasPrefix("/api/v1/users/") { open.insert(data.call) }
    case .syncAcknowledged(let data): if let call = data.call { open.remove(call) }
    case .syncRejected(let data): open.remove(data.call)
    case .syncDeferred(let data): open.remove(data.call)
    case .syncDiffered(let data): if let call = data.call { open.remove(call) }
    case .accountSignedIn: hasSignedIn = true
    default: break
    }
  }
}

extension LogView {
  /// The first event left of an erased entry, found by folding the log; for readers that check
  /// everything else without a fold.
  package func remainder(of erasures: Erasures) throws(LogError) -> Damage? {
    guard !erasures.isEmpty else { return nil }
    return try Replay.run(self, Replay.Options(verifies: false)).state.erasureDamage(in: self)
  }
}
