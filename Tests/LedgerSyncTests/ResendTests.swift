import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// `--resend` on several devices, and on top of what an earlier one left (docs/sync.md, A backend that
/// forgot).
@Suite struct ResendTests {
  private static func loseRows(_ backend: inout ScriptedBackend) {
    for row in backend.rows { backend.world.progress.remove(row.id) }
  }

  private static func resend(_ journey: Journey) throws {
    journey.configuration.onReplacedAccount = .resend
    try journey.sync()
    journey.configuration.onReplacedAccount = nil
  }

  /// Both devices find an entry's row missing, and the second one resends while the first one does.
  private static func resendAtOnce(_ devices: MultiJourney) throws {
    loseRows(&devices.backend)
    for journey in devices.devices { journey.configuration.onReplacedAccount = .resend }
    devices.devices[0].meanwhile = { request in
      guard request.method == .post else { return }
      devices.devices[0].meanwhile = nil
      try devices.sync(1)
    }
    try devices.sync(0)
    #expect(devices.backend.rows.count == 2)
    try devices.settle()
  }

  /// The account was created again, without rows, and the ledger is sent to it.
  private static func resendToNewAccount(_ journey: Journey) throws {
    loseRows(&journey.backend)
    try journey.fixture.signIn(userID: "before")
    try resend(journey)
  }

  /// Synced entries of 70 and 71.
  ///
  /// - Returns: the id of the second one.
  private static func twoEntries() throws -> (Journey, EntryID) {
    let journey = try Journey.settledPerson()
    _ = try journey.fixture.log(70)
    let entry = try journey.fixture.log(71, at: MultiJourney.morning)
    try journey.sync()
    return (journey, entry)
  }

  private static func erase(_ seq: Seq, of journey: Journey) throws {
    let ledger = journey.fixture.ledger
    let lock = try FileLock(ledger.directory.syncLock, .exclusive, waitSeconds: 0)
    _ = try ledger.erase(
      [seq], reason: "private", holding: lock, at: journey.now, using: &journey.generator)
    journey.rereadLog()
  }

  private static func deletions(_ journey: Journey) -> Int {
    journey.backend.requests.count { $0.method == .delete }
  }

  @Test("A new account is not asked to delete the row that an erased entry had before")
  func erasedBefore() throws {
    let (journey, entry) = try Self.twoEntries()
    try Self.erase(journey.entry(entry).seq, of: journey)
    try Self.resendToNewAccount(journey)
    #expect(Self.deletions(journey) == 0)
    #expect(journey.backend.rows.map(\.quantity) == [70])
    try journey.expectAtRest("resent")
  }

  /// A device with a suspected row.
  ///
  /// - Parameter isDecided: whether its person took that for a duplicate, which is not deleted yet.
  private static func duplicate(isDecided: Bool = true) throws -> (MultiJourney, Journey) {
    let devices = try MultiJourney(2)
    try devices.devices[0].fixture.edit(.updateProfile(ProfileUpdated(name: "Ada")))
    _ = try devices.sharedEntry(at: MultiJourney.morning)
    try resendAtOnce(devices)
    let journey = devices.devices[0]
    let suspicion = try #require(try devices.suspicions(0).first)
    if isDecided {
      _ = try journey.fixture.ledger.resolve(
        suspicion: suspicion.seq, taking: .one, at: journey.now, using: &journey.generator)
    }
    return (devices, journey)
  }

  @Test(
    "A new account has no row that was a duplicate before, decided or not",
    arguments: [false, true])
  func duplicateBefore(isDecided: Bool) throws {
    let (devices, journey) = try Self.duplicate(isDecided: isDecided)
    Self.loseRows(&devices.backend)
    let deletions = Self.deletions(journey)
    try journey.fixture.signIn(userID: "before")
    try Self.resend(journey)
    #expect(Self.deletions(journey) == deletions)
    #expect(try devices.suspicions(0).allSatisfy { !$0.isOpen })
    #expect(devices.backend.rows.map(\.quantity) == [70])
  }

  @Test("An account that lost only its profile still deletes a duplicate")
  func duplicateWithoutProfile() throws {
    let (devices, journey) = try Self.duplicate()
    try journey.fixture.signIn(userID: devices.backend.user.text)
    devices.backend.world.lose(.profiles)
    try Self.resend(journey)
    #expect(try journey.payloads().contains { $0.kind == .accountReplaced })
    #expect(devices.backend.rows.map(\.quantity) == [70])
    try devices.settle()
    #expect(try devices.live(1).map(\.quantity) == [70])
  }

  @Test("An erased entry that was pulled before is deleted at a new account by its new row alone")
  func pulledBefore() throws {
    let journey = try Journey.settledPerson()
    let moment = try #require(journey.now.utc).date
    journey.add(71, at: Timestamp(millisecondsSince1970: Int64(moment.daysSince1970) * 86_400_000))
    try journey.sync()
    let entry = try #require(
      try journey.fixture.ledger.state().progress(ProgressQuery()).entries.first)
    journey.pass(seconds: 60)
    try Self.resendToNewAccount(journey)
    #expect(journey.backend.rows.map(\.quantity) == [71])
    try Self.erase(entry.seq, of: journey)
    try journey.sync()
    #expect(journey.backend.rows.isEmpty)
    #expect(Self.deletions(journey) == 1)
  }

  @Test(
    "The deletion of an erased session is over at a new account, unless that lists it",
    arguments: [false, true], [false, true])
  func erasedSessionBefore(isHeld: Bool, isListed: Bool) throws {
    let journey = try Journey.settledPerson()
    let midnight = Int64(LedgerFixture.today.daysSince1970) * 86_400
    let start = try #require(ZonedTimestamp(secondsSince1970: midnight, zone: .utc))
    let end = try #require(ZonedTimestamp(secondsSince1970: midnight + 25_200, zone: .utc))
    let entry = EntryID.make(at: LedgerFixture.now, using: &journey.generator)
    try journey.fixture.edit(.logSleep(SleepLogged(entry: entry, start: start, end: end)))
    try journey.sync()
    let session = try #require(try journey.fixture.ledger.state().sleep().sessions.first)
    try Self.erase(session.seq, of: journey)
    if isHeld { #expect(try journey.sync().held == 1) }
    if !isListed { journey.backend.world.sleep = [:] }
    try Self.resendToNewAccount(journey)
    let counts = try journey.fixture.ledger.state().syncCounts()
    #expect(counts.held == (isListed ? 1 : 0) && counts.pending == 0)
    try journey.expectAtRest("resent")
  }

  /// An entry that the backend stored with another value, and whose account was created again since.
  ///
  /// - Parameter isDeleted: whether it was deleted before that.
  private static func differed(isDeleted: Bool = false) throws -> (Journey, EntryID) {
    let journey = try Journey.settledPerson()
    _ = try journey.fixture.log(70)
    try journey.sync()
    try journey.backend.scriptFaults("POST /api/v1/progress:lie=quantity:1")
    let entry = try journey.fixture.log(71, at: MultiJourney.morning)
    try journey.sync()
    #expect(try journey.fixture.ledger.state().openConflicts().count == 1)
    journey.pass(seconds: 60)
    if isDeleted {
      try journey.fixture.edit(.deleteProgress(ProgressDeleted(entry: entry)))
    }
    try resendToNewAccount(journey)
    return (journey, entry)
  }

  @Test("A conflict over a row that a new account does not list is closed, and the entry is sent")
  func conflictBefore() throws {
    let (journey, entry) = try Self.differed()
    #expect(try journey.fixture.ledger.state().openConflicts().isEmpty)
    #expect(journey.backend.rows.contains { $0.quantity == 71 })
    #expect(try journey.entry(entry).status == .synced)
    #expect(Self.deletions(journey) == 0)
    try journey.expectAtRest("resent")
  }

  @Test("An entry that differed at an earlier account can be erased", arguments: [false, true])
  func differedBefore(isDeleted: Bool) throws {
    let (journey, entry) = try Self.differed(isDeleted: isDeleted)
    if !isDeleted {
      try journey.fixture.edit(.deleteProgress(ProgressDeleted(entry: entry)))
    }
    try journey.sync()
    try Self.erase(journey.entry(entry).seq, of: journey)
    #expect(journey.backend.rows.map(\.quantity) == [70])
    try journey.expectAtRest("erased")
  }

  @Test("A backup of an earlier account loses the row of an entry that was erased meanwhile")
  func erasedBeforeABackup() throws {
    let (journey, entry) = try Self.twoEntries()
    journey.pass(seconds: 60)
    let backup = journey.backend.world.progress
    try Self.erase(journey.entry(entry).seq, of: journey)
    try Self.resendToNewAccount(journey)
    journey.pass(seconds: 60)
    journey.backend.world.progress = backup
    try Self.resend(journey)
    #expect(!journey.backend.rows.map(\.quantity).contains(71))
    #expect(
      try !journey.fixture.ledger.state().progress(ProgressQuery()).entries.contains {
        $0.quantity == 71
      })
  }

  @Test(
    "Two devices that resend at the same time count an entry once, and suspect the other's row",
    arguments: [nil, MultiJourney.morning])
  func twoAtOnce(_ moment: ZonedTime?) throws {
    let devices = try MultiJourney(2)
    _ = try devices.sharedEntry(at: moment)
    try Self.resendAtOnce(devices)
    for device in 0..<2 {
      #expect(try devices.live(device).map(\.quantity) == [70])
      #expect(try devices.suspicions(device).count == 1)
    }
  }

  @Test(
    "An entry deleted here that another device sends again is suspected, not taken back",
    arguments: [nil, MultiJourney.morning], [false, true])
  func deletedBefore(_ moment: ZonedTime?, isSent: Bool) throws {
    let devices = try MultiJourney(2)
    let entry = try devices.sharedEntry(at: moment)[1]
    _ = try devices.sharedEntry(80, at: moment)
    try devices.delete(1, entry)
    if isSent { try devices.sync(1) }
    Self.loseRows(&devices.backend)
    try Self.resend(devices.devices[0])
    #expect(devices.backend.rows.count == 2)
    try devices.settle()
    #expect(try devices.live(1).map(\.quantity) == [80])
    let suspicion = try #require(devices.suspicions(1).first)
    #expect(suspicion.entry == entry)
    let journey = devices.devices[1]
    _ = try journey.fixture.ledger.resolve(
      suspicion: suspicion.seq, taking: .one, at: journey.now, using: &journey.generator)
    try devices.settle()
    try devices.expectOne(80)
  }

  @Test("Two devices that send again at once suspect each other's row after a correction")
  func twoAtOnceWithCorrection() throws {
    let devices = try MultiJourney(2)
    let entries = try devices.sharedEntry()
    try devices.correct(1, entries[1], to: 72)
    try Self.resendAtOnce(devices)
    #expect(try devices.live(0).map(\.quantity) == [70] && devices.suspicions(0).count == 1)
    #expect(try devices.live(1).map(\.quantity) == [72] && devices.suspicions(1).count == 1)
  }

  @Test("Equal entries that another device sent again keep their ids")
  func equalEntries() throws {
    let devices = try MultiJourney(2)
    for _ in 1...2 { _ = try devices.devices[0].fixture.log(70) }
    try devices.settle()
    let entries = try devices.live(1).map(\.id)
    Self.loseRows(&devices.backend)
    devices.devices[0].configuration.onReplacedAccount = .resend
    try devices.sync(0)
    #expect(try devices.sync(1).deleted == 0)
    #expect(try devices.live(1).map(\.id) == entries)
    try devices.settle()
    #expect(devices.backend.rows.count == 2)
  }

  @Test("What could not be sent again is bound when another device has sent it")
  func sentByAnotherDevice() throws {
    let devices = try MultiJourney(2)
    _ = try devices.sharedEntry(at: nil)
    Self.loseRows(&devices.backend)
    devices.devices[0].configuration.onReplacedAccount = .resend
    try devices.devices[0].loseFirstPost(.notSent)
    devices.devices[0].configuration.onReplacedAccount = nil
    #expect(devices.backend.rows.isEmpty)
    devices.devices[1].configuration.onReplacedAccount = .resend
    try devices.sync(1)
    try devices.settle()
    try devices.expectOne(70)
  }

  @Test("An old row that is yet to be deleted is deleted after resending")
  func leftover() throws {
    let journey = try Journey.settledPerson()
    let entries = try [70.0, 71].map { try journey.fixture.log($0) }
    try journey.sync()
    try journey.fixture.edit(.correctProgress(ProgressCorrected(entry: entries[0], quantity: 80)))
    journey.backend.faults = (1...10).map {
      FaultPoint(fault: .serverErrorBefore, kind: Journey.delete, ordinal: $0)
    }
    try journey.sync()
    journey.backend.faults = []
    journey.pass(seconds: 600)
    #expect(journey.backend.rows.map(\.quantity).sorted() == [70, 71, 80])
    let lost = try #require(journey.backend.rows.first { $0.quantity == 71 })
    journey.backend.world.progress.remove(lost.id)
    try Self.resend(journey)
    try journey.expectAtRest("leftover")
    #expect(journey.backend.rows.map(\.quantity).sorted() == [71, 80])
  }

  @Test("A row that was missing when its entry was sent again stops the run when it is back")
  func returnedAfterResend() throws {
    let journey = try Journey.settledPerson()
    _ = try journey.fixture.log(70)
    try journey.sync()
    let backup = journey.backend.world
    Self.loseRows(&journey.backend)
    try Self.resend(journey)
    journey.pass(seconds: 60)
    journey.backend.world = backup
    #expect(try journey.sync().stop == .returnedRows(1))
    try Self.resend(journey)
    try journey.expectAtRest("returned after resending")
    #expect(journey.backend.rows.map(\.quantity) == [70])
  }

  @Test("A duplicate that was deleted stops the run when it is back, and is asked about again")
  func duplicateReturns() throws {
    let journey = try Journey.settledPerson()
    let entry = try journey.fixture.log(70, at: MultiJourney.morning)
    try journey.sync()
    journey.pass(seconds: 60)
    let row = try #require(journey.backend.rows.first)
    journey.add(70, at: row.moment, id: "z-duplicate")
    try journey.sync()
    let suspicion = try #require(try journey.fixture.ledger.state().openSuspicions().first)
    let backup = journey.backend.world
    _ = try journey.fixture.ledger.resolve(
      suspicion: suspicion.seq, taking: .one, at: journey.now, using: &journey.generator)
    try journey.sync()
    #expect(journey.backend.rows.count == 1)
    journey.pass(seconds: 60)
    journey.backend.world = backup
    #expect(try journey.sync().stop == .returnedRows(1))
    try Self.resend(journey)
    try journey.expectAtRest("a duplicate that is back")
    #expect(try journey.fixture.ledger.state().openSuspicions().map(\.entry) == [entry])
    #expect(journey.backend.rows.count == 2)
  }
}
