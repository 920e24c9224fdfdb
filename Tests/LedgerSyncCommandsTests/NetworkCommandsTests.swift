import LedgerCommands
import LedgerSyncCommands
import Testing

@Suite struct NetworkCommandsTests {
  @Test func specsAreSound() {
    #expect(NetworkCommands.table.catalog.problems == [])
  }

  @Test func theProgramThatForwardsKnowsThemAll() {
    let here = Set(NetworkCommands.table.catalog.specs.map(\.name))
    let there = LocalCommands.elsewhere.filter { $0.helper == "ledger-sync" }.map(\.name)
    #expect(Set(there) == here)
  }
}
