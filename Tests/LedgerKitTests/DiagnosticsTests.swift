import Foundation
import LedgerKit
import LedgerTestSupport
import Testing

/// What the app's hook receives.
@Suite struct DiagnosticsTests {
  /// The names of the cases, with the numbers that do not depend on time.
  private static func text(_ event: LedgerDiagnostic) -> String {
    switch event {
    case .log(.appended(let events, _, _)): "appended \(events)"
    case .log(.folded(let seq, _)): "folded \(seq)"
    case .log(.repaired): "repaired"
    case .verified(let part): "verified \(part.lastSeq?.number ?? 0)"
    case .damaged(let damage): "damaged \(damage.line ?? 0)"
    case .synced(let report, _): "synced \(report.acknowledged)"
    case .exchanged(let trace): "\(trace.method) \(trace.status ?? 0)"
    }
  }

  @Test("Appends, folds, exchanges, syncs, checks and damage are reported in their order")
  func events() async throws {
    let sandbox = try LedgerSandbox()
    try await sandbox.signIn(sandbox.openLedger())
    let collector = Collector<String>()
    var environment = sandbox.environment()
    environment.onEvent = { collector.add(Self.text($0)) }
    let ledger = try await Ledger.open(at: sandbox.path(), environment: environment)
    try await ledger.log(.weight, 75.5)
    _ = try await ledger.progress()
    #expect(collector.all == ["appended 1", "folded 3"])
    _ = try await ledger.sync(options: sandbox.syncOptions)
    let synced = collector.all
    #expect(synced.last == "synced 1")
    let post = try #require(synced.firstIndex(of: "POST 201"))
    #expect(synced[2..<post].contains("appended 1"), "the attempt, in \(synced)")
    #expect(synced[post...].contains { $0.hasPrefix("appended") }, "the answer, in \(synced)")
    #expect(try await ledger.verify().damage == nil)
    let url = URL(filePath: ledger.directory.events)
    let text = try String(contentsOf: url, encoding: .utf8)
    try Data(text.replacing("75.5", with: "76.5").utf8).write(to: url)
    #expect(try await ledger.verify().damage?.line == 3)
    #expect(collector.all.suffix(1) == ["damaged 3"])
    #expect(collector.all.count { $0.hasPrefix("verified") } == 2)
  }

  @Test("What a crash left is reported when an edit, an import or reopening repairs it")
  func repaired() async throws {
    let sandbox = try LedgerSandbox()
    let collector = Collector<String>()
    var environment = sandbox.environment()
    environment.onEvent = { collector.add(Self.text($0)) }
    let ledger = try await Ledger.open(at: sandbox.path(), environment: environment)
    func crash() throws {
      let handle = try #require(FileHandle(forWritingAtPath: ledger.directory.events))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data("half a line".utf8))
      try handle.close()
    }
    try crash()
    try await ledger.log(.weight, 75.5)
    #expect(collector.all == ["repaired", "appended 1"])
    try crash()
    let rows = Array("Date,Weight\n2026-07-01,75\n2026-07-02,76\n".utf8)
    let mapping = CSVMapping(metric: .weight, quantity: "Weight", date: "Date")
    try await ledger.importFile(.bytes(rows, name: "w.csv"), as: .csv(mapping))
    #expect(collector.all.suffix(2) == ["repaired", "appended 2"])
    try crash()
    try await ledger.reopen()
    #expect(collector.all.last == "repaired")
  }
}
