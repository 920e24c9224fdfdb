import LedgerCLI
import LedgerJSON
import Testing

@Suite struct HelpTests {
  @Test("Help of a command shows its usage, arguments and options, on a screen")
  func showsACommandOnAScreen() {
    let expected = """
      usage: ledger append METRIC QUANTITY[UNIT] [options]
         or: ledger append --stdin
      Logs progress or an edit.

      Examples:
        ledger append weight 165lb            # A weight in pounds, kept in kilograms.
        ledger append --stdin < events.jsonl

      Arguments:
        METRIC    what was measured, such as weight
        QUANTITY  how much, with or without a unit

      Options:
            --date DATE           the day it belongs to, such as 2025-01-31 (default:
                                  today)
        -n, --limit N             at most this many
            --allergy NAME        an allergy (may be repeated)
            --unit-system SYSTEM  the units to show: metric, imperial
            --stdin               read JSON lines from standard input

      Also: append profile
      Global: --ledger, --json, --color, --quiet. More: ledger help append

      """
    #expect(
      outcome(["append", "--help"]) == CommandOutcome(code: .done, output: expected, error: ""))
    for words in [["-h", "append"], ["append", "a", "b", "c", "-h"]] {
      #expect(outcome(words).output == expected, "\(words)")
    }
    // Help takes precedence over a usage error.
    #expect(outcome(["append", "--bogus", "--help"]).output == expected)
  }

  @Test("Every command's help fits a screen: 24 lines, 30 for the one with most options")
  func screens() {
    for spec in LocalCommands.catalog.specs {
      let output = MemorySink()
      _ = LocalCommands.table.run(
        spec.words + ["--help"], streams: .captured(output: output, error: MemorySink()))
      let help = output.text
      let lines = help.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      #expect(lines.count <= (spec.options.count > 10 ? 30 : 24), "\(spec.name): \(lines.count)")
      #expect(lines.allSatisfy { displayWidth($0) <= 80 }, "\(spec.name)")
      #expect(help.contains("\nExamples:\n"), "\(spec.name)")
    }
  }

  @Test("A command's help shows its usage, examples, arguments and options")
  func showsACommandInFull() {
    let expected = """
      usage: ledger append METRIC QUANTITY[UNIT] [options]
         or: ledger append --stdin
      Logs progress or an edit.

      Examples:
        ledger append weight 165lb
            A weight in pounds, kept in kilograms.
        ledger append --stdin < events.jsonl

      Arguments:
        METRIC    what was measured, such as weight
        QUANTITY  how much, with or without a unit

      Options:
            --date DATE           the day it belongs to, such as 2025-01-31 (default:
                                  today)
        -n, --limit N             at most this many
            --allergy NAME        an allergy (may be repeated)
            --unit-system SYSTEM  the units to show: metric, imperial
            --stdin               read JSON lines from standard input

      See also:
        append profile  edits the profile

      Nothing is written unless the rules accept it.

      Global options:
            --ledger DIR  the folder that holds events.jsonl (default: $LEDGER_DIR,
                          then the nearest .ledger)
            --json        answer in JSON
            --color WHEN  colour the output: auto, always, never
            --quiet       print the answer and errors, nothing else
        -h, --help        show this help

      """
    #expect(
      outcome(["help", "append"]) == CommandOutcome(code: .done, output: expected, error: ""))
  }

  @Test("Help lists all commands")
  func showsAllCommands() {
    let expected = """
      usage: ledger [--ledger DIR] [--json] [--color WHEN] [--quiet] [-h, --help]
                 COMMAND [ARGUMENT …]

      ledger records your health data in an append-only log.

      Write to it:
        append               logs progress or an edit
        append profile       edits the profile
        import fitbit        reads a Fitbit export
        import apple-health  reads an Apple Health export

      Sync it with the backend:
        sync  sends and fetches what is new

      Check it:
        verify  checks format and chain

      And more:
        version  prints the version

      'ledger COMMAND --help' explains one command, 'ledger help COMMAND' in full.

      """
    let order = ["Write to it", "Check it", "Sync it", "And more"]
    let found = outcome(["help"])
    #expect(found.code == .done)
    #expect(Set(found.output.split(separator: "\n")) == Set(expected.split(separator: "\n")))
    let positions = order.map { found.output.ranges(of: $0).first?.lowerBound }
    #expect(positions == positions.sorted { $0! < $1! })
    for words in [["--help"], ["-h"], ["help", "help"], ["help", "--help"]] {
      #expect(outcome(words).output == found.output, "\(words)")
    }
  }

  @Test("Help is available as JSON")
  func answersInJSON() throws {
    let all = try JSONValue(parsing: outcome(["help", "--json"]).output.dropLast().description)
    let names = all.object?["commands"]?.array?.compactMap { $0.object?["name"]?.string }
    #expect(names == sampleTable().catalog.specs.map(\.name))
    let one = try JSONValue(
      parsing: outcome(["append", "--help", "--json"]).output.dropLast().description)
    let append = one.object?["commands"]?.array?.first?.object
    #expect(append?["options"]?.array?.count == Append.spec.options.count)
    #expect(one.object?["global_options"]?.array?.count == GlobalOptions.all.count)
  }

  @Test("Help of a group lists its commands")
  func showsAGroup() {
    let expected = """
      usage: ledger import COMMAND [ARGUMENT …]

      Commands:
        import fitbit        reads a Fitbit export
        import apple-health  reads an Apple Health export

      """
    #expect(outcome(["import", "--help"]).output == expected)
    #expect(outcome(["help", "import"]).output == expected)
  }

  @Test(
    "Help is wrapped to the terminal's width", arguments: [20, 30, 40, 60, 100, 500])
  func staysWithinTheTerminal(_ columns: Int) {
    let found = outcome(["append", "--help"]) {
      $0.outputIsTerminal = true
      $0.columns = { columns }
      $0.environment = { $0 == "TERM" ? "dumb" : nil }
    }
    // Examples and labels are not broken, so only wide terminals hold them.
    guard columns >= 60 else { return #expect(found.code == .done) }
    for line in found.output.split(separator: "\n") {
      #expect(displayWidth(line) <= min(columns, 100), "\(line)")
    }
  }

  @Test("Headings of help are bold on a terminal")
  func headingsAreBoldOnATerminal() {
    let found = outcome(["append", "--help", "--color=always"])
    #expect(found.output.contains("\u{1B}[1mOptions:\u{1B}[0m"))
    #expect(found.output.hasPrefix("\u{1B}[1musage:\u{1B}[0m ledger append"))
  }

  @Test("In full, help of every command fits 80 columns")
  func width() {
    for spec in LocalCommands.catalog.specs {
      let output = MemorySink()
      let streams = ConsoleStreams.captured(output: output, error: MemorySink())
      let code = LocalCommands.table.run(["help"] + spec.words, streams: streams)
      #expect(code == .done)
      let long = output.text.split(separator: "\n").filter { $0.count > 80 }
      #expect(long.isEmpty, "\(spec.name): \(long)")
    }
  }
}
