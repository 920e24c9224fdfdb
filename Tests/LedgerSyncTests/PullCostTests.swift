import LedgerJSON
import LedgerModel
import LedgerProjections
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// «Pulling», Cost: what a run asks for when the backend has many rows.
@Suite struct PullCostTests {
  /// A ledger that has pulled so many rows, two a day back from now.
  private static func pulled(_ count: Int) throws -> Journey {
    let journey = try Journey(seed: 1)
    for index in 0..<count {
      var moment = LedgerFixture.now
      moment.millisecondsSince1970 -= Int64(index) * 43_200_000 + 1_000
      journey.add(50 + Double(index % 97) / 10, at: moment)
    }
    let report = try journey.run()
    #expect(report.pull == .full && report.pulled == count)
    return journey
  }

  @Test("With nothing new a run makes at most eight requests", arguments: [20, 480, 700])
  func nothingNew(_ rows: Int) throws {
    let journey = try Self.pulled(rows)
    let before = journey.backend.requests.count
    let report = try journey.run()
    #expect(report.pull == (rows > 500 ? .recent : .full))
    #expect(journey.backend.requests.count - before <= 8)
  }

  @Test("A new row of today is seen by the next run")
  func rowOfToday() throws {
    let journey = try Self.pulled(700)
    journey.add(99)
    let report = try journey.run()
    #expect(report.pulled == 1 && report.pull == .full)
  }

  @Test("A row that takes the place of another one of today is seen by the next run")
  func exchangedRow() throws {
    let journey = try Self.pulled(700)
    journey.backend.world.progress.remove(journey.backend.rows[0].id)
    journey.add(99)
    let report = try journey.run()
    #expect(report.pulled == 1 && report.deleted == 1)
  }

  @Test("A total that is not the expected one makes a run list all rows")
  func otherTotal() throws {
    let journey = try Self.pulled(700)
    journey.backend.world.progress.remove(journey.backend.rows[690].id)
    let report = try journey.run()
    #expect(report.pull == .full && report.deleted == 1)
  }

  @Test("What this device makes and deletes itself is expected")
  func ownCalls() throws {
    let journey = try Self.pulled(700)
    let entry = try journey.fixture.log(70)
    #expect(try journey.run().pull == .recent)
    try journey.fixture.edit(.correctProgress(ProgressCorrected(entry: entry, quantity: 71)))
    #expect(try journey.run().acknowledged == 1)
    try journey.fixture.edit(.deleteProgress(ProgressDeleted(entry: entry)))
    #expect(try journey.run().pull == .recent)
    #expect(try journey.run().pull == .recent)
  }

  @Test("A full listing comes once a day, and where it is asked for")
  func daily() throws {
    let journey = try Self.pulled(700)
    journey.pass(seconds: 90_000)
    #expect(try journey.run().pull == .full)
    #expect(try journey.run().pull == .recent)
    journey.configuration.listsAll = true
    #expect(try journey.run().pull == .full)
  }

  @Test(
    "A listing that fails fails the run, and edits are sent all the same",
    arguments: [WireAnswer.error(500), .answer(200, "<html>"), .error(403)])
  func failingListing(_ answer: WireAnswer) throws {
    let journey = try Journey(seed: 1)
    _ = try journey.fixture.log(70)
    journey.backend.instead = { ScriptedBackend.kind(of: $0) == Journey.list ? answer : nil }
    let report = try journey.run()
    #expect(report.pull == .failed && report.acknowledged == 1)
    #expect(report.mayPass == (answer != .error(403)))
  }
}

extension Journey {
  /// A run that knows what the one before knew of the backend's rows.
  @discardableResult
  func run() throws -> SyncReport {
    let report = try sync()
    configuration.lastListing = report.listing
    return report
  }
}
