import Foundation
import LedgerKit
import LedgerLog
import LedgerModel
import LedgerStore
import LedgerSync
import LedgerTestSupport
import Testing

@Suite struct LedgerSyncRunTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  var path: String { folder.path + "/.ledger" }

  static let day = CalendarDate(year: 2026, month: 1, day: 1)!

  /// Runs a test on a new ledger.
  func withLedger(_ body: (Ledger) async throws -> Void) async throws {
    try await body(try await Ledger.open(at: path, device: "test"))
  }

  func status(_ entry: EntryID, _ ledger: Ledger) async throws -> EntryStatus? {
    try await ledger.progress().entries.first { $0.id == entry }?.status
  }

  @Test("What the backend has is not sent again")
  func secondSync() async throws {
    try await withLedger { ledger in
      let entry = try await ledger.log(.weight, 75, on: Self.day).id
      let connection = ScriptedConnection()
      let first = try await ledger.sync(over: connection)
      #expect(first.acknowledged == 1)
      #expect(first.pending == 0)
      let second = try await ledger.sync(over: connection)
      #expect(second.sent == 0)
      #expect(await connection.lines == ["POST /api/v1/progress"])
      #expect(try await status(entry, ledger) == .synced)
    }
  }

  private struct Unreachable: BackendConnection {
    func send(_ request: WireRequest) async -> WireAnswer { .notSent(reason: "x") }
  }

  @Test("A run that did not reach the backend does not count as the last sync")
  func unreachable() async throws {
    try await withLedger { ledger in
      _ = try await ledger.log(.weight, 75, on: Self.day)
      _ = try await ledger.sync(over: ScriptedConnection())
      let directory = LedgerDirectory(path)
      let last = try #require(LastSync(in: directory))
      _ = try await ledger.log(.weight, 76, on: Self.day)
      let report = try await ledger.sync(over: Unreachable())
      #expect(report.stop == .offline("x"))
      #expect(LastSync(in: directory)?.at == last.at)
    }
  }

  @Test("A lost answer leaves the entry in doubt, and a later run settles it without sending")
  func lostAnswer() async throws {
    try await withLedger { ledger in
      let entry = try await ledger.log(.weight, 75, on: Self.day).id
      let connection = ScriptedConnection(.lost(reason: "reset"))
      let report = try await ledger.sync(over: connection, options: Self.atOnce)
      #expect(report.sent == 1)
      #expect(report.pending == 1)
      #expect(report.inDoubt == 1)
      #expect(try await status(entry, ledger) == .syncing)

      // Another process, later: it knows only what the log says.
      let reopened = try await Ledger.open(at: path)
      let later = try await reopened.sync(over: connection, options: Self.atOnce)
      #expect(await connection.lines == ["POST /api/v1/progress"])
      #expect(later.reconciled == 1)
      #expect(later.pending == 0)
      #expect(try await status(entry, reopened) == .synced)
    }
  }

  /// Without the pause before a doubt is looked into.
  static var atOnce: SyncOptions {
    var configuration = SyncConfiguration()
    configuration.settleSeconds = 0
    return SyncOptions(configuration: configuration)
  }

  @Test("What never left is sent by the next sync")
  func notSent() async throws {
    try await withLedger { ledger in
      let entry = try await ledger.log(.weight, 75, on: Self.day).id
      let connection = ScriptedConnection(.notSent(reason: "refused"))
      #expect(try await ledger.sync(over: connection).stop == .offline("refused"))
      #expect(try await status(entry, ledger) == .pending)
      #expect(try await ledger.sync(over: connection).acknowledged == 1)
      #expect(try await status(entry, ledger) == .synced)
    }
  }

  @Test("A plan changes nothing and sends nothing")
  func planOnly() async throws {
    try await withLedger { ledger in
      _ = try await ledger.log(.weight, 75, on: Self.day)
      let before = try Data(contentsOf: URL(filePath: path + "/events.jsonl"))
      let connection = ScriptedConnection()
      #expect(try await ledger.plan(asking: connection).plan.calls.count == 1)
      #expect(await connection.lines.isEmpty)
      let after = try Data(contentsOf: URL(filePath: path + "/events.jsonl"))
      #expect(before == after)
    }
  }
}
