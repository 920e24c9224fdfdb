import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerPlatform
import LedgerStore
import Synchronization

/// Checks one ledger or many. With `--backend`, `ledger-sync` runs it.
package enum VerifyCommand: Command {
  package static let spec = CommandSpec(
    "verify", "check the form of every line, the chain of hashes and all erasures",
    group: .check,
    arguments: [.anyNumber("DIR", "folders that hold events.jsonl (default: this ledger)")],
    options: [
      .value(
        "head", "HASH",
        "a hash kept elsewhere, or its first 8 or more digits, which must be in the chain"),
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
        "also that the log was not rewritten since that hash was noted"),
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
      "A chain alone cannot show that its end was cut off or all of it rewritten: keep the hash "
        + "of 'ledger status --json' or a 'ledger checkpoint' elsewhere, and give it to --head or "
        + "--checkpoint. The log may have grown since. Both name the events that were erased since; "
        + "only a checkpoint knows what was erased before.",
      "views.snapshot is compared with the log, too: one that differs is removed, with a warning, "
        + "and \"snapshot\":\"discarded\" in the JSON answer.",
      "--backend reads the profile, the preferences and all rows. Exit code 5 when anything differs, "
        + "75 when the backend could not be read completely. Edits that were not sent yet are not "
        + "compared.",
    ])

  static let headMissing = "head file missing: a cut tail cannot be excluded"

  package static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode {
    let named = arguments.rest("DIR")
    let (reference, signature) = try reference(arguments, console)
    if named.count > 1 {
      if let reference { throw ambiguous(reference, named.count) }
      return try verifyAll(named, console)
    }
    let directory = try named.first.map(ledger) ?? LedgerLocation.find(arguments, console)
    let bar = Mutex(ProgressBar?.none)
    let audit = try LogAudit(of: directory, against: reference) { done, total in
      bar.withLock { bar in
        bar = bar ?? console.progress("checking \(directory.path)", total: total)
        bar?.advance(to: done)
      }
    }
    bar.withLock { $0?.finish() }
    // Named folders are mostly copies, which are only read.
    if named.isEmpty { audit.remember(at: console.now()) }
    let answer = VerifyAnswer(
      audit: audit, wrongSnapshot: audit.discardWrongSnapshot(), signature: signature)
    try console.answer(answer.json) { try answer.write(to: console, isAlone: true) }
    return audit.isOK ? .done : .damaged
  }

  private static func ambiguous(_ reference: LogAudit.Reference, _ count: Int) -> CommandFailure {
    let (option, value, what) =
      switch reference {
      case .hash: ("--head", "HASH", "the hash")
      case .checkpoint: ("--checkpoint", "FILE", "a checkpoint")
      }
    return CommandFailure(
      .usage, "\(option) is \(what) of one ledger, and \(count) are named",
      hint: "check each with its own: ledger verify \(option) \(value) DIR")
  }

  /// Reports what cannot be read and checks the others.
  private static func verifyAll(_ named: [String], _ console: Console) throws -> ExitCode {
    var summary = VerifySummary()
    var isFirst = true
    let bar = console.progress("checking ledgers", total: named.count)
    defer { bar.finish() }
    func take(_ result: Result<VerifyAnswer, any Error>) throws {
      switch result {
      case .success(let answer):
        summary.add(answer.audit)
        guard console.json else { return try answer.write(to: console, isAlone: false) }
        try console.write((isFirst ? "[" : ",") + answer.namedJSON.serialized)
        isFirst = false
      case .failure(let failure):
        summary.addUnread(code: console.report(failure))
      }
    }
    let work: @Sendable (String) throws -> VerifyAnswer = { path in
      let audit = try LogAudit(of: ledger(path))
      return VerifyAnswer(audit: audit, wrongSnapshot: audit.discardWrongSnapshot())
    }
    try ManyLedgers.forEach(named, work, onDone: { bar.advance() }, take: take)
    try console.line(console.json ? (isFirst ? "[]" : "]") : summary.text)
    return summary.code
  }

  private static func ledger(_ path: String) throws -> LedgerDirectory {
    let directory = LedgerDirectory(path)
    guard !directory.holdsLedger else { return directory }
    let inside = LedgerDirectory(LedgerLocation.joined(path, ".ledger"))
    let kind = try? SystemDisk.shared.status(of: path, followsLinks: true).kind
    let hint: String? =
      if inside.holdsLedger {
        "did you mean \(inside.path)?"
      } else {
        switch kind == .file ? (try? AtomicFile.read(path))?.first : nil {
        case UInt8(ascii: "{"):
          "put the log into a folder of its own as events.jsonl, and verify that"
        case .some: "a checkpoint is given as --checkpoint \(path)"
        case nil: nil
        }
      }
    throw CommandFailure(
      .notFound, "there is no ledger at \(path)", hint: hint, code: "no-ledger")
  }

  private static func reference(
    _ arguments: ParsedArguments, _ console: Console
  ) throws -> (LogAudit.Reference?, CheckpointSignature?) {
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
    let file =
      path == "-"
      ? try CheckpointFile(path: path, bytes: standardInput(console))
      : try CheckpointFile(reading: path)
    var signature = CheckpointSignature.notChecked
    switch (signers, identity) {
    case (nil, nil): break
    case (let signers?, let identity?):
      guard path != "-" else {
        throw CommandFailure(
          .usage, "the signature is in FILE.sig, and standard input has no such name",
          hint: "write the checkpoint to a file first")
      }
      signature = .good(try file.verifySignature(allowedSigners: signers, identity: identity))
    case (nil, _?), (_?, nil):
      throw CommandFailure(
        .usage, "a signature is checked with both --allowed-signers F and --identity I")
    }
    return (.checkpoint(try file.checkpoint()), signature)
  }

  /// At most one part more than a checkpoint may have.
  private static func standardInput(_ console: Console) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count <= CheckpointFile.mostBytes {
      let part = try console.input.read()
      if part.isEmpty { break }
      bytes += part
    }
    return bytes
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

private enum CheckpointSignature {
  /// No `--allowed-signers` was given.
  case notChecked
  /// With what `ssh-keygen` reports.
  case good(String)
}

private struct VerifyAnswer: Sendable {
  let audit: LogAudit
  let wrongSnapshot: WrongSnapshot?
  var signature: CheckpointSignature?

  private var verification: Verification { audit.verification }
  private var events: Int { verification.events }

  var json: JSONObject {
    let signature =
      switch signature {
      case .good?: "good"
      case .notChecked?: "not-checked"
      case nil: nil as String?
      }
    return JSONObject([
      "ok": audit.isOK, "events": events, "erased": verification.erased,
      "head": ChainPosition(verification.head).json,
      "torn_tail_bytes": verification.tornTailBytes,
      "problems": audit.problems.map { problem in
        JSONObject([
          "line": JSONValue.orNull(problem.line), "byte": problem.byte,
          "problem": problem.problem,
        ])
      },
      "head_file": verification.isHeadMissing ? "missing" : nil,
      "snapshot": wrongSnapshot?.word,
      "since": audit.referenceSeq.map { JSONObject(["seq": $0, "events": events - $0.number]) },
      "erased_since": audit.referenceSeq.map { _ in audit.erasedSince.map(\.number) },
      "signature": signature,
    ])
  }

  /// For an answer about several ledgers.
  var namedJSON: JSONValue {
    .object(
      JSONObject(
        members: [.init(name: "ledger", value: .string(audit.directory.path))] + json.members))
  }

  /// - Parameter isAlone: whether it is the only ledger, so that its path is omitted.
  func write(to console: Console, isAlone: Bool) throws(OutputFailure) {
    let verdict = audit.isOK ? console.paint.green("ok") : console.paint.red("not ok")
    let place = isAlone ? "" : "\(console.shown(audit.directory.path)): "
    try console.line("\(place)\(verdict), \(summary)")
    for problem in audit.problems {
      try console.line("  " + console.shown(text(of: problem)))
    }
    if verification.tornTailBytes > 0, verification.problems.isEmpty {
      try console.line("  " + ReadLedger.tornTail(verification.tornTailBytes))
    }
    if isAlone, events > 0 { try console.line(console.paint.dim(head)) }
    if let seq = audit.referenceSeq { try console.line(since(seq)) }
    switch signature {
    case .good(let report)?: try console.line("signature: \(console.shown(report))")
    case .notChecked?:
      try console.line(
        "no signature of the checkpoint was checked: that takes --allowed-signers and --identity")
    case nil: break
    }
    if verification.isHeadMissing { console.warn(place + VerifyCommand.headMissing) }
    if let wrongSnapshot { console.warn(place + wrongSnapshot.warning) }
  }

  private var summary: String {
    counted(events, "event") + (audit.isOK ? "" : " right")
      + (verification.erased > 0 ? ", \(NumberText.count(verification.erased)) of them erased" : "")
  }

  private func text(of problem: Damage) -> String {
    if problem == audit.contradiction { return problem.problem }
    let place = problem.line.map { "line \($0), byte \(problem.byte)" } ?? "byte \(problem.byte)"
    return "\(place): \(problem.problem)"
  }

  /// The hash to store elsewhere: the log's, or with problems that of the last correct event.
  private var head: String {
    audit.problems.isEmpty
      ? "head \(verification.head.hash)"
      : "event \(events) has the hash \(verification.head.hash)"
  }

  private func since(_ seq: Seq) -> String {
    let what =
      if case .checkpoint? = audit.reference {
        "the checkpoint is of event \(seq)"
      } else {
        "the given hash is event \(seq)'s"
      }
    let after =
      events == seq.number
      ? "it is the last" : "\(counted(events - seq.number, "event")) came after it"
    guard !audit.erasedSince.isEmpty else { return "\(what); \(after)" }
    let ranges = Checkpoint.text(of: Checkpoint.ranges(of: audit.erasedSince))
    return "\(what); \(after); erased since: \(ranges)"
  }
}

/// The result for several ledgers.
private struct VerifySummary {
  private var right = 0
  private var wrong = 0
  private var unread = 0
  private var events = 0
  /// Damage takes precedence over a ledger that could not be read, and of those the first.
  private(set) var code = ExitCode.done

  mutating func add(_ audit: LogAudit) {
    events += audit.verification.events
    if audit.isOK {
      right += 1
    } else {
      wrong += 1
      code = .damaged
    }
  }

  mutating func addUnread(code failure: ExitCode) {
    unread += 1
    if code == .done { code = failure }
  }

  /// Without zero counts, so that a search for "not ok" matches only if one is.
  var text: String {
    let parts = [(right, "ok"), (wrong, "not ok"), (unread, "not read")].filter { $0.0 > 0 }
    return counted(right + wrong + unread, "ledger") + ": "
      + parts.map { "\(NumberText.count($0.0)) \($0.1)" }.joined(separator: ", ")
      + "; \(counted(events, "event"))"
  }
}

extension WrongSnapshot {
  /// In JSON.
  var word: String { isRemoved ? "discarded" : "wrong" }

  var warning: String {
    "views.snapshot differs from the log, so views shown from it may have been wrong; "
      + (isRemoved ? "it has been removed" : "it could not be removed: delete it")
  }
}
