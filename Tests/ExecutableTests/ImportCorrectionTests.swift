import Foundation
import LedgerJSON
import Testing

/// Corrections of earlier imports by later ones.
@Suite(.blocks) struct ImportCorrectionTests {
  @discardableResult
  private func table(_ energy: Int, _ ledger: TestLedger) throws -> String {
    try ledger.must(
      "import", "csv", "-", "--metric", "calories_out", "--quantity", "Kal", "--date", "Day",
      input: "Day,Kal\n2025-11-25,\(energy)\n")
  }

  private func quantities(_ ledger: TestLedger) throws -> [Double] {
    try ledger.entries().compactMap { $0["quantity"]?.number }
  }

  @Test("The quantity before a correction and after it is shown")
  func shown() throws {
    let ledger = try TestLedger()
    try table(1700, ledger)
    #expect(try table(2700, ledger).contains(" of 2025-11-25: 1,700 kcal → 2,700 kcal\n"))
  }

  @Test("A correction that was undone comes in again, and is known after a redo")
  func undone() throws {
    let ledger = try TestLedger()
    try table(1700, ledger)
    try table(2700, ledger)
    try ledger.must("undo", "3")
    #expect(try table(1700, ledger).contains("nothing imported, 1 known"))
    #expect(try table(2700, ledger).contains("1 corrected"))
    #expect(try quantities(ledger) == [2700])
    try ledger.must("undo", "5")
    try ledger.must("redo")
    #expect(try quantities(ledger) == [2700])
    #expect(try table(2700, ledger).contains("nothing imported, 1 known"))
    #expect(try table(3700, ledger).contains("2,700 kcal → 3,700 kcal"))
  }

  @Test("A correction that was undone after it was sent comes in again")
  func undoneAtTheBackend() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      try table(1700, ledger)
      try table(2700, ledger)
      try await ledger.syncUntilQuiet()
      try ledger.must("undo", try seq(of: "progress.corrected", ledger))
      #expect(try quantities(ledger) == [1700])
      #expect(try table(2700, ledger).contains("1,700 kcal → 2,700 kcal"))
      #expect(try quantities(ledger) == [2700])
    }
  }

  @Test("A correction by hand that was undone does not keep a larger quantity out")
  func undoneByHand() throws {
    let ledger = try TestLedger()
    try table(1700, ledger)
    try ledger.must("append", "correction", "2", "--quantity", "1600")
    #expect(try table(2700, ledger).contains("nothing imported, 1 known"))
    try ledger.must("undo")
    #expect(try table(2700, ledger).contains("1 corrected"))
  }

  @Test("A night whose correction was undone comes in again")
  func night() throws {
    let ledger = try TestLedger()
    func night(_ asleep: String) throws -> String {
      try ledger.must(
        "import", "csv", "-", "--rules", "sleep-cycle",
        input: "Start;End;Sleep quality;Time in bed;Time asleep\n"
          + "2026-01-30 23:00:00;2026-01-31 07:00:00;93%;8:00;\(asleep)\n")
    }
    _ = try night("6:00")
    #expect(try night("7:00").contains("corrected sleep of 2026-01-31: 6 h 0 min → 7 h 0 min"))
    try ledger.must("undo", "3")
    #expect(try night("7:00").contains("1 corrected"))
  }

  private func seq(of type: String, _ ledger: TestLedger) throws -> String {
    let line = try ledger.log().lines.last { $0.object["type"]?.string == type }
    return "\(try #require(line?.object["seq"]?.integer))"
  }
}
