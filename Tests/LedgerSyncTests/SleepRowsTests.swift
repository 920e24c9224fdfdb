import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerProjections
import LedgerTestSupport
import Testing

@testable import LedgerStore
@testable import LedgerSync
@testable import ReferenceBackend

/// What listed sleep sessions mean (docs/sync.md, Sleep).
@Suite struct SleepRowsTests {
  private static func moment(_ hour: Int) -> ZonedTimestamp {
    let seconds = Int64(LedgerFixture.today.daysSince1970) * 86_400 + Int64(hour) * 3600
    return ZonedTimestamp(secondsSince1970: seconds, zone: .utc)!
  }

  private static func night(
    _ journey: Journey, notes: String? = nil, source: String? = nil, id: String? = nil
  ) throws -> EntryID {
    let entry = EntryID.make(at: LedgerFixture.now, using: &journey.generator)
    try journey.fixture.edit(
      .logSleep(
        SleepLogged(
          entry: entry, start: moment(-2), end: moment(6), notes: notes, source: source,
          sourceID: id)))
    return entry
  }

  /// Another client's POST.
  private static func post(
    _ journey: Journey, _ sourceID: String, notes: String = "", hours: (Int, Int) = (-2, 6)
  ) throws {
    let body: JSONObject = [
      "start_time": .string(moment(hours.0).timestamp.rfc3339Seconds),
      "end_time": .string(moment(hours.1).timestamp.rfc3339Seconds),
      "source_id": .string(sourceID), "notes": .string(notes),
    ]
    let request = WireRequest(.post, "/api/v1/sleep", body: Array(body.serialized.utf8))
    guard case .response(let response) = try journey.backend.answer(request) else {
      throw Journey.CutOff()
    }
    #expect(response.status == 201)
  }

  private static func sessions(_ journey: Journey) throws -> [SleepView] {
    try journey.fixture.ledger.state().sleep().sessions
  }

  private static func posts(_ journey: Journey) -> Int {
    journey.backend.requests.count { $0.method == .post && $0.path == "/api/v1/sleep" }
  }

  @Test("A session whose texts fit no line of the log is skipped, and keeps nothing else waiting")
  func tooLong() throws {
    let journey = try Journey(seed: 1)
    let long = String(repeating: #"\u0001"#, count: 8_000)
    let session =
      #"{"id":"s","start_time":"2025-12-31T22:00:00Z","end_time":"2026-01-01T06:00:00Z","#
      + #""source_id":"\#(long)","notes":"\#(long)"}"#
    journey.backend.instead = { request in
      guard request.method == .get, request.path == "/api/v1/sleep" else { return nil }
      return .answer(200, #"{"data":{"sessions":[\#(session)],"total":1}}"#)
    }
    _ = try journey.fixture.log(70)
    let report = try journey.run()
    #expect(report.acknowledged == 1 && report.unreadable.count == 1)
    #expect(try Self.sessions(journey).isEmpty)
  }

  @Test("A session of another client is pulled once, with the backend's minutes")
  func pulls() throws {
    let journey = try Journey(seed: 1)
    try Self.post(journey, "theirs", notes: "calm")
    #expect(try journey.run().pulled == 1)
    #expect(try journey.run().pulled == 0)
    let session = try #require(Self.sessions(journey).first)
    #expect(try Self.sessions(journey).count == 1)
    #expect(session.isPulled && session.status == .synced)
    #expect(session.start.secondsSince1970 == Self.moment(-2).secondsSince1970)
    #expect(session.durations.totalSleep == 8 * 3600)
  }

  @Test("A session that the backend has by its source_id is bound without a call")
  func binds() throws {
    let journey = try Journey(seed: 1)
    try Self.post(journey, "night-1")
    let entry = try Self.night(journey, source: "apple", id: "night-1")
    let report = try journey.run()
    #expect(report.pulled == 0 && report.reconciled == 1 && Self.posts(journey) == 1)
    let session = try #require(Self.sessions(journey).first)
    #expect(session.id == entry && session.status == .synced && session.boundBy != nil)
  }

  @Test("One with other values is not bound: the answer to its POST shows the conflict")
  func leavesToPost() throws {
    let journey = try Journey(seed: 1)
    try Self.post(journey, "night-1", notes: "another")
    let entry = try Self.night(journey, notes: "mine", source: "apple", id: "night-1")
    #expect(try journey.run().pulled == 0)
    #expect(Self.posts(journey) == 2)
    let state = try journey.fixture.ledger.state()
    #expect(state.openConflicts().map(\.fieldName) == ["notes"])
    let conflict = try #require(state.openConflicts().first)
    #expect(conflict.entry == entry)
    // Kept as it is here, it is an unsent edit, which is not compared.
    _ = try journey.fixture.ledger.resolve(
      conflict.seq, taking: .local, at: LedgerFixture.now, using: &journey.generator)
    #expect(try journey.run().held == 1)
    let user = try #require(journey.backend.account?.userID)
    var reading = BackendReading()
    reading.listing.sessions = try (journey.backend.world.sleep[user] ?? []).map {
      try ListedSession(json: $0.json)
    }
    let audit = try journey.view().audit(reading)
    #expect(reading.listing.sessions?.count == 1 && audit.unsentEdits == 1)
    #expect(!audit.differences.contains { $0.entry == entry })
  }

  @Test(
    "A session deleted before it was sent is bound to another device's of its source_id, and held",
    arguments: ["", "another"])
  func deletedBeforeSent(notes: String) throws {
    let journey = try Journey(seed: 1)
    try Self.post(journey, "night-1", notes: notes)
    let entry = try Self.night(journey, source: "apple", id: "night-1")
    try journey.fixture.edit(.deleteSleep(SleepDeleted(entry: entry)))
    let report = try journey.run()
    #expect(report.pulled == 0 && report.reconciled == 1 && report.held == 1)
    #expect(Self.posts(journey) == 1)
    #expect(try Self.sessions(journey).isEmpty)
    #expect(try journey.run().held == 1)
  }

  @Test(
    "Of two sessions with one source_id the second is held: the backend has one", arguments: [1, 2])
  func oneOfAKey(runs: Int) throws {
    let journey = try Journey(seed: 1)
    let first = try Self.night(journey, source: "apple", id: "night-1")
    if runs == 2 { try journey.run() }
    let second = try Self.night(journey, source: "apple", id: "night-1")
    try journey.run()
    #expect(Self.posts(journey) == 1)
    let statuses = Dictionary(
      uniqueKeysWithValues: try Self.sessions(journey).map { ($0.id, $0.status) })
    #expect(statuses == [first: .synced, second: .pending])
    #expect(try journey.fixture.ledger.state().syncCounts().held == 1)
  }

  @Test("A session deleted here before it was sent does not come back")
  func staysDeleted() throws {
    let journey = try Journey(seed: 1)
    let entry = try Self.night(journey, source: "apple", id: "night-1")
    try journey.fixture.edit(.deleteSleep(SleepDeleted(entry: entry)))
    try journey.run()
    try Self.post(journey, "night-1")
    #expect(try journey.run().pulled == 0)
    #expect(try Self.sessions(journey).isEmpty)
  }

  @Test("A session erased here does not come back when another device sends it again")
  func staysErased() throws {
    let journey = try Journey(seed: 1)
    let entry = try Self.night(journey, notes: "secret")
    try journey.run()
    let seq = try #require(Self.sessions(journey).first).seq
    let lock = try FileLock(
      journey.fixture.ledger.directory.syncLock, .exclusive, waitSeconds: 0)
    _ = try journey.fixture.ledger.erase(
      [seq], reason: "private", holding: lock, at: journey.now, using: &journey.generator)
    journey.rereadLog()
    try journey.run()
    journey.backend.world.sleep = [:]
    try Self.post(journey, entry.description, notes: "secret")
    #expect(try journey.run().pulled == 0)
    #expect(try Self.sessions(journey).isEmpty)
  }

  @Test(
    "A listed session that differs is in conflict, and either side can be taken",
    arguments: ConflictSide.allCases)
  func differs(_ side: ConflictSide) throws {
    let journey = try Journey(seed: 1)
    let entry = try Self.night(journey, notes: "mine")
    try journey.run()
    let user = try #require(journey.backend.account?.userID)
    journey.backend.world.sleep[user]?[0].notes = "theirs"
    let report = try journey.run()
    #expect(report.differing == 1 && report.needsUser)
    let conflict = try #require(journey.fixture.ledger.state().openConflicts().first)
    #expect(conflict.entry == entry && conflict.fieldName == "notes")
    _ = try journey.fixture.ledger.resolve(
      conflict.seq, taking: side, at: LedgerFixture.now, using: &journey.generator)
    let after = try journey.run()
    #expect(after.differing == 0 && !after.needsUser && Self.posts(journey) == 1)
    let session = try #require(Self.sessions(journey).first)
    let view = try LogView.open(journey.fixture.ledger.directory)
    let notes = try session.notesIn.flatMap { try view.notes(setBy: $0) }
    #expect(notes == (side == .remote ? "theirs" : "mine"))
    #expect(session.status == (side == .remote ? .synced : .pending))
  }

  @Test(
    "Many sessions that are gone stop the run; --resend sends them again",
    arguments: [ReplacementPolicy.resend, .acceptDeletions])
  func lost(_ policy: ReplacementPolicy) throws {
    let journey = try Journey(seed: 1)
    for index in 0..<3 { _ = try Self.night(journey, source: "apple", id: "night-\(index)") }
    try Self.post(journey, "theirs", hours: (-8, -7))
    try journey.run()
    #expect(try Self.sessions(journey).count == 4)
    journey.backend.world.lose(.rows)
    // A listing may be older than the answers that made them.
    let early = try journey.run()
    #expect(early.stop == nil && early.missingSessions == 4 && !early.hasEverything)
    journey.pass(seconds: 5)
    #expect(try journey.run().stop == .massDeletion(missing: 4, of: 4))
    journey.configuration.onReplacedAccount = policy
    try journey.run()
    journey.configuration.onReplacedAccount = nil
    #expect(try journey.run().stop == nil)
    let user = try #require(journey.backend.account?.userID)
    let there = journey.backend.world.sleep[user] ?? []
    #expect(there.count == (policy == .resend ? 4 : 0))
    #expect(try Self.sessions(journey).count == there.count)
  }

  @Test("Sleep sessions that are still there do not hide that all entries are gone")
  func lostBesideSleep() throws {
    let journey = try Journey(seed: 1)
    for quantity in 0..<3 { _ = try journey.fixture.log(70 + Double(quantity)) }
    _ = try Self.night(journey, source: "apple", id: "night")
    try journey.run()
    let user = try #require(journey.backend.account?.userID)
    journey.backend.world.progress.removeAll(of: user)
    #expect(try journey.run().stop == .massDeletion(missing: 3, of: 3))
    #expect(try journey.fixture.ledger.state().entryCounts().live == 3)
  }

  @Test(
    "A session that is gone alone stays, and the run does not say that the backend has everything")
  func lostAlone() throws {
    let journey = try Journey(seed: 1)
    for quantity in 0..<3 { _ = try journey.fixture.log(70 + Double(quantity)) }
    _ = try Self.night(journey)
    try journey.run()
    #expect(try journey.run().hasEverything)
    journey.backend.world.sleep = [:]
    let report = try journey.run()
    #expect(report.stop == nil && !report.hasEverything)
    #expect(report.missingSessions == 1 && report.needsUser)
    #expect(try Self.sessions(journey).count == 1)
    journey.configuration.onReplacedAccount = .resend
    try journey.run()
    journey.configuration.onReplacedAccount = nil
    #expect(try journey.run().hasEverything && Self.posts(journey) == 2)
  }

  @Test(
    "A backend without a listing of sleep has lost the sessions that it took", arguments: [0, 1])
  func noListing(_ sent: Int) throws {
    let journey = try Journey(seed: 1)
    if sent > 0 { _ = try Self.night(journey) }
    try journey.run()
    journey.backend.instead = {
      $0.method == .get && $0.path == "/api/v1/sleep" ? .error(404) : nil
    }
    let report = try journey.run()
    #expect(report.pull == (sent > 0 ? .failed : .full) && !report.mayPass)
    #expect(report.hasEverything == (sent == 0))
  }

  @Test("After --resend with all sessions there, none is sent again")
  func resendsNothing() throws {
    let journey = try Journey(seed: 1)
    _ = try Self.night(journey)
    try Self.post(journey, "theirs", hours: (-8, -7))
    for quantity in 0..<3 { _ = try journey.fixture.log(70 + Double(quantity)) }
    try journey.run()
    journey.backend.world.progress = ProgressTable()
    journey.configuration.onReplacedAccount = .resend
    try journey.run()
    #expect(Self.posts(journey) == 2)
    #expect(try Self.sessions(journey).allSatisfy { $0.status == .synced })
  }

  @Test("--resend sends no session that was deleted here since")
  func resendsNoDeleted() throws {
    let journey = try Journey(seed: 1)
    let entry = try Self.night(journey)
    for quantity in 0..<3 { _ = try journey.fixture.log(70 + Double(quantity)) }
    try journey.run()
    try journey.fixture.edit(.deleteSleep(SleepDeleted(entry: entry)))
    try journey.run()
    journey.backend.world.progress = ProgressTable()
    journey.backend.world.sleep = [:]
    journey.configuration.onReplacedAccount = .resend
    try journey.run()
    journey.configuration.onReplacedAccount = nil
    try journey.run()
    #expect(Self.posts(journey) == 1)
    #expect(try Self.sessions(journey).isEmpty)
    #expect(try journey.fixture.ledger.state().syncCounts().held == 0)
  }

  @Test(
    "Sessions that another device has sent again are bound by their source_id, deleted ones too")
  func resentElsewhere() throws {
    let journey = try Journey(seed: 1)
    let entries = try (0..<3).map { try Self.night(journey, source: "apple", id: "night-\($0)") }
    try journey.run()
    try journey.fixture.edit(.deleteSleep(SleepDeleted(entry: entries[2])))
    try journey.run()
    journey.backend.world.sleep = [:]
    for index in 0..<3 {
      try Self.post(journey, "night-\(index)", notes: index == 1 ? "theirs" : "")
    }
    let report = try journey.run()
    #expect(report.stop == nil && report.pulled == 0)
    #expect(report.reconciled == 2 && report.differing == 1)
    let sessions = try Self.sessions(journey)
    #expect(Set(sessions.map(\.id)) == Set(entries[...1]))
    #expect(Self.posts(journey) == 6)
    let events = try journey.payloads().count
    try journey.run()
    #expect(try journey.payloads().count == events)
  }

  @Test(
    "A session deleted here after a call that failed is not sent again", arguments: [422, 429, 503])
  func failedAndDeleted(_ status: Int) throws {
    let journey = try Journey(seed: 1)
    journey.backend.instead = {
      $0.method == .post && $0.path == "/api/v1/sleep" ? .error(status) : nil
    }
    let entry = try Self.night(journey)
    try journey.run()
    let failed = Self.posts(journey)
    journey.backend.instead = nil
    try journey.fixture.edit(.deleteSleep(SleepDeleted(entry: entry)))
    journey.pass(seconds: 3_600)
    try journey.run()
    #expect(failed >= 1 && Self.posts(journey) == failed)
    let counts = try journey.fixture.ledger.state().syncCounts()
    #expect(counts.pending == 0 && counts.inDoubt == 0 && counts.held == 0)
  }

  @Test("A run that sends the profile counts a held deletion, too")
  func heldBesideProfile() throws {
    let journey = try Journey.settledPerson()
    let entry = try Self.night(journey)
    try journey.sync()
    try journey.fixture.edit(
      .deleteSleep(SleepDeleted(entry: entry)), .updateProfile(ProfileUpdated(bio: .set("runs"))))
    #expect(try journey.sync().held == 1)
    try journey.fixture.edit(.updateProfile(ProfileUpdated(bio: .set("swims"))))
    #expect(try journey.sync().held == 1)
  }

  @Test("A backend without sleep is in order; one whose sleep cannot be read is not")
  func unlisted() throws {
    for (status, pull) in [(404, PullExtent.full), (403, .failed)] {
      let journey = try Journey(seed: 1)
      journey.add(70)
      journey.backend.instead = { request in
        request.path == "/api/v1/sleep" ? .answer(status, "{}") : nil
      }
      let report = try journey.run()
      #expect(report.pull == pull && report.pulled == 1)
    }
  }

  @Test("With many rows a new session is seen by the next run, which lists all")
  func recent() throws {
    let journey = try Journey(seed: 1)
    for index in 0..<600 {
      var moment = LedgerFixture.now
      moment.millisecondsSince1970 -= Int64(index) * 43_200_000 + 1_000
      journey.add(50 + Double(index % 97) / 10, at: moment)
    }
    try journey.run()
    try Self.post(journey, "theirs")
    let report = try journey.run()
    #expect(report.pull == .full && report.pulled == 1)
    #expect(try journey.run().pull == .recent)
  }
}
