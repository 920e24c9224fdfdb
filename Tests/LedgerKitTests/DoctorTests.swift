import Foundation
import LedgerKit
import LedgerLog
import LedgerPlatform
import Testing

/// Findings as data, and repairs as a separate call.
@Suite struct DoctorTests {
  @Test("A sound ledger has findings, all of them fine")
  func sound() async throws {
    try await withLedger { ledger in
      let findings = try await ledger.doctor(isStrict: true)
      #expect(findings.count > 5)
      #expect(findings.filter(\.isOpen).map(\.code) == [])
    }
  }

  @Test("Finding changes nothing; repairing sets a torn tail aside and restores modes")
  func repair() async throws {
    try await withLedger { ledger in
      try await ledger.log(.weight, 75)
      let handle = try #require(FileHandle(forWritingAtPath: ledger.directory.events))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data("half a line".utf8))
      try handle.close()
      let manager = FileManager.default
      try manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: ledger.directory.head)
      let found = try await ledger.doctor()
      #expect(found.filter(\.isOpen).map(\.code) == ["open-to-others", "torn-tail"])
      #expect(found.filter(\.isOpen).allSatisfy { $0.repair != nil && $0.severity == .warning })
      #expect(try await ledger.doctor().filter(\.isOpen) == found.filter(\.isOpen))

      let outcome = try await ledger.repair(found)
      #expect(outcome.failures.isEmpty)
      #expect(outcome.findings.allSatisfy { !$0.isOpen })
      let after = try await ledger.doctor()
      #expect(after.filter(\.isOpen).map(\.code) == ["quarantine"])
      try await ledger.log(.weight, 76)
      #expect(try await ledger.progress().total == 2)
    }
  }

  @Test("Damage is a finding that no repair is offered for")
  func damage() async throws {
    try await withLedger { ledger in
      try await ledger.log(.weight, 75.5)
      let url = URL(filePath: ledger.directory.events)
      let text = try String(contentsOf: url, encoding: .utf8)
      try Data(text.replacing("75.5", with: "76.5").utf8).write(to: url)
      let found = try await ledger.doctor().filter(\.isOpen)
      #expect(found.map(\.severity) == [.damage])
      #expect(found.allSatisfy { $0.repair == nil })
    }
  }

  @Test("Waiting for another process's lock can be canceled")
  func canceled() async throws {
    try await withLedger { ledger in
      try await ledger.log(.weight, 75)
      let lock = try FileLock(ledger.directory.ledgerLock, .exclusive)
      defer { withExtendedLifetime(lock) {} }
      let works: [@Sendable () async throws -> Void] = [
        { _ = try await ledger.doctor() }, { _ = try await ledger.repair([]) },
        { _ = try await ledger.remove() },
      ]
      for work in works {
        let task = Task { try await work() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
      }
      #expect(try await ledger.progress().total == 1)
    }
  }
}
