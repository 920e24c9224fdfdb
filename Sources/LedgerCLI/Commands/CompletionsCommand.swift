import LedgerJSON

/// Prints the script by which a shell completes commands, made from the tables of all programs.
enum CompletionsCommand: Command {
  static let spec = CommandSpec(
    "completions", "print the script that lets a shell complete commands", group: .more,
    arguments: [.required("SHELL", "bash, zsh or fish", hint: .words(shells))],
    examples: [
      .init(
        "ledger completions bash > ~/.local/share/bash-completion/completions/ledger",
        "for good, where the package bash-completion is; else the next line in ~/.bashrc"),
      .init("source <(ledger completions bash)", "for this shell alone; so in zsh too"),
      .init(
        "ledger completions zsh > ~/.zfunc/_ledger",
        "with fpath+=(~/.zfunc) before 'autoload -Uz compinit; compinit' in ~/.zshrc"),
      .init("ledger completions fish > ~/.config/fish/completions/ledger.fish"),
    ],
    notes: [
      "Commands, options and fixed values are completed, and names of files where one is wanted; "
        + "entries are not. Print it anew after an update."
    ])

  private static var shells: [String] { Shell.allCases.map(\.rawValue) }

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let name = try arguments.required("SHELL")
    guard let shell = Shell(rawValue: name) else {
      let near = nearest(to: name, among: shells)
      throw UsageError.badValue(
        option: "SHELL", value: name, why: .notAllowed(shells, suggestions: near))
    }
    let script = shell.script(CompletionTable(LocalCommands.catalog.withHelpers()))
    if console.json {
      let answer: JSONObject = ["shell": .string(shell.rawValue), "script": .string(script)]
      try console.line(answer.serialized)
    } else {
      try console.write(script)
    }
    return .done
  }
}
