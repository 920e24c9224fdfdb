import LedgerCLI
import Testing

/// Whatever a command line holds, it is either understood or refused in one line.
@Suite struct HostileArgumentsTests {
  static let fragments = [
    "", "-", "--", "---", "--=", "--=x", "-=", "-=x", "--limit=", "--limit", "-n", "--n", "-n=",
    "--größe", "-é", "e\u{301}", "-\u{301}", "--\u{301}", "--date=\u{338}x", "\u{202E}", "\0",
    "\u{1B}[2J", "👨‍👩‍👧", "—json", "--json", "--help", "-h", "-hh", "append", "help",
    "import", "-3", "-.", "-.5", "\n", "--color", "--color=", "--ledger",
  ]

  @Test("Every usage error of hostile arguments is one harmless line")
  func everyPairEndsInOneLine() {
    for first in Self.fragments {
      for second in Self.fragments {
        for words in [[first, second], ["append", first, second], [first, "append", second]] {
          let found = outcome(words)
          let isKnown = [.done, .usage].contains(found.code)
          #expect(isKnown, "\(words.map(\.debugDescription))")
          if found.code == .usage && !found.error.hasPrefix("usage:") {
            let lines = found.error.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count == 2 && lines[1] == "", "\(found.error)")
            let isJSON = words.contains("--json") && found.error.hasPrefix(#"{"error":{"#)
            #expect(isJSON || found.error.hasPrefix("ledger: "), "\(found.error)")
            #expect(!found.error.contains("\u{1B}"), "\(found.error)")
            #expect(found.output == "")
          }
        }
      }
    }
  }

  @Test("Combining marks cannot hide an argument")
  func combiningMarksHideNothing() throws {
    #expect(try Append.spec.parse(["--date=\u{338}x"]).option("date") == "\u{338}x")
    #expect(throws: UsageError.self) { try Append.spec.parse(["-\u{301}"]) }
    #expect(throws: UsageError.self) { try Append.spec.parse(["--\u{301}"]) }
  }

  @Test("Ten thousand arguments are handled")
  func tenThousandArguments() throws {
    let many = Array(repeating: "x", count: 10_000)
    #expect(try Verify.spec.parse(many).rest("DIR").count == 10_000)
    #expect(outcome(["append"] + many).code == .usage)
    #expect(outcome(Array(repeating: "help", count: 10_000)).code == .done)
    #expect(outcome(Array(repeating: "--json", count: 10_000)).code == .usage)
    let allergies = (0..<10_000).map { "--allergy=\($0)" }
    #expect(try Append.spec.parse(allergies).options("allergy").count == 10_000)
    let flags = Array(repeating: "--", count: 10_000)
    #expect(try Verify.spec.parse(flags).rest("DIR").count == 9_999)
  }

  @Test("A very long argument is handled")
  func oneVeryLongWord() {
    let long = String(repeating: "ä", count: 100_000)
    for words in [
      [long], ["append", "--\(long)"], ["append", "-n", long, "--date=\(long)", "-x"],
    ] {
      let found = outcome(words)
      #expect(found.code == .usage)
      #expect(found.error.count < 300)
    }
  }
}
