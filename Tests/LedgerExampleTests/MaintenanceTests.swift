import Foundation
import LedgerKit
import LedgerTestSupport
import Testing

@testable import LedgerExample

@Suite struct MaintenanceTests {
  private let sandbox: LedgerSandbox
  private let ledger: Ledger

  init() throws {
    sandbox = try LedgerSandbox()
    ledger = try sandbox.openLedger()
  }

  @Test("A sound log is checked, continues its checkpoint, and needs no repair")
  func sound() async throws {
    let kept = try await ledger.checkpoint().text
    _ = try await logAWeight(in: ledger)
    #expect(try await checkLog(of: ledger) == nil)
    #expect(try await isContinuation(of: kept, ledger))
    #expect(try await repairWhatCanBe(in: ledger) == [])
    let other = try sandbox.openLedger(on: "another")
    #expect(try await isContinuation(of: kept, other) == false)
  }

  @Test("An edit with an id is written once")
  func once() async throws {
    let logged = ProgressLogged(
      entry: .derived(from: "1", at: sandbox.clock.now), metric: .weight, quantity: 75, date: .first
    )
    let edit = Edit(
      id: .derived(from: "1", at: sandbox.clock.now), change: .logProgress(logged))
    for _ in 1...2 { try await appendOnce(edit, to: ledger) }
    #expect(try await ledger.progress().total == 1)
  }

  @Test("The history of an entry, who set it, and what changed")
  func explained() async throws {
    let before = sandbox.clock.now
    sandbox.clock.advance(by: .seconds(60))
    let entry = try await logAWeight(in: ledger)
    #expect(
      try await history(of: entry, in: ledger) == [
        "2026-01-05T08:01:00.000Z progress.logged", "2026-01-05T08:01:00.000Z progress.corrected",
        "now: pending",
      ])
    #expect(try await whoSetTheQuantity(of: entry, in: ledger) == "user")
    #expect(try await changes(since: before, in: ledger) == ["none → 75.1"])
  }

  @Test("A table goes out, another comes in")
  func tables() async throws {
    let folder = sandbox.path() + "-files"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data("Date,Weight\n2026-01-02,165\n2026-01-03,?\n".utf8)
      .write(to: URL(filePath: folder + "/scale.csv"))
    #expect(try await importScale(folder + "/scale.csv", into: ledger).count == 1)
    #expect(try await exportTable(of: ledger, into: folder) == "1 entries in \(folder)/entries.csv")
  }

  @Test("A question about a table is answered by each of its values")
  func questions() async throws {
    let cases: [(Metric, table: String, ImportQuestion.Field, quantities: [Double])] = [
      (.weight, "Date,Value (kg)\n03/04/2025,75\n", .dateFormat, [75, 75]),
      (.caloriesIn, "Date,Value (kcal)\n2025-01-02,\"2,110\"\n", .decimalMark, [2_110, 2.11]),
      (.weight, "Date,Value\n2025-01-02,150\n", .unit, [150, 68.0388555]),
    ]
    // With imperial units, a weight without a unit may be in either.
    try await introduce("Ada", to: ledger)
    for (number, (metric, table, field, quantities)) in cases.enumerated() {
      let source = ImportSource.bytes(Array(table.utf8), name: "table.csv")
      let column = field == .unit ? "Value" : "Value (\(metric.unit))"
      let mapping = CSVMapping(metric: metric, quantity: column, date: "Date")
      let asked = await #expect(throws: ImportError.self) {
        try await ledger.importFile(source, as: .csv(mapping))
      }
      let question = try #require(asked?.question)
      #expect(question.field == field)
      var found: [Double] = []
      for (at, value) in question.values.enumerated() {
        let other = try sandbox.openLedger(on: "device\(number)-\(at)")
        var answered = mapping
        #expect(try answered.answer(question, with: value))
        try await other.importFile(source, as: .csv(answered))
        found += try await other.progress().entries.map(\.quantity)
      }
      #expect(found == quantities)
    }
    var mapping = CSVMapping(metric: .weight, quantity: "Weight", date: "Date")
    let table = ImportSource.bytes(Array("Date,Weight\n2025-01-02,75\n".utf8), name: "scale.csv")
    let error = await #expect(throws: ImportError.self) {
      try await ledger.importFile(table, as: .ledgerCSV)
    }
    let question = try #require(error?.question)
    #expect(try !mapping.answer(question, with: "Weight"))
  }

  @Test("Accounts have folders; a reader sees the edits; the hook sees a sync")
  func accounts() async throws {
    let parent = sandbox.path() + "-accounts"
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    let ada = try await openLedger(of: "ada@example.org", in: parent)
    let same = try await openLedger(of: "Ada@example.org", in: parent)
    #expect(same.directory.path == ada.directory.path)
    let ben = try await openLedger(of: "ben@example.org", in: parent)
    try await ada.log(.weight, 75)
    #expect(try await ben.progress().total == 0)
    try FileManager.default.moveItem(atPath: ada.directory.path, toPath: parent + "/.ledger")
    #expect(try await openForReading(in: parent).progress().total == 1)
    try await signOutForGood(of: ben)
    #expect(!FileManager.default.fileExists(atPath: ben.directory.path))
    try await sandbox.signIn(ledger)
    #expect(try await deleteEverything(of: ledger) == .deleted)
    #expect(sandbox.backend.rows().isEmpty)
    let lines = Collector<String>()
    environment { lines.add($0) }.onEvent?(.damaged(Damage(line: 2, byte: 9, problem: "no")))
    #expect(lines.all == ["damage: the log is damaged at line 2, byte 9: no"])
  }
}
