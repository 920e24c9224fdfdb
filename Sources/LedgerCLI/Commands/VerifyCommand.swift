import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore

/// `verify`: form and chain of one ledger or many. With `--backend`, `ledger-sync` runs it.
package enum VerifyCommand: Command {
  package static let spec = CommandSpec(
    "verify", "check the form of every line, the chain of hashes and all erasures",
    group: .check,
    arguments: [.anyNumber("DIR", "folders that hold events.jsonl (default: this ledger)")],
    options: [
      .value(
        "head", "HASH",
        "a hash kept elsewhere, or its first 8 or more digits, which must stand in the chain"),
      .value("checkpoint", "FILE", "a checkpoint kept elsewhere, through which the log must pass"),
      .value(
        "allowed-signers", "F", "who may sign it: a file as ssh-keygen(1) describes it"),
      .value("identity", "I", "whose signature it must have, as that file names it"),
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
      CommandExample(
        "ledger verify --checkpoint ledger.checkpoint --allowed-signers signers --identity me",
        "the same, signed, and which events were erased since"),
      CommandExample("ledger verify --backend", "what differs at the backend; changes nothing"),
    ],
    notes: [
      "Exit code 3 when a ledger is not as it was written; a torn tail counts too. With --json, one "
        + "ledger answers with an object; several DIRs with a list of such objects, each with its "
        + "'ledger'. Several are checked at the same time, one a core, and answered in the order "
        + "given.",
      "A chain cannot show by itself that its end was cut off or all of it rewritten: keep the hash "
        + "of 'ledger status --json' or a 'ledger checkpoint' elsewhere, and give it to --head or "
        + "--checkpoint. The log may have grown since. Both name the events that were erased since; "
        + "only a checkpoint knows what was erased before.",
      "views.snapshot is compared with the log, too: one that says something else is removed, with a "
        + "warning, and \"snapshot\":\"discarded\" in the JSON answer.",
      "--backend reads the profile, the preferences and all rows. Exit code 5 when anything differs, "
        + "75 when the backend could not be read completely. Edits that were not sent yet are not "
        + "compared.",
    ])

  package static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode {
    let named = arguments.rest("DIR")
    let (reference, signature) = try reference(arguments, console)
    if named.count > 1, let reference {
      let (option, value, what) =
        switch reference {
        case .hash: ("--head", "HASH", "the hash")
        case .checkpoint: ("--checkpoint", "FILE", "a checkpoint")
        }
      throw CommandFailure(
        .usage, "\(option) is \(what) of one ledger, and \(named.count) are named",
        hint: "check each with its own: ledger verify \(option) \(value) DIR")
    }
    guard named.count > 1 else {
      let directory = try named.first.map(ledger) ?? LedgerLocation.find(arguments, console)
      var result = try VerifiedLedger(directory, against: reference, on: console)
      result.signature = signature
      // Named folders are copies, mostly, which are only read.
      if named.isEmpty { result.remember(at: LocalZone.now()) }
      result.discardWrongSnapshot()
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
    let look: @Sendable (String) throws -> VerifiedLedger = { path in
      var result = try VerifiedLedger(ledger(path))
      result.discardWrongSnapshot()
      return result
    }
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

  /// What was kept elsewhere, and what became of its signature.
  private static func reference(
    _ arguments: ParsedArguments, _ console: Console
  ) throws -> (LogAudit.Reference?, CheckpointFile.Signature?) {
    try arguments.exclude("head", "checkpoint")
    let signers = arguments.option("allowed-signers")
    let identity = arguments.option("identity")
    guard let path = arguments.option("checkpoint") else {
      if signers != nil || identity != nil {
        throw CommandFailure(
          .usage,
          "--allowed-signers and --identity are about a checkpoint; name it: --checkpoint FILE")
      }
      return (try expectedHash(arguments).map(LogAudit.Reference.hash), nil)
    }
    let file = try CheckpointFile(reading: path, console)
    var signature = CheckpointFile.Signature.notChecked
    switch (signers, identity) {
    case (nil, nil): break
    case (let signers?, let identity?):
      guard path != "-" else {
        throw CommandFailure(
          .usage, "the signature is in FILE.sig, and standard input has no such name",
          hint: "write the checkpoint to a file first")
      }
      signature = try file.verifySignature(allowedSigners: signers, identity: identity)
    case (nil, _?), (_?, nil):
      throw CommandFailure(
        .usage, "a signature is checked with both --allowed-signers F and --identity I")
    }
    return (.checkpoint(try file.checkpoint()), signature)
  }

  private static func expectedHash(
    _ arguments: ParsedArguments
  ) throws(UsageError) -> HashPrefix? {
    guard let text = arguments.option("head") else { return nil }
    guard let hash = HashPrefix(Array(text.lowercased().utf8)) else {
      throw .badValue(
        option: "--head", value: text,
        why: .expected("a hash, 64 hexadecimal digits, or its first 8 or more"))
    }
    return hash
  }
}
