import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerStore

enum DoctorCommand: Command {
  static let spec = CommandSpec(
    "doctor", "find out what is wrong with a ledger, and what to do about it",
    group: .check,
    options: [
      .flag("strict", "also check all of a long log, its events and its views"),
      .flag("repair", "repair what can be repaired without losing anything"),
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
      "Exit code 3 when the log is damaged: then only a copy restores what is lost, and "
        + "'ledger replay --up-to-break' shows what is whole. Warnings and notices end with 0.",
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    // It reads the credentials, too.
    ProcessSetup.forbidCoreDumps()
    let directory = try LedgerLocation.find(arguments, console)
    let isStrict = arguments.flag("strict")
    var checkup = Checkup(directory, isStrict: isStrict)
    checkup.settings = SettingsCheck.findings(directory)
    checkup.now = console.now()
    checkup.progress = { phase, totalBytes in
      console.state.clearBar()
      let bar = console.progress(label(phase, directory), total: totalBytes)
      return { bar.advance(by: $0) }
    }
    var findings = try checkup.findings()
    console.state.clearBar()
    var failures: [any Error] = []
    if arguments.flag("repair") {
      (findings, failures) = Repairs(directory).perform(findings)
    }
    try console.answer(json(findings, directory, isStrict: isStrict)) {
      let text = DoctorText(
        directory: directory, findings: findings, isStrict: isStrict, named: arguments.ledgerFolder)
      try text.write(to: console)
    }
    if findings.contains(where: { $0.severity == .damage && $0.isOpen }) { return .damaged }
    if let failure = failures.first { throw failure }
    return .done
  }

  private static func label(_ phase: Checkup.Phase, _ directory: LedgerDirectory) -> String {
    switch phase {
    case .chain: "checking \(directory.path)"
    case .events: "reading the events"
    case .fold: "folding the log"
    }
  }

  private static func json(
    _ findings: [Finding], _ directory: LedgerDirectory, isStrict: Bool
  ) -> JSONObject {
    JSONObject([
      "ok": !findings.contains { $0.severity > .notice && $0.isOpen }, "strict": isStrict,
      "findings": findings.map { json($0, FindingText($0, in: directory)) },
    ])
  }

  private static func json(_ finding: Finding, _ text: FindingText) -> JSONObject {
    JSONObject([
      "name": finding.code, "level": finding.severity.rawValue, "finding": text.sentence,
      "advice": text.advice, "command": text.command,
      "repairable": finding.severity > .fine ? finding.repair != nil : nil,
      "repaired": finding.repaired.map { FindingText.text(of: $0) },
    ])
  }
}

/// Whether `settings.json` holds valid settings.
private enum SettingsCheck {
  static func findings(_ directory: LedgerDirectory) -> [Finding] {
    let settings: Settings
    do {
      settings = try Settings.read(directory)
    } catch {
      return [Finding(.state(.settingsUnreadable(reason: FailureReport(error).sentence)))]
    }
    let chosen = Settings.Key.allCases.filter { settings.isChosen($0) }
    var found: [StateFinding] = chosen.compactMap { key in
      let value = settings.text(key)
      let problem = value.map { key.problem(with: $0) } ?? "it is not text"
      return problem.map { .settingInvalid(key: key.rawValue, value: value ?? "", reason: $0) }
    }
    found += settings.unknownNames.map { .settingUnknown(name: $0) }
    return (found.isEmpty ? [.settings(chosen: chosen.count)] : found).map { Finding(.state($0)) }
  }
}

/// One line per fine result; other findings with what to do about them.
private struct DoctorText {
  let directory: LedgerDirectory
  let findings: [Finding]
  let isStrict: Bool
  /// The ledger as named on the command line, for commands to be copied; `nil` if it was not.
  let named: String?

  func write(to console: Console) throws(OutputFailure) {
    let width = console.isTerminal ? console.width : nil
    let nameWidth = findings.map { $0.code.count }.max() ?? 0
    try console.line(
      console.paint.bold(width.map { truncated(path, columns: $0) } ?? path))
    for finding in findings {
      try write(finding, nameWidth, width, to: console)
    }
    try console.line()
    try console.line(verdict(console.paint))
    if let advice { console.note(advice, .dim) }
  }

  private var path: String { escapedForTerminal(directory.path) }

  private func write(
    _ finding: Finding, _ nameWidth: Int, _ width: Int?, to console: Console
  ) throws(OutputFailure) {
    let (sign, style) = Self.sign(finding)
    let paint = console.paint
    let margin = nameWidth + 4
    let text = FindingText(finding, in: directory)
    let name = finding.code + blanks(nameWidth - finding.code.count)
    let isQuiet = finding.severity == .fine
    let sentence = isQuiet ? text.sentence : text.sentence + "."
    for (index, line) in lines(console.shown(sentence), margin, width).enumerated() {
      let lead =
        index == 0 ? "\(paint.apply(style, sign)) \(isQuiet ? paint.dim(name) : name)  " : ""
      try console.line(lead + (index == 0 ? line : blanks(margin) + line))
    }
    guard !isQuiet else { return }
    if let repaired = finding.repaired {
      for line in lines("repaired: " + console.shown(FindingText.text(of: repaired)), margin, width)
      {
        try console.line(blanks(margin) + paint.green(line))
      }
      return
    }
    for line in lines(console.shown(advice(on: finding, text)), margin, width) where !line.isEmpty {
      try console.line(blanks(margin) + line)
    }
    // Never wrapped, so that it can be copied.
    if finding.repair == nil, let command = text.command {
      try console.line(blanks(margin) + "  " + paint.bold(console.shown(addressed(command))))
    }
  }

  private func advice(on finding: Finding, _ text: FindingText) -> String {
    let advice = text.advice ?? ""
    // The repair command is the same for all and printed once, at the end.
    if finding.repair != nil { return "Can be repaired" + (advice.isEmpty ? "." : ": \(advice).") }
    guard !advice.isEmpty else { return "" }
    return advice.prefix(1).uppercased() + advice.dropFirst() + (text.command == nil ? "." : ":")
  }

  private func addressed(_ command: String) -> String {
    guard let named else { return command }
    return command.split(separator: " && ")
      .map { part in
        let word = "ledger "
        guard part.hasPrefix(word) else { return String(part) }
        return "\(word)--ledger \(ShellText.word(named)) \(part.dropFirst(word.count))"
      }
      .joined(separator: " && ")
  }

  private func lines(_ text: String, _ margin: Int, _ width: Int?) -> [String] {
    guard let width else { return [text] }
    return wrapped(text, width: max(20, width - margin))
  }

  private func blanks(_ count: Int) -> String { String(repeating: " ", count: count) }

  private static func sign(_ finding: Finding) -> (String, Paint.Style) {
    if finding.repaired != nil { return ("✓", .green) }
    return switch finding.severity {
    case .fine: ("✓", .green)
    case .notice: ("·", .cyan)
    case .warning: ("!", .yellow)
    case .damage: ("✗", .red)
    }
  }

  private func verdict(_ paint: Paint) -> String {
    let open = findings.filter(\.isOpen)
    let damage = open.count { $0.severity == .damage }
    let warnings = open.count { $0.severity == .warning }
    let notices = open.count { $0.severity == .notice }
    if damage > 0 { return paint.red("The log is damaged.") + " It is never repaired by guessing." }
    let also = notices > 0 ? ", and \(counted(notices, "notice"))" : ""
    let repaired = findings.count { $0.repaired != nil }
    let done = repaired > 0 ? paint.green("\(counted(repaired, "problem")) repaired.") + " " : ""
    guard warnings > 0 else { return done + paint.green("All is well") + also + "." }
    return done + paint.yellow(counted(warnings, "warning")) + also
      + "; the log itself is whole as far as "
      + (isStrict ? "it can be checked." : "it was checked.")
  }

  private var advice: String? {
    let repairable = findings.count { $0.isOpen && $0.repair != nil }
    if repairable > 0 {
      return "\(counted(repairable, "problem")) can be repaired without losing anything: "
        + addressed("ledger doctor --repair")
    }
    return isStrict
      ? nil : "to check all of it, events and views too: " + addressed("ledger doctor --strict")
  }
}
