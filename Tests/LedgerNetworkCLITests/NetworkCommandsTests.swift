import LedgerCLI
import LedgerNetworkCLI
import ReferenceBackend
import Testing

@Suite struct NetworkCommandsTests {
  @Test("ledger forwards to ledger-sync exactly the commands that ledger-sync runs")
  func forwarded() {
    let here = Set(NetworkCommands.table.catalog.specs.map(\.name))
    let whole = LocalCommands.forwarded.filter { $0.helper == "ledger-sync" }
    let inPart = LocalCommands.all.map { $0.spec }.filter { spec in
      spec.options.contains { $0.helper == "ledger-sync" }
    }
    #expect(Set((whole + inPart).map(\.name)) == here)
  }

  @Test("ledger-sync forwards nothing")
  func runsItself() {
    for spec in NetworkCommands.table.catalog.specs {
      #expect(spec.helper == nil, "\(spec.name)")
      #expect(spec.options.allSatisfy { $0.helper == nil }, "\(spec.name)")
    }
  }

  @Test("The spec of 'backend' names the values of the reference backend")
  func backendValues() {
    let spec = NetworkCommandSpecs.backend
    func allowed(_ name: String) -> [String]? { spec.options.first { $0.name == name }?.allowed }
    #expect(allowed("dialect") == BackendConfiguration.MomentFormat.allCases.map(\.rawValue))
    #expect(allowed("physical") == BackendConfiguration.Physical.allCases.map(\.rawValue))
    let notes = spec.notes.joined()
    #expect(notes.contains(" \(BackendConfiguration.demoAPIKey). "))
    #expect(notes.contains("KIND is one of \(ScriptedFault.kinds.joined(separator: ", ")). "))
  }
}
