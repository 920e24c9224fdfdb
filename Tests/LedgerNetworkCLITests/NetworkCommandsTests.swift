import LedgerCLI
import LedgerNetworkCLI
import Testing

@Suite struct NetworkCommandsTests {
  @Test func specsAreSound() {
    #expect(NetworkCommands.table.catalog.problems == [])
  }

  @Test func theProgramThatForwardsKnowsThemAll() {
    let here = Set(NetworkCommands.table.catalog.specs.map(\.name))
    let whole = LocalCommands.elsewhere.filter { $0.helper == "ledger-sync" }
    let inPart = LocalCommands.all.map { $0.spec }.filter { spec in
      spec.options.contains { $0.helper == "ledger-sync" }
    }
    #expect(Set((whole + inPart).map(\.name)) == here)
  }
}
