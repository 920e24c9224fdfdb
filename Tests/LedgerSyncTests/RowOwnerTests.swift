import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// Which entry an unknown or a former row is of (docs/sync.md, Two devices, one entry).
@Suite struct RowOwnerTests {
  @Test("A correction that was stored with another value, and deleted elsewhere, is over")
  func differedAndDeletedElsewhere() throws {
    let devices = try MultiJourney(2)
    let entries = try devices.sharedEntry()
    try devices.correct(0, entries[0], to: 76)
    try devices.backend.scriptFaults("POST /api/v1/progress:lie=quantity:1")
    try devices.sync(0)
    #expect(try devices.devices[0].entry(entries[0]).failure == .conflict)
    let wrong = try #require(devices.backend.rows.first { $0.quantity != 70 })
    devices.backend.world.progress.remove(wrong.id)
    try devices.settle()
    // The earlier row was not deleted yet, so it is the entry's again.
    try devices.expectOne(70)
    #expect(try devices.sync(0).hasEverything)
  }

  @Test(
    "A correction of an entry that was deleted elsewhere leaves an equal one of another day alone",
    arguments: [nil, MultiJourney.morning])
  func deletedBesideAnEqualEntry(_ moment: ZonedTime?) throws {
    let devices = try MultiJourney(2)
    let entries = try devices.sharedEntry(at: moment)
    let other = try devices.devices[1].fixture.log(
      70, on: LedgerFixture.today.adding(days: -7), at: moment)
    try devices.settle(rounds: 3)
    try devices.correct(0, entries[0], to: 71)
    try devices.delete(1, entries[1])
    try devices.sync(1)
    let report = try devices.sync(0)
    #expect(report.conflicts == 1 && report.deleted == 0)
    try devices.settle()
    for device in 0...1 {
      let live = try devices.live(device).sorted { $0.date < $1.date }
      #expect(live.map(\.quantity) == [70, 71])
    }
    #expect(try !devices.devices[1].entry(other).isDeleted)
  }

  @Test("Of two missing entries of one moment the row is that of the one with its notes")
  func rowWithNotes() throws {
    for (deleting, seed) in [(0, UInt64(1)), (1, 2), (0, 3), (1, 4)] {
      let devices = try MultiJourney(2, seed: seed)
      for (quantity, notes) in [(300.0, "oats"), (100, "banana")] {
        _ = try devices.devices[0].fixture.log(quantity, at: MultiJourney.morning, notes: notes)
      }
      try devices.settle(rounds: 3)
      func entry(_ device: Int, _ quantity: Double) throws -> EntryID {
        let found = try devices.live(device).first { $0.quantity == quantity }
        return try #require(found).id
      }
      let other = 1 - deleting
      try devices.delete(deleting, entry(deleting, 300))
      try devices.correct(deleting, entry(deleting, 100), to: 110)
      try devices.correct(other, entry(other, 300), to: 310)
      try devices.sync(deleting)
      try devices.settle()
      #expect(
        Set(devices.backend.rows.map { "\($0.quantity) \($0.notes ?? "")" })
          == ["110.0 banana", "310.0 oats"])
      for device in 0...1 {
        let live = Set(try devices.live(device).map(\.quantity))
        #expect(try live == [110, 310] || live == [110] && !devices.suspicions(device).isEmpty)
      }
    }
  }

  @Test("A row left to the device that made it keeps the backend from having everything")
  func rowOfAnother() throws {
    // Whose row has the smaller id, and stays, is random.
    let left = try (UInt64(1)...6).filter { try rowIsLeft($0) }
    #expect(!left.isEmpty)
  }

  private func rowIsLeft(_ seed: UInt64) throws -> Bool {
    let devices = try MultiJourney(2, seed: seed)
    let entries = try devices.sharedEntry()
    try devices.correct(0, entries[0], to: 71)
    try devices.correct(1, entries[1], to: 72)
    devices.devices[0].meanwhile = { request in
      guard request.method == .post else { return }
      devices.devices[0].meanwhile = nil
      try devices.sync(1)
    }
    try devices.sync(0)
    // The other device does not run again.
    var others = 0
    for _ in 0..<2 {
      devices.devices[0].pass(seconds: 60)
      let report = try devices.sync(0)
      others = devices.backend.rows.count - 1
      #expect(report.rowsOfOthers == others && report.hasEverything == (others == 0))
    }
    try devices.settle()
    for device in 0..<2 { #expect(try devices.sync(device).hasEverything) }
    return others > 0
  }

  @Test(
    "A call that arrives twice is suspected on the entry that it was sent for",
    arguments: [nil, MultiJourney.morning], 3...4)
  func deliveredTwice(_ moment: ZonedTime?, _ ordinal: Int) throws {
    let devices = try MultiJourney(1)
    let journey = devices.devices[0]
    let entries = try [70.0, 80].map { try journey.fixture.log($0, at: moment) }
    try devices.sync(0)
    for (entry, quantity) in zip(entries, [71.0, 81]) {
      try journey.fixture.edit(
        .correctProgress(ProgressCorrected(entry: entry, quantity: quantity)))
    }
    journey.backend.faults = [FaultPoint(fault: .twice, kind: Journey.post, ordinal: ordinal)]
    try devices.settle()
    let quantities = journey.backend.rows.map(\.quantity).sorted()
    #expect(quantities == [71, 71, 81] || quantities == [71, 81, 81])
    let doubled = entries[quantities[1] == 71 ? 0 : 1]
    #expect(try journey.suspicions().map(\.entry) == [doubled])
  }

  @Test("A call that arrived twice is suspected on its entry even if that was deleted since")
  func deliveredTwiceAndDeleted() throws {
    let journey = try Journey(seed: 1)
    let other = try journey.fixture.log(73, at: MultiJourney.morning)
    try journey.sync()
    let deleted = try journey.fixture.log(71, at: MultiJourney.morning)
    journey.backend.faults = [FaultPoint(fault: .twice, kind: Journey.post, ordinal: 2)]
    try journey.sync()
    #expect(journey.backend.rows.map(\.quantity).sorted() == [71, 71, 73])
    // Decided once the correction is answered: the row may be another device's correction.
    try journey.fixture.edit(.correctProgress(ProgressCorrected(entry: other, quantity: 74)))
    try journey.sync()
    try journey.fixture.edit(.deleteProgress(ProgressDeleted(entry: deleted)))
    _ = try journey.settle()
    #expect(try journey.entry(other).quantity == 74)
    #expect(try journey.suspicions().map(\.entry) == [deleted])
    #expect(try journey.conflicts().isEmpty)
  }

  @Test("A call that arrives after its entry was moved changes no entry of the moment it had")
  func deliveredLate() throws {
    let journey = try Journey(seed: 1)
    let moved = try journey.fixture.log(79, at: MultiJourney.evening)
    let other = try journey.fixture.log(72, at: MultiJourney.evening)
    try journey.loseFirstPost()
    try journey.fixture.edit(
      .correctProgress(ProgressCorrected(entry: moved, moment: MultiJourney.morning)),
      .correctProgress(ProgressCorrected(entry: other, quantity: 74)))
    _ = try journey.settle()
    journey.add(79, at: Self.evening, id: Self.smallest)
    _ = try journey.settle()
    #expect(try journey.entry(other).quantity == 74)
    #expect(try journey.suspicions().map(\.entry) == [moved])
    #expect(try journey.conflicts().isEmpty)
  }

  @Test("A late call of a deleted entry is no correction of another entry of its moment")
  func deliveredLateAndDeleted() throws {
    let journey = try Journey(seed: 1)
    let other = try journey.fixture.log(72, at: MultiJourney.evening)
    try journey.sync()
    let deleted = try journey.fixture.log(79, at: MultiJourney.evening)
    try journey.loseFirstPost()
    try journey.fixture.edit(.deleteProgress(ProgressDeleted(entry: deleted)))
    _ = try journey.settle()
    let row = try #require(journey.backend.rows.first { $0.quantity == 72 })
    journey.backend.world.progress.remove(row.id)
    journey.add(79, at: Self.evening)
    _ = try journey.settle()
    #expect(try journey.entry(other).isDeleted)
    #expect(try journey.suspicions().map(\.entry) == [deleted])
  }

  @Test("An entry whose row is gone takes back an earlier row that is yet to be deleted")
  func takenBack() throws {
    let (journey, entry) = try Self.corrected()
    let own = try #require(journey.backend.rows.first { $0.quantity == 71 })
    journey.backend.world.progress.remove(own.id)
    _ = try journey.settle()
    #expect(journey.backend.rows.map(\.quantity) == [70])
    #expect(try journey.entry(entry).quantity == 70)
    #expect(try journey.entry(entry).status == .synced)
  }

  @Test(
    "An entry whose row is gone takes back a smaller earlier row before another device's",
    arguments: [true, false])
  func takenBackFirst(_ isKept: Bool) throws {
    let (journey, entry) = try Self.corrected()
    let own = try #require(journey.backend.rows.first { $0.quantity == 71 })
    journey.backend.world.progress.remove(own.id)
    let other = journey.add(72, at: Self.morning, id: "ff")
    try journey.sync()
    #expect(journey.backend.rows.map(\.quantity).sorted() == [70, 72])
    #expect(try journey.entry(entry).quantity == 70)
    // A device that took the row that was to be deleted here deletes its own.
    if !isKept { journey.backend.world.progress.remove(RowID(text: other)) }
    _ = try journey.settle()
    #expect(journey.backend.rows.map(\.quantity).sorted() == (isKept ? [70, 72] : [70]))
    #expect(try journey.entry(entry).quantity == 70)
    #expect(try journey.fixture.ledger.state().openSuspicions().count == (isKept ? 1 : 0))
  }

  @Test(
    "Another device's row is taken only once no smaller row is left to be deleted here",
    arguments: [true, false])
  func smallerRow(_ isKept: Bool) throws {
    let (journey, entry) = try Self.corrected()
    let other = journey.add(72, at: Self.morning, id: Self.smallest)
    try journey.sync()
    #expect(journey.backend.rows.map(\.quantity).sorted() == [71, 72])
    #expect(try journey.entry(entry).quantity == 71)
    // A device that took the row that was deleted here deletes its own.
    if !isKept, let id = journey.backend.rows.first(where: { $0.id.text == other })?.id {
      journey.backend.world.progress.remove(id)
    }
    _ = try journey.settle()
    #expect(journey.backend.rows.map(\.quantity) == [isKept ? 72 : 71])
    #expect(try journey.entry(entry).quantity == (isKept ? 72 : 71))
  }

  @Test("An entry gives its row to another one and has a duplicate: the row stays")
  func duplicateOfTaken() throws {
    let journey = try Journey(seed: 1)
    let first = journey.add(70, at: Self.morning, id: "50")
    try journey.sync()
    let second = journey.add(80, at: Self.morning, id: "60")
    try journey.sync()
    journey.add(80, at: Self.morning, id: "40")
    try journey.sync()
    let suspicion = try #require(try journey.fixture.ledger.state().suspicions().first)
    _ = try journey.fixture.ledger.resolve(
      suspicion: suspicion.seq, taking: .one, at: journey.now, using: &journey.generator)
    journey.backend.world.progress.remove(RowID(text: first))
    _ = try journey.settle()
    #expect(journey.backend.rows.map(\.id.text) == [second])
    let live = try journey.fixture.entries(journey.fixture.ledger.state()).filter { !$0.isDeleted }
    #expect(live.map(\.quantity) == [80])
  }

  @Test("An entry with a smaller duplicate that takes another device's row takes its values, too")
  func duplicateBesideAnotherRow() throws {
    let journey = try Journey(seed: 1)
    journey.add(71, at: Self.morning, id: "00005")
    try journey.sync()
    let entry = try #require(try journey.fixture.entries(journey.fixture.ledger.state()).first).id
    journey.add(71, at: Self.morning, id: "00003")
    try journey.sync()
    try journey.fixture.edit(.correctProgress(ProgressCorrected(entry: entry, quantity: 71)))
    try journey.sync()
    let suspicion = try #require(try journey.fixture.ledger.state().suspicions().first)
    _ = try journey.fixture.ledger.resolve(
      suspicion: suspicion.seq, taking: .one, at: journey.now, using: &journey.generator)
    let other = journey.add(72, at: Self.morning, id: "00002")
    _ = try journey.settle()
    #expect(journey.backend.rows.map(\.id.text) == [other])
    #expect(try journey.entry(entry).quantity == 72)
    #expect(try journey.entry(entry).status == .synced)
  }

  @Test(
    "A row taken for that of a lost call stays until another device has deleted its earlier row",
    arguments: [true, false])
  func rowOfLostCall(_ isKept: Bool) throws {
    let devices = try MultiJourney(1)
    let journey = devices.devices[0]
    let gone = journey.add(70, at: Self.morning, id: "80")
    try devices.sync(0)
    let entry = try #require(try devices.live(0).first).id
    try devices.correct(0, entry, to: 71)
    journey.backend.faults = [FaultPoint(fault: .lostBefore, kind: Journey.post, ordinal: 1)]
    try devices.sync(0)
    // Another device has corrected the entry twice, and not deleted the first correction's row yet.
    journey.backend.world.progress.remove(RowID(text: gone))
    let earlier = journey.add(72, at: Self.morning, id: "85")
    journey.add(71, at: Self.morning, id: "90")
    try devices.settle(rounds: 1)
    #expect(journey.backend.rows.map(\.quantity).sorted() == [71, 72])
    #expect(try devices.live(0).map(\.quantity) == [71])
    if !isKept { journey.backend.world.progress.remove(RowID(text: earlier)) }
    journey.pass(seconds: 86_400)
    try devices.settle(rounds: 2)
    try devices.expectOne(isKept ? 72 : 71)
  }

  /// An entry that was corrected here, and whose earlier row could not be deleted.
  private static func corrected() throws -> (Journey, EntryID) {
    let journey = try Journey(seed: 1)
    journey.add(70, at: morning, id: smallest)
    try journey.sync()
    let state = try journey.fixture.ledger.state()
    let entry = try #require(journey.fixture.entries(state).first).id
    try journey.fixture.edit(.correctProgress(ProgressCorrected(entry: entry, quantity: 71)))
    journey.backend.instead = { $0.method == .delete ? .error(503) : nil }
    try journey.sync()
    journey.backend.instead = nil
    journey.pass(seconds: 60)
    #expect(journey.backend.rows.map(\.quantity).sorted() == [70, 71])
    return (journey, entry)
  }

  /// Ids that begin so are smaller than those of the backend.
  private static let smallest = "00"
  private static let morning = Timestamp(
    millisecondsSince1970: LedgerFixture.now.millisecondsSince1970 + 8 * 3_600_000)
  private static let evening = Timestamp(
    millisecondsSince1970: LedgerFixture.now.millisecondsSince1970 + 20 * 3_600_000)
}
