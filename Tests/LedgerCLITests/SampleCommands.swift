import LedgerCLI

/// A command with everything a spec can declare; it prints what it was given.
enum Append: Command {
  static let spec = CommandSpec(
    "append", "logs progress or an edit", group: .write,
    usage: ["METRIC QUANTITY[UNIT] [options]", "--stdin"],
    arguments: [
      .optional("METRIC", "what was measured, such as weight"),
      .optional("QUANTITY", "how much, with or without a unit"),
    ],
    options: [
      .value("date", "DATE", "the day it belongs to, such as 2025-01-31 (default: today)"),
      .value("limit", "N", short: "n", "at most this many"),
      .value("allergy", "NAME", repeatable: true, "an allergy"),
      .value("unit-system", "SYSTEM", allowed: ["metric", "imperial"], "the units to show"),
      .flag("stdin", "read JSON lines from standard input"),
    ],
    examples: [
      CommandExample("ledger append weight 165lb", "A weight in pounds, kept in kilograms."),
      CommandExample("ledger append --stdin < events.jsonl"),
    ],
    notes: ["Nothing is written unless the rules accept it."])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    try console.line(arguments.positionals.joined(separator: "|"))
    console.note("noted")
    return .done
  }
}

enum AppendProfile: Command {
  static let spec = CommandSpec(
    "append profile", "edits the profile", group: .write,
    options: [.value("name", "NAME", "the full name")],
    examples: [CommandExample("ledger append profile --name 'Anna Moser'")])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    try console.line(arguments.option("name") ?? "nobody")
    return .done
  }
}

enum ImportFitbit: Command {
  static let spec = CommandSpec(
    "import fitbit", "reads a Fitbit export", group: .write,
    arguments: [.required("FILE", "the file of the export")],
    examples: [CommandExample("ledger import fitbit a.csv")])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    .needsUser
  }
}

enum Verify: Command {
  static let spec = CommandSpec(
    "verify", "checks format and chain", group: .check,
    arguments: [.anyNumber("DIR", "more ledgers to check")],
    examples: [CommandExample("ledger verify")])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    throw CommandFailure(
      .damaged, "line 3 of \(arguments.rest("DIR").first ?? ".") does not follow line 2",
      hint: "see 'ledger doctor'")
  }
}

enum Version: Command {
  static let spec = CommandSpec(
    "version", "prints the version", group: .more, examples: [CommandExample("ledger version")])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    try console.line("1.0")
    return .done
  }
}

enum ImportAppleHealth: Command {
  static let spec = CommandSpec(
    "import apple-health", "reads an Apple Health export", group: .write,
    examples: [CommandExample("ledger import apple-health")])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode { .done }
}

private let forwardedSync = CommandSpec(
  "sync", "sends and fetches what is new", group: .sync,
  options: [.flag("dry-run", "sends nothing")],
  examples: [CommandExample("ledger sync")]
).forwarded(to: "ledger-sync")

func sampleTable(forward: @escaping CommandTable.Forward = { _, _ in .done }) -> CommandTable {
  CommandTable(
    [
      Append.self, AppendProfile.self, ImportFitbit.self, ImportAppleHealth.self, Verify.self,
      Version.self,
    ], also: [forwardedSync], forward: forward)
}

/// What a run left behind.
struct CommandOutcome: Equatable {
  var code: ExitCode
  var output: String
  var error: String
}

func outcome(
  _ words: [String], streams change: (inout ConsoleStreams) -> Void = { _ in },
  forward: @escaping CommandTable.Forward = { _, _ in .done }
) -> CommandOutcome {
  let output = MemorySink()
  let error = MemorySink()
  var streams = ConsoleStreams.captured(output: output, error: error)
  change(&streams)
  let code = sampleTable(forward: forward).run(words, streams: streams)
  return CommandOutcome(code: code, output: output.text, error: error.text)
}
