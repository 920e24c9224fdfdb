import LedgerKit
import LedgerTestSupport
import Testing

/// Explanations, origins of values and comparisons, as data.
@Suite struct HistoryTests {
  private let sandbox: LedgerSandbox
  private let ledger: Ledger
  private let entry: EntryID

  init() async throws {
    sandbox = try LedgerSandbox()
    ledger = try sandbox.openLedger()
    entry = try await ledger.log(.weight, 75).id
    try await ledger.append(.correctProgress(ProgressCorrected(entry: entry, quantity: 74)))
    try await ledger.append(.updateProfile(ProfileUpdated(name: "Ada")))
  }

  @Test("An entry is explained by the events that belong to it, by its id or any of them")
  func explain() async throws {
    for explanation in [
      try await ledger.explain(Seq(3)), try #require(try await ledger.explain(entry)),
    ] {
      #expect(explanation.history.map(\.recorded.seq) == [Seq(2), Seq(3)])
      #expect(explanation.status.code == .pending)
      #expect(explanation.entry?.entry.id == entry)
    }
  }

  @Test("An unknown event or entry has no explanation")
  func unknown() async throws {
    await #expect(throws: LogError.noSuchEvent(Seq(5))) { try await ledger.explain(Seq(5)) }
    let other = EntryID.derived(from: "another", at: sandbox.clock.now)
    #expect(try await ledger.explain(other) == nil)
    #expect(try await ledger.blame(other) == nil)
  }

  @Test("Each value names the event that set it")
  func blame() async throws {
    let values = try #require(try await ledger.blame(entry)).values
    let quantity = values.first { $0.name == .part(.quantity, of: .weight) }
    let type = values.first { $0.name == .part(.type, of: .weight) }
    #expect(quantity?.recorded?.seq == Seq(3) && type?.recorded?.seq == Seq(2))
    #expect(quantity?.source == .edit)
    let fields = try await ledger.blame().values
    #expect(fields.count == ProfileField.allCases.count)
    #expect(fields.first { $0.name == .field(.name) }?.recorded?.seq == Seq(4))
    #expect(try await ledger.blame([.bio]).values.map(\.recorded?.seq) == [nil])
  }

  @Test("Two events are compared by what changed from one to the other")
  func diff() async throws {
    let all = try await ledger.diff(from: nil)
    #expect(all.first.seq == nil && all.last.seq == Seq(4))
    #expect(all.entries.map(\.after?.entry.quantity) == [74])
    let later = try await ledger.diff(from: Seq(2), to: Seq(3))
    #expect(later.entries.map(\.before?.entry.quantity) == [75])
    #expect(later.difference.fields.isEmpty)
    await #expect(throws: LogError.noSuchEvent(Seq(3))) {
      try await ledger.diff(from: Seq(3), to: Seq(2))
    }
    await #expect(throws: LogError.noSuchEvent(Seq(9))) {
      try await ledger.diff(from: nil, to: Seq(9))
    }
  }

  @Test("A moment names the last event recorded until then")
  func lastEvent() async throws {
    let before = sandbox.clock.now
    sandbox.clock.advance(by: .seconds(60))
    try await ledger.log(.weight, 73)
    #expect(try await ledger.lastEvent(notAfter: before) == Seq(4))
    #expect(try await ledger.lastEvent(notAfter: sandbox.clock.now) == Seq(5))
    let early = Timestamp(millisecondsSince1970: 0)
    #expect(try await ledger.lastEvent(notAfter: early) == nil)
  }
}
