import LedgerModel
import LedgerProjections
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// A process may die at any moment of a run: the next ones mend it.
@Suite(.timeLimit(.minutes(10))) struct KillTests {
  private static let seeds: [UInt64] = [1, 2, 3, 4, 5]

  /// A run killed after every number of happenings, up to its end, and after every eighth one by
  /// default; the seeds take turns.
  private func killEverywhere(_ seed: UInt64, _ scene: () throws -> Journey) throws {
    var ticks = Int(seed)
    while true {
      let journey = try scene()
      do {
        try journey.sync(killedAfter: ticks)
        #expect(ticks > 10)
        return
      } catch is Journey.CutOff {
        try journey.expectAtRest("seed \(seed), killed after \(ticks)", runs: 2)
        #expect(try journey.pulledEntries() == 0, "seed \(seed), killed after \(ticks)")
        #expect(
          try journey.suspicions().isEmpty, "seed \(seed), killed after \(ticks): sent twice")
      }
      ticks += Self.seeds.count * TestSize.of(8, full: 1)
    }
  }

  @Test("A first run that is killed at any moment is completed by later ones", arguments: seeds)
  func firstRun(_ seed: UInt64) throws {
    try killEverywhere(seed) {
      let journey = try Journey(seed: seed)
      _ = try FaultMatrixTests.first(journey)
      return journey
    }
  }

  @Test(
    "A run with corrections and deletions that is killed at any moment is completed by later ones",
    arguments: seeds)
  func laterRun(_ seed: UInt64) throws {
    try killEverywhere(seed) {
      let journey = try Journey(seed: seed)
      let entries = try FaultMatrixTests.first(journey)
      try journey.sync()
      try FaultMatrixTests.second(journey, entries)
      return journey
    }
  }

  @Test("Killed at every moment of a run that settles doubts", arguments: seeds)
  func settlingRun(_ seed: UInt64) throws {
    try killEverywhere(seed) {
      let journey = try Journey(seed: seed)
      journey.backend.faults = [
        FaultPoint(fault: .lostAfter, kind: Journey.post, ordinal: 1),
        FaultPoint(fault: .lostBefore, kind: Journey.post, ordinal: 2),
      ]
      for quantity in [70.0, 70, 71] { _ = try journey.fixture.log(quantity) }
      try journey.sync()
      return journey
    }
  }
}
