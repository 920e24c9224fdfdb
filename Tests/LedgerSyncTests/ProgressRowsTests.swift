import LedgerJSON
import LedgerModel
import LedgerProjections
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// The calls for edits of entries, each rule with both its sides (docs/sync.md, What is sent).
@Suite struct ProgressRowsTests {
  @Test("An entry is one POST with its corrected values")
  func corrected() throws {
    let journey = try Journey(seed: 1)
    let entry = try journey.fixture.log(70, notes: "before")
    try journey.fixture.edit(
      .correctProgress(ProgressCorrected(entry: entry, quantity: 71)),
      .correctProgress(ProgressCorrected(entry: entry, notes: .clear)))
    try journey.sync()
    #expect(journey.calls == [Journey.post])
    #expect(journey.backend.rows.map(\.quantity) == [71])
    #expect(journey.backend.rows[0].notes == nil)
    #expect(try journey.acknowledgements().map(\.events.count) == [3])
    #expect(try journey.backendID(entry) == journey.backend.rows[0].id.text)
  }

  /// An entry whose POST was accepted, and that was corrected since.
  static func correctedAfter(_ quantity: Double = 80) throws -> (Journey, EntryID) {
    let journey = try Journey(seed: 1)
    let entry = try journey.fixture.log(70)
    try journey.sync()
    try journey.fixture.edit(.correctProgress(ProgressCorrected(entry: entry, quantity: quantity)))
    return (journey, entry)
  }

  @Test("Corrected after its acknowledgement: POST the new row, then DELETE the old one")
  func correctedLater() throws {
    let (journey, entry) = try Self.correctedAfter()
    let old = journey.backend.rows[0].id.text
    try journey.sync()
    #expect(journey.calls == [Journey.post, Journey.post, Journey.delete])
    #expect(journey.backend.requests.mutating.last?.path.hasSuffix(old) == true)
    #expect(journey.backend.rows.map(\.quantity) == [80])
    #expect(try journey.backendID(entry) == journey.backend.rows[0].id.text)
    #expect(try journey.entry(entry).status == .synced)
    try journey.expectAtRest("corrected later")
    #expect(journey.calls.count == 3)
  }

  @Test(
    "Whatever becomes of the old row's DELETE, the entry is not POSTed again",
    arguments: [
      WireAnswer.lost(reason: "reset"), .error(503), .error(403), .error(404), .error(429),
      .notSent(reason: "no network"), .answer(200, "<html>"), .answer(307),
    ])
  func oldRow(_ answer: WireAnswer) throws {
    let (journey, entry) = try Self.correctedAfter()
    journey.backend.instead = { $0.method == .delete ? answer : nil }
    let report = try journey.sync()
    #expect(try journey.entry(entry).status == .synced)
    #expect((report.pending == 0) == (answer == .error(404)))
    #expect(report.needsUser == (answer == .error(403)))
    journey.backend.instead = nil
    for _ in 1...3 {
      journey.pass(seconds: 120)
      try journey.sync()
    }
    #expect(journey.count(Journey.post) == 2)
    #expect(try journey.pulledEntries() == 0)
    // A row that is said to be gone is left alone; all else is deleted in the end.
    let isLeft = answer == .error(404)
    #expect(journey.backend.rows.map(\.quantity).sorted() == (isLeft ? [70, 80] : [80]))
    #expect(try journey.rejections().count == (answer == .error(403) ? 1 : 0))
  }

  @Test("Deleted before it was sent: elided, and nobody is called")
  func elided() throws {
    let journey = try Journey(seed: 1)
    let entry = try journey.fixture.log(70)
    try journey.fixture.edit(
      .correctProgress(ProgressCorrected(entry: entry, quantity: 71)),
      .deleteProgress(ProgressDeleted(entry: entry)))
    let report = try journey.sync()
    #expect(report.elided == 3 && report.pending == 0)
    #expect(journey.calls.isEmpty && journey.backend.rows.isEmpty)
    let said = try #require(journey.acknowledgements().first)
    #expect(said.via == .elided && said.call == nil && said.status == nil && said.entry == entry)
  }

  @Test("Deleted after its acknowledgement: DELETE, and 404 is done too", arguments: [204, 404])
  func deleted(_ status: Int) throws {
    let journey = try Journey(seed: 1)
    let entry = try journey.fixture.log(70)
    try journey.sync()
    let id = try #require(try journey.backendID(entry))
    let edits = try journey.fixture.edit(.deleteProgress(ProgressDeleted(entry: entry)))
    if status == 404 { journey.backend.world.progress.remove(RowID(text: id)) }
    try journey.sync()
    #expect(journey.calls == [Journey.post, Journey.delete])
    #expect(journey.backend.rows.isEmpty)
    let said = try #require(journey.acknowledgements().last)
    #expect(said.events == edits && said.status == status && said.backendID?.text == id)
    try journey.expectAtRest("deleted")
  }

  @Test("A leftover row's DELETE says nothing of edits that wait")
  func leftoverAndDeletion() throws {
    let (journey, entry) = try Self.correctedAfter()
    journey.backend.instead = { $0.method == .delete ? .error(503) : nil }
    try journey.sync()
    #expect(journey.backend.rows.count == 2)
    // Now the entry is deleted: the leftover goes, its current row cannot yet.
    let current = try #require(try journey.backendID(entry))
    let deletion = try journey.fixture.edit(.deleteProgress(ProgressDeleted(entry: entry)))
    let other = try journey.fixture.log(50)
    journey.backend.instead = { $0.path.hasSuffix(current) ? .error(503) : nil }
    try journey.sync()
    #expect(try journey.state(of: deletion[0]).isOpen)
    #expect(
      try Set(journey.backend.rows.map(\.id.text)) == [current, journey.backendID(other)])
    journey.backend.instead = nil
    try journey.sync()
    #expect(journey.backend.rows.map(\.quantity) == [50])
    try journey.expectAtRest("leftover and deletion")
  }

  @Test("A leftover row's DELETE settles no doubt")
  func leftoverAndDoubt() throws {
    let (journey, entry) = try Self.correctedAfter()
    journey.backend.instead = { $0.method == .delete ? .error(503) : nil }
    try journey.sync()
    let again = try journey.fixture.edit(
      .correctProgress(ProgressCorrected(entry: entry, quantity: 90)))
    try journey.loseFirstPost()
    // Its day cannot be listed, so it stays in doubt; the leftover may go meanwhile.
    journey.backend.instead = {
      $0.path == "/api/v1/progress" && $0.method == .get ? .error(500) : nil
    }
    journey.pass(seconds: 60)
    try journey.sync()
    #expect(try journey.state(of: again[0]) == .inDoubt)
    journey.backend.instead = nil
    try journey.expectAtRest("leftover and doubt")
    #expect(journey.backend.rows.map(\.quantity) == [90])
  }

  enum Late: CaseIterable { case correction, deletion }

  @Test("An edit made while the entry's POST is under way", arguments: Late.allCases)
  func whileUnderWay(_ late: Late) throws {
    let journey = try Journey(seed: 1)
    let entry = try journey.fixture.log(70)
    var edits: [Seq] = []
    journey.meanwhile = { request in
      guard request.method == .post, edits.isEmpty else { return }
      edits = try journey.fixture.edit(
        late == .deletion
          ? .deleteProgress(ProgressDeleted(entry: entry))
          : .correctProgress(ProgressCorrected(entry: entry, quantity: 71)))
    }
    #expect(try journey.sync().pending == 1)
    #expect(try journey.state(of: edits[0]) == .pending)
    #expect(try journey.acknowledgements().map(\.events) == [[Seq(2)]])
    #expect(journey.backend.rows.map(\.quantity) == [70])
    try journey.sync()
    #expect(journey.backend.rows.map(\.quantity) == (late == .deletion ? [] : [71]))
    try journey.expectAtRest("\(late)")
  }

  @Test("An edit made between the record of an attempt and its leaving", arguments: Late.allCases)
  func afterTheRecord(_ late: Late) throws {
    let journey = try Journey(seed: 1)
    let entry = try journey.fixture.log(70)
    var isDone = false
    journey.afterRecord = { payloads in
      guard !isDone, payloads.contains(where: { $0.kind == .syncAttempted }) else { return }
      isDone = true
      try journey.fixture.edit(
        late == .deletion
          ? .deleteProgress(ProgressDeleted(entry: entry))
          : .correctProgress(ProgressCorrected(entry: entry, quantity: 71)))
    }
    try journey.sync()
    #expect(isDone)
    #expect(journey.backend.rows.map(\.quantity) == [70])
    try journey.expectAtRest("\(late)")
    #expect(journey.backend.rows.map(\.quantity) == (late == .deletion ? [] : [71]))
  }
}
