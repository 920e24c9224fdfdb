import Testing

@testable import FitIQClient

@Suite struct RefusalTallyTests {
  private func refuseFresh(_ tally: inout RefusalTally, _ generation: Int) {
    tally.fetched(generation: generation)
    tally.left()
    tally.refused(generation: generation)
  }

  @Test func twoFreshPairsInARowAreHopeless() {
    var tally = RefusalTally()
    refuseFresh(&tally, 2)
    #expect(!tally.isHopeless)
    refuseFresh(&tally, 3)
    #expect(tally.isHopeless)
  }

  @Test func anAcceptedCallGivesHope() {
    var tally = RefusalTally()
    refuseFresh(&tally, 2)
    tally.left()
    tally.accepted()
    refuseFresh(&tally, 3)
    #expect(!tally.isHopeless)
  }

  @Test func aCallUnderWayMayStillBeAccepted() {
    var tally = RefusalTally()
    tally.left()
    refuseFresh(&tally, 2)
    refuseFresh(&tally, 3)
    #expect(!tally.isHopeless)
    tally.vanished()
    #expect(tally.isHopeless)
  }

  @Test func aPairCountsOnceHoweverManyCallsCarriedIt() {
    var tally = RefusalTally()
    tally.fetched(generation: 2)
    for _ in 1...3 { tally.left() }
    for _ in 1...3 { tally.refused(generation: 2) }
    #expect(!tally.isHopeless)
  }

  @Test func pairsFetchedElsewhereDoNotCount() {
    var tally = RefusalTally()
    refuseFresh(&tally, 2)
    tally.foundAnothersPair()
    tally.left()
    tally.refused(generation: 3)
    refuseFresh(&tally, 4)
    #expect(!tally.isHopeless)
  }
}
