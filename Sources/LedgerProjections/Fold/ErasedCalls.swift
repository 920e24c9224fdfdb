import LedgerLog
import LedgerModel

/// What the calls and answers that are left in a log say about an erased entry: `erase` refuses one whose
/// answer is unknown, takes every answer that repeats its values, keeps the ids of its rows and deletes
/// these (docs/log-format.md, Erasing).
///
/// Where the log does not tell, nothing is reported.
struct ErasedCalls {
  private struct Call {
    var id: CallID
    var seq: Int
    var isAnswered = false
  }

  private let run: ErasureRun
  private let entry: EntryID
  private let replacedAt: Int
  private let firstRecord: Int
  private var calls: [Call] = []
  /// Edits whose last call had no answer when the entry was erased; one that was acknowledged is in
  /// doubt no more.
  private var doubts: Set<Int> = []
  private var acknowledged: Set<Int> = []
  /// Erased answers that are yet to come.
  private var comingAnswers: ArraySlice<Int>
  /// The rows bound to the entry, by the event that says so.
  private var rows: [BackendID: Int] = [:]
  private var deletedRows: Set<BackendID> = []
  /// Whether an answer to an erased event names its row.
  private var bound: Set<Int> = []
  /// The first answer left that repeats values.
  private var repeatedBy: Int?

  /// - Parameters:
  ///   - naming: the events that name an event of the entry, in the order of the log.
  ///   - replacedAt: the last `account.replaced`; calls and rows before it are of no account.
  /// - Returns: `nil` for the run of something else than an entry.
  init?(_ run: ErasureRun, naming events: [RecordedEvent], replacedAt: Int) {
    guard let entry = run.entry else { return nil }
    (self.run, self.entry, self.replacedAt) = (run, entry, replacedAt)
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
      guard seq < firstRecord, seq > replacedAt else { return }
      doubts.formUnion(data.events.map(\.number).filter { !acknowledged.contains($0) })
    case .syncAcknowledged(let data):
      if seq > replacedAt { acknowledged.formUnion(data.events.map(\.number)) }
      answer(data.call, data.events, seq)
      guard data.entry == entry, let row = data.backendID else { return }
      if data.isOfDeletion { deletedRows.insert(row) } else { rows[row] = seq }
      bound.formUnion(data.events.map(\.number))
    case .syncDeferred(let data): answer(data.call, data.events, seq)
    case .syncHeld(let data): answer(nil, data.events, seq)
    case .syncRejected(let data):
      answer(data.call, data.events, seq)
      if seq < firstRecord { repeatedBy = repeatedBy ?? seq }
    case .syncDiffered(let data):
      answer(data.call, data.events, seq)
      if seq < firstRecord, data.entry == entry { repeatedBy = repeatedBy ?? seq }
    case .editUndone(let data): answer(nil, [data.event], seq)
    default: break
    }
  }

  private mutating func answer(_ call: CallID?, _ events: [Seq], _ seq: Int) {
    if seq < firstRecord { doubts.subtract(events.map(\.number)) }
    guard let call, let place = calls.firstIndex(where: { $0.id == call }) else { return }
    calls[place].isAnswered = true
  }

  /// - Parameter isDeleted: whether the log has a deletion of the entry.
  func damage(isDeleted: Bool) -> Damage? {
    guard let first = run.taken.first?.line else { return nil }
    if let repeatedBy {
      return first.damage("but event \(repeatedBy), which repeats what it had, is not")
    }
    if let damage = foreignAnswer { return damage }
    if !doubts.isEmpty { return first.damage("while the answer to a call for it was unknown") }
    let isDeleted = isDeleted || run.taken.contains { $0.part == .deletion }
    guard !isDeleted else { return nil }
    let pulled = run.taken.first { line, part in
      part == .logging && line.type.hasSuffix(".pulled") && !bound.contains(line.seq)
        && line.seq > replacedAt
    }
    if let pulled { return pulled.line.damage("but no event keeps the id of its row") }
    let isLeft = rows.contains { $0.value > replacedAt && !deletedRows.contains($0.key) }
    return isLeft ? first.damage("but the deletion of its row is not on record") : nil
  }

  /// The first erased answer that is of no call for the entry; a listing makes a `sync.differed` of a
  /// bound entry without one.
  private var foreignAnswer: Damage? {
    let isBound =
      !rows.isEmpty || !bound.isEmpty || run.taken.contains { $0.line.type.hasSuffix(".pulled") }
    let answers = Self.erasedAnswers(run).filter {
      !isBound || $0.type == EventKind.syncRejected.rawValue
    }.sorted { $0.seq < $1.seq }
    for (count, line) in answers.enumerated()
    where calls.count(where: { !$0.isAnswered && $0.seq < line.seq }) <= count {
      return line.damage("but no call for the entry had this answer")
    }
    return nil
  }
}

extension LedgerState {
  /// The first violation of an entry's erasure that calls and answers show.
  func callDamage(in runs: [ErasureRun], of view: LogView) throws(LogError) -> Damage? {
    let entries = Set(runs.compactMap(\.entry))
    let deletions = entries.isEmpty ? [:] : deletions(of: entries)
    let replacedAt = bindings.replacedAt
    for run in runs {
      guard let entry = run.entry else { continue }
      var events: [RecordedEvent] = []
      // A deletion without a reason keeps its content, and a call for it may have been refused.
      let edits = Set(run.taken.map(\.line.seq) + deletions[entry, default: []])
      for number in mentions.mentions(of: edits).sorted() {
        guard let seq = Seq(exactly: number) else { continue }
        events.append(try view.line(seq).event())
      }
      let calls = ErasedCalls(run, naming: events, replacedAt: replacedAt)
      if let damage = calls?.damage(isDeleted: deletions[entry] != nil) { return damage }
    }
    return try strayConflict(in: runs, of: view)
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

  /// The first erased conflict right after an answer that differed and is about something else.
  private func strayConflict(
    in runs: [ErasureRun], of view: LogView
  ) throws(LogError) -> Damage? {
    let detected = EventKind.conflictDetected.rawValue
    for run in runs where run.entry != nil || run.fields != nil {
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
