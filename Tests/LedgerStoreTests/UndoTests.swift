import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerTestSupport
import Testing

@testable import LedgerStore

/// What undoing comes to, edit by edit, from every state that an edit can be in.
@Suite struct UndoTests {
  private let folder: TemporaryFolder
  private let ledger: LedgerStore

  init() throws {
    folder = try TemporaryFolder()
    var random = SplitMix(3)
    _ = try EventLog.create(folder.ledger, device: "test", at: Self.at, using: &random)
    ledger = LedgerStore(folder.ledger)
  }

  private static let at = HandWrittenLog.at(1)
  private static let today = CalendarDate(year: 2026, month: 1, day: 2)!

  @discardableResult
  private func add(_ payload: Event.Payload, by: Event.Actor = .user) throws -> Seq {
    var random = SplitMix()
    let event = Event(id: .make(at: Self.at, using: &random), at: Self.at, by: by, payload: payload)
    return try #require(ledger.log.append([event], using: &random).events.first).seq
  }

  private func acknowledge(_ seqs: Seq..., row: String? = nil) throws {
    let call = CallID(LedgerUUID(high: 0x7000, low: 2 << 62))
    try add(
      .syncAcknowledged(
        SyncAcknowledged(
          call: call, events: seqs, status: 201, via: .response, entry: row.map { _ in entry },
          backendID: row.flatMap { BackendID($0) })), by: .sync)
  }

  @discardableResult
  private func undo(_ seq: Seq? = nil) throws -> Undoing {
    let (moment, generator) = try nextWrite()
    var random = generator
    return try ledger.undo(seq, at: moment, today: Self.today, using: &random).undoing
  }

  private let entry = EntryID(LedgerUUID(high: 5 << 16 | 0x7000, low: 2 << 62))

  @discardableResult
  private func log(moment: ZonedTime? = nil, notes: String? = nil) throws -> Seq {
    try add(
      .progressLogged(
        ProgressLogged(
          entry: entry, metric: .weight, quantity: 75, date: Self.today, moment: moment,
          notes: notes)))
  }

  private func shown() throws -> EntryView? {
    let state = try ledger.state()
    return state.row(of: entry).map { state.entry(at: $0) }
  }

  @Test("What undoes an event is found, whether it was logged before or while the lock was awaited")
  func undoersInParts() throws {
    let logged = try log()
    let early = try ledger.view()
    let found = try LoggedUndoers(in: early, since: logged)
    #expect(found.byEvent.isEmpty)
    let undoing = try add(.editUndone(EditUndone(event: logged)))
    let other = try add(.editUndone(EditUndone(event: undoing)))
    let whole = [logged: [undoing], undoing: [other]]
    #expect(try found.upToDate(in: ledger.view()).byEvent == whole)
    #expect(try LoggedUndoers(in: ledger.view(), since: logged).byEvent == whole)
    #expect(try LoggedUndoers(in: ledger.view(), since: undoing).byEvent == [undoing: [other]])
  }

  @Test("Undoing a correction restores the values before it")
  func aCorrectionGoesBackToTheValuesBefore() throws {
    try acknowledge(try log(notes: "old"), row: "r1")
    try acknowledge(try add(.progressCorrected(.init(entry: entry, quantity: 76))), row: "r2")
    let edit = try add(
      .progressCorrected(
        .init(
          entry: entry, quantity: 77, date: CalendarDate(year: 2026, month: 1, day: 1),
          notes: .set("new"))))
    try acknowledge(edit, row: "r3")
    #expect(try undo(edit).way == .compensated)
    let shown = try shown()
    let now = try #require(shown)
    #expect(now.quantity == 76 && now.date == Self.today)
    let notes = try #require(now.notesIn)
    guard
      case .progressCorrected(let data) = try LogView.open(folder.ledger).line(notes).event().event
        .payload
    else { return #expect(Bool(false), "no correction") }
    #expect(data.notes == .set("old"))
    // The same correction, taken back: its values once more.
    let compensation = Seq(try ledger.state().position.seq)
    #expect(throws: UndoRefusal.isUndone(edit, by: compensation)) { try undo(edit) }
    #expect(try undo(compensation).way == .cancelled)
    #expect(try self.shown()?.quantity == 77)
  }

  @Test("Redoing what was undone restores every value", arguments: 1...40)
  func redoRestores(seed: Int) throws {
    var random = SplitMix(UInt64(seed))
    let logging = try log(notes: "0")
    if Bool.random(using: &random) { try acknowledge(logging, row: "r0") }
    var edits: [Seq] = []
    for number in 1...6 {
      let isOfEntry = Int.random(in: 0..<3, using: &random) > 0
      let edit =
        isOfEntry
        ? try add(
          .progressCorrected(
            .init(
              entry: entry, quantity: Bool.random(using: &random) ? 75 + Double(number) : nil,
              notes: .set("\(number)"))))
        : try add(.profileUpdated(ProfileUpdated(name: "name \(number)")))
      edits.append(edit)
      if Int.random(in: 0..<4, using: &random) == 0 {
        try acknowledge(edit, row: isOfEntry ? "r\(number)" : nil)
      }
    }
    let before = try values()
    var undone = 0
    for edit in edits.shuffled(using: &random).prefix(4) {
      do {
        _ = try undo(edit)
        undone += 1
      } catch is UndoRefusal {}
    }
    for _ in 0..<undone {
      do { try redo() } catch is UndoRefusal { break }
    }
    let after = try values()
    #expect(after == before, "seed \(seed): \(after), not \(before)")
  }

  /// The quantity and the notes of the entry, and the name.
  private func values() throws -> [String?] {
    let state = try ledger.state()
    let shown = try shown()
    let entry = try #require(shown)
    let notes = try entry.notesIn.map {
      try ledger.view().line($0).event().event.payload.entryNotes
    }
    return ["\(entry.quantity)", notes ?? nil, state.profileView().name]
  }

  @Test("The last edit is found where undoing it logs an entry again")
  func lastEditIsADeletion() throws {
    try acknowledge(try log(), row: "r1")
    let deletion = try add(.progressDeleted(ProgressDeleted(entry: entry)))
    try acknowledge(deletion)
    #expect(try ledger.undoableEdit(lastBut: 0) == deletion)
  }

  @Test("A field that was corrected again keeps its newer value")
  func whatWasCorrectedAgainStays() throws {
    try acknowledge(try log(), row: "r1")
    let edit = try add(.progressCorrected(.init(entry: entry, quantity: 77, notes: .set("n"))))
    try acknowledge(edit, row: "r2")
    let later = try add(.progressCorrected(.init(entry: entry, quantity: 78)))
    let undoing = try undo(edit)
    #expect(undoing.remarks == ["the quantity stays as it is, event \(later) has changed it since"])
    #expect(try shown()?.quantity == 78 && shown()?.notesIn == nil)
    guard case .progressCorrected(let back) = undoing.payload else { return #expect(Bool(false)) }
    #expect(back.quantity == nil && back.notes == .clear)
  }

  @Test("A correction that added a time cannot be undone")
  func aTimeCannotBeTakenAway() throws {
    try acknowledge(try log(), row: "r1")
    let noon = ZonedTime(time: ClockTime(hour: 12, minute: 0)!, zone: .utc)
    let edit = try add(.progressCorrected(.init(entry: entry, moment: noon)))
    try acknowledge(edit, row: "r2")
    let before = try ledger.state().position
    #expect(throws: UndoRefusal.self) { try undo(edit) }
    #expect(try ledger.state().position == before)
  }

  @Test("Undone profile fields get their former value, or are emptied where they had none")
  func fieldsGoBackAndThoseThatWereAbsentAreEmptied() throws {
    try acknowledge(try add(.profileUpdated(ProfileUpdated(name: "Zoe"))))
    let second = try add(.profileUpdated(ProfileUpdated(name: "Ada")))
    try acknowledge(second)
    let edit = try add(
      .profileUpdated(
        ProfileUpdated(data: ["name": "Bea", "bio": "b", "preferred_unit_system": "metric"])))
    let lists = try add(.preferencesUpdated(PreferencesUpdated(data: ["allergies": ["nuts"]])))
    try acknowledge(edit, lists)
    #expect(try undo().target == lists)
    let undoing = try undo()
    #expect(undoing.target == edit)
    #expect(
      undoing.remarks == [
        "preferred_unit_system stays: it had no value before, and cannot be emptied"
      ])
    let data = undoing.payload.data
    #expect(
      data["name"] == "Ada" && data["bio"] == .null && data["undoes"] == JSONValue(edit.number))
    let state = try ledger.state()
    #expect(state.profile.current(.allergies, state.edits)?.value == .array([]))
    // Both are passed over now, with the edits that took them back.
    #expect(try undo().target == second)
    #expect(try ledger.state().profileView().name == "Zoe")
  }

  @Test("A profile field that was set again keeps its newer value")
  func onlyWhatNothingHasSetSinceGoesBack() throws {
    let edit = try add(.profileUpdated(ProfileUpdated(data: ["name": "Bea", "bio": "b"])))
    let later = try add(.profileUpdated(ProfileUpdated(name: "Cleo")))
    try acknowledge(edit, later)
    #expect(try undo(edit).remarks == ["name stays as it is, event \(later) has set it since"])
    let state = try ledger.state()
    #expect(state.profile.current(.name, state.edits)?.value == "Cleo")
    #expect(state.profile.current(.bio, state.edits)?.value == .null)
  }

  @Test("A cancelled edit names what later edits have set since")
  func cancelledEditThatIsCovered() throws {
    let name = try add(.profileUpdated(ProfileUpdated(data: ["name": "Bea", "bio": "b"])))
    let laterName = try add(.profileUpdated(ProfileUpdated(name: "Cleo")))
    try log()
    let correction = try add(
      .progressCorrected(.init(entry: entry, quantity: 77, notes: .set("n"))))
    let laterCorrection = try add(.progressCorrected(.init(entry: entry, quantity: 78)))
    #expect(try undo(name).remarks == ["name stays as it is, event \(laterName) has set it since"])
    #expect(
      try undo(correction).remarks == [
        "the quantity stays as it is, event \(laterCorrection) has changed it since"
      ])
    #expect(try undo(laterCorrection).remarks == [])
    #expect(try undo(laterName).remarks == [])
    #expect(try shown()?.quantity == 75 && ledger.state().profileView().name == nil)
  }

  @Test("A cancelled correction of a session names what later ones have changed since")
  func cancelledSessionCorrectionThatIsCovered() throws {
    func time(_ text: String) throws -> ZonedTimestamp { try #require(ZonedTimestamp(text)) }
    let (start, end) = (try time("2026-01-02T01:00:00Z"), try time("2026-01-02T07:00:00Z"))
    try add(.sleepLogged(SleepLogged(entry: entry, start: start, end: end)))
    let first = try add(
      .sleepCorrected(.init(entry: entry, end: try time("2026-01-02T06:00:00Z"))))
    let second = try add(
      .sleepCorrected(.init(entry: entry, end: try time("2026-01-02T06:30:00Z"))))
    #expect(
      try undo(first).remarks == ["the end stays as it is, event \(second) has changed it since"])
    #expect(try undo(second).remarks == [])
    let third = try add(
      .sleepCorrected(.init(entry: entry, end: try time("2026-01-02T06:45:00Z"))))
    try undo(third)
    #expect(throws: UndoRefusal.self) { try undo(first) }
  }

  /// A running sync may be sending it.
  @Test("An edit in an open conflict is not undone, nor an earlier one instead")
  func inConflict() throws {
    try acknowledge(try log(), row: "r1")
    let edit = try add(.progressCorrected(ProgressCorrected(entry: entry, quantity: 76)))
    let conflict = try add(
      .conflictDetected(
        ConflictDetected(
          subject: entry.description, field: "quantity", local: 76, remote: 77, decision: .open,
          backendID: BackendID("r2"))), by: .sync)
    let refusal = UndoRefusal.isInConflict(edit, conflict: conflict)
    #expect(throws: refusal) { try undo(edit) }
    #expect(throws: refusal) { try undo() }
    #expect(try ledger.undoableEdit(lastBut: 0) == edit)
    let later = try add(.progressCorrected(ProgressCorrected(entry: entry, quantity: 80)))
    #expect(try undo(later).way == .cancelled, "made since, it leaves the value in conflict")
  }

  @Test("A deletion that lost to a correction elsewhere is not undone while the correction is here")
  func correctedElsewhere() throws {
    try acknowledge(try log(), row: "r1")
    let deletion = try add(.progressDeleted(ProgressDeleted(entry: entry)))
    let row = try #require(BackendID("r2"))
    try add(
      .conflictDetected(
        ConflictDetected(
          subject: entry.description, field: "entry", local: "deleted", remote: "corrected",
          decision: .remote, backendID: row)), by: .sync)
    let other = EntryID(LedgerUUID(high: 6 << 16 | 0x7000, low: 2 << 62))
    let pulled = try add(
      .progressPulled(
        ProgressPulled(
          entry: other, backendID: row, metric: .weight, quantity: 76, date: Self.today)), by: .sync
    )
    let refusal = UndoRefusal.isCorrectedElsewhere(deletion, kept: pulled)
    #expect(throws: refusal) { try undo(deletion) }
    try acknowledge(deletion)
    #expect(throws: refusal) { try undo(deletion) }
    #expect(throws: refusal) { try undo() }
    #expect(try ledger.undoableEdit(lastBut: 0) == deletion)
    let second = try add(.progressDeleted(ProgressDeleted(entry: other)))
    #expect(try undo(second).way == .cancelled)
    #expect(throws: refusal) { try undo(deletion) }
    try add(.progressDeleted(ProgressDeleted(entry: other)))
    #expect(try undo(deletion).way == .compensated)
  }

  @Test("The edit before the last one is that, also if it cannot be undone any more")
  func editBeforeTheLast() throws {
    try log()
    let correction = try add(.progressCorrected(ProgressCorrected(entry: entry, quantity: 76)))
    let deletion = try add(.progressDeleted(ProgressDeleted(entry: entry)))
    #expect(try ledger.undoableEdit(lastBut: 0) == deletion)
    #expect(try ledger.undoableEdit(lastBut: 1) == correction)
    #expect(throws: UndoRefusal.entryIsDeleted(correction, by: deletion)) { try undo(correction) }
  }

  @Test("During a sync an undo counts the edit as sent, and compensates it")
  func duringASyncNothingIsCancelled() throws {
    let seq = try log()
    let lock = try FileLock(folder.ledger.syncLock, .exclusive, waitSeconds: 0)
    #expect(try undo(seq).way == .compensatedInDoubt)
    withExtendedLifetime(lock) {}
    #expect(try shown()?.isDeleted == true)
    let state = try ledger.state()
    #expect(state.edits.state(seq.number) == .pending)
  }

  @Test("An edit that was sent and deferred may have arrived: undoing it records another edit")
  func deferredEdit() throws {
    let seq = try add(.physicalUpdated(PhysicalUpdated(heightCM: 165)))
    try answer(seq, acknowledged: true)
    let later = try add(.physicalUpdated(PhysicalUpdated(heightCM: 170)))
    try answer(later, acknowledged: false)
    #expect(try ledger.state().edits.state(later.number) == .pending)
    #expect(try undo(later).way == .compensatedInDoubt)
    let profile = try ledger.state().profileView()
    #expect(profile.physical["height_cm"] == 165)
  }

  @Test("An undo of a field that the backend has is itself undone by setting the field again")
  func redoneField() throws {
    for (number, height) in [165.0, 170].enumerated() {
      let edit = try add(.physicalUpdated(PhysicalUpdated(heightCM: height)))
      try answer(edit, acknowledged: true)
      if number == 1 { #expect(try undo(edit).way == .compensated) }
    }
    let undoing = Seq(try ledger.state().position.seq)
    try answer(undoing, acknowledged: true)
    #expect(try ledger.state().profileView().physical["height_cm"] == 165)
    #expect(try undo(undoing).way == .compensated)
    #expect(try ledger.state().profileView().physical["height_cm"] == 170)
  }

  /// A call for an edit, and its answer or that it was lost.
  private func answer(_ edit: Seq, acknowledged: Bool) throws {
    let call = CallID(LedgerUUID(high: 0x7000, low: 2 << 62 | UInt64(edit.number)))
    try add(
      .syncAttempted(
        SyncAttempted(
          call: call, method: "PATCH", path: "/api/v1/users/me/physical", events: [edit],
          fingerprint: "0", attempt: 1)), by: .sync)
    let answer: Event.Payload =
      acknowledged
      ? .syncAcknowledged(SyncAcknowledged(call: call, events: [edit], status: 200, via: .response))
      : .syncDeferred(SyncDeferred(call: call, events: [edit], reason: .offline))
    try add(answer, by: .sync)
  }

  @Test("Undoing a rejected edit cancels it")
  func aRefusedEditIsCancelled() throws {
    let seq = try log()
    try add(
      .syncRejected(
        SyncRejected(
          call: CallID(LedgerUUID(high: 0x7000, low: 2 << 62)), events: [seq], status: 422,
          message: "no")), by: .sync)
    #expect(try undo().way == .cancelled)
    #expect(try ledger.state().syncCounts() == SyncCounts())
  }

  @Test("Events that no person recorded cannot be undone")
  func whatSyncRecordedIsNoEdit() throws {
    let pulled = try add(
      .progressPulled(
        ProgressPulled(
          entry: entry, backendID: BackendID("r")!, metric: .weight, quantity: 75,
          date: Self.today)), by: .sync)
    for seq in [Seq(1), pulled] {
      #expect(throws: UndoRefusal.self) { try undo(seq) }
    }
    #expect(throws: UndoRefusal.nothingToUndo) { try undo() }
  }

  @Test("Undoing a deletion that was taken from the backend logs the entry again")
  func deletionBySync() throws {
    try add(
      .progressPulled(
        ProgressPulled(
          entry: entry, backendID: BackendID("r")!, metric: .weight, quantity: 75,
          date: Self.today)), by: .sync)
    let deleted = try add(.progressDeleted(ProgressDeleted(entry: entry)), by: .sync)
    _ = try undo(deleted)
    let live = try ledger.state().progress(ProgressQuery()).entries
    #expect(live.map(\.quantity) == [75] && live[0].status == .pending)
    // It is not what an undo without a number takes back.
    #expect(live[0].id != entry)
  }

  @Test("Repeated undo goes back edit by edit, to the first")
  func manyUndoingsOneAfterTheOther() throws {
    for number in 1...40 { try add(.profileUpdated(ProfileUpdated(name: "name \(number)"))) }
    for number in (1...40).reversed() { #expect(try undo().target == Seq(number + 1)) }
    #expect(throws: UndoRefusal.nothingToUndo) { try undo() }
    let state = try ledger.state()
    #expect(state.profile.current(.name, state.edits) == nil)
  }

  /// The entries that are not deleted.
  private func live() throws -> [EntryView] {
    let state = try ledger.state()
    return state.rows.indices.filter { state.isMade(row: $0) }.map { state.entry(at: $0) }
      .filter { !$0.isDeleted }
  }

  @Test("Repeated undo takes back the edits of an entry that an undo logged again")
  func undoGoesOnToTheEntryLoggedAgain() throws {
    let logged = try log()
    let corrected = try add(.progressCorrected(.init(entry: entry, quantity: 76)))
    let deleted = try add(.progressDeleted(ProgressDeleted(entry: entry)))
    try acknowledge(logged, corrected, deleted, row: "r1")
    #expect(try undo().target == deleted)
    #expect(try live().map(\.quantity) == [76])
    #expect(try undo().target == corrected)
    #expect(try live().map(\.quantity) == [75])
    #expect(try undo().target == logged)
    #expect(try live().isEmpty)
    #expect(throws: UndoRefusal.nothingToUndo) { try undo() }
    for quantities in [[75.0], [76], []] {
      try redo()
      #expect(try live().map(\.quantity) == quantities)
    }
    #expect(throws: UndoRefusal.nothingToRedo) { try redo() }
  }

  @Test(
    "An entry that was logged again is not logged twice when its redone deletion is undone",
    arguments: [[false, false], [true, false], [true, true]])
  func undoneRedoOfADeletion(isSent: [Bool]) throws {
    let logged = try log()
    let deleted = try add(.progressDeleted(ProgressDeleted(entry: entry)))
    try acknowledge(logged, deleted, row: "r1")
    try undo()
    if isSent[0] { try acknowledge(Seq(try ledger.state().position.seq)) }
    try redo()
    if isSent[1] { try acknowledge(Seq(try ledger.state().position.seq)) }
    #expect(try live().isEmpty)
    try undo()
    #expect(try live().count == 1)
    let last = Seq(try ledger.state().position.seq)
    #expect(throws: UndoRefusal.self) { try undo(deleted) }
    #expect(try undo().target == logged)
    #expect(try live().isEmpty)
    #expect(throws: UndoRefusal.nothingToUndo) { try undo() }
    #expect(try ledger.state().position.seq == last.number + 1)
  }

  @Test("Repeated undo takes back the logging of a session that an undo logged again")
  func undoGoesOnToTheSessionLoggedAgain() throws {
    let start = try #require(ZonedTimestamp("2026-01-02T01:00:00Z"))
    let end = try #require(ZonedTimestamp("2026-01-02T07:00:00Z"))
    let logged = try add(.sleepLogged(SleepLogged(entry: entry, start: start, end: end)))
    let deleted = try add(.sleepDeleted(SleepDeleted(entry: entry)))
    try acknowledge(logged, deleted)
    func live() throws -> Int { try ledger.state().sleep().total }
    #expect(try undo().target == deleted)
    #expect(try live() == 1)
    #expect(try undo().target == logged)
    #expect(try live() == 0)
    #expect(throws: UndoRefusal.nothingToUndo) { try undo() }
  }

  @discardableResult
  private func redo() throws -> [Undoing] {
    let (moment, generator) = try nextWrite()
    var random = generator
    return try ledger.redo(at: moment, today: Self.today, using: &random).undoings
  }

  /// Each write has another moment and makes another entry.
  private func nextWrite() throws -> (Timestamp, SplitMix) {
    let last = try ledger.state().position.seq
    return (HandWrittenLog.at(last), SplitMix(UInt64(last)))
  }
}
