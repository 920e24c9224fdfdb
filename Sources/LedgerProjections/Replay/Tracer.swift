package import LedgerJSON
package import LedgerLog
package import LedgerModel

/// What one event changed in the views.
package struct TraceStep: Sendable {
  package enum Change: Hashable, Sendable {
    /// `nil` before an entry is logged, and after that was undone.
    case entry(before: EntryView?, after: EntryView?)
    /// The same of a sleep session.
    case session(before: SleepView?, after: SleepView?)
    /// `nil` for a field that was never set; `null` for a cleared one.
    case field(ProfileField, before: JSONValue?, after: JSONValue?)
    case fieldStatus(ProfileField, before: FieldStatus?, after: FieldStatus?)
  }

  package var recorded: RecordedEvent
  package var changes: [Change]
}

extension Replay {
  /// Folds a log event by event on one thread and reports what each changes.
  ///
  /// - Parameter body: returns false to stop.
  /// - Throws: as ``run(_:_:)``; damage is in the outcome.
  package static func trace(
    _ view: LogView, _ options: Options = Options(), _ body: (TraceStep) -> Bool
  ) throws(LogError) -> Outcome {
    var tracer = Tracer()
    var continues = true
    var scan = EventScan(
      checks: options.verifies ? .chain : .form, until: options.until?.number ?? .max)
    do throws(LogError) {
      try LineWindows.forEachWhile(of: view.file, in: 0..<view.endBytes) {
        (window, offset) throws(LogError) in
        try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
          guard continues else { return }
          let recorded = try EventReader.event(envelope, in: window)
          tracer.erasures.note(envelope, recorded.event.payload, in: window, at: offset)
          continues = body(tracer.take(recorded))
        }
        return continues && !scan.isAtEnd
      }
    } catch {
      return try outcome(tracer.state(at: scan), error, view)
    }
    // The caller stopped early: the rest was not checked.
    guard continues else { return Outcome(state: tracer.state(at: scan), damage: nil) }
    return try outcome(tracer.state(at: scan), nil, view)
  }
}

/// Folds one event at a time and compares the views before and after.
private struct Tracer {
  private var state = LedgerState()
  private var rowsByID: [LedgerUUID: Int] = [:]
  var erasures = Erasures()

  func state(at scan: EventScan) -> LedgerState {
    var state = state
    state.erasureLog = erasures
    state.position = scan.position
    state.offsetBytes = scan.offsetBytes
    return state
  }

  mutating func take(_ recorded: RecordedEvent) -> TraceStep {
    let touched = recorded.event.payload.touched
    let rows = rows(touched)
    let hasFields = touched.hasFields || touched.edits.contains { isFieldEdit($0) }
    let entriesBefore = rows.map(entry)
    let sessions = sessions(touched)
    let sessionsBefore = sessions.map(session)
    let fieldsBefore = hasFields ? fields() : []
    fold(recorded)
    var changes: [TraceStep.Change] = []
    for (row, before) in zip(rows, entriesBefore) {
      let after = entry(row)
      if before != after { changes.append(.entry(before: before, after: after)) }
    }
    for (index, before) in zip(sessions, sessionsBefore) {
      let after = session(index)
      if before != after { changes.append(.session(before: before, after: after)) }
    }
    for (before, after) in zip(fieldsBefore, hasFields ? fields() : []) {
      if before.value != after.value {
        changes.append(.field(before.field, before: before.value, after: after.value))
      }
      if before.status != after.status {
        changes.append(.fieldStatus(before.field, before: before.status, after: after.status))
      }
    }
    return TraceStep(recorded: recorded, changes: changes)
  }

  private mutating func fold(_ recorded: RecordedEvent) {
    var batch = ColumnBatch(after: recorded.seq.number - 1)
    batch.add(recorded.event.payload, seq: recorded.seq.number, by: recorded.event.by)
    batch.lastSeq = recorded.seq.number
    batch.tally.firstAt = recorded.event.at
    batch.tally.lastAt = recorded.event.at
    if recorded.event.by == .sync { batch.tally.lastSyncAt = recorded.event.at }
    if let made = batch.rows.first { rowsByID[made.id] = state.rows.count }
    state.apply(&batch, rowsByID: rowsByID)
  }

  /// The rows whose entries an event may change, including the one it makes.
  private func rows(_ touched: Touched) -> [Int] {
    if touched.makesEntry { return [state.rows.count] }
    if touched.hasAllEntries { return Array(state.rows.indices) }
    var rows: [Int] = []
    if let entry = touched.conflict.flatMap({ state.conflict($0)?.entry }) {
      rows += state.row(of: entry).map { [$0] } ?? []
    }
    if let id = touched.entry, let row = rowsByID[id.uuid] { rows.append(row) }
    for seq in touched.edits {
      if let row = state.edits.row(seq.number), !rows.contains(row) { rows.append(row) }
    }
    return rows
  }

  private func entry(_ row: Int) -> EntryView? {
    guard row < state.rows.count, state.isMade(state.rows[row]) else { return nil }
    return state.entry(at: row)
  }

  /// The sessions that an event may change, including the one it makes.
  private func sessions(_ touched: Touched) -> [Int] {
    if touched.makesSession { return [state.sleep.count] }
    guard !state.sleep.isEmpty else { return [] }
    if touched.hasAllEntries { return state.sleep.indices.filter { state.sleep[$0].isSession } }
    let named = [touched.entry, touched.conflict.flatMap { state.conflict($0)?.entry }]
    let byID = named.compactMap { $0.flatMap(state.session(of:)) }
    return Set(byID + touched.edits.compactMap { state.session(ofEdit: $0.number) }).sorted()
  }

  private func session(_ index: Int) -> SleepView? {
    guard index < state.sleep.count, state.isMade(session: index) else { return nil }
    return state.session(at: index)
  }

  private func isFieldEdit(_ seq: Seq) -> Bool {
    state.edits.state(seq.number) != .none && state.edits.row(seq.number) == nil
      && state.session(ofEdit: seq.number) == nil
  }

  private func fields() -> [(field: ProfileField, value: JSONValue?, status: FieldStatus?)] {
    ProfileField.allCases.map { field in
      (field, state.profile.current(field, state.edits)?.value, state.fieldStatus(field))
    }
  }
}

/// What an event can change in the views.
private struct Touched {
  var entry: EntryID?
  var makesEntry = false
  var makesSession = false
  var edits: [Seq] = []
  /// The resolved conflict.
  var conflict: Seq?
  var hasFields = false
  var hasAllEntries = false
}

extension Event.Payload {
  fileprivate var touched: Touched {
    switch self {
    case .progressLogged, .progressPulled: Touched(makesEntry: true)
    case .progressCorrected(let data): Touched(entry: data.entry)
    case .progressDeleted(let data): Touched(entry: data.entry)
    case .sleepLogged, .sleepPulled: Touched(makesSession: true)
    case .sleepCorrected(let data): Touched(entry: data.entry)
    case .sleepDeleted(let data): Touched(entry: data.entry)
    case .syncAttempted(let data): Touched(edits: data.events)
    case .syncDeferred(let data): Touched(edits: data.events)
    case .syncAcknowledged(let data): Touched(edits: data.events)
    case .syncRejected(let data): Touched(edits: data.events)
    case .syncHeld(let data): Touched(edits: data.events)
    case .syncDiffered(let data): Touched(edits: data.events)
    case .editUndone(let data): Touched(edits: [data.event])
    case .profileUpdated, .physicalUpdated, .preferencesUpdated, .profilePulled,
      .conflictDetected:
      Touched(hasFields: true)
    case .conflictResolved(let data): Touched(conflict: data.conflict, hasFields: true)
    case .accountReplaced: Touched(hasFields: true, hasAllEntries: true)
    case .ledgerCreated, .goalSet, .goalRemoved, .rowSkipped, .duplicateSuspected,
      .duplicateResolved, .accountSignedIn,
      .accountSignedOut, .eventErased, .logRepaired, .unknown, .erased:
      Touched()
    }
  }
}
