import LedgerKit
import LedgerTestSupport
import Testing

@testable import LedgerExample

@Suite struct HealthFeedTests {
  let sandbox: LedgerSandbox
  let ledger: Ledger
  let feed: HealthFeed

  init() throws {
    sandbox = try LedgerSandbox()
    ledger = try sandbox.openLedger()
    feed = HealthFeed(ledger: ledger)
  }

  private func sample(_ id: String, _ quantity: Double) -> HealthSample {
    HealthSample(id: id, metric: .weight, quantity: quantity, moment: sandbox.clock.now)
  }

  private func quantities() async throws -> [Double] {
    try await ledger.progress().entries.map(\.quantity).sorted()
  }

  @Test("A sample that is reported twice is one entry")
  func once() async throws {
    let first = HealthChanges(added: [sample("A", 75.5)])
    #expect(try await feed.apply(first).isEmpty)
    #expect(try await feed.apply(first).isEmpty)
    let entries = try await ledger.progress().entries
    #expect(entries.map(\.id) == [.derived(from: "A")])
    #expect(Timestamp(try #require(entries.first)) == sandbox.clock.now)
    _ = try await feed.apply(HealthChanges(added: [sample("A", 75.5), sample("B", 76)]))
    #expect(try await quantities() == [75.5, 76])
  }

  @Test("A sample that the ledger refuses is left out and reported; the others are recorded")
  func refused() async throws {
    let samples = [sample("A", 75), sample("B", 7_500), sample("C", 76), sample("D", -1)]
    let refused = try await feed.apply(HealthChanges(added: samples))
    #expect(refused.keys.sorted() == ["B", "D"])
    #expect(refused["B"]?.contains("7500") == true)
    #expect(try await quantities() == [75, 76])
  }

  private struct Failure: Error {}

  /// What an observer's call leads to, in order.
  private func answer(
    _ error: (any Error)? = nil, _ importing: () async throws -> [String: String]
  ) async -> [String] {
    var calls: [String] = []
    await HealthFeed.answer(error) {
      calls.append("import")
      return try await importing()
    } onImport: { result in
      switch result {
      case .success(let refused): calls.append("refused \(refused.keys.sorted())")
      case .failure: calls.append("failed")
      }
    } completion: {
      calls.append("completed")
    }
    return calls
  }

  @Test("An observer's completion handler is called once, after the import, whatever it says")
  func completion() async throws {
    #expect(await answer { [:] } == ["import", "refused []", "completed"])
    let bad = HealthChanges(added: [sample("A", 7_500), sample("B", 75)])
    #expect(
      await answer { try await feed.apply(bad) } == ["import", #"refused ["A"]"#, "completed"])
    #expect(await answer { throw Failure() } == ["import", "failed", "completed"])
    #expect(await answer(Failure()) { [:] } == ["failed", "completed"])
    sandbox.disk.fail(.full)
    let more = HealthChanges(added: [sample("C", 76)])
    #expect(await answer { try await feed.apply(more) } == ["import", "failed", "completed"])
  }

  @Test("A sample deleted in HealthKit deletes its entry, once")
  func deleted() async throws {
    _ = try await feed.apply(HealthChanges(added: [sample("A", 75), sample("B", 76)]))
    let deletion = HealthChanges(deleted: ["A"])
    #expect(try await feed.apply(deletion).isEmpty)
    let lines = try await ledger.progress().total
    #expect(try await feed.apply(deletion).isEmpty)
    #expect(try await quantities() == [76])
    #expect(try await ledger.progress().total == lines)
    // Read again without an anchor, it stays deleted.
    _ = try await feed.apply(HealthChanges(added: [sample("A", 75)]))
    #expect(try await quantities() == [76])
  }

  @Test("The deletion of a sample that has no entry, or none any more, is no error")
  func nothingToDelete() async throws {
    _ = try await feed.apply(HealthChanges(added: [sample("A", 75)]))
    try await ledger.append(.deleteProgress(ProgressDeleted(entry: .derived(from: "A"))))
    let changes = HealthChanges(added: [sample("B", 76)], deleted: ["unknown", "A"])
    #expect(try await feed.apply(changes).isEmpty)
    #expect(try await quantities() == [76])
  }

  @Test("A sample that this app wrote is not imported")
  func own() async throws {
    let entry = try await ledger.log(.weight, 75.5).id
    let logged = try #require(try await ledger.progress().entries.first)
    guard case .save(let written) = HealthExport(logged, isNew: true) else {
      Issue.record("a new weight is saved")
      return
    }
    #expect(written.id == "\(entry)")
    #expect(try await feed.apply(HealthChanges(added: [written])).isEmpty)
    #expect(try await ledger.progress().total == 1)
  }

  @MainActor @Test("The user's edits of weights are written to HealthKit, for their own entry")
  func exported() async throws {
    let (exports, continuation) = AsyncStream.makeStream(of: HealthExport.self)
    let store = DiaryStore(ledger) { continuation.yield($0) }
    await store.log(.steps, 4_000)
    await store.log(.weight, 75)
    let entry = try #require(store.entries.first)
    await store.correct(entry, to: 74)
    await store.delete(entry)
    continuation.finish()
    var sample = HealthSample(
      id: "\(entry.id)", metric: .weight, quantity: 75, moment: sandbox.clock.now, isOwn: true)
    var expected = [HealthExport.save(sample)]
    sample.quantity = 74
    expected += [.replace(sample), .delete(id: sample.id)]
    var received: [HealthExport] = []
    for await export in exports { received.append(export) }
    #expect(received == expected)
  }

  @MainActor @Test("The user is told which measurements were left out")
  func told() async throws {
    let store = DiaryStore(ledger)
    store.noteImport(.success(try await feed.apply(HealthChanges(added: [sample("A", 7_500)]))))
    #expect(store.message?.hasPrefix("Measurements left out: 1. ") == true)
    #expect(store.message?.contains("7500") == true)
  }
}
