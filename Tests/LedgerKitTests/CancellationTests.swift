import LedgerKit
import LedgerSync
import LedgerTestSupport
import Testing

@Suite struct CancellationTests {
  static let day = CalendarDate(year: 2026, month: 1, day: 1)!

  @Test("A cancelled run sends nothing new, and lets what is under way be answered")
  func lands() async throws {
    try await withLedger { ledger in
      for weight in 70..<80 { _ = try await ledger.log(.weight, Double(weight), on: Self.day) }
      let connection = ScriptedConnection()
      await connection.shut()
      var options = SyncOptions.atOnce
      options.grace = .seconds(3_600)
      let run = Task { [options] in try await ledger.sync(over: connection, options: options) }
      try await until { await connection.waitingCount == 4 }
      run.cancel()
      await connection.open()
      let report = try await run.value
      #expect(report.stop == .cancelled)
      #expect(report.acknowledged == 4)
      #expect(report.pending == 6)
      #expect(await connection.lines.count == 4)
      #expect(try await ledger.sync(over: connection, options: .atOnce).acknowledged == 6)
    }
  }

  /// A connection that gives up when it is told to, as the real one does.
  actor Patient: BackendConnection {
    private(set) var count = 0

    func send(_ request: WireRequest) async -> WireAnswer {
      guard request.method.mutates else { return .response(.init(status: 404)) }
      count += 1
      try? await Task.sleep(for: .seconds(3_600))
      return .lost(reason: "it was canceled")
    }
  }

  @Test("What is not answered within the grace is in doubt, and no lock is left")
  func grace() async throws {
    try await withLedger { ledger in
      _ = try await ledger.log(.weight, 75, on: Self.day)
      let connection = Patient()
      var options = SyncOptions.atOnce
      options.grace = .zero
      let run = Task { [options] in try await ledger.sync(over: connection, options: options) }
      try await until { await connection.count == 1 }
      run.cancel()
      let report = try await run.value
      #expect(report.stop == .cancelled)
      #expect(report.inDoubt == 1)
      options.lockWaitSeconds = 0
      _ = try await ledger.sync(over: ScriptedConnection(), options: options)
    }
  }

  @Test("Edits are taken while a run waits for the backend")
  func editsMeanwhile() async throws {
    try await withLedger { ledger in
      let first = try await ledger.log(.weight, 75, on: Self.day).id
      let connection = ScriptedConnection()
      await connection.shut()
      let run = Task { try await ledger.sync(over: connection, options: .atOnce) }
      try await until { await connection.waitingCount == 1 }
      try await ledger.append(.correctProgress(ProgressCorrected(entry: first, quantity: 74)))
      #expect(try await ledger.progress().entries.map(\.quantity) == [74])
      await connection.open()
      #expect(try await run.value.pending == 1)
      #expect(try await ledger.sync(over: connection, options: .atOnce).pending == 0)
      #expect(
        await connection.lines == [
          "POST /api/v1/progress", "POST /api/v1/progress", "DELETE /api/v1/progress/row-5",
        ])
    }
  }
}
