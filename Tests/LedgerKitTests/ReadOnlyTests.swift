import Foundation
import LedgerKit
import LedgerSync
import Testing

/// A ledger opened only for reading, as in a widget.
@Suite(.timeLimit(.minutes(5))) struct ReadOnlyTests {
  /// Each file of a folder with its size, mode and modification time.
  private struct Listing: Equatable {
    var files: [String: [String]] = [:]

    init(of folder: String) throws {
      let manager = FileManager.default
      for path in ["."] + (try manager.subpathsOfDirectory(atPath: folder)) {
        let facts = try manager.attributesOfItem(atPath: "\(folder)/\(path)")
        let modified = try #require(facts[.modificationDate] as? Date)
        files[path] = [
          "\(facts[.size] ?? "")", "\(facts[.posixPermissions] ?? "")",
          "\(modified.timeIntervalSinceReferenceDate)",
        ]
      }
    }
  }

  private func setMode(_ mode: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  /// Enough events that a reader which may write keeps a snapshot of them, and a torn tail.
  private func fill(_ ledger: Ledger) async throws -> EntryID {
    let entry = try await ledger.log(.weight, 75)
    try await ledger.append(
      (1...16_400).map { number in
        let logged = ProgressLogged(
          entry: .derived(from: "\(number)", at: Timestamp(millisecondsSince1970: 0)),
          metric: .steps, quantity: Double(number), date: .first)
        return Edit(change: .logProgress(logged))
      })
    let folder = ledger.directory.path
    let handle = try #require(FileHandle(forWritingAtPath: ledger.directory.events))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("half a line".utf8))
    try handle.close()
    try FileManager.default.removeItem(atPath: folder + "/ledger.lock")
    return entry.id
  }

  @Test("Reading and checking change nothing, in a folder where nothing can be written")
  func changesNothing() async throws {
    try await withLedger { writer in
      let entry = try await fill(writer)
      let folder = writer.directory.path
      try setMode(0o500, folder)
      defer { try? setMode(0o700, folder) }
      let before = try Listing(of: folder)
      let ledger = try Ledger.open(readOnlyAt: folder)
      #expect(try await ledger.progress().total == 16_401)
      _ = try await ledger.profile()
      _ = try await ledger.outbox()
      #expect(try await ledger.explain(entry)?.history.count == 1)
      #expect(try await ledger.blame(entry)?.values.isEmpty == false)
      #expect(try await ledger.diff(from: nil, to: Seq(2)).entries.count == 1)
      let part = try await ledger.verify(mostBytes: 1)
      #expect(part.isComplete && part.seqs == Seq(1)...Seq(16_402))
      #expect(try await ledger.audit().problems.isEmpty)
      let findings = try await ledger.doctor(isStrict: true)
      #expect(findings.contains { $0.code == "torn-tail" })
      let copy = folder + "/../entries.csv"
      #expect(try await ledger.export(.csv, to: copy).count == 16_401)
      #expect(try await ledger.plan(asking: nil).plan.calls.isEmpty == false)
      #expect(try await ledger.account() == nil)
      #expect(try Listing(of: folder) == before)
    }
  }

  @Test("Edits by others are seen")
  func others() async throws {
    try await withLedger { writer in
      let reader = try Ledger.open(readOnlyAt: writer.directory.path)
      var changes = reader.changes().makeAsyncIterator()
      try await writer.log(.weight, 75)
      #expect(await changes.next()?.seq == Seq(2))
      #expect(try await reader.progress().total == 1)
    }
  }

  @Test("Edits, syncs, imports, repairs and sign-ins are refused, and nothing is written")
  func refused() async throws {
    try await withLedger { writer in
      try await writer.log(.weight, 75)
      let folder = writer.directory.path
      let before = try Listing(of: folder)
      let ledger = try Ledger.open(readOnlyAt: folder)
      let refusal = LogError.readOnly(path: folder)
      await #expect(throws: refusal) { try await ledger.log(.weight, 76) }
      await #expect(throws: refusal) { try await ledger.undo() }
      await #expect(throws: refusal) { try await ledger.erase(Seq(2), reason: "a test") }
      await #expect(throws: refusal) { try await ledger.sync(over: ScriptedConnection()) }
      await #expect(throws: refusal) { try await ledger.watch(over: ScriptedConnection()) }
      await #expect(throws: refusal) {
        try await ledger.importFile(.bytes([], name: "a"), as: .ledgerCSV)
      }
      await #expect(throws: refusal) { try await ledger.signOut() }
      await #expect(throws: refusal) { try await ledger.forgetAccount() }
      await #expect(throws: refusal) {
        try await ledger.signIn(
          to: BackendAddress("https://backend.test"), apiKey: Secret("k"), email: "a@b.c",
          password: "p")
      }
      await #expect(throws: refusal) { try await ledger.remove() }
      await #expect(throws: refusal) { try await ledger.connection() }
      await #expect(throws: refusal) { try await ledger.sync() }
      #expect(try await ledger.repair(ledger.doctor()).failures.count == 1)
      #expect(try Listing(of: folder) == before)
    }
  }

  @Test("Where there is no ledger, none is created")
  func missing() async throws {
    try await withLedger { ledger in
      let path = ledger.directory.path + "-other"
      #expect(throws: LogError.noLedger(path: path)) { try Ledger.open(readOnlyAt: path) }
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }
}
