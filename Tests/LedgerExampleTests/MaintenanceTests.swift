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
    let kept = try await ledger.checkpoint()
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

  @Test("Accounts have folders; a reader sees the edits; the hook sees a sync")
  func accounts() async throws {
    let parent = sandbox.path() + "-accounts"
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    let ada = try await openLedger(of: "ada@example.org", in: parent)
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
    let lines = Lines()
    environment { lines.add($0) }.onEvent?(.damaged(Damage(line: 2, byte: 9, problem: "no")))
    #expect(lines.all == ["damage: the log is damaged at line 2, byte 9: no"])
  }

  private final class Lines: @unchecked Sendable {
    private(set) var all: [String] = []

    func add(_ line: String) { all.append(line) }
  }
}
