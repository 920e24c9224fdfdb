import LedgerLog
import LedgerModel

/// The events of a range of the log as columns in the order of seq. Ranges are parsed concurrently
/// and joined by ``LedgerState/apply(_:)``.
struct ColumnBatch: Sendable {
  var rows: [EntryRow] = []
  var changes: [EntryChange] = []
  var sleep: [SleepRecord] = []
  var marks: [Mark] = []
  var profile = ProfileEdits()
  /// Rare events: accounts, conflicts, answers with extra content.
  var others: [RareEvent] = []
  var edits: BatchEdits
  var erasures: Erasures
  var tally = Tally()
  var lastSeq: Int

  /// - Parameter seq: the seq of the event before the range; 0 for none.
  init(after seq: Int) {
    lastSeq = seq
    edits = BatchEdits(after: seq)
    erasures = Erasures(after: seq)
  }

  /// Empties the batch for a range after another event; keeps the capacity.
  mutating func restart(after seq: Int) {
    rows.removeAll(keepingCapacity: true)
    changes.removeAll(keepingCapacity: true)
    sleep.removeAll(keepingCapacity: true)
    marks.removeAll(keepingCapacity: true)
    profile.removeAll()
    others.removeAll(keepingCapacity: true)
    edits.restart(after: seq)
    erasures = Erasures(after: seq)
    tally = Tally()
    lastSeq = seq
  }

  /// Reserves capacity for a multiple of another batch.
  mutating func reserve(like other: ColumnBatch, times: Double) {
    // The last window reserves for lines that are all short.
    let spareRows = LineWindows.bufferBytes / BatchReader.shortLineBytes
    rows.reserveLarge(Int(Double(other.rows.count) * times * 1.02) + spareRows)
    edits.reserve(Int(Double(other.edits.cells.count) * times * 1.02) + 256)
    // Estimates for rarer events are less exact.
    func room(_ count: Int) -> Int { Int(Double(count) * times * 1.25) + 256 }
    changes.reserveLarge(room(other.changes.count))
    marks.reserveLarge(room(other.marks.count))
    others.reserveLarge(room(other.others.count))
  }

  /// Appends the batch of the next range.
  mutating func take(_ later: inout ColumnBatch) {
    later.beginEdits()
    edits.take(&later.edits, rowsBefore: rows.count)
    rows.append(contentsOf: later.rows)
    changes.append(contentsOf: later.changes)
    sleep.append(contentsOf: later.sleep)
    marks.append(contentsOf: later.marks)
    profile.take(&later.profile)
    erasures.append(later.erasures)
    others.append(contentsOf: later.others)
    tally.add(later.tally)
    lastSeq = later.lastSeq
  }

  mutating func beginEdits() { edits.begin(rows, upTo: lastSeq) }

  /// Adds any event, as the reference reader decoded it.
  mutating func add(_ payload: Event.Payload, seq: Int, by actor: Event.Actor) {
    tally.count(payload)
    switch payload {
    case .progressLogged(let data):
      rows.append(
        EntryRow(
          data.entry, data.metric, data.quantity, data.date, data.moment,
          hasNotes: data.notes != nil, isPulled: false, seq: seq))
    case .progressPulled(let data):
      rows.append(
        EntryRow(
          data.entry, data.metric, data.quantity, data.date, data.moment,
          hasNotes: data.notes != nil, isPulled: true, seq: seq))
    case .progressCorrected(let data):
      changes.append(EntryChange(data, seq: seq, bySync: actor == .sync))
      // Its binding is applied in log order with those of answers.
      if actor == .sync, data.backendID != nil { others.append(RareEvent(payload, seq: seq)) }
    case .progressDeleted(let data):
      changes.append(EntryChange(data, seq: seq, bySync: actor == .sync))
    case .sleepLogged(let data): sleep.append(SleepRecord(data, seq: seq))
    case .sleepPulled(let data): sleep.append(SleepRecord(data, seq: seq))
    case .sleepCorrected(let data):
      sleep.append(SleepRecord(data, seq: seq, bySync: actor == .sync))
    case .sleepDeleted(let data):
      sleep.append(SleepRecord(data, seq: seq, bySync: actor == .sync))
    case .syncAttempted(let data): mark(data.events, .inDoubt, by: seq)
    case .syncDeferred(let data):
      mark(data.events, .pending, by: seq)
      if data.notBefore != nil { others.append(RareEvent(payload, seq: seq)) }
    case .syncRejected(let data): mark(data.events, .rejected, by: seq)
    case .syncHeld(let data): mark(data.events, .held, by: seq)
    case .editUndone(let data): mark([data.event], .undone, by: seq)
    case .syncAcknowledged(let data):
      // An answer to a DELETE binds nothing.
      let binds = data.backendID != nil && !data.isOfDeletion
      mark(data.events, .acknowledged, by: seq, binds: binds)
      if data.remote != nil || data.isOfDeletion || data.events.isEmpty || data.isOfErasedRow {
        others.append(RareEvent(payload, seq: seq))
      }
    case .syncDiffered(let data):
      mark(data.events, .differed, by: seq, binds: data.backendID != nil)
      others.append(RareEvent(payload, seq: seq))
    case .profileUpdated(let data): profile.add(data.data, of: .profile, seq: seq)
    case .physicalUpdated(let data): profile.add(data.data, of: .physical, seq: seq)
    case .preferencesUpdated(let data): profile.add(data.data, of: .preferences, seq: seq)
    case .profilePulled, .conflictDetected, .conflictResolved, .duplicateSuspected,
      .duplicateResolved, .accountSignedIn, .accountSignedOut, .accountReplaced, .eventErased,
      .ledgerCreated, .goalSet, .goalRemoved:
      others.append(RareEvent(payload, seq: seq))
    case .rowSkipped, .logRepaired, .unknown, .erased: break
    }
  }

  private mutating func mark(
    _ events: [Seq], _ state: EditState, by seq: Int, binds: Bool = false
  ) {
    for event in events {
      marks.append(
        Mark(
          target: UInt32(clamping: event.number), by: UInt32(seq), state: state, binds: binds))
    }
  }
}

extension SyncAcknowledged {
  /// Whether it answers a DELETE: 204, or 404 for a row that no longer existed (docs/api).
  package var isOfDeletion: Bool { status == 204 || status == 404 }

  /// Whether it keeps the row that an erased event had bound (docs/erasure.md).
  var isOfErasedRow: Bool { via == .elided && backendID != nil }
}

extension EntryChange {
  init(_ data: ProgressCorrected, seq: Int, bySync: Bool) {
    self.init(id: data.entry.uuid, seq: seq)
    if bySync { flags = Self.bySync }
    if let quantity = data.quantity { self.quantity = quantity }
    if let date = data.date { day = date.daysSince1970 }
    if let moment = data.moment {
      time = moment.time.secondsSinceMidnight
      zone = moment.zone.minutes
    }
    switch data.notes {
    case nil: break
    case .set: flags |= Self.setsNotes
    case .clear: flags |= Self.clearsNotes
    }
  }

  init(_ data: ProgressDeleted, seq: Int, bySync: Bool) {
    self.init(id: data.entry.uuid, seq: seq)
    flags = Self.deletes | (bySync ? Self.bySync : 0)
  }
}

/// The result of a call for one edit.
struct Mark: Sendable {
  var target: UInt32
  var by: UInt32
  var state: EditState
  /// Whether the answer binds the backend's id to the entry.
  var binds: Bool
}

/// A rare event, as far as the fold needs it.
struct RareEvent: Hashable, Sendable {
  var seq: Int
  var payload: Event.Payload

  init(_ payload: Event.Payload, seq: Int) {
    self.seq = seq
    // The fold ignores the reason.
    if case .accountSignedOut = payload {
      self.payload = .accountSignedOut(AccountSignedOut())
    } else {
      self.payload = payload
    }
  }
}

/// The edits of a batch by seq, in their first state. Begun window by window, while the rows are
/// still in the cache.
struct BatchEdits: Sendable {
  /// The seq of the first cell. A log's first batch has a cell for seq 0, which no event has.
  private(set) var firstSeq: Int
  /// One cell for each event; only edits that made a row have a state.
  private(set) var cells: [EditCell] = []
  private var begunRows = 0

  init(after seq: Int) { firstSeq = seq == 0 ? 0 : seq + 1 }

  /// Begins the edits that were read since the last call.
  ///
  /// - Parameter rows: all rows of the batch.
  mutating func begin(_ rows: [EntryRow], upTo lastSeq: Int) {
    let missing = lastSeq + 1 - firstSeq - cells.count
    guard missing > 0 else { return }
    cells.append(contentsOf: repeatElement(EditCell(), count: missing))
    let (first, begun) = (firstSeq, begunRows)
    cells.withUnsafeMutableBufferPointer { cells in
      for place in begun..<rows.count {
        let cell = Int(rows[place].seq) &- first
        precondition(cell >= 0 && cell < cells.count, "rows are of the batch")
        let state: EditState = rows[place].isPulled ? .acknowledged : .pending
        cells[cell] = EditCell(row: UInt32(truncatingIfNeeded: place &+ 1), state)
      }
    }
    begunRows = rows.count
  }

  /// Appends the edits of the next range.
  ///
  /// - Parameter rowsBefore: the number of rows before those of the next range.
  mutating func take(_ later: inout BatchEdits, rowsBefore: Int) {
    later.shiftRows(by: rowsBefore)
    cells.append(contentsOf: later.cells)
    begunRows = rowsBefore + later.begunRows
    later.cells.removeAll(keepingCapacity: true)
  }

  /// Moves the cells out; their row indices count from the state's first row.
  mutating func takeCells(rowsBefore: Int) -> [EditCell] {
    shiftRows(by: rowsBefore)
    defer { cells = [] }
    return cells
  }

  private mutating func shiftRows(by count: Int) {
    guard count > 0 else { return }
    cells.withUnsafeMutableBufferPointer { cells in
      for place in cells.indices where cells[place].row > 0 { cells[place].row += UInt32(count) }
    }
  }

  mutating func restart(after seq: Int) {
    firstSeq = seq == 0 ? 0 : seq + 1
    cells.removeAll(keepingCapacity: true)
    begunRows = 0
  }

  mutating func reserve(_ count: Int) { cells.reserveLarge(count) }
}
