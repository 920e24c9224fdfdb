import LedgerJSON
import LedgerLog

/// `verify`: form and chain of one ledger or many.
enum VerifyCommand: Command {
  static let spec = CommandSpec(
    "verify", "check the form of every line and the chain of hashes",
    group: .check,
    arguments: [.anyNumber("DIR", "folders that hold events.jsonl (default: this ledger)")],
    options: [
      .value("head", "HASH", "a hash kept elsewhere, which must stand in the chain")
    ],
    examples: [
      CommandExample("ledger verify"),
      CommandExample("ledger verify ~/backups/*/.ledger", "every copy there is"),
      CommandExample(
        "ledger verify --head \"$(cat head.kept)\"",
        "also that nobody has rewritten the log since that hash was written down"),
    ],
    notes: [
      "Exit code 3 when a ledger is not as it was written; a torn tail counts too. With --json, one "
        + "ledger answers with an object; several DIRs with a list of such objects, each with its "
        + "'ledger'.",
      "A chain cannot show by itself that its end was cut off or all of it rewritten: keep the hash "
        + "of 'ledger status --json' elsewhere and give it to --head. The log may have grown since.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let named = arguments.rest("DIR")
    let expected = try expectedHash(arguments)
    if named.count > 1, expected != nil {
      throw UsageError.conflict("--head", "several DIRs")
    }
    guard named.count > 1 else {
      let directory = try named.first.map(ledger) ?? LedgerLocation.find(arguments, console)
      let result = try VerifiedLedger(directory, expecting: expected, on: console)
      if console.json {
        try console.line(result.json.serialized)
      } else {
        try VerifyText(ledgers: [result], isAlone: true).write(to: console)
      }
      return result.isOK ? .done : .damaged
    }
    return try verifyAll(named, console)
  }

  /// What cannot be looked at is told and passed by: the others are checked all the same.
  private static func verifyAll(_ named: [String], _ console: Console) throws -> ExitCode {
    var results: [VerifiedLedger] = []
    var worst = ExitCode.done
    for path in named {
      do {
        let result = try VerifiedLedger(ledger(path), on: console)
        results.append(result)
        if !result.isOK { worst = .damaged }
      } catch let failure as any ReportableError {
        let code = console.report(failure)
        if worst == .done { worst = code }
      }
    }
    if console.json {
      let answers = results.map { result in
        JSONValue.object(
          JSONObject(
            members: [.init(name: "ledger", value: .string(result.directory.path))]
              + result.json.members))
      }
      try console.line(JSONValue.array(answers).serialized)
    } else {
      try VerifyText(ledgers: results, isAlone: false).write(to: console)
    }
    return worst
  }

  private static func ledger(_ path: String) throws -> LedgerDirectory {
    let directory = LedgerDirectory(path)
    guard !directory.holdsLedger else { return directory }
    let inside = LedgerDirectory(LedgerLocation.joined(path, ".ledger"))
    throw CommandFailure(
      .notFound, "there is no ledger at \(path)",
      hint: inside.holdsLedger ? "did you mean \(inside.path)?" : nil)
  }

  private static func expectedHash(_ arguments: ParsedArguments) throws(UsageError) -> ChainHash? {
    guard let text = arguments.option("head") else { return nil }
    guard let hash = ChainHash(text.lowercased().utf8) else {
      throw .badValue(
        option: "--head", value: text, why: .expected("a hash, 64 hexadecimal digits"))
    }
    return hash
  }
}
