import Testing

@testable import LedgerCLI

@Suite struct ArgumentParserTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var words: [String]
    var positionals: [String] = []
    var date: String?
    var limit: String?
    var allergies: [String] = []
    var flags: [String] = []

    var testDescription: String { words.joined(separator: " ") }
  }

  static let accepted: [Case] = [
    Case(words: []),
    Case(words: ["weight", "80"], positionals: ["weight", "80"]),
    Case(words: ["--date", "2025-01-31"], date: "2025-01-31"),
    Case(words: ["--date=2025-01-31"], date: "2025-01-31"),
    Case(words: ["--date=a=b"], date: "a=b"),
    Case(words: ["--date="], date: ""),
    Case(words: ["--date", ""], date: ""),
    Case(words: ["--date", "-1d"], date: "-1d"),
    Case(words: ["--date", "-"], date: "-"),
    Case(words: ["--date", "-yesterday"], date: "-yesterday"),
    Case(words: ["--date=--json"], date: "--json"),
    Case(words: ["-n", "20"], limit: "20"),
    Case(words: ["-n20"], limit: "20"),
    Case(words: ["-n=20"], limit: "20"),
    Case(words: ["-n", "-5"], limit: "-5"),
    Case(words: ["--limit", "20"], limit: "20"),
    Case(words: ["--allergy", "nuts", "--allergy=eggs"], allergies: ["nuts", "eggs"]),
    Case(words: ["--stdin", "--json"], flags: ["stdin", "json"]),
    Case(words: ["weight", "--json", "80"], positionals: ["weight", "80"], flags: ["json"]),
    Case(words: ["mood_score", "-3"], positionals: ["mood_score", "-3"]),
    Case(words: ["mood_score", "-.5"], positionals: ["mood_score", "-.5"]),
    Case(words: ["distance", "-3mi"], positionals: ["distance", "-3mi"]),
    Case(words: ["-", "−3"], positionals: ["-", "−3"]),
    Case(words: ["--", "--json", "-n"], positionals: ["--json", "-n"]),
    Case(words: ["a", "--", "--"], positionals: ["a", "--"]),
    Case(words: ["", ""], positionals: ["", ""]),
    Case(words: ["—", "–x"], positionals: ["—", "–x"]),
    Case(words: ["--help", "a", "b", "c"], positionals: ["a", "b", "c"], flags: ["help"]),
    Case(words: ["-h"], flags: ["help"]),
  ]

  @Test(
    "Valid arguments are parsed into their values", arguments: accepted)
  func accepts(_ item: Case) throws {
    let parsed = try Append.spec.parse(item.words)
    #expect(parsed.positionals == item.positionals)
    #expect(parsed.option("date") == item.date)
    #expect(parsed.option("limit") == item.limit)
    #expect(parsed.options("allergy") == item.allergies)
    for flag in ["stdin", "json", "quiet", "help"] {
      #expect(parsed.flag(flag) == item.flags.contains(flag), "--\(flag)")
    }
  }

  static let refused: [([String], UsageError)] = [
    (["--dat", "x"], .unknownOption("--dat", suggestions: ["--date"])),
    (["--jsn"], .unknownOption("--jsn", suggestions: ["--json"])),
    (["--unit_system", "x"], .unknownOption("--unit_system", suggestions: ["--unit-system"])),
    (["--zebra"], .unknownOption("--zebra", suggestions: [])),
    (["-json"], .unknownOption("-json", suggestions: ["--json"])),
    (["—json"], .unknownOption("—json", suggestions: ["--json"])),
    (["-x"], .unknownOption("-x", suggestions: [])),
    (["-é"], .unknownOption("-é", suggestions: [])),
    (["--größe=3"], .unknownOption("--größe", suggestions: [])),
    (["--=x"], .unknownOption("--=x", suggestions: [])),
    (["---"], .unknownOption("---", suggestions: [])),
    (["--date"], .missingValue(option: "--date", placeholder: "DATE", found: nil)),
    (["-n"], .missingValue(option: "-n", placeholder: "N", found: nil)),
    (["--date", "--json"], .missingValue(option: "--date", placeholder: "DATE", found: "--json")),
    (["--date", "-n"], .missingValue(option: "--date", placeholder: "DATE", found: "-n")),
    (["--date", "--"], .missingValue(option: "--date", placeholder: "DATE", found: "--")),
    (["--json=yes"], .unexpectedValue(option: "--json", value: "yes")),
    (["--stdin="], .unexpectedValue(option: "--stdin", value: "")),
    (["-h=1"], .unexpectedValue(option: "-h", value: "1")),
    (["--date", "a", "--date", "b"], .repeatedOption("--date")),
    (["--limit", "1", "-n2"], .repeatedOption("-n")),
    (["--json", "--json"], .repeatedOption("--json")),
    (["a", "b", "c"], .extraArgument("c")),
    (
      ["--unit-system", "metrc"],
      .badValue(
        option: "--unit-system", value: "metrc",
        why: .notAllowed(["metric", "imperial"], suggestions: ["metric"]))
    ),
    (
      ["--color=pink"],
      .badValue(
        option: "--color", value: "pink",
        why: .notAllowed(["auto", "always", "never"], suggestions: []))
    ),
  ]

  @Test(
    "Invalid arguments are refused with their usage error", arguments: refused)
  func refuses(_ words: [String], _ error: UsageError) {
    #expect(throws: error) { try Append.spec.parse(words) }
  }

  @Test("Too few and too many arguments are refused")
  func countsArguments() throws {
    let spec = CommandSpec(
      "diff", "compares", group: .look, arguments: [.required("A", ""), .required("B", "")])
    #expect(throws: UsageError.missingArgument("A")) { try spec.parse([]) }
    #expect(throws: UsageError.missingArgument("B")) { try spec.parse(["1"]) }
    #expect(throws: UsageError.extraArgument("3")) { try spec.parse(["1", "2", "3"]) }
    #expect(try spec.parse(["1", "2"]).required("B") == "2")
    #expect(throws: UsageError.missingArgument("FILE")) { try ImportFitbit.spec.parse([]) }
    #expect(try Verify.spec.parse([]).rest("DIR") == [])
    #expect(try Verify.spec.parse(["a", "b"]).rest("DIR") == ["a", "b"])
  }

  @Test("A measurement given to another command is meant for 'append'")
  func measurement() {
    let meant = UsageError.extraArgument("weight", meant: "ledger append weight 82 kg")
    #expect(throws: meant) { try LogCommand.spec.parse(["weight", "82", "kg"]) }
  }

  @Test(
    "An integer outside its limits is refused",
    arguments: [
      ("1", 1), ("100", 100), ("0", nil), ("101", nil), ("", nil), ("five", nil), ("5.0", nil),
      (" 5", nil), ("99999999999999999999", nil), ("٣", nil),
    ])
  func readsIntegersWithinLimits(_ text: String, _ value: Int?) throws {
    let parsed = try Append.spec.parse(["--limit=\(text)"])
    if let value {
      #expect(try parsed.integer("limit", in: 1...100) == value)
    } else {
      let error = UsageError.badValue(option: "--limit", value: text, why: .notInteger(1...100))
      #expect(throws: error) { try parsed.integer("limit", in: 1...100) }
    }
  }

  @Test("A parse result says which options were given")
  func tellsWhatWasGiven() throws {
    let parsed = try Append.spec.parse(["--stdin", "--date", "x", "--ledger", "/tmp/l"])
    #expect(parsed.givenOptions == ["date", "stdin"])
    #expect(parsed.ledgerFolder == "/tmp/l")
    #expect(parsed.has("date") && !parsed.has("limit"))
    #expect(throws: UsageError.conflict("--date", "--stdin")) {
      try parsed.exclude("date", "stdin")
    }
    #expect(throws: UsageError.missingArgument("METRIC")) { try parsed.required("METRIC") }
    #expect(try parsed.integers("QUANTITY", in: 0...9) == [])
  }
}
