import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

/// Undo and redo without numbers, one after the other and between other edits.
@Suite struct UndoSequenceTests {
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

  private func add(_ payload: Event.Payload, by actor: Event.Actor = .user) throws {
    var random = SplitMix()
    let id = EventID.make(at: Self.at, using: &random)
    let event = Event(id: id, at: Self.at, by: actor, payload: payload)
    _ = try ledger.log.append([event], using: &random)
  }

  private func log(_ quantity: Double) throws {
    // Another entry for each quantity.
    let entry = EntryID(LedgerUUID(high: UInt64(quantity) << 16 | 0x7000, low: 2 << 62))
    try add(
      .progressLogged(
        ProgressLogged(entry: entry, metric: .weight, quantity: quantity, date: Self.today)))
  }

  private func correct(_ entry: EntryID, to quantity: Double) throws {
    try add(.progressCorrected(ProgressCorrected(entry: entry, quantity: quantity)))
  }

  private func delete(_ entry: EntryID) throws {
    try add(.progressDeleted(ProgressDeleted(entry: entry)))
  }

  /// Acknowledges all edits that the backend does not have.
  private func acknowledge() throws {
    let state = try ledger.state()
    let call = CallID(LedgerUUID(high: 0x7000, low: 2 << 62))
    for seq in 1...state.position.seq where state.edits.state(seq) == .pending {
      try add(
        .syncAcknowledged(
          SyncAcknowledged(call: call, events: [Seq(seq)], status: 201, via: .response)),
        by: .sync)
    }
  }

  /// The entries that are not deleted.
  private func live() throws -> [EntryView] {
    let state = try ledger.state()
    return state.rows.indices.filter { state.isMade(row: $0) }.map { state.entry(at: $0) }
      .filter { !$0.isDeleted }
  }

  private func quantities() throws -> [Double] { try live().map(\.quantity).sorted() }

  private func undo() throws {
    let (moment, generator) = try nextWrite()
    var random = generator
    _ = try ledger.undo(at: moment, today: Self.today, using: &random)
  }

  private func redo() throws {
    let (moment, generator) = try nextWrite()
    var random = generator
    _ = try ledger.redo(at: moment, today: Self.today, using: &random)
  }

  /// Each write has another moment and makes another entry.
  private func nextWrite() throws -> (Timestamp, SplitMix) {
    let last = try ledger.state().position.seq
    return (HandWrittenLog.at(last), SplitMix(UInt64(last)))
  }

  @Test(
    "An edit that was undone and redone keeps what was undone before it", arguments: [false, true])
  func redoneEdit(isSent: Bool) throws {
    try log(80)
    let entry = try #require(live().first).id
    try delete(entry)
    if isSent { try acknowledge() }
    try undo()
    try correct(#require(live().first).id, to: 79)
    if isSent { try acknowledge() }
    #expect(throws: UndoRefusal.nothingToRedo) { try redo() }
    try undo()
    #expect(try quantities() == [80])
    try redo()
    #expect(throws: UndoRefusal.nothingToRedo) { try redo() }
    #expect(try quantities() == [79])
  }

  @Test("An edit that is undone keeps what was undone before it")
  func undoneEdit() throws {
    try log(80)
    try undo()
    try log(5)
    try undo()
    try redo()
    #expect(throws: UndoRefusal.nothingToRedo) { try redo() }
    #expect(try quantities() == [5])
  }

  @Test(
    "Undoing everything leaves nothing, and redoing as much restores it",
    arguments: Array(1...TestSize.of(12, full: 40)) + [159, 266, 268, 336])
  func everything(seed: Int) throws {
    var random = SplitMix(UInt64(seed))
    for step in 0..<14 {
      let live = try live()
      switch Int.random(in: 0..<7, using: &random) {
      case 0, 1: try log(60 + Double(step))
      case 2:
        guard let entry = live.randomElement(using: &random) else { continue }
        try correct(entry.id, to: 100 + Double(step))
      case 3:
        guard let entry = live.randomElement(using: &random) else { continue }
        try delete(entry.id)
      case 4: try acknowledge()
      case 5: try? undo()
      default: try? redo()
      }
    }
    let before = try quantities()
    var steps = 0
    while steps < 100, (try? undo()) != nil { steps += 1 }
    #expect(try live().isEmpty)
    for _ in 0..<steps { try redo() }
    #expect(try quantities() == before)
  }

  @Test(
    "Undo and redo step through the states, and an edit drops those undone before it",
    arguments: 1...TestSize.of(12, full: 60))
  func states(seed: Int) throws {
    var random = SplitMix(UInt64(seed))
    var states: [[Double]] = [[]]
    var position = 0
    for step in 0..<30 {
      let choice = Int.random(in: 0..<7, using: &random)
      switch choice {
      case 0, 1:
        let entry = try live().randomElement(using: &random)
        switch (entry, Int.random(in: 0..<3, using: &random)) {
        case (let entry?, 0): try delete(entry.id)
        case (let entry?, 1): try correct(entry.id, to: 60 + Double(step))
        default: try log(60 + Double(step))
        }
        position += 1
        states = try states.prefix(position) + [quantities()]
      case 2: try acknowledge()
      case 3, 4:
        guard position > 0 else {
          #expect(throws: UndoRefusal.nothingToUndo) { try undo() }
          continue
        }
        try undo()
        position -= 1
      default:
        guard position < states.count - 1 else {
          #expect(throws: UndoRefusal.nothingToRedo) { try redo() }
          continue
        }
        try redo()
        position += 1
      }
      let now = try quantities()
      #expect(now == states[position], "seed \(seed), step \(step)")
    }
  }
}
