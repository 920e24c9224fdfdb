import Foundation
import LedgerModel
import Testing

@testable import LedgerCLI

/// What commands say of a log after one of them has found it damaged.
@Suite struct RecordedDamageTests {
  @Test(
    "Damage that ends a check of the whole log is named by status and append afterwards",
    arguments: [
      ["report", "-o", "-"], ["replay"], ["export", "csv"], ["export", "jsonl"],
      ["checkpoint"],
    ])
  func damage(_ words: [String]) throws {
    let ledger = try LookingLedger()
    try ledger.log(1, .weight, 75.5, on: "2025-01-01")
    // An append checks the last line.
    try ledger.log(2, .steps, 900, on: "2025-01-01")
    let bytes = try ledger.bytes()
    let place = try #require(bytes.firstRange(of: Data("75.5".utf8)))
    var changed = bytes
    changed.replaceSubrange(place, with: Data("65.5".utf8))
    try ledger.overwrite(changed)
    #expect(ledger.run(words).code == .damaged)
    let status = ledger.run("status")
    #expect(status.output.contains("damaged"), "\(status.output)")
    #expect(ledger.run("append", "steps", "5").error.contains("the log was found damaged"))
  }
}
