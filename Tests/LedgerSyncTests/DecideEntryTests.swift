import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// A person decides conflicts over entries, and the next runs carry that out.
@Suite struct DecideEntryTests {
  // MARK: The entry's own row differs

  @Test("Taking local deletes the row that differs and sends the entry again")
  func local() throws {
    let (journey, entry, row) = try Self.differing { $0.quantity = 76 }
    #expect(try journey.entry(entry).failure == .conflict)
    #expect(try journey.openFields() == ["quantity"])
    try journey.decide(["quantity": .local])
    #expect(try journey.entry(entry).status == .pending)
    try journey.sync()
    #expect(journey.calls.suffix(2) == [Journey.post, Journey.delete])
    #expect(journey.backend.rows.map(\.quantity) == [75])
    #expect(journey.backend.rows.first?.id.text != row)
    #expect(try journey.entry(entry).status == .synced)
    try journey.expectAtRest("local")
  }

  @Test(
    "Taking remote keeps the row: the entry has its value and nothing is sent",
    arguments: Difference.allCases)
  func remote(_ difference: Difference) throws {
    let (journey, entry, row) = try Self.differing(notes: "a", difference.apply)
    #expect(try journey.openFields() == [difference.rawValue])
    let sent = journey.sent
    try journey.decide([difference.rawValue: .remote])
    #expect(try journey.entry(entry).status == .synced)
    #expect(try journey.backendID(entry) == row)
    try journey.sync()
    #expect(journey.sent == sent && journey.backend.rows.map(\.id.text) == [row])
    try journey.expectAtRest("\(difference)")
    #expect(try journey.conflicts().count == 1)
  }

  enum Difference: String, CaseIterable {
    case quantity, notes, moment

    func apply(_ row: inout ProgressRow) {
      switch self {
      case .quantity: row.quantity = 76
      case .notes: row.notes = nil
      case .moment: row.moment.millisecondsSince1970 += 3_600_000
      }
    }
  }

  @Test("Taking a remote midnight gives a timed entry 00:00 UTC of that day, and it stays synced")
  func midnight() throws {
    let (journey, entry, _) = try Self.differing { $0.moment = LedgerFixture.now }
    try journey.decide(["moment": .remote])
    let view = try journey.entry(entry)
    #expect(
      view.date == LedgerFixture.today && view.moment == ZonedTime(time: .midnight, zone: .utc))
    try journey.expectAtRest("midnight")
    #expect(try journey.conflicts().count == 1)
  }

  @Test("An entry of the day takes a remote midnight as another day")
  func otherDay() throws {
    let (journey, entry, _) = try Self.differing(isTimed: false) {
      $0.moment.millisecondsSince1970 += 86_400_000
    }
    try journey.decide(["moment": .remote])
    let view = try journey.entry(entry)
    #expect(view.date == CalendarDate(year: 2026, month: 1, day: 2) && view.moment == nil)
    try journey.expectAtRest("other day")
  }

  @Test("Fields decided differently: one row has the local and the remote values")
  func mixed() throws {
    let (journey, entry, _) = try Self.differing(notes: "a", corrected: true) {
      ($0.quantity, $0.notes) = (76, "b")
    }
    try journey.decide(["quantity": .local, "notes": .remote])
    #expect(try journey.entry(entry).status == .pending)
    try journey.expectAtRest("mixed")
    #expect(journey.backend.rows.map(\.quantity) == [75])
    #expect(journey.backend.rows.map(\.notes) == ["b"])
  }

  @Test("Nothing is sent while another field of the entry is undecided")
  func half() throws {
    let (journey, entry, _) = try Self.differing(notes: "a") {
      ($0.quantity, $0.notes) = (76, "b")
    }
    try journey.decide(["quantity": .local])
    let sent = journey.sent
    try journey.sync()
    #expect(journey.sent == sent)
    #expect(try journey.entry(entry).failure == .conflict)
    #expect(try journey.openFields() == ["notes"])
  }

  @Test("A correction made after the conflict counts as the local value")
  func laterCorrection() throws {
    let (journey, entry, _) = try Self.differing { $0.quantity = 76 }
    try journey.fixture.edit(.correctProgress(ProgressCorrected(entry: entry, quantity: 80)))
    try journey.decide(["quantity": .local])
    try journey.expectAtRest("later correction")
    #expect(journey.backend.rows.map(\.quantity) == [80])
  }

  @Test("Taking remote drops an unsent correction of the same field")
  func laterCorrectionDropped() throws {
    let (journey, entry, row) = try Self.differing { $0.quantity = 76 }
    try journey.fixture.edit(.correctProgress(ProgressCorrected(entry: entry, quantity: 80)))
    let sent = journey.sent
    try journey.decide(["quantity": .remote])
    #expect(try journey.entry(entry).quantity == 76)
    try journey.expectAtRest("dropped")
    #expect(journey.sent == sent && journey.backend.rows.map(\.id.text) == [row])
  }

  @Test("Taking remote keeps an unsent correction of another field, which is sent with it")
  func otherCorrectionKept() throws {
    let (journey, entry, _) = try Self.differing { $0.quantity = 76 }
    try journey.fixture.edit(.correctProgress(ProgressCorrected(entry: entry, notes: .set("new"))))
    try journey.decide(["quantity": .remote])
    try journey.expectAtRest("kept")
    #expect(journey.backend.rows.map(\.quantity) == [76])
    #expect(journey.backend.rows.map(\.notes) == ["new"])
  }

  @Test("A conflict over the type takes only the local side, which sends the entry again")
  func type() throws {
    let (journey, entry, _) = try Self.differing { $0.metric = .height }
    let seq = try #require(journey.fixture.ledger.state().openConflicts().first?.seq)
    #expect(throws: ConflictRefusal.typeIsFixed(seq)) { try journey.decide(["type": .remote]) }
    try journey.decide(["type": .local])
    try journey.expectAtRest("type")
    #expect(journey.backend.rows.map(\.metric) == [.weight])
    #expect(try journey.entry(entry).status == .synced)
  }

  @Test("An answer with other values is decided like a listing with them", arguments: Self.sides)
  func answered(_ side: ConflictSide) throws {
    let journey = try Journey(seed: 1)
    let entry = try journey.fixture.log(75, at: Self.time)
    // The first POST stores and answers another quantity.
    var row: String?
    journey.meanwhile = { request in
      guard request.method == .post, row == nil else { return }
      let id = journey.add(76, at: Self.moment)
      row = id
      var isFirst = true
      journey.backend.instead = { request in
        guard request.method == .post, isFirst else { return nil }
        isFirst = false
        return .answer(
          201,
          #"{"data":{"id":"\#(id)","type":"weight","quantity":76,"date":"2026-01-01","#
            + #""time":"09:00:00"}}"#)
      }
    }
    try journey.sync()
    #expect(try journey.openFields() == ["moment", "quantity"])
    try journey.decide(["moment": .local, "quantity": side])
    try journey.expectAtRest("\(side)")
    #expect(journey.backend.rows.map(\.quantity) == [side == .local ? 75 : 76])
    #expect(journey.backend.rows.map(\.moment) == [Self.moment])
    #expect(try journey.entry(entry).status == .synced)
  }

  @Test("A moment that an answer has in two members is taken with its time")
  func answeredMoment() throws {
    let key = RowKey(metric: .weight, moment: Self.moment, quantity: 75, notes: "")
    let found = key.compare(withAnswer: ["date": "2026-01-01", "time": "09:00:00"])
    #expect(found.differences.map(\.remote) == ["2026-01-01T09:00:00Z"])
  }

  // MARK: Two devices, and the policy is to ask

  static let sides: [ConflictSide] = [.local, .remote]

  @Test("Two rows of one entry: the side that was taken is the row that is left", arguments: sides)
  func rivals(_ side: ConflictSide) throws {
    let (journey, entry, other) = try Self.rivals()
    #expect(try journey.openFields() == ["quantity"])
    #expect(journey.backend.rows.count == 2, "nothing is deleted before it is decided")
    try journey.decide(["quantity": side])
    try journey.expectAtRest("\(side)")
    #expect(journey.backend.rows.map(\.quantity) == [side == .local ? 80 : 77])
    #expect(try journey.entry(entry).quantity == (side == .local ? 80 : 77))
    if side == .remote { #expect(try journey.backendID(entry) == other) }
  }

  @Test("Two rows of one entry, and a correction not sent yet", arguments: sides)
  func rivalsAndCorrection(_ side: ConflictSide) throws {
    let (journey, entry, _) = try Self.rivals()
    try journey.fixture.edit(.correctProgress(ProgressCorrected(entry: entry, quantity: 81)))
    try journey.decide(["quantity": side])
    try journey.expectAtRest("\(side)")
    #expect(journey.backend.rows.map(\.quantity) == [side == .local ? 81 : 77])
  }

  @Test(
    "Corrected there while a correction waits here: nothing leaves before it is decided",
    arguments: sides)
  func unsent(_ side: ConflictSide) throws {
    let (journey, entry, other) = try Self.correctedOnBoth()
    let sent = journey.sent
    try journey.sync()
    #expect(journey.sent == sent)
    #expect(try journey.openFields() == ["quantity"])
    try journey.decide(["quantity": side])
    try journey.expectAtRest("\(side)")
    #expect(journey.backend.rows.map(\.quantity) == [side == .local ? 80 : 77])
    #expect(try journey.entry(entry).quantity == (side == .local ? 80 : 77))
    if side == .remote { #expect(try journey.backendID(entry) == other) }
  }

  // MARK: Many at once

  @Test("All open conflicts are decided at once, but those that cannot take that side")
  func all() throws {
    let journey = try Journey(seed: 1)
    var entries: [EntryID] = []
    for hour in 1...3 {
      entries.append(try journey.fixture.log(70 + Double(hour), at: Self.time(hour: hour)))
    }
    try journey.sync()
    for row in journey.backend.rows {
      journey.alter(row.id.text) { $0.quantity += 1 }
    }
    let third = try #require(journey.backend.rows.first { $0.quantity == 74 })
    journey.alter(third.id.text) { $0.metric = .height }
    try journey.sync()
    let outcome = try journey.fixture.ledger.resolveAll(
      taking: .remote, at: journey.now, using: &journey.generator)
    #expect(outcome.decided.count == 3)
    let type = try #require(journey.fixture.ledger.state().openConflicts().first)
    #expect(outcome.skipped == [.typeIsFixed(type.seq)] && type.fieldName == "type")
    #expect(try entries.map { try journey.entry($0).status } == [.synced, .synced, .failed])
    let rest = try journey.fixture.ledger.resolveAll(
      taking: .local, at: journey.now, using: &journey.generator)
    #expect(rest.decided == [type.seq] && rest.skipped.isEmpty)
    try journey.expectAtRest("all")
    #expect(journey.backend.rows.map(\.quantity).sorted() == [72, 73, 74])
  }

  // MARK: What is refused

  @Test("A conflict of an entry is decided once")
  func twice() throws {
    let (journey, _, _) = try Self.differing { $0.quantity = 76 }
    let seq = try #require(journey.fixture.ledger.state().openConflicts().first?.seq)
    try journey.decide(["quantity": .remote])
    #expect(throws: ConflictRefusal.entryIsDecided(seq, .remote)) {
      try journey.resolve(seq, .local)
    }
  }

  @Test("A conflict of a deleted entry is not decided")
  func deleted() throws {
    let (journey, entry, _) = try Self.differing { $0.quantity = 76 }
    let seq = try #require(journey.fixture.ledger.state().openConflicts().first?.seq)
    try journey.fixture.edit(.deleteProgress(ProgressDeleted(entry: entry)))
    #expect(throws: ConflictRefusal.entryIsDeleted(seq)) { try journey.resolve(seq, .local) }
  }

  // MARK: Suspected duplicates

  @Test(
    "A suspected duplicate is deleted, or becomes an entry",
    arguments: DuplicateDecision.allCases)
  func suspicion(_ decision: DuplicateDecision) throws {
    let journey = try Journey(seed: 1)
    _ = try journey.fixture.log(75, at: Self.time)
    try journey.sync()
    journey.add(75, at: Self.moment)
    try journey.sync()
    let seq = try #require(journey.fixture.ledger.state().openSuspicions().first?.seq)
    _ = try journey.fixture.ledger.resolve(
      suspicion: seq, taking: decision, at: journey.now, using: &journey.generator)
    #expect(try journey.fixture.ledger.state().openSuspicions().isEmpty)
    for _ in 1...2 { try journey.sync() }
    #expect(journey.backend.rows.count == (decision == .one ? 1 : 2))
    let state = try journey.fixture.ledger.state()
    #expect(state.entryCounts().live == (decision == .one ? 1 : 2))
    #expect(state.entryCounts().synced == state.entryCounts().live)
    #expect(throws: SuspicionRefusal.isDecided(seq, decision, by: Seq(seq.number + 1))) {
      try journey.fixture.ledger.resolve(
        suspicion: seq, taking: .one, at: journey.now, using: &journey.generator)
    }
  }

  @Test("What is no suspicion is refused")
  func noSuspicion() throws {
    let journey = try Journey(seed: 1)
    #expect(throws: SuspicionRefusal.noSuspicion(Seq(1), last: 1)) {
      try journey.fixture.ledger.resolve(
        suspicion: Seq(1), taking: .one, at: journey.now, using: &journey.generator)
    }
  }
}

// MARK: Stories

extension DecideEntryTests {
  static func time(hour: Int) -> ZonedTime {
    ZonedTime(time: ClockTime(hour: hour, minute: 0)!, zone: .utc)
  }
  static let time = time(hour: 8)
  static let moment = time.instant(on: LedgerFixture.today)

  /// A synced entry of 75 kg at 08:00, whose row the backend has changed since.
  ///
  /// - Parameter corrected: whether the values came by a correction.
  static func differing(
    notes: String? = nil, isTimed: Bool = true, corrected: Bool = false,
    _ change: (inout ProgressRow) -> Void
  ) throws -> (Journey, EntryID, row: String) {
    let journey = try Journey(seed: 1)
    let entry = try journey.fixture.log(
      corrected ? 74 : 75, at: isTimed ? time : nil, notes: corrected ? nil : notes)
    try journey.sync()
    if corrected {
      try journey.fixture.edit(
        .correctProgress(
          ProgressCorrected(entry: entry, quantity: 75, notes: notes.map { .set($0) })))
      try journey.sync()
    }
    let row = try #require(journey.backend.rows.first?.id.text)
    journey.alter(row, change)
    try journey.sync()
    return (journey, entry, row)
  }

  /// Corrected here to 80, and on another device to 77: both rows are there.
  static func rivals() throws -> (Journey, EntryID, other: String) {
    let journey = try Journey(seed: 1)
    journey.configuration.conflicts = .open
    let entry = try journey.fixture.log(75, at: time)
    try journey.sync()
    try journey.fixture.edit(.correctProgress(ProgressCorrected(entry: entry, quantity: 80)))
    try journey.sync()
    let other = journey.add(77, at: moment)
    try journey.sync()
    return (journey, entry, other)
  }

  /// Corrected on another device to 77 and here, unsent, to 80.
  static func correctedOnBoth() throws -> (Journey, EntryID, other: String) {
    let journey = try Journey(seed: 1)
    journey.configuration.conflicts = .open
    let entry = try journey.fixture.log(75, at: time)
    try journey.sync()
    try journey.fixture.edit(.correctProgress(ProgressCorrected(entry: entry, quantity: 80)))
    journey.backend.world.progress.remove(journey.backend.rows[0].id)
    return (journey, entry, journey.add(77, at: moment))
  }
}

extension Journey {
  /// The backend has a row with other values from now on.
  func alter(_ id: String, _ change: (inout ProgressRow) -> Void) {
    let id = RowID(text: id)
    guard var row = backend.rows.first(where: { $0.id == id }),
      let user = backend.world.progress.owner(of: id)
    else { return }
    backend.world.progress.remove(id)
    change(&row)
    backend.world.progress.add(row, of: user)
  }

  /// The fields of all open conflicts, in the order of the alphabet.
  func openFields() throws -> [String] {
    try fixture.ledger.state().openConflicts().map(\.fieldName).sorted()
  }

  func resolve(_ conflict: Seq, _ side: ConflictSide) throws {
    _ = try fixture.ledger.resolve(conflict, taking: side, at: now, using: &generator)
  }

  /// Decides open conflicts by the names of their fields.
  func decide(_ sides: [String: ConflictSide]) throws {
    for conflict in try fixture.ledger.state().openConflicts() {
      if let side = sides[conflict.fieldName] { try resolve(conflict.seq, side) }
    }
  }
}
