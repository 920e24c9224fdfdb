import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// Two devices on which a person decided about the rows of one entry: one row stays, or the loss of
/// both is shown (docs/sync.md, Decisions).
@Suite struct TwoDecisionsTests {
  private static func takeOne(_ devices: MultiJourney, _ device: Int) throws {
    let suspicion = try #require(try devices.suspicions(device).first)
    let journey = devices.devices[device]
    _ = try journey.fixture.ledger.resolve(
      suspicion: suspicion.seq, taking: .one, at: journey.now, using: &journey.generator)
  }

  @Test("A row declared an entry of its own is pulled by the next sync, and not asked about again")
  func both() throws {
    let devices = try MultiJourney(2)
    let entries = try devices.sharedEntry(at: nil)
    try devices.correct(0, entries[0], to: 71)
    try devices.correct(1, entries[1], to: 72)
    try devices.sync(1)
    try devices.sync(0)
    let suspicion = try #require(try devices.suspicions(0).first)
    let journey = devices.devices[0]
    _ = try journey.fixture.ledger.resolve(
      suspicion: suspicion.seq, taking: .both, at: journey.now, using: &journey.generator)
    #expect(try devices.sync(0).pulled == 1)
    try devices.settle()
    #expect(try devices.suspicions(0).isEmpty)
    #expect(try devices.live(0).map(\.quantity).sorted() == [71, 72])
  }

  @Test("A suspected row that was corrected is suspected again, and no entry takes its place")
  func suspectedRowCorrected() throws {
    // The rows' ids are random.
    for seed in UInt64(1)...6 {
      let devices = try MultiJourney(2, seed: seed)
      let first = try devices.sharedEntry()[0]
      let other = try devices.devices[1].fixture.log(80, at: MultiJourney.morning)
      for device in [1, 0, 1] { try devices.sync(device) }
      try devices.correct(0, first, to: 71)
      try devices.correct(1, other, to: 81)
      try devices.settle()
      #expect(Set(devices.backend.rows.map(\.quantity)) == [71, 81])
      for device in 0...1 { #expect(try devices.devices[device].conflicts().isEmpty) }
      let suspicion = try #require(try devices.suspicions(0).first)
      let journey = devices.devices[0]
      _ = try journey.fixture.ledger.resolve(
        suspicion: suspicion.seq, taking: .both, at: journey.now, using: &journey.generator)
      try devices.settle()
      for device in 0...1 {
        #expect(try devices.live(device).map(\.quantity).sorted() == [71, 81])
        #expect(try devices.suspicions(device).isEmpty)
      }
    }
  }

  /// An entry that device 1 corrects to 71 and another of its moment, 80, from device 0, of which device 1
  /// says that both are meant.
  ///
  /// - Returns: the entry's id on each device.
  private static func bothMeant(_ devices: MultiJourney) throws -> [EntryID] {
    let entries = try devices.sharedEntry()
    _ = try devices.devices[0].fixture.log(80, at: MultiJourney.morning)
    try devices.sync(0)
    devices.devices[1].pass(seconds: 60)
    try devices.sync(1)
    try devices.correct(1, entries[1], to: 71)
    try devices.sync(1)
    try devices.sync(1)
    let suspicion = try #require(try devices.suspicions(1).first)
    let journey = devices.devices[1]
    _ = try journey.fixture.ledger.resolve(
      suspicion: suspicion.seq, taking: .both, at: journey.now, using: &journey.generator)
    #expect(try devices.sync(1).stop == nil)
    return entries
  }

  @Test("A row of the entry's moment that was declared an entry is pulled, and not suspected again")
  func bothOfOneMoment() throws {
    let devices = try MultiJourney(2)
    let entries = try Self.bothMeant(devices)
    try devices.settle()
    try devices.correct(1, entries[1], to: 72)
    try devices.settle()
    for device in 0..<2 {
      #expect(try devices.suspicions(device).isEmpty)
      #expect(try devices.live(device).map(\.quantity).sorted() == [72, 80])
    }
  }

  @Test(
    "A row declared an entry is not taken by the other entry, whose row is gone", arguments: 1...6)
  func bothThenCorrected(_ seed: UInt64) throws {
    let devices = try MultiJourney(2, seed: seed)
    _ = try Self.bothMeant(devices)
    let other = try #require(try devices.live(1).first { $0.quantity == 80 }).id
    try devices.sync(0)
    let corrected = try #require(try devices.live(0).first { $0.quantity == 71 }).id
    try devices.correct(0, corrected, to: 72)
    for device in [0, 1, 1, 0] { try devices.sync(device) }
    #expect(try devices.live(1).contains { $0.id == other && $0.quantity == 80 })
    #expect(try devices.live(1).map(\.quantity).sorted() == [72, 80])
  }

  @Test("A conflict left to a person is open again once the row is gone that a later one was about")
  func openAgain() throws {
    // The row ids are random: until the third device, which does not ask, has the largest and deletes it.
    var rows = 3
    for _ in 0..<100 where rows == 3 {
      let devices = try MultiJourney(3)
      for device in 0..<2 { devices.devices[device].configuration.conflicts = .open }
      try Self.correctAll(devices)
      rows = devices.backend.rows.count
      for device in 0..<2 {
        #expect(try !devices.devices[device].fixture.ledger.state().openConflicts().isEmpty)
      }
    }
    #expect(rows == 2)
  }

  /// All rows are made before a device sees another's.
  private static func correctAll(_ devices: MultiJourney) throws {
    let entries = try devices.sharedEntry()
    for device in 0..<3 { try devices.correct(device, entries[device], to: 80 + Double(device)) }
    for device in 0..<2 {
      devices.devices[device].meanwhile = { request in
        guard request.method == .post else { return }
        devices.devices[device].meanwhile = nil
        try devices.sync(device + 1)
      }
    }
    try devices.sync(0)
    try devices.settle()
  }

  @Test("An entry that was pulled with one moved onto its moment later stays")
  func movedOntoAnother() throws {
    let devices = try MultiJourney(2)
    _ = try devices.devices[0].fixture.log(70.5, at: MultiJourney.evening)
    _ = try devices.devices[0].fixture.log(70, at: MultiJourney.morning)
    try devices.settle(rounds: 1)
    let moved = try (0..<2).map { device in
      try #require(try devices.live(device).first { $0.quantity == 70 }).id
    }
    try devices.devices[0].fixture.edit(
      .correctProgress(ProgressCorrected(entry: moved[0], moment: MultiJourney.evening)))
    try devices.sync(0)
    try devices.sync(1)
    try devices.correct(1, moved[1], to: 71)
    try devices.settle()
    for device in 0..<2 {
      #expect(try devices.suspicions(device).isEmpty)
      #expect(try devices.live(device).map(\.quantity).sorted() == [70.5, 71])
    }
  }

  /// Each device takes the row that the other one made.
  private static func takeRemote(_ devices: MultiJourney) throws {
    for journey in devices.devices {
      #expect(try !journey.fixture.ledger.state().openConflicts().isEmpty)
      try journey.decide(["quantity": .remote])
    }
  }

  /// One device lists rows and deletes one while the other is about to.
  private static func syncAtOnce(_ devices: MultiJourney) throws {
    devices.devices[0].meanwhile = { request in
      guard request.method == .delete else { return }
      devices.devices[0].meanwhile = nil
      try devices.sync(1)
    }
    try devices.sync(0)
    #expect(devices.devices[0].meanwhile == nil)
  }

  /// Both devices carry out what they decided, and neither lists rows before.
  private static func pushOnly(_ devices: MultiJourney) throws {
    for journey in devices.devices { journey.configuration.pulls = false }
    for device in 0..<2 { #expect(try devices.sync(device).pull == .skipped) }
    for journey in devices.devices { journey.configuration.pulls = true }
  }

  @Test("Two rows declared to be one on both devices: one of them stays", arguments: [0, 1])
  func oneOnBothDevices(_ first: Int) throws {
    let devices = try MultiJourney(2)
    try devices.correctBoth(at: nil)
    for device in 0..<2 { try Self.takeOne(devices, device) }
    try devices.sync(first)
    try devices.settle()
    try devices.expectOne(try #require(devices.backend.rows.first).quantity)
  }

  @Test(
    "Equal rows declared to be one on both devices, neither of which lists in between: one stays",
    arguments: [UInt64](1...6))
  func oneOfEqualRows(_ seed: UInt64) throws {
    let devices = try Self.duplicates(seed: seed)
    try Self.pushOnly(devices)
    try devices.settle()
    try devices.expectOne(70)
  }

  @Test(
    "Equal rows declared to be one on both devices, one of which deletes while the other is about to",
    arguments: [UInt64](1...6))
  func oneOfEqualRowsMeanwhile(_ seed: UInt64) throws {
    let devices = try Self.duplicates(seed: seed)
    try Self.syncAtOnce(devices)
    try devices.settle()
    try devices.expectOne(70)
  }

  /// Two devices that sent equal entries at the same time, and then both declared the other's row to
  /// be a duplicate.
  private static func duplicates(seed: UInt64) throws -> MultiJourney {
    let devices = try MultiJourney(2, seed: seed)
    for journey in devices.devices {
      _ = try journey.fixture.log(70, at: MultiJourney.morning)
    }
    try pushOnly(devices)
    try devices.settle(rounds: 1)
    #expect(devices.backend.rows.count == 2)
    for device in 0..<2 { try takeOne(devices, device) }
    return devices
  }

  @Test(
    "A row deleted by the device that another one suspects it on: the entry takes the other row")
  func oneOnTheOtherDevice() throws {
    let devices = try MultiJourney(2)
    try devices.correctBoth(at: nil)
    try Self.takeOne(devices, 0)
    try devices.settle()
    try devices.expectOne(71)
    #expect(try devices.suspicions(1).isEmpty)
  }

  @Test("The other device's row taken on both devices: one of them stays", arguments: [0, 1])
  func remoteOnBothDevices(_ first: Int) throws {
    let devices = try MultiJourney(2)
    for journey in devices.devices { journey.configuration.conflicts = .open }
    try devices.correctBoth(at: MultiJourney.morning)
    try Self.takeRemote(devices)
    try devices.sync(first)
    try devices.settle()
    try devices.expectOne(try #require(devices.backend.rows.first).quantity)
    for journey in devices.devices {
      #expect(try journey.fixture.ledger.state().openConflicts().isEmpty)
    }
  }

  @Test(
    "Different rows declared to be one on both devices at once: one device asks",
    arguments: ConflictSide.allCases, [UInt64](1...3))
  func oneOfDifferentRows(_ side: ConflictSide, _ seed: UInt64) throws {
    let devices = try MultiJourney(2, seed: seed)
    try devices.correctBoth(at: nil)
    for device in 0..<2 { try Self.takeOne(devices, device) }
    try Self.syncAtOnce(devices)
    try Self.expectQuestion(devices, side)
  }

  @Test(
    "The other device's row taken on both devices at once: one device asks",
    arguments: ConflictSide.allCases, [UInt64](1...3))
  func remoteAtOnce(_ side: ConflictSide, _ seed: UInt64) throws {
    let devices = try MultiJourney(2, seed: seed)
    for journey in devices.devices { journey.configuration.conflicts = .open }
    try devices.correctBoth(at: MultiJourney.morning)
    try Self.takeRemote(devices)
    try Self.syncAtOnce(devices)
    try Self.expectQuestion(devices, side)
  }

  /// Both rows are deleted. One device keeps the entry until the person decides about it.
  private static func expectQuestion(_ devices: MultiJourney, _ side: ConflictSide) throws {
    #expect(devices.backend.rows.isEmpty)
    try devices.settle()
    let asking = try devices.devices.filter { journey in
      try !journey.fixture.ledger.state().openConflicts().isEmpty
    }
    #expect(asking.count == 1)
    let journey = try #require(asking.first)
    let kept = try #require(
      try journey.fixture.entries(journey.fixture.ledger.state())
        .first { !$0.isDeleted })
    #expect(try devices.live(0).count + devices.live(1).count == 1)
    try journey.decide(["entry": side])
    try devices.settle()
    if side == .local { return try devices.expectOne(kept.quantity) }
    #expect(devices.backend.rows.isEmpty)
    for device in 0..<2 { #expect(try devices.live(device).isEmpty) }
  }

  @Test("A conflict that the other device decided is closed: its row is gone")
  func decidedElsewhere() throws {
    let devices = try MultiJourney(2)
    for journey in devices.devices { journey.configuration.conflicts = .open }
    try devices.correctBoth(at: MultiJourney.morning)
    func open(_ device: Int) throws -> [ConflictView] {
      try devices.devices[device].fixture.ledger.state().openConflicts()
    }
    #expect(try open(0).count == 1 && open(1).count == 1)
    let kept = try #require(devices.live(1).first).quantity
    try devices.devices[0].decide(["quantity": .remote])
    try devices.settle()
    #expect(try open(0).isEmpty && open(1).isEmpty)
    try devices.expectOne(kept)
  }

  @Test("An entry deleted in a conflict leaves nothing to send, and the other row comes back")
  func deletedInConflict() throws {
    let devices = try MultiJourney(2)
    for journey in devices.devices { journey.configuration.conflicts = .open }
    try devices.correctBoth(at: MultiJourney.morning)
    try devices.delete(0, try #require(devices.live(0).first).id)
    try devices.settle()
    #expect(try devices.sync(0).pending == 0)
    #expect(try devices.live(0).map(\.quantity) == devices.backend.rows.map(\.quantity))
  }

  @Test("Rows of a conflict whose entry was deleted are on record, and asked about after a day")
  func deletedInConflictOfSeveral() throws {
    let journey = try Journey.settledPerson()
    journey.configuration.conflicts = .open
    let entry = try journey.fixture.log(70, at: MultiJourney.morning)
    try journey.sync()
    journey.pass(seconds: 60)
    let row = try #require(journey.backend.rows.first)
    try journey.fixture.edit(.correctProgress(ProgressCorrected(entry: entry, quantity: 71)))
    try journey.sync()
    for (quantity, id) in [(72.0, "b"), (73.0, "c")] {
      journey.add(quantity, at: row.moment, id: id)
    }
    try journey.sync()
    #expect(try !journey.fixture.ledger.state().openConflicts().isEmpty)
    try journey.fixture.edit(.deleteProgress(ProgressDeleted(entry: entry)))
    for _ in 0..<2 {
      try journey.sync()
      journey.pass(seconds: 90_000)
    }
    try journey.sync()
    let state = try journey.fixture.ledger.state()
    let shown = journey.fixture.entries(state).filter { !$0.isDeleted }.count
    #expect(shown + state.openSuspicions().flatMap(\.backendIDs).count == 2)
  }

  @Test("A row in a conflict is not taken by an equal entry that another call may have made")
  func disputedRow() throws {
    let journey = try Journey.settledPerson()
    journey.configuration.conflicts = .open
    let entry = try journey.fixture.log(70, at: MultiJourney.morning)
    try journey.sync()
    journey.pass(seconds: 60)
    let moment = try #require(journey.backend.rows.first).moment
    try journey.fixture.edit(.correctProgress(ProgressCorrected(entry: entry, quantity: 71)))
    try journey.sync()
    journey.pass(seconds: 60)
    journey.add(72, at: moment, id: "theirs")
    try journey.sync()
    #expect(try journey.fixture.ledger.state().openConflicts().map(\.entry) == [entry])
    let other = try journey.fixture.log(72, at: MultiJourney.morning)
    try journey.sync()
    try journey.decide(["quantity": .remote])
    try journey.sync()
    #expect(try journey.backendID(entry) != journey.backendID(other))
    #expect(journey.backend.rows.map(\.quantity) == [72, 72])
  }

  @Test("An entry deleted a day after the decision is deleted, without a question")
  func deletedLater() throws {
    let devices = try MultiJourney(2)
    try devices.correctBoth(at: nil)
    try Self.takeOne(devices, 0)
    try devices.settle()
    for journey in devices.devices { journey.pass(seconds: 86_400) }
    try devices.settle()
    try devices.delete(1, try #require(devices.live(1).first).id)
    try devices.settle()
    #expect(devices.backend.rows.isEmpty)
    for device in 0..<2 { #expect(try devices.live(device).isEmpty) }
  }
}
