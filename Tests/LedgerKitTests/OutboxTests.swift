import LedgerKit
import Testing

@Suite struct OutboxTests {
  @Test("What waits, and why: the backend's own words, or the code of what is missing")
  func reasons() async throws {
    try await withLedger { ledger in
      #expect(try await ledger.outbox().isEmpty)
      let refused = try await ledger.log(.weight, 75)
      let refusal = WireAnswer.response(
        .init(status: 422, body: Array(#"{"error":{"message":"too heavy"}}"#.utf8)))
      _ = try await ledger.sync(over: ScriptedConnection(refusal), options: .atOnce)
      try await ledger.append(.updateProfile(ProfileUpdated(bio: .set("Counts."))))
      _ = try await ledger.sync(over: ScriptedConnection(), options: .atOnce)
      let waiting = try await ledger.log(.steps, 4_000)

      let items = try await ledger.outbox()
      #expect(items.map(\.state) == [.rejected, .held, .pending])
      #expect(items.map(\.entry) == [refused, nil, waiting])
      #expect(items[0].text?.contains("too heavy") == true)
      #expect(items[1].subject == .profile(.profile))
      #expect(items[1].text == HoldReason.profileNeedsName.rawValue)
      #expect(items[2].text == nil)
    }
  }
}
