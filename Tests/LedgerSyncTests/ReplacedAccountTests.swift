import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// A backend that forgot takes nothing away (docs/sync.md, A backend that forgot).
@Suite struct ReplacedAccountTests {
  private static func settled(_ count: Int, seed: UInt64 = 1) throws -> (Journey, [EntryID]) {
    let journey = try Journey.settledPerson(seed: seed)
    let ids = try (0..<count).map { try journey.fixture.log(70 + Double($0)) }
    try journey.sync()
    journey.pass(seconds: 60)
    return (journey, ids)
  }

  private static func live(_ journey: Journey) throws -> [Double] {
    try journey.fixture.ledger.state().progress(ProgressQuery(limit: 1_000)).entries
      .map(\.quantity).sorted()
  }

  @Test("Rows that are gone in numbers stop the run before anything is recorded")
  func massDeletion() throws {
    let (journey, _) = try Self.settled(40)
    for row in journey.backend.rows { journey.backend.world.progress.remove(row.id) }
    let before = try journey.payloads().count
    let report = try journey.sync()
    #expect(report.stop == .massDeletion(missing: 40, of: 40) && report.deleted == 0)
    #expect(try journey.payloads().count == before)
    #expect(try Self.live(journey).count == 40)
  }

  @Test("One unsent correction does not hide that all rows are gone")
  func massDeletionBesideACorrection() throws {
    let (journey, ids) = try Self.settled(5)
    for row in journey.backend.rows { journey.backend.world.progress.remove(row.id) }
    try journey.fixture.edit(.correctProgress(ProgressCorrected(entry: ids[0], quantity: 99)))
    let before = try journey.payloads().count
    let report = try journey.sync()
    #expect(report.stop == .massDeletion(missing: 5, of: 5))
    #expect(try journey.payloads().count == before)
    #expect(journey.backend.rows.isEmpty)
  }

  @Test("An entry that was sent since does not hide it, nor does one that was only corrected since")
  func massDeletionBeforeACall() throws {
    for corrects in [false, true] {
      let (journey, ids) = try Self.settled(5)
      journey.configuration.lastListing = try journey.sync().listing
      for row in journey.backend.rows { journey.backend.world.progress.remove(row.id) }
      if corrects {
        try journey.fixture.edit(.correctProgress(ProgressCorrected(entry: ids[0], quantity: 99)))
      } else {
        _ = try journey.fixture.log(88)
      }
      journey.configuration.pulls = false
      #expect(try journey.sync().sent > 0)
      journey.configuration.pulls = true
      let report = try journey.sync()
      #expect(report.stop == .massDeletion(missing: corrects ? 4 : 5, of: corrects ? 5 : 6))
      #expect(try Self.live(journey).count == (corrects ? 5 : 6))
    }
  }

  @Test("Rows that another device sent again do not hide that all others are gone")
  func massDeletionBesideAResend() throws {
    let (journey, _) = try Self.settled(6)
    let rows = journey.backend.rows
    for row in rows { journey.backend.world.progress.remove(row.id) }
    for row in rows.prefix(2) {
      journey.add(row.quantity, at: row.moment)
    }
    #expect(try journey.sync().stop == .massDeletion(missing: 4, of: 6))
    #expect(try Self.live(journey).count == 6)
  }

  @Test("The oldest entries of a new ledger may be deleted on another device")
  func deletedOnAnotherDevice() throws {
    let (journey, _) = try Self.settled(8)
    for row in journey.backend.rows.prefix(3) { journey.backend.world.progress.remove(row.id) }
    let report = try journey.sync()
    #expect(report.stop == nil && report.deleted == 3)
  }

  @Test("A profile that is missing right after its POST is asked for again before it counts")
  func missingRightAfterItsPost() throws {
    for isGone in [false, true] {
      let journey = try Journey(seed: 1)
      journey.backend.change { $0.profile = nil }
      try journey.fixture.edit(.updateProfile(Journey.me))
      #expect(try journey.sync().acknowledged == 1)
      if isGone {
        journey.backend.change { $0.profile = nil }
      } else {
        journey.answerFirst("GET /api/v1/users/me", with: .answer(404, "{}"))
      }
      let report = try journey.sync()
      #expect((report.stop != nil) == isGone && journey.waits.count == 1)
    }
  }

  @Test("A run that only sends asks whose account it is")
  func pushOnlyAfterReplacement() throws {
    let journey = try Journey(seed: 1)
    try journey.fixture.signIn(userID: "mine")
    _ = try journey.fixture.log(70)
    journey.configuration.pulls = false
    journey.backend.instead = { request in
      request.method == .get ? .answer(200, #"{"user_id":"another","name":"Ada"}"#) : nil
    }
    let report = try journey.sync()
    #expect(report.sent == 0)
    guard case .accountReplaced? = report.stop else {
      Issue.record("\(String(describing: report.stop))")
      return
    }
  }

  @Test("An entry in a conflict stays until the user decides, even if its row is gone")
  func missingInConflict() throws {
    let journey = try Journey.settledPerson(seed: 1)
    try journey.backend.scriptFaults("POST /api/v1/progress:lie=quantity")
    let entry = try journey.fixture.log(70)
    try journey.sync()
    #expect(try journey.conflicts().count == 1)
    for row in journey.backend.rows { journey.backend.world.progress.remove(row.id) }
    journey.pass(seconds: 60)
    let report = try journey.sync()
    #expect(report.deleted == 0)
    #expect(try !journey.entry(entry).isDeleted)
    #expect(try journey.fixture.ledger.state().openConflicts().count == 1)
  }

  @Test("A few deletions are taken, and counted apart", arguments: [1, 2, 20])
  func fewDeletions(_ gone: Int) throws {
    let (journey, _) = try Self.settled(gone == 20 ? 60 : 3)
    for row in journey.backend.rows.prefix(gone) { journey.backend.world.progress.remove(row.id) }
    let report = try journey.sync()
    #expect(report.stop == nil && report.deleted == gone && report.pulled == 0)
  }

  @Test("Resending rebuilds the backend, and then nothing is left to send")
  func resend() throws {
    let (journey, _) = try Self.settled(40)
    let before = try Self.live(journey)
    for row in journey.backend.rows { journey.backend.world.progress.remove(row.id) }
    journey.configuration.onReplacedAccount = .resend
    let report = try journey.sync()
    #expect(report.stop == nil && report.acknowledged == 40)
    journey.configuration.onReplacedAccount = nil
    #expect(journey.backend.rows.map(\.quantity).sorted() == before)
    #expect(try Self.live(journey) == before)
    try journey.expectAtRest("resent")
    #expect(try journey.payloads().count { $0.kind == .accountReplaced } == 1)
  }

  @Test("Resending keeps the rows that are still there, and sends what is missing only")
  func resendPart() throws {
    let (journey, ids) = try Self.settled(40)
    let kept = journey.backend.rows.prefix(10).map(\.id)
    for row in journey.backend.rows.dropFirst(10) {
      journey.backend.world.progress.remove(row.id)
    }
    journey.configuration.onReplacedAccount = .resend
    let report = try journey.sync()
    #expect(report.acknowledged >= 30 && journey.backend.rows.count == 40)
    #expect(kept.allSatisfy { id in journey.backend.rows.contains { $0.id == id } })
    for id in ids { #expect(try journey.entry(id).status == .synced) }
    journey.configuration.onReplacedAccount = nil
    try journey.expectAtRest("resent in part")
  }

  @Test("An equal row that another device has resent is bound, timed or not")
  func resentElsewhere() throws {
    let (journey, ids) = try Self.settled(5)
    let rows = journey.backend.rows
    for row in rows {
      journey.backend.world.progress.remove(row.id)
      journey.add(row.quantity, at: row.moment, id: "again")
    }
    journey.configuration.onReplacedAccount = .resend
    let report = try journey.sync()
    #expect(report.sent == 0 && journey.backend.rows.count == 5)
    for id in ids { #expect(try journey.entry(id).status == .synced) }
  }

  @Test("Accepting the deletions deletes the entries, each on record")
  func accept() throws {
    let (journey, _) = try Self.settled(40)
    for row in journey.backend.rows { journey.backend.world.progress.remove(row.id) }
    journey.configuration.onReplacedAccount = .acceptDeletions
    #expect(try journey.sync().deleted == 40)
    journey.configuration.onReplacedAccount = nil
    #expect(try Self.live(journey).isEmpty)
    try journey.expectAtRest("accepted")
  }

  @Test("A profile that is gone stops the run, and resending makes it again")
  func profileIsGone() throws {
    let (journey, _) = try Self.settled(2)
    journey.backend.change { $0.profile = nil }
    for row in journey.backend.rows { journey.backend.world.progress.remove(row.id) }
    guard case .accountReplaced = try journey.sync().stop else {
      Issue.record("the run goes on")
      return
    }
    #expect(try Self.live(journey).count == 2)
    journey.configuration.onReplacedAccount = .resend
    try journey.sync()
    #expect(journey.backend.account?.profile?.name == "Ada")
    #expect(journey.backend.rows.count == 2)
    journey.configuration.onReplacedAccount = nil
    try journey.expectAtRest("profile resent")
  }

  @Test("Resending after a restored backup makes corrections again", arguments: [true, false])
  func correctionAgain(isTimed: Bool) throws {
    let journey = try Journey.settledPerson()
    let entry = try journey.fixture.log(71, at: isTimed ? MultiJourney.morning : nil)
    try journey.sync()
    let backup = journey.backend.world.progress
    try journey.fixture.edit(.correctProgress(ProgressCorrected(entry: entry, quantity: 79)))
    try journey.sync()
    journey.backend.world.progress = backup
    journey.pass(seconds: 5)
    #expect(try journey.sync().stop == .returnedRows(1))
    journey.configuration.onReplacedAccount = .resend
    try journey.sync()
    journey.configuration.onReplacedAccount = nil
    try journey.expectAtRest("resent")
    #expect(journey.backend.rows.map(\.quantity) == [79])
    #expect(try Self.live(journey) == [79])
  }

  @Test(
    "The row of an erased entry that a backup brings back is deleted again, never pulled",
    arguments: [nil, .resend, .acceptDeletions] as [ReplacementPolicy?])
  func erasedRow(_ policy: ReplacementPolicy?) throws {
    let journey = try Journey.settledPerson()
    _ = try journey.fixture.log(70)
    let entry = try journey.fixture.log(71, at: MultiJourney.morning)
    try journey.sync()
    let backup = journey.backend.world.progress
    let lock = try FileLock(
      journey.fixture.ledger.directory.syncLock, .exclusive, waitSeconds: 0)
    _ = try journey.fixture.ledger.erase(
      [journey.entry(entry).seq], reason: "private", holding: lock, at: journey.now,
      using: &journey.generator)
    journey.rereadLog()
    try journey.sync()
    #expect(journey.backend.rows.map(\.quantity) == [70])
    journey.backend.world.progress = backup
    journey.configuration.onReplacedAccount = policy
    let report = try journey.sync()
    #expect(report.stop == nil && report.pulled == 0)
    #expect(journey.backend.rows.map(\.quantity) == [70])
    #expect(try Self.live(journey) == [70])
    try journey.expectAtRest("erased")
  }

  @Test("Resending does not send what was only pulled here over what another device has sent since")
  func newerProfile() throws {
    let devices = try MultiJourney(2)
    try devices.devices[0].fixture.edit(.updateProfile(ProfileUpdated(name: "Ada")))
    try devices.settle()
    try devices.devices[0].fixture.edit(.updateProfile(ProfileUpdated(name: "Grace")))
    try devices.sync(0)
    try devices.devices[1].fixture.signIn(userID: "before")
    devices.devices[1].configuration.onReplacedAccount = .resend
    let sent = devices.devices[1].sent
    try devices.sync(1)
    #expect(devices.devices[1].sent == sent)
    #expect(devices.backend.account?.profile?.name == "Grace")
    #expect(try devices.devices[1].conflicts().map(\.decision) == [.remote])
    try devices.devices[1].expectAtRest("resent")
  }

  @Test("Another user id of the profile stops the run before anything is sent")
  func otherUser() throws {
    let (journey, _) = try Self.settled(2)
    try journey.fixture.signIn(userID: "someone-else")
    _ = try journey.fixture.log(99)
    let sent = journey.sent
    guard case .accountReplaced(let change) = try journey.sync().stop else {
      Issue.record("the run goes on")
      return
    }
    #expect(change.from == "someone-else" && journey.sent == sent)
  }
}

extension ReplacedAccountTests {
  @Test("A restored backup gets what it lacks, and loses what was deleted or replaced since")
  func restoredBackup() throws {
    let journey = try Journey.settledPerson()
    let ids = try (0..<8).map { try journey.fixture.log(70 + Double($0)) }
    try journey.sync()
    let backup = journey.backend.world
    try journey.fixture.edit(
      .correctProgress(ProgressCorrected(entry: ids[0], quantity: 99)),
      .deleteProgress(ProgressDeleted(entry: ids[1])))
    for index in 0..<5 { _ = try journey.fixture.log(80 + Double(index)) }
    try journey.sync()
    journey.pass(seconds: 60)
    journey.backend.world = backup
    journey.configuration.onReplacedAccount = .resend
    try journey.sync()
    journey.configuration.onReplacedAccount = nil
    try journey.expectAtRest("restored backup")
    let expected = [72.0, 73, 74, 75, 76, 77, 80, 81, 82, 83, 84, 99]
    #expect(journey.backend.rows.map(\.quantity).sorted() == expected)
    #expect(try Self.live(journey) == expected)
  }

  /// Two entries were corrected and one was deleted since the backup.
  private func restored() throws -> Journey {
    let journey = try Journey.settledPerson()
    let ids = try (0..<8).map { try journey.fixture.log(70 + Double($0)) }
    try journey.sync()
    let backup = journey.backend.world
    try journey.fixture.edit(
      .correctProgress(ProgressCorrected(entry: ids[0], quantity: 98)),
      .correctProgress(ProgressCorrected(entry: ids[1], quantity: 99)),
      .deleteProgress(ProgressDeleted(entry: ids[2])))
    try journey.sync()
    journey.pass(seconds: 60)
    journey.backend.world = backup
    let before = try journey.payloads().count
    let stopped = try journey.sync()
    #expect(stopped.stop == .returnedRows(3) && stopped.deleted == 0 && !stopped.hasEverything)
    #expect(try journey.payloads().count == before)
    return journey
  }

  @Test("Deleted rows that are listed again stop the run; resending makes both sides the same")
  func returnedRowsResent() throws {
    let journey = try restored()
    journey.configuration.onReplacedAccount = .resend
    try journey.sync()
    journey.configuration.onReplacedAccount = nil
    try journey.expectAtRest("resent after a backup")
    let expected = [73.0, 74, 75, 76, 77, 98, 99]
    #expect(journey.backend.rows.map(\.quantity).sorted() == expected)
    #expect(try Self.live(journey).sorted() == expected)
  }

  @Test("Deleted rows that are listed again are entries where the backend is to be obeyed")
  func returnedRowsAccepted() throws {
    let journey = try restored()
    journey.configuration.onReplacedAccount = .acceptDeletions
    try journey.sync()
    journey.configuration.onReplacedAccount = nil
    try journey.expectAtRest("accepted after a backup")
    let expected = [70.0, 71, 72, 73, 74, 75, 76, 77]
    #expect(journey.backend.rows.map(\.quantity).sorted() == expected)
    #expect(try Self.live(journey).sorted() == expected)
    // Their rows can be replaced and deleted again.
    let taken = try [70.0, 71].map { quantity in
      try #require(
        try journey.fixture.ledger.state().progress(ProgressQuery(limit: 100)).entries
          .first { $0.quantity == quantity }
      ).id
    }
    try journey.fixture.edit(
      .correctProgress(ProgressCorrected(entry: taken[0], quantity: 90)),
      .deleteProgress(ProgressDeleted(entry: taken[1])))
    try journey.sync()
    #expect(journey.backend.rows.map(\.quantity).sorted() == [72, 73, 74, 75, 76, 77, 90])
    try journey.expectAtRest("corrected after a backup")
  }

  @Test("Rows alone are resent without what another device changed of the person")
  func resendLeavesPerson() throws {
    let (journey, _) = try Self.settled(5)
    // The profile tells whose account it is.
    try journey.fixture.signIn(userID: nil)
    try journey.fixture.edit(.updatePhysical(PhysicalUpdated(heightCM: 165)))
    try journey.sync()
    journey.backend.change { $0.heightCM = 170 }
    for row in journey.backend.rows { journey.backend.world.progress.remove(row.id) }
    journey.configuration.onReplacedAccount = .resend
    try journey.sync()
    #expect(journey.backend.rows.count == 5 && journey.backend.account?.heightCM == 170)
  }

  @Test(
    "A timed entry that another device corrected is taken, and not sent again",
    arguments: [nil, 75.0])
  func correctedElsewhere(_ unsent: Double?) throws {
    let journey = try Journey.settledPerson()
    let entries = try [70.0, 71].map { try journey.fixture.log($0, at: MultiJourney.morning) }
    try journey.sync()
    journey.pass(seconds: 60)
    let row = try #require(journey.backend.rows.first { $0.quantity == 71 })
    journey.backend.world.progress.remove(row.id)
    journey.add(80, at: row.moment, id: "theirs")
    if let unsent {
      try journey.fixture.edit(
        .correctProgress(ProgressCorrected(entry: entries[1], quantity: unsent)))
    }
    journey.configuration.onReplacedAccount = .resend
    try journey.sync()
    journey.configuration.onReplacedAccount = nil
    try journey.expectAtRest("corrected elsewhere")
    #expect(journey.backend.rows.map(\.quantity).sorted() == [70, unsent ?? 80])
    #expect(try Self.live(journey) == [70, unsent ?? 80])
  }

  /// An entry whose row is gone at the backend.
  private static func withoutRow() throws -> (Journey, EntryID, ProgressRow) {
    let journey = try Journey.settledPerson()
    let entry = try journey.fixture.log(71, at: MultiJourney.morning)
    try journey.sync()
    journey.pass(seconds: 60)
    let row = try #require(journey.backend.rows.first)
    journey.backend.world.progress.remove(row.id)
    return (journey, entry, row)
  }

  @Test("A row that another device has resent is the entry's, although a correction waits here")
  func correctedHere() throws {
    let (journey, entry, row) = try Self.withoutRow()
    journey.add(71, at: row.moment, id: "again")
    try journey.fixture.edit(.correctProgress(ProgressCorrected(entry: entry, quantity: 80)))
    journey.configuration.onReplacedAccount = .resend
    try journey.sync()
    journey.configuration.onReplacedAccount = nil
    try journey.expectAtRest("corrected here")
    #expect(journey.backend.rows.map(\.quantity) == [80])
    #expect(try Self.live(journey) == [80])
  }

  @Test("An entry that another device may have moved is sent again, and the other row suspected")
  func movedElsewhere() throws {
    let (journey, entry, row) = try Self.withoutRow()
    var later = row.moment
    later.millisecondsSince1970 += 3_600_000
    journey.add(71, at: later, id: "theirs")
    journey.configuration.onReplacedAccount = .resend
    try journey.sync()
    #expect(try journey.suspicions().map(\.entry) == [entry])
    #expect(try Self.live(journey) == [71])
  }

  @Test(
    "Resending sends what was decided, not a correction that was given up",
    arguments: [ConflictDecision.open, .remote])
  func resendsDecision(_ policy: ConflictDecision) throws {
    let journey = try Journey.settledPerson()
    journey.configuration.conflicts = policy
    let entry = try journey.fixture.log(80, at: MultiJourney.morning)
    try journey.sync()
    journey.pass(seconds: 60)
    let row = try #require(journey.backend.rows.first)
    journey.backend.world.progress.remove(row.id)
    journey.add(81, at: row.moment, id: "theirs")
    try journey.fixture.edit(.correctProgress(ProgressCorrected(entry: entry, quantity: 82)))
    try journey.sync()
    try journey.decide(["quantity": .remote])
    try journey.sync()
    #expect(try Self.live(journey) == [81])
    journey.pass(seconds: 60)
    journey.backend.change { $0.profile = nil }
    for row in journey.backend.rows { journey.backend.world.progress.remove(row.id) }
    journey.configuration.onReplacedAccount = .resend
    try journey.sync()
    journey.configuration.onReplacedAccount = nil
    try journey.expectAtRest("resent what was decided")
    #expect(journey.backend.rows.map(\.quantity) == [81])
    #expect(try Self.live(journey) == [81])
    // One made since is sent.
    try journey.fixture.edit(.correctProgress(ProgressCorrected(entry: entry, quantity: 83)))
    try journey.sync()
    #expect(journey.backend.rows.map(\.quantity) == [83])
  }
}
