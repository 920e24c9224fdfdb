import Dispatch
import Foundation
import LedgerKit
import LedgerLog
import LedgerTestSupport
import Testing

/// Moving data in and out through the library.
@Suite struct ImportAndExportTests {
  private let sandbox: LedgerSandbox
  private let ledger: Ledger

  init() throws {
    sandbox = try LedgerSandbox()
    ledger = try sandbox.openLedger()
  }

  private var file: String { sandbox.path() + "-export" }

  @Test("An exported table is imported with the same entries, once")
  func table() async throws {
    try await ledger.log(.weight, 75.5, notes: "=1+1, \"quoted\"")
    let deleted = try await ledger.log(.steps, 4_000)
    try await ledger.append(.deleteProgress(ProgressDeleted(entry: deleted.id)))
    let summary = try await ledger.export(.csv, to: file)
    #expect(summary.count == 1 && summary.format == .csv)
    #expect(try Data(contentsOf: URL(filePath: file)).count == summary.bytes)

    let other = try sandbox.openLedger(on: "another")
    let outcome = try await other.importFile(.file(file), as: .ledgerCSV)
    #expect(outcome.appended == Seq(2)...Seq(2) && outcome.found.problems.isEmpty)
    let entries = try await other.progress().entries
    #expect(try await entries.map(\.id) == ledger.progress().entries.map(\.id))
    #expect(try await other.notes(of: entries[0]) == "=1+1, \"quoted\"")
    #expect(try await other.importFile(.file(file), as: .ledgerCSV).appended == nil)
  }

  @Test("The exported log is the log, byte for byte")
  func log() async throws {
    try await ledger.log(.weight, 75.5)
    let summary = try await ledger.export(.jsonl, to: file)
    #expect(summary.count == 2)
    let url = URL(filePath: ledger.directory.events)
    #expect(try Data(contentsOf: URL(filePath: file)) == Data(contentsOf: url))
  }

  @Test("A damaged log is not exported, and the old file remains")
  func damaged() async throws {
    try await ledger.log(.weight, 75.5)
    try Data("old".utf8).write(to: URL(filePath: file))
    let url = URL(filePath: ledger.directory.events)
    let text = try String(contentsOf: url, encoding: .utf8)
    try Data(text.replacing("75.5", with: "76.5").utf8).write(to: url)
    for format in ExportFormat.allCases {
      await #expect(throws: LogError.self) { try await ledger.export(format, to: file) }
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "old")
    }
  }

  @Test("No export goes over the ledger's own files")
  func ownFiles() async throws {
    let events = ledger.directory.events
    let before = try Data(contentsOf: URL(filePath: events))
    await #expect(throws: LogError.self) { try await ledger.export(.csv, to: events) }
    await #expect(throws: LogError.self) {
      try await ledger.export(.csv, to: sandbox.path() + "/../device-1/head")
    }
    #expect(try Data(contentsOf: URL(filePath: events)) == before)
  }

  @Test("Rows of another table become entries in the ledger's zone; a bad row is reported")
  func mapped() async throws {
    var mapping = CSVMapping(metric: .weight, quantity: "kg", date: "day")
    mapping.notes = "remark"
    let text = "day,kg,remark\n2026-01-02,75.5,fine\n2026-01-03,heavy,\n"
    let source = ImportSource.bytes(Array(text.utf8), name: "scale.csv")
    let outcome = try await ledger.importFile(source, as: .csv(mapping))
    #expect(outcome.found.edits.count == 1 && outcome.appended == Seq(2)...Seq(2))
    #expect(outcome.found.problems.map(\.row) == [3])
    #expect(try await ledger.progress().entries.map(\.quantity) == [75.5])
  }

  @Test("Queries are answered while a file is read; a canceled import writes nothing")
  func canceled() async throws {
    let mapping = CSVMapping(metric: .weight, quantity: "kg", date: "day")
    let source = ImportSource.bytes(Array("day,kg\n2026-01-02,75.5\n".utf8), name: "scale.csv")
    let (reads, read) = AsyncStream<Void>.makeStream()
    let gate = DispatchSemaphore(value: 0)
    let run = Task {
      try await ledger.importFile(source, as: .csv(mapping)) { _ in
        read.yield()
        gate.wait()
        gate.signal()
      }
    }
    for await _ in reads.prefix(1) {}
    #expect(try await ledger.progress().total == 0)
    run.cancel()
    gate.signal()
    await #expect(throws: CancellationError.self) { try await run.value }
    #expect(try await ledger.progress().total == 0)
    #expect(try await ledger.importFile(source, as: .csv(mapping)).appended == Seq(2)...Seq(2))
  }

  @Test("Samples of Apple Health become entries; a file that is no export is refused whole")
  func appleHealth() async throws {
    let record =
      #"<Record type="HKQuantityTypeIdentifierBodyMass" sourceName="Scale" unit="kg" "#
      + #"startDate="2026-01-02 08:00:00 +0100" endDate="2026-01-02 08:00:00 +0100" value="75.5"/>"#
    let xml = "<HealthData locale=\"en\">\(record)</HealthData>"
    let outcome = try await ledger.importFile(
      .bytes(Array(xml.utf8), name: "export.xml"), as: .appleHealth)
    #expect(outcome.appended == Seq(2)...Seq(2))
    #expect(try await ledger.progress().entries.map(\.metric) == [.weight])
    await #expect(throws: ImportError.self) {
      try await ledger.importFile(.bytes(Array("day,kg\n".utf8), name: "a"), as: .appleHealth)
    }
    #expect(try await ledger.progress().total == 1)
  }
}
