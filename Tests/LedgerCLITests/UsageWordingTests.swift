import LedgerCLI
import Testing

@Suite struct UsageWordingTests {
  static let sentences: [(UsageError, String)] = [
    (
      .unknownOption("--dat", suggestions: ["--date"]),
      "'append' has no option '--dat'; did you mean '--date'?"
    ),
    (
      .unknownOption("--zebra", suggestions: []),
      "'append' has no option '--zebra'; see 'ledger append --help'"
    ),
    (
      .missingValue(option: "--date", placeholder: "DATE", found: nil),
      "'--date' needs a value; write '--date DATE'"
    ),
    (
      .missingValue(option: "--date", placeholder: "DATE", found: "--json"),
      "'--date' needs a value before '--json'; write '--date DATE', "
        + "or '--date=…' for a value that begins with a dash"
    ),
    (
      .unexpectedValue(option: "--json", value: "yes"),
      "'--json' takes no value but was given 'yes'; write it alone"
    ),
    (.repeatedOption("--date"), "'--date' is given twice; 'append' takes it once"),
    (
      .badValue(option: "--limit", value: "0", why: .notInteger(1...100)),
      "'--limit' takes a whole number from 1 to 100, not '0'"
    ),
    (
      .badValue(option: "-n", value: "x", why: .notInteger(0 ... .max)),
      "'-n' takes a whole number from 0 up, not 'x'"
    ),
    (
      .badValue(option: "SEQ", value: "", why: .notInteger(.min ... .max)),
      "'SEQ' takes a whole number, not ''"
    ),
    (
      .badValue(
        option: "--color", value: "nevr",
        why: .notAllowed(["auto", "always", "never"], suggestions: ["never"])),
      "'--color' takes 'auto', 'always' or 'never', not 'nevr'; did you mean 'never'?"
    ),
    (
      .badValue(option: "--date", value: "soon", why: .expected("a day like 2025-01-31")),
      "'--date' takes a day like 2025-01-31, not 'soon'"
    ),
    (
      .badValue(
        option: "--date", value: "2026-02-30", why: .impossible("February 2026 has 28 days")),
      "'--date' does not take '2026-02-30'; February 2026 has 28 days"
    ),
    (.missingArgument("METRIC"), "'append' needs METRIC; see 'ledger append --help'"),
    (
      .extraArgument("lb"),
      "unexpected argument 'lb'; quote text that contains spaces, or see 'ledger append --help'"
    ),
    (.conflict("--a", "--b"), "'--a' and '--b' exclude each other; give one of them"),
  ]

  @Test(
    "A usage error says what is wrong, where, and what to do", arguments: sentences)
  func saysWhatWhereAndWhatToDo(_ error: UsageError, _ sentence: String) {
    let failure = UsageFailure(error, command: "append")
    #expect(failure.sentence == sentence)
    #expect(failure.exitCode == .usage)
  }

  @Test(
    "A usage error names its command",
    arguments: [
      (["aqpend"], "'aqpend' is not a ledger command; did you mean 'append'?"),
      (["hepl"], "'hepl' is not a ledger command; did you mean 'help'?"),
      (["zebra"], "'zebra' is not a ledger command; see 'ledger help'"),
      (["fitbit"], "'fitbit' is not a ledger command; did you mean 'import fitbit'?"),
      (
        ["import", "fitbt"], "'import fitbt' is not a ledger command; did you mean 'import fitbit'?"
      ),
      (
        ["import"],
        "'import' needs one of 'fitbit' or 'apple-health'; see 'ledger import --help'"
      ),
      (["import", "-x"], "'import' has no option '-x'; see 'ledger import --help'"),
      (["--jsn", "append"], "'ledger' has no option '--jsn'; did you mean '--json'?"),
      (["import fitbit"], "'import fitbit' is not a ledger command; see 'ledger help'"),
      (["--ledger"], "'--ledger' needs a value; write '--ledger DIR'"),
      (["import", "fitbit"], "'import fitbit' needs FILE; see 'ledger import fitbit --help'"),
      (
        ["append", "a\u{202E}\n", "b", "c\u{7}"],
        #"unexpected argument 'c\u{7}'; quote text "#
          + "that contains spaces, or see 'ledger append --help'"
      ),
    ])
  func placesTheErrorInItsCommand(_ words: [String], _ sentence: String) {
    let expected = CommandOutcome(code: .usage, output: "", error: "ledger: \(sentence)\n")
    #expect(outcome(words) == expected)
  }

  @Test("Every exit code is one of the contract")
  func everyExitCodeIsTheContracts() {
    let codes = ExitCode.allCases.map(\.rawValue)
    #expect(codes == [0, 1, 2, 3, 4, 5, 75])
  }
}
