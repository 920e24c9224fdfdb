import Foundation
import LedgerKit
import LedgerLog
import LedgerModel
import Testing

/// The log is checked while an app has nothing else to do.
@Suite struct VerifyTests {
  static let day = CalendarDate(year: 2026, month: 1, day: 2)

  private func damage(_ ledger: Ledger) throws {
    let url = URL(filePath: ledger.directory.events)
    var bytes = try Data(contentsOf: url)
    let place = try #require(bytes.firstRange(of: Data("75.5".utf8)))
    bytes.replaceSubrange(place, with: Data("76.5".utf8))
    try bytes.write(to: url)
  }

  @Test("A call checks the next part and says which")
  func verify() async throws {
    try await withLedger { ledger in
      _ = try await ledger.log(.weight, 75.5, on: Self.day)
      _ = try await ledger.log(.weight, 76, on: Self.day)
      let part = try await ledger.verify()
      #expect(part.seqs == 1...3 && part.lastSeq == 3 && part.isComplete && part.damage == nil)
      #expect(FileManager.default.fileExists(atPath: ledger.directory.path + "/verified"))
      try damage(ledger)
      #expect(try await ledger.verify().damage?.line == 2)
    }
  }

  @Test("No edit and no sync checks the log or writes the file")
  func others() async throws {
    try await withLedger { ledger in
      _ = try await ledger.log(.weight, 75.5, on: Self.day)
      _ = try await ledger.sync(over: ScriptedConnection(), options: .atOnce)
      #expect(!FileManager.default.fileExists(atPath: ledger.directory.path + "/verified"))
    }
  }

  @Test("A watch checks the log while it rests, tells of damage once, and goes on")
  func watch() async throws {
    try await withLedger { ledger in
      _ = try await ledger.log(.weight, 75.5, on: Self.day)
      let runs = Told<SyncReport>()
      let damages = Told<Damage>()
      var schedule = WatchTests.quick
      schedule.verifyInterval = .milliseconds(20)
      let watch = Task { [schedule] in
        try await ledger.watch(
          over: ScriptedConnection(), options: .atOnce, schedule: schedule,
          onRun: { runs.add($0) }, onDamage: { damages.add($0) })
      }
      try await until {
        FileManager.default.fileExists(atPath: ledger.directory.path + "/verified")
      }
      #expect(damages.all.isEmpty && runs.all.count == 1)
      try damage(ledger)
      try await until { !damages.all.isEmpty }
      #expect(damages.all.first?.line == 2)
      watch.cancel()
      #expect(try await watch.value.stop == .cancelled)
    }
  }
}
