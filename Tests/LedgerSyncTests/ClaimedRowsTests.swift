import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// Entries that the old app had sent (docs/moving-in.md).
@Suite struct ClaimedRowsTests {
  let journey: Journey

  init() throws { journey = try Journey(seed: 1) }

  /// Logs an entry as an import does.
  private func move(_ quantity: Double, claiming claim: String?) throws -> EntryID {
    var generator = SplitMix(UInt64(quantity * 8) + 1)
    let entry = EntryID.make(at: LedgerFixture.now, using: &generator)
    var logged = ProgressLogged(
      entry: entry, metric: .weight, quantity: quantity, date: LedgerFixture.today,
      source: "legacy", sourceID: entry.description)
    logged.claimedBackendID = claim.flatMap { BackendID($0) }
    _ = try journey.fixture.ledger.append(
      [Edit(by: .import, change: .logProgress(logged))], at: LedgerFixture.now,
      today: LedgerFixture.today, using: &generator)
    return entry
  }

  @Test("A claim of a row with equal values binds it, and nothing is sent")
  func equalRow() throws {
    let row = journey.add(70)
    let entry = try move(70, claiming: row)
    #expect(try journey.sync().reconciled == 1)
    #expect(try journey.backendID(entry) == row && journey.calls.isEmpty)
    try journey.expectAtRest("equal row")
  }

  @Test("Among equal rows, a claim chooses, whatever the order of the entries")
  func equalRows() throws {
    let first = journey.add(70)
    let second = journey.add(70)
    let unclaimed = try move(70, claiming: nil)
    var generator = SplitMix(99)
    let entry = EntryID.make(at: LedgerFixture.now, using: &generator)
    var logged = ProgressLogged(
      entry: entry, metric: .weight, quantity: 70, date: LedgerFixture.today, source: "legacy",
      sourceID: "b")
    logged.claimedBackendID = BackendID(first)
    _ = try journey.fixture.ledger.append(
      [Edit(by: .import, change: .logProgress(logged))], at: LedgerFixture.now,
      today: LedgerFixture.today, using: &generator)
    #expect(try journey.sync().reconciled == 2)
    #expect(try journey.backendID(entry) == first)
    #expect(try journey.backendID(unclaimed) == second)
    #expect(journey.calls.isEmpty)
  }

  @Test("A claim of no listed row is as none: the entry has an equal row")
  func localID() throws {
    let row = journey.add(70)
    let entry = try move(70, claiming: "local-7")
    try journey.sync()
    #expect(try journey.backendID(entry) == row && journey.calls.isEmpty)
  }

  @Test("A claim of a row with other values binds nothing: the entry is sent, the row stays")
  func otherValues() throws {
    let row = journey.add(71)
    let entry = try move(70, claiming: row)
    try journey.sync()
    #expect(journey.calls == [Journey.post])
    #expect(try journey.backendID(entry) != row)
    #expect(journey.backend.rows.count == 2)
    try journey.expectAtRest("other values")
  }

  @Test(
    "An imported entry that was corrected before its first sync has the row of its import",
    arguments: [true, false])
  func corrected(hasClaim: Bool) throws {
    let row = journey.add(70)
    let entry = try move(70, claiming: hasClaim ? row : nil)
    try journey.fixture.edit(
      .correctProgress(ProgressCorrected(entry: entry, quantity: 70.5)),
      .correctProgress(ProgressCorrected(entry: entry, notes: .set("corrected"))))
    #expect(try journey.sync().reconciled == 1)
    #expect(journey.calls.sorted() == [Journey.delete, Journey.post])
    #expect(journey.backend.rows.map(\.quantity) == [70.5])
    #expect(try journey.backendID(entry) != row)
    try journey.expectAtRest("corrected")
  }

  @Test("The row has the values after the first of two corrections")
  func correctedTwice() throws {
    journey.add(71)
    let entry = try move(70, claiming: nil)
    for quantity in [71, 72] as [Double] {
      try journey.fixture.edit(
        .correctProgress(ProgressCorrected(entry: entry, quantity: quantity)))
    }
    #expect(try journey.sync().reconciled == 2)
    #expect(journey.backend.rows.map(\.quantity) == [72])
    try journey.expectAtRest("corrected twice")
  }

  @Test("An entry whose present values a row has takes it before one that had them")
  func presentValuesFirst() throws {
    let row = journey.add(71)
    let corrected = try move(71, claiming: nil)
    try journey.fixture.edit(
      .correctProgress(ProgressCorrected(entry: corrected, quantity: 72)))
    var generator = SplitMix(7)
    let entry = EntryID.make(at: LedgerFixture.now, using: &generator)
    _ = try journey.fixture.ledger.append(
      [
        Edit(
          by: .import,
          change: .logProgress(
            ProgressLogged(
              entry: entry, metric: .weight, quantity: 71, date: LedgerFixture.today,
              source: "legacy", sourceID: "b")))
      ], at: LedgerFixture.now, today: LedgerFixture.today, using: &generator)
    #expect(try journey.sync().reconciled == 1)
    #expect(try journey.backendID(entry) == row && journey.calls == [Journey.post])
  }

  @Test(
    "An entry that was deleted before its first sync takes only the row along that it claims",
    arguments: [true, false])
  func deleted(hasClaim: Bool) throws {
    let row = journey.add(70)
    let entry = try move(70, claiming: hasClaim ? row : nil)
    try journey.fixture.edit(.deleteProgress(ProgressDeleted(entry: entry)))
    try journey.sync()
    #expect(journey.calls == (hasClaim ? [Journey.delete] : []))
    #expect(journey.backend.rows.isEmpty == hasClaim)
    #expect(try journey.fixture.ledger.state().syncCounts().pending == 0)
  }

  @Test("What a person typed and corrected is no other device's row of the former values")
  func typed() throws {
    journey.add(70)
    var generator = SplitMix(9)
    let entry = EntryID.make(at: LedgerFixture.now, using: &generator)
    try journey.fixture.edit(
      .logProgress(
        ProgressLogged(entry: entry, metric: .weight, quantity: 70, date: LedgerFixture.today)),
      .correctProgress(ProgressCorrected(entry: entry, quantity: 71)))
    try journey.sync()
    #expect(journey.calls == [Journey.post] && journey.backend.rows.count == 2)
  }

  @Test("A claim without a row sends the entry, and deletes nothing")
  func noRow() throws {
    let entry = try move(70, claiming: "gone")
    try journey.sync()
    #expect(journey.calls == [Journey.post])
    #expect(try journey.entry(entry).status == .synced)
  }
}
