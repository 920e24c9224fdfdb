import Testing

@testable import LedgerReport

@Suite struct ScaleTests {
  @Test func barsBeginAtZero() {
    #expect(NiceScale.fromZero(to: 9_300, ticks: 5).low == 0)
  }
}
