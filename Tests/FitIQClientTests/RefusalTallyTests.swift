import Testing

@testable import FitIQClient

@Suite(.blocks) struct RefusalTallyTests {
  private func refuseFresh(_ tally: inout RefusalTally, _ generation: Int) {
    tally.fetched(generation: generation)
    tally.started()
    tally.refused(generation: generation)
  }

  @Test("Two refused fresh pairs in a row end the session")
  func twoFreshPairs() {
    var tally = RefusalTally()
    refuseFresh(&tally, 2)
    #expect(!tally.isSessionOver)
    refuseFresh(&tally, 3)
    #expect(tally.isSessionOver)
  }

  @Test("An accepted call restarts the count")
  func acceptedCall() {
    var tally = RefusalTally()
    refuseFresh(&tally, 2)
    tally.started()
    tally.accepted()
    refuseFresh(&tally, 3)
    #expect(!tally.isSessionOver)
  }

  @Test("A call in flight may still be accepted")
  func callInFlight() {
    var tally = RefusalTally()
    tally.started()
    refuseFresh(&tally, 2)
    refuseFresh(&tally, 3)
    #expect(!tally.isSessionOver)
    tally.unanswered()
    #expect(tally.isSessionOver)
  }

  @Test("A pair counts once, however many calls carried it")
  func manyCalls() {
    var tally = RefusalTally()
    tally.fetched(generation: 2)
    for _ in 1...3 { tally.started() }
    for _ in 1...3 { tally.refused(generation: 2) }
    #expect(!tally.isSessionOver)
  }

  @Test("Pairs fetched by another process do not count")
  func otherPairs() {
    var tally = RefusalTally()
    refuseFresh(&tally, 2)
    tally.foundOtherPair()
    tally.started()
    tally.refused(generation: 3)
    refuseFresh(&tally, 4)
    #expect(!tally.isSessionOver)
  }
}
