import LedgerModel
import LedgerProjections
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// Which entry an unknown or a former row is of (docs/sync.md, Two devices, one entry).
@Suite struct RowOwnerTests {
  @Test(
    "A call that arrives twice is suspected on the entry that it was sent for",
    arguments: [nil, MultiJourney.morning], 3...4)
  func deliveredTwice(_ moment: ZonedTime?, _ ordinal: Int) throws {
    let devices = try MultiJourney(1)
    let journey = devices.devices[0]
    let entries = try [70.0, 80].map { try journey.desk.log($0, at: moment) }
    try devices.sync(0)
    for (entry, quantity) in zip(entries, [71.0, 81]) {
      try journey.desk.edit(.correctProgress(ProgressCorrected(entry: entry, quantity: quantity)))
    }
    journey.backend.fates = [Fate(mishap: .twice, kind: Journey.post, ordinal: ordinal)]
    try devices.settle()
    let quantities = journey.backend.rows.map(\.quantity).sorted()
    #expect(quantities == [71, 71, 81] || quantities == [71, 81, 81])
    let doubled = entries[quantities[1] == 71 ? 0 : 1]
    #expect(try journey.suspicions().map(\.entry) == [doubled])
  }

  @Test("A call that arrives after its entry was moved changes no entry of the moment it had")
  func deliveredLate() throws {
    let journey = try Journey(seed: 1)
    let moved = try journey.desk.log(79, at: MultiJourney.evening)
    let other = try journey.desk.log(72, at: MultiJourney.evening)
    try journey.loseFirstPost()
    try journey.desk.edit(
      .correctProgress(ProgressCorrected(entry: moved, moment: MultiJourney.morning)),
      .correctProgress(ProgressCorrected(entry: other, quantity: 74)))
    _ = try journey.settle()
    journey.add(79, at: Self.evening, id: Self.smallest)
    _ = try journey.settle()
    #expect(try journey.entry(other).quantity == 74)
    #expect(try journey.suspicions().map(\.entry) == [moved])
    #expect(try journey.conflicts().isEmpty)
  }

  /// Ids that begin so are smaller than those of the backend.
  private static let smallest = "00"
  private static let evening = Timestamp(
    millisecondsSince1970: Desk.now.millisecondsSince1970 + 20 * 3_600_000)
}
