import LedgerLog

/// `doctor` for people: what is fine in a line each, what is not with what to do about it.
struct DoctorText {
  let directory: LedgerDirectory
  let findings: [Finding]
  let isStrict: Bool
  /// How the ledger is named on the command line, for commands to be copied; `nil` when it is found
  /// without.
  let named: String?

  func write(to console: Console) throws(OutputFailure) {
    let width = console.isTerminal ? console.width : nil
    let nameWidth = findings.map { $0.name.count }.max() ?? 0
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
    let name = finding.name + String(repeating: " ", count: nameWidth - finding.name.count)
    let isQuiet = finding.level == .fine
    let text = isQuiet ? finding.sentence : finding.sentence + "."
    for (index, line) in lines(console.shown(text), margin, width).enumerated() {
      let lead =
        index == 0 ? "\(paint.apply(style, sign)) \(isQuiet ? paint.dim(name) : name)  " : ""
      try console.line(lead + (index == 0 ? line : blanks(margin) + line))
    }
    guard !isQuiet else { return }
    if let repaired = finding.repaired {
      for line in lines("mended: " + console.shown(repaired), margin, width) {
        try console.line(blanks(margin) + paint.green(line))
      }
      return
    }
    for line in lines(console.shown(advice(on: finding)), margin, width) where !line.isEmpty {
      try console.line(blanks(margin) + line)
    }
    // Never wrapped, so that it can be copied.
    if finding.repair == nil, let command = finding.command {
      try console.line(blanks(margin) + "  " + paint.bold(console.shown(addressed(command))))
    }
  }

  private func advice(on finding: Finding) -> String {
    let advice = finding.advice ?? ""
    // The command that mends is the same for all, and is told once, at the end.
    if finding.repair != nil { return "Can be mended" + (advice.isEmpty ? "." : ": \(advice).") }
    guard !advice.isEmpty else { return "" }
    return advice.prefix(1).uppercased() + advice.dropFirst() + (finding.command == nil ? "." : ":")
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
    return switch finding.level {
    case .fine: ("✓", .green)
    case .notice: ("·", .cyan)
    case .warning: ("!", .yellow)
    case .damage: ("✗", .red)
    }
  }

  private func verdict(_ paint: Paint) -> String {
    let open = findings.filter(\.isOpen)
    let damage = open.count { $0.level == .damage }
    let warnings = open.count { $0.level == .warning }
    let notices = open.count { $0.level == .notice }
    if damage > 0 { return paint.red("The log is damaged.") + " It is never mended by guessing." }
    let also = notices > 0 ? ", and \(counted(notices, "thing")) worth knowing" : ""
    let mended = findings.count { $0.repaired != nil }
    let done = mended > 0 ? paint.green("\(counted(mended, "thing")) mended.") + " " : ""
    guard warnings > 0 else { return done + paint.green("All is well") + also + "." }
    return done + paint.yellow(counted(warnings, "warning")) + also
      + "; the log itself is whole as far as "
      + (isStrict ? "it can be checked." : "was looked at.")
  }

  private var advice: String? {
    let mendable = findings.count { $0.isOpen && $0.repair != nil }
    if mendable > 0 {
      return "\(counted(mendable, "thing")) can be mended, and nothing is lost by it: "
        + addressed("ledger doctor --repair")
    }
    return isStrict ? nil : "every line is looked at by: " + addressed("ledger doctor --strict")
  }
}
