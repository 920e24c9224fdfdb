import LedgerKit
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerSync
import Testing

@Suite struct SyncEventsTests {
  static let day = CalendarDate(year: 2026, month: 1, day: 1)!

  @Test(
    "A run's events begin with began, report what was acknowledged or rejected, and end with the report"
  )
  func run() async throws {
    try await withLedger { ledger in
      let first = try await ledger.log(.weight, 75, on: Self.day)
      let second = try await ledger.log(.weight, 76, on: Self.day)
      let events = ledger.syncEvents()
      let connection = ScriptedConnection(
        .response(.init(status: 422, body: Array(#"{"error":{"message":"no"}}"#.utf8))))
      var options = SyncOptions.atOnce
      options.configuration.concurrency = 1
      let sent = try await ledger.sync(over: connection, options: options)
      var seen: [String] = []
      for await event in events {
        switch event {
        case .began: seen.append("began")
        case .acknowledged(let seqs): seen.append("acknowledged \(seqs)")
        case .rejected(let seqs): seen.append("rejected \(seqs)")
        case .ended(let report):
          #expect(report == sent)
          seen.append("ended")
        case .progress, .pulled, .conflicts, .suspicions, .failed: break
        }
        if seen.last == "ended" { break }
      }
      #expect(
        seen == [
          "began", "rejected \([first.seq])", "acknowledged \([second.seq])", "ended",
        ])
    }
  }

  @Test("A run that cannot go on ends with failed")
  func failure() async throws {
    try await withLedger { ledger in
      _ = try await ledger.log(.weight, 75, on: Self.day)
      var events = ledger.syncEvents().makeAsyncIterator()
      let log = try OpenFile(ledger.directory.events, .readWrite, on: SystemDisk.shared)
      try log.truncate(to: log.size() - 1)
      await #expect(throws: LogError.self) {
        try await ledger.sync(over: ScriptedConnection(), options: .atOnce)
      }
      var failure: (any Error)?
      while failure == nil, let event = await events.next() {
        if case .failed(let error) = event { failure = error }
      }
      #expect(failure is LogError)
    }
  }
}
