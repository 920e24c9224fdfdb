import LedgerJSON
import LedgerModel
import LedgerProjections
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// Doubts that stay, doubts of what was edited meanwhile, and what is never sent beside them.
@Suite struct UnresolvedEditTests {
  static let unlisted: [WireAnswer] = [
    .error(500), .error(503), .lost(reason: "reset"), .answer(200, "<html>"), .answer(200, "{}"),
    .answer(200, #"{"data":{"entries":7}}"#), .error(404), .error(403),
    .answer(200, #"{"data":{"entries":[],"total":3}}"#),
  ]

  @Test(
    "The listing failed: it stays in doubt; what looks the same waits, all else goes",
    arguments: unlisted, [CallFault.lostBefore, .lostAfter])
  func listingFails(_ answer: WireAnswer, _ fault: CallFault) throws {
    let (journey, entry) = try DoubtTests.scene(fault)
    let same = try journey.fixture.log(70)
    let other = try journey.fixture.log(71)
    let noted = try journey.fixture.log(70, notes: "after lunch")
    journey.backend.instead = { ScriptedBackend.kind(of: $0) == Journey.list ? answer : nil }
    let report = try journey.sync()
    #expect(report.inDoubt == 1 && report.pending == 2 && report.stop == nil)
    #expect(try journey.entry(entry).status == .syncing)
    #expect(try journey.entry(same).status == .pending)
    #expect(try journey.entry(other).status == .synced)
    #expect(try journey.entry(noted).status == .synced)
    #expect(!report.remarks.isEmpty)
    journey.backend.instead = nil
    try journey.expectAtRest("listing failed")
    #expect(journey.backend.rows.count == 4)
  }

  @Test("An edit whose listing failed stays in doubt, and its pulled row is no new entry")
  func onlyPulled() throws {
    let (journey, entry) = try DoubtTests.scene(.lostAfter)
    journey.backend.instead = { request in
      let isDay = request.query.value("from") == "2025-12-31"
      return isDay ? .error(500) : nil
    }
    let report = try journey.sync()
    #expect(report.inDoubt == 1 && report.reconciled == 0 && report.pulled == 0)
    #expect(try journey.entry(entry).status == .syncing)
    journey.backend.instead = nil
    #expect(try journey.sync().reconciled == 1)
    try journey.expectAtRest("only pulled")
  }

  @Test("One of the pages failed: it stays in doubt")
  func pageFails() throws {
    let (journey, entry) = try DoubtTests.scene(.lostBefore)
    for index in 0..<250 { journey.add(100 + Double(index)) }
    journey.backend.instead = { request in
      request.query.contains(.init("offset", "200")) ? .error(500) : nil
    }
    let report = try journey.sync()
    #expect(report.inDoubt == 1 && report.sent == 0)
    #expect(try journey.entry(entry).status == .syncing)
  }

  @Test(
    "Where the listing ends the run, nothing is sent at all",
    arguments: [
      WireAnswer.answer(429, retryAfter: 9), .notSent(reason: "no network"),
      .signedOut(reason: "sign in"), .refreshFailed(reason: "busy"),
    ])
  func listingStops(_ answer: WireAnswer) throws {
    let (journey, entry) = try DoubtTests.scene(.lostAfter)
    let other = try journey.fixture.log(71)
    journey.backend.instead = { _ in answer }
    let sent = journey.sent
    let report = try journey.sync()
    #expect(report.stop != nil && journey.sent == sent)
    #expect(try journey.entry(entry).status == .syncing)
    #expect(try journey.entry(other).status == .pending)
    journey.backend.instead = nil
    try journey.expectAtRest("listing stopped")
  }

  @Test(
    "Corrected or deleted while in doubt",
    arguments: [CallFault.lostBefore, .lostAfter, .late],
    ProgressRowsTests.Late.allCases)
  func editedWhileInDoubt(_ fault: CallFault, _ edit: ProgressRowsTests.Late) throws {
    let (journey, entry) = try DoubtTests.scene(fault)
    try journey.fixture.edit(
      edit == .deletion
        ? .deleteProgress(ProgressDeleted(entry: entry))
        : .correctProgress(ProgressCorrected(entry: entry, quantity: 71)))
    try journey.sync()
    try journey.expectAtRest("\(fault) \(edit)")
    #expect(try journey.pulledEntries() == 0)
    let bound = try journey.backendID(entry)
    let own = journey.backend.rows.filter { $0.id.text == bound }
    #expect(own.map(\.quantity) == (edit == .deletion ? [] : [71]))
    if fault == .lostBefore, edit == .deletion {
      #expect(journey.count(Journey.post) == 1 && journey.count(Journey.delete) == 0)
    }
    if fault != .late { #expect(journey.backend.rows.count == own.count) }
  }

  @Test("A DELETE whose answer was lost, or whose process died, is sent again")
  func deletionInDoubt() throws {
    let journey = try Journey(seed: 1)
    let entry = try journey.fixture.log(70)
    try journey.sync()
    let edits = try journey.fixture.edit(.deleteProgress(ProgressDeleted(entry: entry)))
    journey.meanwhile = { if $0.method == .delete { throw Journey.CutOff() } }
    #expect(throws: Journey.CutOff.self) { try journey.sync() }
    journey.meanwhile = nil
    #expect(try journey.state(of: edits[0]) == .inDoubt)
    let report = try journey.sync()
    #expect(report.acknowledged == 1 && journey.backend.rows.isEmpty)
    #expect(journey.waits.isEmpty, "there is no row to look for")
    try journey.expectAtRest("deletion")
  }

  @Test(
    "A corrected entry whose second POST is in doubt",
    arguments: [CallFault.lostBefore, .lostAfter])
  func correctionInDoubt(_ fault: CallFault) throws {
    let (journey, entry) = try ProgressRowsTests.correctedAfter()
    try journey.loseFirstPost(fault)
    #expect(journey.backend.rows.contains { $0.quantity == 70 }, "the old row stays meanwhile")
    try journey.sync()
    #expect(journey.backend.rows.map(\.quantity) == [80])
    #expect(try journey.backendID(entry) == journey.backend.rows[0].id.text)
    try journey.expectAtRest("correction in doubt")
  }

  @Test(
    "POST /users/me in doubt: a GET decides, both ways",
    arguments: [CallFault.lostBefore, .lostAfter, .serverErrorAfter, .garbage])
  func profile(_ fault: CallFault) throws {
    let journey = try Journey(seed: 1)
    let edits = try journey.fixture.edit(.updateProfile(Journey.me))
    journey.backend.faults = [FaultPoint(fault: fault, kind: Journey.create, ordinal: 1)]
    #expect(try journey.sync().inDoubt == 1)
    let report = try journey.sync()
    #expect(report.pending == 0)
    #expect(try journey.state(of: edits[0]) == .acknowledged)
    #expect(journey.backend.account?.profile?.name == "Ada")
    let said = try #require(journey.acknowledgements().last)
    if fault == .lostBefore {
      #expect(journey.count(Journey.create) == 2 && said.via == .response)
    } else {
      #expect(journey.calls == [Journey.create])
      #expect(try said.via == .reconciled && said.call == journey.attempts().first?.call)
    }
    try journey.expectAtRest("profile \(fault)")
  }

  @Test("POST /users/me in doubt, and the GET fails: nothing of the person is sent")
  func profileUnknown() throws {
    let journey = try Journey(seed: 1)
    try journey.fixture.edit(.updateProfile(Journey.me))
    journey.backend.faults = [FaultPoint(fault: .lostAfter, kind: Journey.create, ordinal: 1)]
    try journey.sync()
    journey.backend.instead = { $0.path == "/api/v1/users/me" ? .error(500) : nil }
    let report = try journey.sync()
    #expect(report.inDoubt == 1 && report.sent == 0)
    journey.backend.instead = nil
    try journey.expectAtRest("profile unknown")
    #expect(journey.calls == [Journey.create])
  }

  @Test("POST /users/me in doubt and edited since: a PUT follows where it arrived")
  func profileEdited() throws {
    let journey = try Journey(seed: 1)
    try journey.fixture.edit(.updateProfile(Journey.me))
    journey.backend.faults = [FaultPoint(fault: .lostAfter, kind: Journey.create, ordinal: 1)]
    try journey.sync()
    try journey.fixture.edit(.updateProfile(ProfileUpdated(name: "Bea")))
    try journey.sync()
    #expect(journey.calls == [Journey.create, Journey.put])
    #expect(journey.backend.account?.profile?.name == "Bea")
    try journey.expectAtRest("profile edited")
  }

  @Test(
    "What arrives late is one row bound, and a suspicion on record", arguments: [2, 3, 5, 6, 50],
    [UInt64](1...4))
  func late(_ lateness: Int, _ seed: UInt64) throws {
    let journey = try Journey(seed: seed)
    journey.backend.lateness = lateness
    let entry = try journey.fixture.log(70)
    try journey.loseFirstPost(.late)
    try journey.sync()
    try journey.expectAtRest("late \(lateness), seed \(seed)")
    #expect(try journey.pulledEntries() == 0)
    let bound = try #require(try journey.backendID(entry))
    let rest = journey.backend.rows.map(\.id.text).filter { $0 != bound }
    #expect(try Set(journey.suspicions().flatMap(\.backendIDs).map(\.text)) == Set(rest))
    // What comes after the entry was sent anew makes a second row.
    #expect(journey.backend.rows.count == (lateness < 4 ? 1 : 2))
  }

  @Test(
    "Equal entries leave one after the other, different ones together, never above the setting",
    arguments: [1, 2, 4, 7], [UInt64](1...10))
  func together(_ concurrency: Int, _ seed: UInt64) throws {
    let journey = try Journey(seed: seed)
    journey.configuration.concurrency = concurrency
    // The journey itself checks every departure.
    for index in 0..<12 { _ = try journey.fixture.log(Double(70 + index % 8)) }
    let report = try journey.sync()
    #expect(report.acknowledged == 12 && journey.backend.rows.count == 12)
    #expect(journey.mostUnderWay == concurrency)
  }
}
