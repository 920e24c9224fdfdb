import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// Random edits, mishaps and kills, between which both sides must come to rest. A failure names its
/// seed; `RandomJourneyTests.repeated` is the list to put it into, to have it alone.
@Suite struct RandomJourneyTests {
  static let repeated: [UInt64] = []
  static let seeds = repeated.isEmpty ? Array(1...TestSize.of(20, full: 150)) : repeated

  @Test("Whatever happens on the way, both sides come to rest", arguments: seeds)
  func journey(_ seed: UInt64) throws {
    let story = "seed \(seed) (to repeat it: RandomJourneyTests.repeated = [\(seed)])"
    let journey = try Journey(seed: seed, dialect: seed.isMultiple(of: 2) ? .dateTime : .loggedAt)
    journey.configuration.concurrency = Int.random(in: 1...5, using: &journey.generator)
    journey.backend.lateness = Int.random(in: 1...12, using: &journey.generator)
    journey.configuration.conflicts = Bool.random(using: &journey.generator) ? .local : .remote
    try journey.fixture.edit(.updateProfile(Journey.me))
    for _ in 1...Int.random(in: 1...3, using: &journey.generator) {
      for _ in 1...Int.random(in: 1...4, using: &journey.generator) { try edit(journey) }
      addFates(to: journey)
      let isKilled = Int.random(in: 0..<3, using: &journey.generator) == 0
      let ticks = Int.random(in: 1...60, using: &journey.generator)
      do { try journey.sync(killedAfter: isKilled ? ticks : nil) } catch is Journey.CutOff {}
      journey.pass(seconds: Int64.random(in: -20...90, using: &journey.generator))
    }
    journey.backend.faults = []
    try journey.expectAtRest(story, runs: 3)
    // Nothing was made twice but what was sent twice.
    let suspected = try journey.suspicions().reduce(0) { $0 + $1.backendIDs.count }
    let again = try journey.attempts().count { $0.method == "POST" && $0.attempt > 1 }
    #expect(suspected <= again + journey.doubles, "\(story)")
    #expect(try journey.pulledEntries() <= journey.doubles, "\(story)")
  }

  private func addFates(to journey: Journey) {
    for _ in 0..<Int.random(in: 0...3, using: &journey.generator) {
      let fault = CallFault.passing.randomElement(using: &journey.generator) ?? .late
      let kind = FaultMatrixTests.kinds.randomElement(using: &journey.generator) ?? Journey.post
      let ordinal = journey.count(kind) + Int.random(in: 1...3, using: &journey.generator)
      if fault == .twice, kind == Journey.post { journey.doubles += 1 }
      journey.backend.faults.append(FaultPoint(fault: fault, kind: kind, ordinal: ordinal))
    }
  }

  /// One edit such as a person makes; few different values, so that entries look alike.
  private func edit(_ journey: Journey) throws {
    let fixture = journey.fixture
    let quantity = Double(Int.random(in: 70...72, using: &journey.generator))
    let live = fixture.entries(try fixture.ledger.state()).filter { !$0.isDeleted }
    let entry = live.randomElement(using: &journey.generator)?.id
    switch (Int.random(in: 0..<10, using: &journey.generator), entry) {
    case (0, _):
      let name = ["Ada", "Bea", "Cleo"].randomElement(using: &journey.generator)
      try fixture.edit(.updateProfile(ProfileUpdated(name: name)))
    case (1, _): try fixture.edit(.updatePhysical(PhysicalUpdated(heightCM: 100 + quantity)))
    case (2, _):
      let lists = [["nuts"], ["milk", "soy"], []].randomElement(using: &journey.generator)
      try fixture.edit(.updatePreferences(PreferencesUpdated(allergies: lists)))
    case (3...4, let entry?):
      try fixture.edit(.correctProgress(ProgressCorrected(entry: entry, quantity: quantity)))
    case (5, let entry?):
      try fixture.edit(.correctProgress(ProgressCorrected(entry: entry, notes: .set("late"))))
    case (6, let entry?): try fixture.edit(.deleteProgress(ProgressDeleted(entry: entry)))
    case (7, _):
      let time = ["00:00:00", "02:00:00", "23:59:59"].randomElement(using: &journey.generator)
      let moment = time.flatMap { ClockTime($0) }.map {
        ZonedTime(time: $0, zone: ZoneOffset(minutes: 120) ?? .utc)
      }
      _ = try fixture.log(quantity, at: moment)
    default: _ = try fixture.log(quantity)
    }
  }
}
