import LedgerCLI
import Testing

@Suite struct CommandTableTests {
  @Test(
    "The longest matching command name is run",
    arguments: [
      (["append", "weight", "80"], "weight|80\n"),
      (["--json", "append", "--quiet", "weight"], "weight\n"),
      (["--ledger", "append", "append", "a"], "a\n"),
      (["--ledger=x", "append", "--", "profile"], "profile\n"),
      (["append", "weight", "profile"], "weight|profile\n"),
      (["append", "profile", "--name", "Ada"], "Ada\n"),
      (["append", "--json", "profile", "--name=Ada"], "Ada\n"),
      (["version"], "1.0\n"),
      (["--version"], "1.0\n"),
    ])
  func runsTheLongestName(_ words: [String], _ output: String) {
    let found = outcome(words)
    #expect(found.code == .done)
    #expect(found.output == output)
  }

  @Test("--quiet suppresses notes, not answers or errors")
  func quietSilencesNotesOnly() {
    #expect(outcome(["append", "a"]).error == "noted\n")
    #expect(outcome(["append", "a", "--quiet"]).error == "")
    #expect(outcome(["append", "a", "--quiet"]).output == "a\n")
  }

  @Test("A failing command reports its error and exit code")
  func reportsFailures() {
    let expected = CommandOutcome(
      code: .damaged, output: "",
      error: "ledger: line 3 of a does not follow line 2\nhint: see 'ledger doctor'\n")
    #expect(outcome(["verify", "a", "--quiet"]) == expected)
    #expect(outcome(["import", "fitbit", "x"]).code == .needsUser)
  }

  @Test("--color decides whether output is colored")
  func colorsWhatItWasAskedTo() {
    let colored = outcome(["--color=always", "verify"]).error
    #expect(colored.hasPrefix("\u{1B}[31mledger:\u{1B}[0m line 3"))
    #expect(outcome(["zebra", "--color", "always"]).error.hasPrefix("\u{1B}[31m"))
    let onTerminal = outcome(["--color", "never", "verify"]) { $0.errorIsTerminal = true }
    #expect(!onTerminal.error.contains("\u{1B}"))
  }

  @Test("The program's name alone shows the commands")
  func bareNameShowsWhatThereIs() {
    let found = outcome([])
    #expect(found.code == .usage)
    #expect(found.output == "")
    #expect(found.error.hasPrefix("usage: ledger "))
    #expect(outcome(["--json"]).code == .usage)
  }

  @Test(
    "Commands of a helper are forwarded to it",
    arguments: [
      (["sync", "--dry-run"], "ledger-sync", ["sync", "--dry-run"]),
      (["--json", "sync"], "ledger-sync", ["--json", "sync"]),
    ])
  func forwardsToHelpers(_ words: [String], _ helper: String, _ forwarded: [String]) {
    let found = outcome(
      words,
      forward: { program, passed in
        #expect(program == helper)
        #expect(passed == forwarded)
        return .temporary
      })
    #expect(found.code == .temporary)
  }

  @Test(
    "Help and usage errors of forwarded commands need no helper",
    arguments: [["sync", "--help"], ["help", "sync"], ["sync", "--bogus"]])
  func helpAndUsageErrorsNeedNoHelper(_ words: [String]) {
    let found = outcome(
      words,
      forward: { _, _ in
        Issue.record("forwarded")
        return .failed
      })
    #expect(found.code == (words.contains("--bogus") ? .usage : .done))
    #expect((found.output + found.error).contains("ledger sync"))
  }

  @Test("A missing helper is reported in one sentence")
  func missingHelperIsOneSentence() {
    let found = outcome(
      ["sync"],
      forward: { _, _ in
        try HelperProgram.exec(name: "ledger-no-such-helper", arguments: [])
      })
    #expect(found.code == .failed)
    #expect(found.error.hasPrefix("ledger: the helper 'ledger-no-such-helper' is missing from /"))
  }

  @Test("The specs of all commands are consistent")
  func specsHaveNoProblems() {
    #expect(sampleTable().catalog.problems == [])
  }

  @Test("An inconsistent spec is detected")
  func problemsOfASpecAreFound() {
    let spec = CommandSpec(
      "x", "Does it.", group: .more,
      arguments: [.optional("A", ""), .required("A", ""), .anyNumber("B", ""), .optional("C", "")],
      options: [
        .flag("json", ""), .flag("--y", ""), .flag("a b", ""), .flag("z", short: "3", ""),
        .value("w", "W", short: "h", ""),
      ])
    #expect(spec.problems.count == 10, "\(spec.problems)")
    #expect(CommandCatalog([Append.spec, Append.spec]).problems == ["append is declared twice"])
  }
}
