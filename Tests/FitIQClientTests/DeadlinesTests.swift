import LedgerSync
import Testing

@testable import FitIQClient

@Suite struct DeadlinesTests {
  @Test func allEndWhoeverComesWhen() async throws {
    let deadlines = Deadlines(seconds: 0.02)
    for _ in 1...3 {
      // The sleeper is gone, or not yet: either way somebody sees to the next ones.
      let exchanges = (1...4).map { _ in Exchange() }
      for exchange in exchanges {
        deadlines.watch(exchange)
        try await Task.sleep(for: .milliseconds(5))
      }
      for exchange in exchanges { #expect(await exchange.answer().isLost) }
    }
  }

  @Test func whatIsOverIsLeftAlone() async {
    let deadlines = Deadlines(seconds: 0.02)
    let (over, watched) = (Exchange(), Exchange())
    deadlines.watch(over)
    deadlines.watch(watched)
    deadlines.drop(over)
    #expect(await watched.answer().isLost)
    over.end(.notSent(reason: "by hand"))
    #expect(await over.answer() == .notSent(reason: "by hand"))
  }
}
