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

  @Test("A sample out of range does not keep the others out")
  func badSample() async throws {
    let sandbox = try LedgerSandbox()
    let ledger = try sandbox.openLedger()
    let samples = [75.5, 0, 76.5].map { quantity in
      HealthSample(
        id: "\(quantity)", metric: .weight, quantity: quantity, moment: sandbox.clock.now)
    }
    let refused = try await HealthFeed(ledger: ledger).append(samples)
    #expect(refused.count == 1)
    #expect(try await ledger.progress().entries.map(\.quantity) == [76.5, 75.5])
  }
}
