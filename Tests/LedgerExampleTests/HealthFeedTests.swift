import LedgerKit
import LedgerTestSupport
import Testing

@testable import LedgerExample

@Suite struct HealthFeedTests {
  @Test("A sample that is told of twice is one entry")
  func once() async throws {
    let sandbox = try LedgerSandbox()
    let ledger = try sandbox.openLedger()
    let feed = HealthFeed(ledger: ledger)
    let sample = HealthSample(
      id: "6F0F3C6E-0B0F-4A55-9A5E-5F3CFE3C4A10", metric: .weight, quantity: 75.5,
      moment: sandbox.clock.now)
    try await feed.append([sample])
    try await feed.append([sample])
    let entries = try await ledger.progress().entries
    #expect(entries.map(\.quantity) == [75.5])
    #expect(entries.map(\.id) == [.derived(from: sample.id, at: sample.moment)])
    #expect(sandbox.clock.now == sample.moment)

    var other = sample
    other.id += "1"
    try await feed.append([sample, other])
    #expect(try await ledger.progress().total == 2)
  }
}
