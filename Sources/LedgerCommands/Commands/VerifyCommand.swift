import LedgerJSON
import LedgerLog

/// `verify`: form and chain of one ledger or many. With `--backend`, `ledger-sync` runs it.
package enum VerifyCommand: Command {
  package static let spec = CommandSpec(
    "verify", "check the form of every line and the chain of hashes",
    group: .check,
    arguments: [.anyNumber("DIR", "folders that hold events.jsonl (default: this ledger)")],
    options: [
      .value("head", "HASH", "a hash kept elsewhere, which must stand in the chain"),
      .flag(
        "backend", helper: "ledger-sync",
        "compare every acknowledged entry and field with what the backend has now"),
    ],
    examples: [
      CommandExample("ledger verify"),
      CommandExample("ledger verify ~/backups/*/.ledger", "every copy there is"),
      CommandExample(
        "ledger verify --head \"$(cat head.kept)\"",
        "also that nobody has rewritten the log since that hash was written down"),
      CommandExample("ledger verify --backend", "what differs at the backend; changes nothing"),
    ],
    notes: [
      "Exit code 3 when a ledger is not as it was written; a torn tail counts too. With --json, one "
        + "ledger answers with an object; several DIRs with a list of such objects, each with its "
        + "'ledger'. Several are checked at the same time, one a core, and answered in the order "
        + "given.",
      "A chain cannot show by itself that its end was cut off or all of it rewritten: keep the hash "
        + "of 'ledger status --json' elsewhere and give it to --head. The log may have grown since.",
      "--backend reads the profile, the preferences and all rows. Exit code 5 when anything differs, "
        + "75 when the backend could not be read completely. Edits that were not sent yet are not "
        + "compared.",
    ])

  package static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode {
    let named = arguments.rest("DIR")
    let expected = try expectedHash(arguments)
    if named.count > 1, expected != nil {
      throw CommandFailure(
        .usage, "--head is the hash of one ledger, and \(named.count) are named",
        hint: "check each with its own: ledger verify --head HASH DIR")
    }
    guard named.count > 1 else {
      let directory = try named.first.map(ledger) ?? LedgerLocation.find(arguments, console)
      let result = try VerifiedLedger(directory, expecting: expected, on: console)
      if console.json {
        try console.line(result.json.serialized)
      } else {
        try VerifyText(ledger: result, isAlone: true).write(to: console)
      }
      return result.isOK ? .done : .damaged
    }
    return try verifyAll(named, console)
  }

  /// What cannot be looked at is told and passed by: the others are checked all the same.
  private static func verifyAll(_ named: [String], _ console: Console) throws -> ExitCode {
    var summary = VerifySummary()
    var answers = JSONListWriter(to: console)
    let look: @Sendable (String) throws -> VerifiedLedger = { try VerifiedLedger(ledger($0)) }
    try ManyLedgers.forEach(named, on: console, look) { found in
      switch found {
      case .success(let result):
        summary.add(result)
        if console.json {
          try answers.add(result.namedJSON)
        } else {
          try VerifyText(ledger: result, isAlone: false).write(to: console)
        }
      case .failure(let failure):
        summary.addUnread(code: console.report(failure))
      }
    }
    if console.json {
      try answers.finish()
    } else {
      try console.line(summary.text)
    }
    return summary.code
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
