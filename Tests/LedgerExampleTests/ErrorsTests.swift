import LedgerKit
import LedgerTestSupport
import Testing

@testable import LedgerExample

@Suite struct ErrorsTests {
  @Test("The article's code words a refusal by its data")
  func refusal() async throws {
    let sandbox = try LedgerSandbox()
    let ledger = try sandbox.openLedger()
    #expect(try await LedgerExample.problem(logging: 75, of: .weight, in: ledger) == nil)
    #expect(
      try await LedgerExample.problem(logging: 900, of: .weight, in: ledger)
        == "Between 0.0 and 500.0 kg, please.")
  }
}
