import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// docs/sync.md, Two devices, one entry.
@Suite struct TwoDevicesTests {
  @Test("A correction made on one device reaches the others; the sum is not doubled")
  func oneCorrection() throws {
    let devices = try MultiJourney(3)
    let entries = try devices.sharedEntry()
    try devices.correct(0, entries[0], to: 71)
    try devices.settle()
    try devices.expectOne(71)
    #expect(try devices.live(1).map(\.id) == [entries[1]])
  }

  @Test("One entry corrected on two devices ends as one row with the same values on both")
  func twoCorrections() throws {
    let devices = try MultiJourney(2)
    let entries = try devices.sharedEntry()
    try devices.correct(0, entries[0], to: 71)
    try devices.correct(1, entries[1], to: 72)
    try devices.settle()
    try devices.expectOne(try #require(devices.backend.rows.first).quantity)
    #expect(try devices.devices.contains { try !$0.conflicts().isEmpty })
  }

  @Test(
    "Three devices correct one entry at once: one row stays",
    arguments: [UInt64](1...6))
  func threeCorrections(_ seed: UInt64) throws {
    let devices = try MultiJourney(3, seed: seed)
    let entries = try devices.sharedEntry()
    for device in 0..<3 { try devices.correct(device, entries[device], to: 71 + Double(device)) }
    // All rows are made before any device sees another's.
    devices.devices[0].meanwhile = { request in
      guard request.method == .post else { return }
      devices.devices[0].meanwhile = nil
      try devices.sync(1)
    }
    devices.devices[1].meanwhile = { request in
      guard request.method == .post else { return }
      devices.devices[1].meanwhile = nil
      try devices.sync(2)
    }
    try devices.sync(0)
    #expect(devices.devices[0].count(Journey.post) > 1)
    try devices.settle()
    try devices.expectOne(try #require(devices.backend.rows.first).quantity)
    for device in 0..<3 { #expect(try devices.suspicions(device).isEmpty) }
  }

  @Test(
    "A DELETE whose answer is lost leaves one row", arguments: [CallFault.lostBefore, .lostAfter])
  func lostDeletion(_ fault: CallFault) throws {
    let devices = try MultiJourney(2)
    let entries = try devices.sharedEntry()
    try devices.correct(0, entries[0], to: 71)
    devices.backend.faults = (1...3).map {
      FaultPoint(fault: fault, kind: Journey.delete, ordinal: $0)
    }
    try devices.sync(0)
    try devices.sync(1)
    try devices.settle()
    try devices.expectOne(71)
  }

  @Test("A pull between another device's POST and its DELETE makes no second entry for good")
  func pullInBetween() throws {
    let devices = try MultiJourney(2)
    let entries = try devices.sharedEntry()
    try devices.correct(0, entries[0], to: 71)
    var live: [Double] = []
    devices.devices[0].meanwhile = { request in
      guard request.method == .delete else { return }
      devices.devices[0].meanwhile = nil
      try devices.sync(1)
      live = try devices.live(1).map(\.quantity).sorted()
    }
    try devices.sync(0)
    #expect(live == [70, 71])
    try devices.settle()
    try devices.expectOne(71)
    #expect(try devices.live(1).map(\.id) == [entries[1]])
  }

  @Test("A correction wins over a deletion, whoever comes first", arguments: [0, 1])
  func correctionAgainstDeletion(_ first: Int) throws {
    let devices = try MultiJourney(3)
    let entries = try devices.sharedEntry()
    try devices.correct(0, entries[0], to: 71)
    try devices.delete(1, entries[1])
    try devices.sync(first)
    try devices.sync(1 - first)
    try devices.settle()
    try devices.expectOne(71)
    #expect(try !devices.devices[first == 0 ? 1 : 0].conflicts().isEmpty)
  }

  @Test("A call that a proxy delivers twice at its first attempt is suspected on every device")
  func deliveredTwice() throws {
    let devices = try MultiJourney(2)
    _ = try devices.devices[0].fixture.log(70, at: MultiJourney.morning)
    devices.backend.faults = [FaultPoint(fault: .twice, kind: Journey.post, ordinal: 1)]
    try devices.settle()
    for device in 0..<2 {
      #expect(try devices.suspicions(device).count == 1)
      #expect(try devices.live(device).map(\.quantity) == [70])
    }
  }

  @Test("A twice delivered call that carried corrections along is suspected, too")
  func correctedBeforeSending() throws {
    let devices = try MultiJourney(2)
    let entry = try devices.devices[0].fixture.log(70, at: MultiJourney.morning)
    try devices.correct(0, entry, to: 71)
    devices.backend.faults = [FaultPoint(fault: .twice, kind: Journey.post, ordinal: 1)]
    try devices.settle()
    #expect(try devices.suspicions(0).count == 1)
    #expect(try devices.devices[0].conflicts().isEmpty)
  }

  @Test("Entries without a time, corrected on both sides, wait for a person")
  func untimed() throws {
    let devices = try MultiJourney(2)
    let entries = try devices.sharedEntry(at: nil)
    try devices.correct(0, entries[0], to: 71)
    try devices.correct(1, entries[1], to: 72)
    try devices.settle()
    #expect(devices.backend.rows.count == 2)
    // The first one has both rows where the second one's came after its own had been listed.
    #expect(try devices.suspicions(0).count + devices.suspicions(1).count > 0)
    #expect(try devices.live(1).map(\.quantity) == [72])
  }

  @Test("A correction sent and another's row in the next listing: suspected")
  func untimedAfterwards() throws {
    let devices = try MultiJourney(2)
    try devices.correctBoth(at: nil)
    for device in 0..<2 {
      #expect(try devices.suspicions(device).count == 1)
      #expect(try devices.live(device).count == 1)
    }
  }

  @Test(
    "A pull between POST and DELETE, and a correction here, before or after it: nothing is doubled",
    arguments: [true, false], [UInt64](1...4))
  func correctedAfterPullInBetween(_ isCorrectedBefore: Bool, _ seed: UInt64) throws {
    let devices = try MultiJourney(3, seed: seed)
    let entries = try devices.sharedEntry()
    try devices.correct(2, entries[2], to: 102)
    devices.backend.instead = { $0.method == .delete ? .error(503) : nil }
    try devices.sync(2)
    if isCorrectedBefore { try devices.correct(0, entries[0], to: 101) }
    try devices.sync(0)
    if !isCorrectedBefore { try devices.correct(0, entries[0], to: 101) }
    devices.backend.instead = nil
    try devices.settle()
    var isDisputed = false
    for device in 0..<3 where try !devices.suspicions(device).isEmpty { isDisputed = true }
    if devices.backend.rows.count > 1 { #expect(isDisputed) }
    #expect(devices.backend.rows.count == 1 || !isCorrectedBefore)
    for device in [0, 2] { #expect(try devices.live(device).count == 1) }
  }

  @Test(
    "An entry first met between another device's POST and DELETE, and corrected here, is in doubt",
    arguments: [true, false], [UInt64](1...8))
  func firstMetInBetween(_ isNewestFirst: Bool, _ seed: UInt64) throws {
    let devices = try MultiJourney(2, seed: seed)
    let logged = try devices.devices[0].fixture.log(72, at: MultiJourney.morning)
    try devices.sync(0)
    try devices.correct(0, logged, to: 96)
    devices.backend.instead = { $0.method == .delete ? .error(503) : nil }
    try devices.sync(0)
    // Two rows of one moment change places.
    if !isNewestFirst { devices.backend.changeRows { _ in } }
    try devices.sync(1)
    devices.backend.instead = nil
    try devices.correct(1, try entry(72, of: devices, 1), to: 139)
    try devices.sync(0)
    try devices.settle()
    #expect(try devices.live(0).count == 1)
    #expect(try devices.live(1).count == 1)
    guard devices.backend.rows.count > 1 else { return }
    #expect(try devices.suspicions(1).count == 1)
  }

  @Test("Both devices corrected it to the same: the suspicion ends with the row that is deleted")
  func sameCorrection() throws {
    for seed: UInt64 in 1...4 {
      let devices = try MultiJourney(2, seed: seed)
      let entries = try devices.sharedEntry()
      for device in 0..<2 { try devices.correct(device, entries[device], to: 71) }
      devices.devices[0].meanwhile = { request in
        guard request.method == .post else { return }
        devices.devices[0].meanwhile = nil
        try devices.sync(1)
      }
      try devices.sync(0)
      try devices.settle()
      try devices.expectOne(71)
      for device in 0..<2 { #expect(try devices.suspicions(device).isEmpty) }
    }
  }

  @Test("An entry deleted here and logged again elsewhere is an entry again, and no duplicate")
  func loggedAgainElsewhere() throws {
    let devices = try MultiJourney(2)
    let entries = try devices.sharedEntry()
    try devices.delete(0, entries[0])
    try devices.settle(rounds: 2)
    #expect(try devices.live(1).isEmpty)
    _ = try devices.devices[1].fixture.log(70, at: MultiJourney.morning)
    try devices.settle()
    try devices.expectOne(70)
    #expect(try devices.suspicions(0).isEmpty)
  }

  @Test(
    "Two entries of one moment, one corrected on each device, stay two",
    arguments: [UInt64](1...8))
  func sameMoment(_ seed: UInt64) throws {
    let devices = try MultiJourney(2, seed: seed)
    try logTwoOfOneMoment(devices)
    try devices.correct(1, try entry(80, of: devices, 1), to: 81)
    try devices.sync(1)
    try devices.correct(0, try entry(70, of: devices, 0), to: 71)
    devices.devices[0].meanwhile = { request in
      guard request.method == .delete else { return }
      devices.devices[0].meanwhile = nil
      try devices.sync(1)
    }
    try devices.sync(0)
    try devices.settle()
    #expect(devices.backend.rows.map(\.quantity).sorted() == [71, 81])
    for device in 0..<2 {
      #expect(try devices.live(device).map(\.quantity).sorted() == [71, 81])
      #expect(try devices.suspicions(device).isEmpty)
    }
  }

  @Test(
    "Two entries of one moment, both corrected on one device, stay two on the other",
    arguments: [UInt64](1...8))
  func sameMomentTwice(_ seed: UInt64) throws {
    let devices = try MultiJourney(2, seed: seed)
    try logTwoOfOneMoment(devices)
    let ids = Set(try devices.live(1).map(\.id))
    for entry in try devices.live(0) { try devices.correct(0, entry.id, to: entry.quantity + 1) }
    try devices.settle()
    #expect(try devices.live(1).map(\.quantity).sorted() == [71, 81])
    #expect(Set(try devices.live(1).map(\.id)) == ids)
    #expect(try devices.suspicions(1).isEmpty)
  }

  private func logTwoOfOneMoment(_ devices: MultiJourney) throws {
    for quantity in [70.0, 80] {
      _ = try devices.devices[0].fixture.log(quantity, at: MultiJourney.morning)
    }
    try devices.settle(rounds: 1)
  }

  private func entry(
    _ quantity: Double, of devices: MultiJourney, _ device: Int
  ) throws -> EntryID {
    try #require(try devices.live(device).first { $0.quantity == quantity }).id
  }

  @Test("A correction that waits is sent, although another device corrected the entry before")
  func waitingCorrection() throws {
    let devices = try MultiJourney(2)
    let entries = try devices.sharedEntry()
    try devices.correct(0, entries[0], to: 71)
    try devices.correct(1, entries[1], to: 72)
    try devices.correct(1, entries[1], to: 73)
    try devices.sync(0)
    try devices.settle()
    try devices.expectOne(73)
  }

  @Test("A row moved on one device and corrected on the other waits for a person")
  func movedAndCorrected() throws {
    let devices = try MultiJourney(2)
    let entries = try devices.sharedEntry()
    try devices.devices[0].fixture.edit(
      .correctProgress(ProgressCorrected(entry: entries[0], moment: MultiJourney.evening)))
    try devices.correct(1, entries[1], to: 72)
    devices.devices[1].meanwhile = { request in
      guard request.method == .post else { return }
      devices.devices[1].meanwhile = nil
      try devices.sync(0)
    }
    try devices.sync(1)
    try devices.settle()
    for device in 0..<2 {
      #expect(try devices.suspicions(device).count == 1)
      #expect(try devices.live(device).count == 1)
    }
  }

  @Test("A row pulled as an entry becomes one entry's, however many lost their rows")
  func onePulledRow() throws {
    let devices = try MultiJourney(2)
    let entries = try devices.sharedEntry()
    try devices.correct(0, entries[0], to: 71)
    devices.devices[0].meanwhile = { request in
      guard request.method == .delete else { return }
      // Corrected again before the old row is gone; the other device sees all three rows.
      devices.devices[0].meanwhile = nil
      var moment = LedgerFixture.now
      moment.millisecondsSince1970 += 8 * 3_600_000
      let third = devices.devices[0].add(72, at: moment, id: "third")
      try devices.sync(1)
      let second = devices.backend.rows.first { $0.quantity == 71 }
      if let second { devices.backend.world.progress.remove(second.id) }
      #expect(devices.backend.rows.contains { $0.id.text == third })
    }
    try devices.sync(0)
    #expect(try devices.live(1).count == 3)
    devices.devices[1].pass(seconds: 60)
    try devices.sync(1)
    #expect(try devices.live(1).map(\.quantity) == [72])
    #expect(try devices.live(1).map(\.id) == [entries[1]])
  }

  @Test("An entry timed at midnight in UTC is not bound to a row without a time")
  func midnight() throws {
    let devices = try MultiJourney(2)
    _ = try devices.devices[0].fixture.log(70)
    let midnight = ZonedTime(time: .midnight, zone: .utc)
    _ = try devices.devices[1].fixture.log(70, at: midnight)
    try devices.settle()
    #expect(devices.backend.rows.count == 2)
    for device in 0..<2 { #expect(try devices.live(device).count == 2) }
  }

  @Test("An entry that was given the time of midnight in UTC elsewhere has it here")
  func midnightElsewhere() throws {
    let devices = try MultiJourney(2)
    let entries = try devices.sharedEntry(at: nil)
    let midnight = ZonedTime(time: .midnight, zone: .utc)
    try devices.devices[0].fixture.edit(
      .correctProgress(ProgressCorrected(entry: entries[0], moment: midnight)))
    try devices.settle()
    try devices.expectOne(70)
    #expect(try devices.live(1).map(\.id) == [entries[1]])
    #expect(try devices.live(1).allSatisfy { $0.moment != nil })
  }

  @Test("An entry that was given a time here keeps it, whatever the policy")
  func timeAgainstNone() throws {
    let devices = try MultiJourney(2)
    let entries = try devices.sharedEntry(at: nil)
    devices.devices[1].configuration.conflicts = .remote
    // Corrected to the same values: a new row, by which the other device finds it.
    try devices.correct(0, entries[0], to: 70)
    try devices.devices[1].fixture.edit(
      .correctProgress(ProgressCorrected(entry: entries[1], moment: MultiJourney.morning)))
    try devices.settle()
    try devices.expectOne(70)
    #expect(try devices.live(0).allSatisfy { $0.moment != nil })
    #expect(try devices.devices[1].fixture.ledger.state().openConflicts().isEmpty)
  }

  @Test(
    "A row left to another device waits for a person after two further full listings or a day",
    arguments: [false, true])
  func ownerless(_ isDayLater: Bool) throws {
    let devices = try MultiJourney(1)
    let entries = try devices.sharedEntry()
    try devices.correct(0, entries[0], to: 71)
    devices.devices[0].meanwhile = { request in
      guard request.method == .delete else { return }
      devices.devices[0].meanwhile = nil
      var moment = LedgerFixture.now
      moment.millisecondsSince1970 += 8 * 3_600_000
      devices.devices[0].add(72, at: moment, id: "zz")
    }
    try devices.sync(0)
    try devices.sync(0)
    #expect(try devices.devices[0].conflicts().count == 1)
    devices.devices[0].configuration.listsAll = true
    if isDayLater {
      devices.devices[0].pass(seconds: 90_000)
    } else {
      try devices.sync(0)
      #expect(try devices.suspicions(0).isEmpty)
    }
    try devices.sync(0)
    #expect(try devices.suspicions(0).count == 1)
    #expect(devices.backend.rows.count == 2)
  }

  @Test(
    "A new entry at the moment of one corrected earlier is no correction of it",
    arguments: [UInt64](1...4))
  func newEntryOfTheMoment(_ seed: UInt64) throws {
    let devices = try MultiJourney(2, seed: seed)
    let entries = try devices.sharedEntry()
    try devices.correct(1, entries[1], to: 71)
    try devices.settle()
    _ = try devices.devices[0].fixture.log(90, at: MultiJourney.morning)
    try devices.settle()
    #expect(devices.backend.rows.map(\.quantity).sorted() == [71, 90])
    #expect(try devices.live(0).map(\.quantity).sorted() == [71, 90])
    #expect(try devices.live(1).map(\.quantity) == [71])
    #expect(try devices.suspicions(1).count == 1)
  }

  @Test(
    "A correction whose DELETE is late, corrected on the other device: the loss of a value is on record",
    arguments: [UInt64](1...6))
  func lateDeletion(_ seed: UInt64) throws {
    let devices = try MultiJourney(2, seed: seed)
    let entries = try devices.sharedEntry()
    try devices.correct(0, entries[0], to: 76)
    devices.backend.instead = { $0.method == .delete ? .error(503) : nil }
    try devices.sync(0)
    try devices.sync(1)
    devices.backend.instead = nil
    let known = try devices.live(1)
    let pulled = try #require(known.first { $0.quantity == 76 } ?? known.first)
    try devices.correct(1, pulled.id, to: 77)
    try devices.sync(1)
    try devices.settle()
    let isOpen = try (0..<2).contains { device in
      try !devices.suspicions(device).isEmpty
        || !devices.devices[device].fixture.ledger.state().openConflicts().isEmpty
    }
    let values = try (0..<2).map { try devices.live($0).map(\.quantity) }
    #expect(isOpen || values == [[77], [77]])
  }

  /// Another entry that device 1 logs at the moment of one that device 0 corrects.
  enum OtherEntry: CaseIterable {
    /// Listed by device 0 before it sends the correction.
    case before
    /// Logged after the correction was sent, and before the next listing.
    case after
  }

  @Test(
    "Another entry of the moment of a corrected one is no second correction, also with --push-only",
    arguments: OtherEntry.allCases, [true, false])
  func otherEntryOfTheMoment(_ other: OtherEntry, _ pulls: Bool) throws {
    for seed: UInt64 in 1...TestSize.of(1, full: 6) {
      for policy in [ConflictDecision.local, .remote, .open] {
        let devices = try MultiJourney(2, seed: seed)
        for device in devices.devices { device.configuration.conflicts = policy }
        let entries = try devices.sharedEntry()
        func logOther() throws {
          _ = try devices.devices[1].fixture.log(90, at: MultiJourney.morning)
          try devices.sync(1)
        }
        try devices.correct(0, entries[0], to: 71)
        if other == .before { try logOther() }
        devices.devices[0].configuration.pulls = pulls
        try devices.sync(0)
        devices.devices[0].configuration.pulls = true
        if other == .after {
          for device in devices.devices { device.pass(seconds: 300) }
          try logOther()
        }
        try devices.settle()
        #expect(devices.backend.rows.map(\.quantity).sorted() == [71, 90])
        #expect(try devices.live(0).map(\.quantity) == [71])
        #expect(try devices.suspicions(0).count == 1)
        #expect(try devices.live(1).map(\.quantity).sorted() == [71, 90])
      }
    }
  }

  @Test(
    "A correction and another entry of one device are no corrections by two",
    arguments: [UInt64](1...6))
  func correctionAndOtherEntry(_ seed: UInt64) throws {
    let devices = try MultiJourney(2, seed: seed)
    let entries = try devices.sharedEntry()
    try devices.correct(0, entries[0], to: 71)
    _ = try devices.devices[0].fixture.log(90, at: MultiJourney.morning)
    try devices.sync(0)
    try devices.settle()
    #expect(devices.backend.rows.map(\.quantity).sorted() == [71, 90])
    #expect(try devices.live(1).map(\.id) == [entries[1]])
    #expect(try devices.suspicions(1).count == 1)
  }
}
