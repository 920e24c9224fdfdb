import Foundation
import LedgerKit
import LedgerLog
import LedgerSync
import Testing

@testable import LedgerProjections

/// What is sent comes from the log's own lines, their chain links checked.
@Suite struct VerifiedSyncTests {
  static let day = CalendarDate(year: 2026, month: 1, day: 2)!

  @Test("A forged snapshot changes no planned call and no call that is sent")
  func forgedSnapshot() async throws {
    try await withLedger { ledger in
      let connection = ScriptedConnection()
      _ = try await ledger.log(.weight, 75, on: Self.day)
      _ = try await ledger.sync(over: connection, options: .atOnce)
      _ = try await ledger.log(.steps, 4_000, on: Self.day, notes: "walk")
      let expected = try await ledger.plan(asking: nil).plan
      #expect(expected.calls.count == 1)

      try Self.forgeSnapshot(of: ledger.directory)
      let again = try await Ledger.open(at: ledger.directory.path)
      #expect(try await again.progress().entries.map(\.quantity).sorted() == [1_075, 5_000])
      #expect(try await again.syncCounts().pending == 2)
      #expect(try await again.plan(asking: nil).plan == expected)
      #expect(try await again.plan(asking: connection).plan == expected)
      let report = try await again.sync(over: connection, options: .atOnce)
      #expect(report.sent == 1 && report.pending == 0)
      let bodies = await connection.requests.compactMap(\.body).map {
        String(decoding: $0, as: UTF8.self)
      }
      #expect(bodies.count == 2)
      #expect(bodies.last?.contains(#""quantity":4000"#) == true)
      #expect(try await again.progress().entries.map(\.quantity).sorted() == [75, 4_000])
    }
  }

  @Test("A line changed on disk stops plan and run before a byte leaves")
  func changedBefore() async throws {
    try await withLedger { ledger in
      _ = try await ledger.log(.weight, 75.5, on: Self.day)
      _ = try await ledger.log(.steps, 4_000, on: Self.day)
      try Self.replace("75.5", by: "76.5", in: ledger.directory)
      let connection = ScriptedConnection()
      let again = try await Ledger.open(at: ledger.directory.path)
      for ask in [nil, connection] {
        await #expect { try await again.plan(asking: ask) } throws: { Self.isDamage($0, line: 2) }
      }
      await #expect { try await again.sync(over: connection) } throws: {
        Self.isDamage($0, line: 2)
      }
      #expect(await connection.requests.isEmpty)
    }
  }

  @Test("A line changed on disk after the fold is noticed when its text is read for a call")
  func changedAfterTheFold() async throws {
    try await withLedger { ledger in
      _ = try await ledger.log(.weight, 75.5, on: Self.day, notes: "before")
      _ = try await ledger.log(.steps, 4_000, on: Self.day)
      let inner = ScriptedConnection()
      let directory = ledger.directory
      let connection = Interposed(inner) {
        try Self.replace("before", by: "behind", in: directory)
      }
      await #expect { try await ledger.sync(over: connection, options: .atOnce) } throws: {
        Self.isDamage($0, line: 2)
      }
      #expect(await !inner.requests.isEmpty)
      #expect(await inner.lines.isEmpty)
    }
  }

  /// Does something just before the first request.
  private actor Interposed: BackendConnection {
    private let inner: ScriptedConnection
    private var action: (@Sendable () throws -> Void)?

    init(_ inner: ScriptedConnection, _ action: @escaping @Sendable () throws -> Void) {
      (self.inner, self.action) = (inner, action)
    }

    func send(_ request: WireRequest) async -> WireAnswer {
      do { try action?() } catch { Issue.record(error) }
      action = nil
      return await inner.send(request)
    }
  }

  private static func isDamage(_ error: any Error, line: Int) -> Bool {
    guard case LogError.damaged(let damage) = error else { return false }
    return damage.line == line
  }

  /// Changes the log in place, to the same length.
  private static func replace(
    _ text: String, by other: String, in directory: LedgerDirectory
  ) throws {
    var bytes = try Data(contentsOf: URL(filePath: directory.events))
    let place = try #require(bytes.range(of: Data(text.utf8)))
    bytes.replaceSubrange(place, with: Data(other.utf8))
    let file = try FileHandle(forUpdating: URL(filePath: directory.events))
    try file.write(contentsOf: bytes)
    try file.close()
  }

  /// Every quantity is larger by 1000, and what was acknowledged is pending.
  private static func forgeSnapshot(of directory: LedgerDirectory) throws {
    let view = try LogView.open(directory)
    var state = try Replay.run(view).state
    for row in state.rows.indices { state.rows[row].quantity += 1_000 }
    for seq in state.edits.cells.indices where state.edits.cells[seq].state == .acknowledged {
      state.edits.cells[seq].state = .pending
    }
    Snapshot.keep(state, of: view)
  }
}
