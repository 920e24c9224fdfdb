import Foundation
import LedgerKit
import LedgerSync
import Testing

@Suite struct ChangesTests {
  static let day = CalendarDate(year: 2026, month: 1, day: 1)!

  @Test("A listener hears of edits made here, in another ledger on the folder, and by a sync")
  func hears() async throws {
    try await withLedger { ledger in
      var changes = ledger.changes().makeAsyncIterator()
      _ = try await ledger.log(.weight, 75, on: Self.day)
      #expect(await changes.next() == LedgerChange(before: Seq(1), seq: Seq(2)))
      let other = try await Ledger.open(at: ledger.directory.path)
      _ = try await other.log(.weight, 76, on: Self.day)
      #expect(await changes.next() == LedgerChange(before: Seq(2), seq: Seq(3)))
      _ = try await ledger.sync(over: ScriptedConnection(), options: .atOnce)
      var seq = Seq(3)
      while seq < Seq(7) {
        let change = try #require(await changes.next())
        #expect(change.before == seq)
        seq = change.seq
      }
      #expect(seq == Seq(7))
    }
  }

  @Test("A slow listener is told of everything in one go")
  func slow() async throws {
    try await withLedger { ledger in
      let changes = ledger.changes()
      for weight in 70..<80 { _ = try await ledger.log(.weight, Double(weight), on: Self.day) }
      var heard: [LedgerChange] = []
      for await change in changes {
        heard.append(change)
        if change.seq == Seq(11) { break }
      }
      #expect(heard.first?.before == Seq(1))
      for (earlier, later) in zip(heard, heard.dropFirst()) { #expect(earlier.seq == later.before) }
    }
  }

  @Test("A folder that is moved away and put back is still followed")
  func movedFolder() async throws {
    try await withLedger { ledger in
      let path = ledger.directory.path
      var changes = ledger.changes().makeAsyncIterator()
      try FileManager.default.moveItem(atPath: path, toPath: path + "-moved")
      let moved = try await Ledger.open(at: path + "-moved")
      _ = try await moved.log(.weight, 75, on: Self.day)
      try FileManager.default.moveItem(atPath: path + "-moved", toPath: path)
      #expect(await changes.next() == LedgerChange(before: Seq(1), seq: Seq(2)))
      _ = try await ledger.log(.weight, 76, on: Self.day)
      #expect(await changes.next() == LedgerChange(before: Seq(2), seq: Seq(3)))
    }
  }

  @Test("Cancelling the task that listens ends it")
  func ends() async throws {
    try await withLedger { ledger in
      let listener = Task {
        var count = 0
        for await _ in ledger.changes() { count += 1 }
        return count
      }
      listener.cancel()
      #expect(await listener.value == 0)
    }
  }
}
