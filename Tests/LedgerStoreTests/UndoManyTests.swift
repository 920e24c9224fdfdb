import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

/// Undoing several edits at once: afterwards things are as if none had been made.
@Suite struct UndoManyTests {
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

  private func acknowledge(_ seqs: Seq..., row: String? = nil, of number: Int = 1) throws {
    let call = CallID(LedgerUUID(high: 0x7000, low: 2 << 62))
    try add(
      .syncAcknowledged(
        SyncAcknowledged(
          call: call, events: seqs, status: 201, via: .response,
          entry: row.map { _ in entry(number) }, backendID: row.flatMap { BackendID($0) })),
      by: .sync)
  }

  private func entry(_ number: Int) -> EntryID {
    EntryID(LedgerUUID(high: UInt64(number) << 16 | 0x7000, low: 2 << 62))
  }

  private func log(_ number: Int = 1, _ quantity: Double = 75) throws -> Seq {
    try add(
      .progressLogged(
        ProgressLogged(
          entry: entry(number), metric: .weight, quantity: quantity, date: Self.today,
          source: "csv", sourceID: "\(number)")))
  }

  private func correct(to quantity: Double) throws -> Seq {
    try add(.progressCorrected(ProgressCorrected(entry: entry(1), quantity: quantity)))
  }

  private func delete(_ number: Int, reason: String = "deleted at the backend") throws -> Seq {
    try add(
      .progressDeleted(ProgressDeleted(entry: entry(number), reason: reason)), by: .sync)
  }

  @discardableResult
  private func undo(_ range: ClosedRange<Seq>) throws -> UndoManyOutcome {
    try undo(UndoSelection(ranges: [range]))
  }

  private func undo(_ selection: UndoSelection) throws -> UndoManyOutcome {
    var random = SplitMix()
    return try ledger.undo(selection, at: Self.at, today: Self.today, using: &random)
  }

  private func live() throws -> [EntryView] {
    let state = try ledger.state()
    return state.rows.indices.filter { state.isMade(row: $0) }.map { state.entry(at: $0) }
      .filter { !$0.isDeleted }
  }

  @Test("Several corrections of one entry go back to the values before the first of them")
  func corrections() throws {
    try acknowledge(try log(), row: "r1")
    let first = try correct(to: 76)
    try acknowledge(first, row: "r2")
    let second = try correct(to: 77)
    try acknowledge(second, row: "r3")
    #expect(try undo(first...second).undoings.map(\.target) == [second, first])
    #expect(try live().map(\.quantity) == [75])
  }

  @Test("Edits that were never sent are cancelled, and the entry with them")
  func unsent() throws {
    let logged = try log()
    let last = try correct(to: 76)
    let outcome = try undo(logged...last)
    #expect(outcome.undoings.map(\.way) == [.cancelled])
    #expect(try live().isEmpty)
  }

  @Test("An entry that was logged and deleted in the range stays away")
  func loggedAndDeleted() throws {
    let logged = try log()
    try acknowledge(logged, row: "r1")
    let deletion = try delete(1)
    let refusal = #expect(throws: UndoRefusal.self) { try undo(logged...deletion) }
    #expect(
      refusal?.description
        == "nothing changes: event \(deletion) deleted what event \(logged) logged, so it stays deleted "
        + "without both")
    #expect(try live().isEmpty)
  }

  @Test("Each entry that sync deleted is logged again with its source, in one write")
  func pulledDeletions() throws {
    for number in 1...3 {
      try acknowledge(
        try log(number, Double(70 + number)), row: "r\(number)", of: number)
    }
    let first = try delete(1)
    _ = try delete(2)
    let last = try delete(3)
    let outcome = try undo(first...last)
    #expect(outcome.undoings.count == 3 && outcome.skipped.isEmpty)
    #expect(try live().map(\.quantity).sorted() == [71, 72, 73])
    #expect(Set(try live().map(\.id)).count == 3)
    let sources = outcome.undoings.compactMap { undoing -> String? in
      if case .progressLogged(let data) = undoing.payload { data.sourceID } else { nil }
    }
    #expect(sources.sorted() == ["1", "2", "3"])
  }

  @Test("What several edits deleted of one source is logged again once")
  func sameSource() throws {
    _ = try log()
    let first = try delete(1)
    try add(
      .progressLogged(
        ProgressLogged(
          entry: entry(2), metric: .weight, quantity: 75, date: Self.today, source: "csv",
          sourceID: "1")), by: .import)
    let second = try delete(2)
    let outcome = try undo(UndoSelection(ranges: [first...first, second...second]))
    #expect(outcome.undoings.map(\.target) == [second] && outcome.skipped.count == 1)
    #expect(try live().count == 1)
  }

  @Test("A session that sync deleted is logged again with its source")
  func sessionDeletedBySync() throws {
    let start = try #require(ZonedTimestamp(secondsSince1970: 1_760_000_000, zone: .utc))
    let end = try #require(ZonedTimestamp(secondsSince1970: 1_760_020_000, zone: .utc))
    try add(
      .sleepLogged(
        SleepLogged(entry: entry(1), start: start, end: end, source: "a", sourceID: "x")),
      by: .import)
    let deletion = try add(.sleepDeleted(SleepDeleted(entry: entry(1))), by: .sync)
    let undoing = try #require(undo(deletion...deletion).undoings.first)
    guard case .sleepLogged(let data) = undoing.payload else {
      Issue.record("\(undoing)")
      return
    }
    #expect(data.entry != entry(1) && (data.source, data.sourceID) == ("a", "x"))
    #expect(data.start == start && data.end == end)
  }

  @Test("A row that belongs to another entry is not logged again by a range")
  func belongsToAnother() throws {
    try acknowledge(try log(), row: "r1")
    let deletion = try delete(1, reason: "its row belongs to \(entry(2))")
    #expect(throws: UndoRefusal.nothingToUndo) { try undo(deletion...deletion) }
  }

  @Test("An edit that was undone in the range stays undone")
  func undoneInside() throws {
    try acknowledge(try log(), row: "r1")
    let edit = try correct(to: 76)
    let undoing = try add(.editUndone(EditUndone(event: edit)))
    #expect(
      throws: UndoRefusal.nothingSelected(why: [
        "event \(edit) was undone already, by event \(undoing)"
      ])
    ) { try undo(edit...undoing) }
    #expect(try live().map(\.quantity) == [75])
  }

  @Test("A redo takes nothing that was undone before a later edit, even at the same time")
  func redoOfTheLastWrite() throws {
    let first = try log(1, 75)
    var random = SplitMix()
    _ = try ledger.undo(first, at: Self.at, today: Self.today, using: &random)
    let second = try log(2, 76)
    _ = try ledger.undo(second, at: Self.at, today: Self.today, using: &random)
    let outcome = try ledger.redo(at: Self.at, today: Self.today, using: &random)
    #expect(outcome.undoings.count == 1)
    #expect(try live().map(\.quantity) == [76])
  }

  @Test("A redo that skips an undo of a replaced value says so")
  func redoBeyondACoveredEdit() throws {
    let covered = try add(.profileUpdated(ProfileUpdated(name: "Ann")))
    let later = try add(.profileUpdated(ProfileUpdated(name: "Bob")))
    let logged = try log()
    var random = SplitMix()
    func undo(_ seq: Seq) throws -> Seq {
      let at = HandWrittenLog.at(seq.number)
      let outcome = try ledger.undo(seq, at: at, today: Self.today, using: &random)
      return try #require(outcome.appended.edits.first?.seq)
    }
    let (first, second) = (try undo(logged), try undo(covered))
    let outcome = try ledger.redo(at: Self.at, today: Self.today, using: &random)
    #expect(outcome.undoings.map(\.target) == [first])
    let why = ["name stays as it is, event \(later) has set it since"]
    let refusal = UndoRefusal.nothingLeft(second, why: why)
    #expect(outcome.skipped == [refusal.description])
    #expect(throws: refusal) {
      try ledger.redo(at: Self.at, today: Self.today, using: &random)
    }
  }

  @Test("An edit that was made again in the range is undone")
  func redoneInside() throws {
    let first = try log()
    var random = SplitMix()
    _ = try ledger.undo(first, at: Self.at, today: Self.today, using: &random)
    let again = try ledger.redo(at: Self.at, today: Self.today, using: &random)
    #expect(again.undoings.count == 1)
    #expect(try live().count == 1)
    try undo(first...Seq(try ledger.state().position.seq))
    #expect(try live().isEmpty)
  }

  @Test("What is no edit is passed over in a range, and refused when named")
  func noEdits() throws {
    let logged = try log()
    try acknowledge(logged, row: "r1")
    let last = Seq(try ledger.state().position.seq)
    #expect(try undo(Seq(1)...last).undoings.map(\.target) == [logged])
    let before = try ledger.state().position
    #expect(throws: UndoRefusal.self) { try undo(UndoSelection(seqs: [Seq(1), logged])) }
    #expect(try ledger.state().position == before)
  }

  @Test("A range that ends behind the log is refused")
  func behindTheEnd() throws {
    let logged = try log()
    #expect(throws: UndoRefusal.noSuchEvent(Seq(9), last: logged.number)) {
      try undo(logged...Seq(9))
    }
  }

  @Test("Several edits of the profile go back to the value before the first of them")
  func profile() throws {
    try acknowledge(try add(.profileUpdated(ProfileUpdated(name: "Ada"))))
    let first = try add(.profileUpdated(ProfileUpdated(name: "Bea")))
    try acknowledge(first)
    let last = try add(.profileUpdated(ProfileUpdated(name: "Cleo")))
    try acknowledge(last)
    try undo(first...last)
    #expect(try ledger.state().profileView().name == "Ada")
  }

  @Test("An entry that was logged again within a range goes with the rest of it")
  func loggedAgainInARange() throws {
    let logged = try log()
    let deleted = try add(.progressDeleted(ProgressDeleted(entry: entry(1))))
    try acknowledge(logged, deleted, row: "r1")
    var random = SplitMix(9)
    let again = try ledger.undo(deleted, at: Self.at, today: Self.today, using: &random).undoing
    guard case .progressLogged(let copy) = again.payload else {
      return #expect(Bool(false), "not logged again")
    }
    let last = try add(.progressCorrected(ProgressCorrected(entry: copy.entry, quantity: 80)))
    #expect(try live().map(\.quantity) == [80])
    try undo(logged...last)
    #expect(try live().isEmpty)
  }

  @Test("A deletion of an entry that was logged again stays with the range of all of them")
  func deletedAgainInARange() throws {
    let logged = try log()
    let deleted = try add(.progressDeleted(ProgressDeleted(entry: entry(1))))
    try acknowledge(logged, deleted, row: "r1")
    var random = SplitMix(9)
    let again = try ledger.undo(deleted, at: Self.at, today: Self.today, using: &random).undoing
    guard case .progressLogged(let copy) = again.payload else {
      return #expect(Bool(false), "not logged again")
    }
    let last = try add(.progressDeleted(ProgressDeleted(entry: copy.entry)))
    #expect(throws: UndoRefusal.self) { try undo(logged...last) }
    #expect(try live().isEmpty)
  }
}
