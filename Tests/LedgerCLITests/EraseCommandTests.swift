import Testing

@testable import LedgerCLI

@Suite(.serialized) struct EraseCommandTests {
  @Test("A warning about one of several erased entries names the event")
  func erased() throws {
    let ledger = try LookingLedger()
    let entry = try ledger.log(1, on: "2025-01-06")
    try ledger.acknowledge([entry], id: "row-1")
    let other = try ledger.log(2, on: "2025-01-07")
    let answer = ledger.run("erase", "\(entry)", "\(other)", "--reason", "private", "--yes")
    #expect(answer.error.contains("warning: event \(entry): the backend still has row row-1"))
  }
}
