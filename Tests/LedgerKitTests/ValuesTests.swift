import LedgerModel
import Testing

@testable import LedgerKit

@Suite struct ValuesTests {
  static let day = CalendarDate(year: 2026, month: 1, day: 1)!

  static func weights(_ ledger: Ledger) async throws -> [Double] {
    try await ledger.progress(ProgressQuery(metric: .weight)).entries.map(\.quantity)
  }

  @Test("Results are the current one, then one whenever it differs")
  func results() async throws {
    try await withLedger { ledger in
      var values = ledger.values(of: Self.weights).makeAsyncIterator()
      #expect(try await values.next() == [])
      _ = try await ledger.log(.steps, 4_000, on: Self.day)
      _ = try await ledger.log(.weight, 75, on: Self.day)
      #expect(try await values.next() == [75])
      let other = try await Ledger.open(at: ledger.directory.path)
      _ = try await other.log(.weight, 76, on: Self.day)
      #expect(try await values.next() == [76, 75])
    }
  }

  @Test("A failed query ends the results with its error")
  func failure() async throws {
    try await withLedger { ledger in
      var values = ledger.values { ledger -> Int in
        guard try await Self.weights(ledger).isEmpty else {
          throw ClientError.signedOut(reason: "")
        }
        return 0
      }.makeAsyncIterator()
      #expect(try await values.next() == 0)
      _ = try await ledger.log(.weight, 75, on: Self.day)
      await #expect(throws: ClientError.self) { try await values.next() }
      #expect(try await values.next() == nil)
    }
  }

  @Test("An edit of the same instance has woken its listeners when it returns, without file events")
  func ownEdits() async throws {
    try await withLedger { ledger in
      let signal = WakeSignal()
      ledger.wakeSignals.add(signal)
      _ = try await ledger.log(.weight, 75, on: Self.day)
      #expect(await signal.wait(orFor: {}).contains(.log))
    }
  }

  @Test("A model for views has the query's newest result, and its error", .timeLimit(.minutes(5)))
  @MainActor func model() async throws {
    try await withLedger { ledger in
      let model = LedgerQueryModel(ledger, Self.weights)
      let following = Task { await model.follow() }
      while model.value == nil { await Task.yield() }
      _ = try await ledger.log(.weight, 75, on: Self.day)
      while model.value == [] { await Task.yield() }
      #expect(model.value == [75])
      #expect(model.error == nil)
      following.cancel()
      await following.value
      let failing = LedgerQueryModel(ledger) { _ -> Int in throw ClientError.signedOut(reason: "") }
      await failing.follow()
      #expect(failing.value == nil)
      #expect(failing.error is ClientError)
    }
  }
}
