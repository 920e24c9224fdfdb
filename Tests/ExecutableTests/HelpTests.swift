import Testing

@Suite(.blocks) struct HelpTests {
  @Test(
    "Every command has examples",
    arguments: [
      "init", "append", "append profile", "append physical", "append preferences",
      "append correction", "append deletion", "settings", "version", "import fitbit", "import csv",
      "conflicts", "resolve", "explain",
    ])
  func everyCommandHasExamples(_ name: String) throws {
    let words = name.split(separator: " ").map(String.init)
    let help = try Executable.ledger.run(words + ["--help"])
    #expect(help.code == 0)
    #expect(help.output.hasPrefix("usage: ledger \(name)"))
    #expect(help.output.contains("\nExamples:\n  ledger "))
    #expect(help.error.isEmpty)
  }

  @Test("version prints the version")
  func saysWhichVersionItIs() throws {
    #expect(try Executable.ledger.run(["version"]).output == "ledger 0.1.0\n")
    #expect(
      try Executable.ledger.run(["--version", "--json"]).output
        == #"{"version":"0.1.0","format":1}"# + "\n")
  }
}
