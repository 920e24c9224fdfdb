import LedgerSync
import Testing

@testable import FitIQClient

@Suite(.blocks) struct DeadlinesTests {
  @Test("Every watched exchange ends, whenever it was added")
  func allEnd() async throws {
    let deadlines = Deadlines(seconds: 0.02)
    for _ in 1...3 {
      // The task of the last round has ended or not: the next ones end either way.
      let exchanges = (1...4).map { _ in Exchange() }
      for exchange in exchanges {
        deadlines.watch(exchange)
        try await Task.sleep(for: .milliseconds(5))
      }
      for exchange in exchanges { #expect(await exchange.answer().isLost) }
    }
  }

  @Test("A dropped exchange is not ended")
  func dropped() async {
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
