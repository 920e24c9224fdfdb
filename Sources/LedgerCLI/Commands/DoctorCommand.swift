import LedgerJSON
import LedgerLog

/// `doctor`: what is wrong with a ledger, what it means, what to do; done only if asked.
enum DoctorCommand: Command {
  static let spec = CommandSpec(
    "doctor", "find out what is wrong with a ledger, and what to do about it",
    group: .check,
    options: [
      .flag("strict", "also check all of a long log, its events and its views"),
      .flag("repair", "mend what can be mended without losing anything"),
    ],
    examples: [
      CommandExample("ledger doctor", "at once, whatever the log's length: 64 MB of it"),
      CommandExample("ledger doctor --strict", "all there is to check"),
      CommandExample("ledger doctor --repair"),
    ],
    notes: [
      "Without --repair nothing is changed, but it is remembered how far the log was checked. With it, "
        + "files get their modes, a missing head is written again, a torn tail is set aside in "
        + "quarantine/, and half-written files and a snapshot that is of no use are removed, each "
        + "under the log's lock. The log's own lines are never changed.",
      "A log of up to 64 MB is checked whole. Of a longer one each run checks the next 64 MB, and says "
        + "which events those are.",
      "Exit code 3 when the log is damaged: then nothing but a copy brings back what is gone, and "
        + "'ledger replay --up-to-break' shows what is whole. Warnings and notices end with 0.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let directory = try LedgerLocation.find(arguments, console)
    let isStrict = arguments.flag("strict")
    var findings = try Checkup(directory, isStrict: isStrict).findings(console)
    var failures: [any Error] = []
    if arguments.flag("repair") {
      (findings, failures) = Repairs(directory: directory).perform(findings)
    }
    if console.json {
      try console.line(json(findings, isStrict: isStrict).serialized)
    } else {
      let text = DoctorText(
        directory: directory, findings: findings, isStrict: isStrict, named: arguments.ledgerFolder)
      try text.write(to: console)
    }
    if findings.contains(where: { $0.level == .damage && $0.isOpen }) { return .damaged }
    if let failure = failures.first { throw failure }
    return .done
  }

  private static func json(_ findings: [Finding], isStrict: Bool) -> JSONObject {
    [
      "ok": .bool(!findings.contains { $0.level > .notice && $0.isOpen }),
      "strict": .bool(isStrict), "findings": .array(findings.map { .object($0.json) }),
    ]
  }
}
