import Foundation
import LedgerKit
import LedgerLog
import Testing

/// A log that is damaged while a ledger is open. An edit checks the end of the log only.
@Suite struct DamageTests {
  private static let unknown = EntryID.derived(
    from: "unknown", at: Timestamp(millisecondsSince1970: 0))

  /// Replaces text in the log. Sets a modification time that differs, however coarse the clock is.
  private func replace(_ old: String, by new: String, in ledger: Ledger) throws {
    let url = URL(filePath: ledger.directory.events)
    var bytes = try Data(contentsOf: url)
    bytes.replaceSubrange(try #require(bytes.firstRange(of: Data(old.utf8))), with: Data(new.utf8))
    try bytes.write(to: url)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000)], ofItemAtPath: url.path)
  }

  private func damagedLine(_ body: () async throws -> Void) async -> Int? {
    do {
      try await body()
      return nil
    } catch LogError.damaged(let damage) {
      return damage.line
    } catch {
      Issue.record(error)
      return nil
    }
  }

  private func withDamage(_ body: (_ old: Ledger, _ new: Ledger) async throws -> Void) async throws
  {
    try await withLedger { ledger in
      try await ledger.log(.weight, 75.5)
      try await ledger.log(.weight, 76)
      #expect(try await ledger.progress().total == 2)
      try replace(#""quantity":75.5"#, by: #""quantity":75.x"#, in: ledger)
      try await body(ledger, await Ledger.open(at: ledger.directory.path))
    }
  }

  @Test("A ledger that has read the line before reports the damage like a new one")
  func reads() async throws {
    try await withDamage { old, new in
      for ledger in [old, new] {
        for _ in 1...2 {
          #expect(await damagedLine { _ = try await ledger.progress() } == 2)
          #expect(await damagedLine { _ = try await ledger.profile() } == 2)
        }
        let part = try await ledger.verify()
        let audit = try await ledger.audit()
        let findings = try await ledger.doctor()
        #expect(part.damage?.line == 2 && audit.problems.first?.line == 2)
        #expect(findings.contains { $0.code == "chain-broken" })
      }
    }
  }

  @Test("Both accept an edit that needs nothing of the log but its end, and refuse another")
  func edits() async throws {
    try await withDamage { old, new in
      for ledger in [old, new] {
        try await ledger.log(.weight, 77)
        #expect(
          await damagedLine {
            try await ledger.append(
              .deleteProgress(ProgressDeleted(entry: Self.unknown)))
          } == 2)
      }
      #expect(try LogView.open(old.directory).lastLine()?.seq == 5)
    }
  }

  @Test("After a check has found damage that left no trace, the views report it")
  func found() async throws {
    try await withLedger { ledger in
      try await ledger.log(.weight, 75.5)
      try await ledger.log(.weight, 76)
      #expect(try await ledger.progress().total == 2)
      let other = try await Ledger.open(at: ledger.directory.path)
      try replace(#""quantity":75.5"#, by: #""quantity":76.5"#, in: ledger)
      // The append hides that the file was changed.
      try await other.log(.weight, 77)
      #expect(try await ledger.progress().entries.map(\.quantity) == [77, 76, 75.5])
      #expect(try await ledger.verify().damage?.line == 2)
      for _ in 1...2 { #expect(await damagedLine { _ = try await ledger.progress() } == 2) }
    }
  }

  @Test("A restored log is read again, also after a reopening")
  func restored() async throws {
    try await withLedger { ledger in
      try await ledger.log(.weight, 75.5)
      try replace(#""quantity":75.5"#, by: #""quantity":76.5"#, in: ledger)
      #expect(try await ledger.verify().damage?.line == 2)
      #expect(await damagedLine { _ = try await ledger.progress() } == 2)
      try replace(#""quantity":76.5"#, by: #""quantity":75.5"#, in: ledger)
      #expect(try await ledger.progress().entries.map(\.quantity) == [75.5])
      try await ledger.reopen()
      try await ledger.log(.weight, 77)
      #expect(try await ledger.progress().total == 2)
    }
  }
}
