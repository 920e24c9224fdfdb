import LedgerJSON

enum CompletionsCommand: Command {
  static let spec = CommandSpec(
    "completions", "print the script that lets a shell complete commands", group: .more,
    arguments: [.required("SHELL", "bash, zsh or fish", hint: .words(shells))],
    examples: [
      .init(
        "ledger completions bash > ~/.local/share/bash-completion/completions/ledger",
        "permanently, with the package bash-completion; else the next line in ~/.bashrc"),
      .init("source <(ledger completions bash)", "for this shell only; also in zsh"),
      .init(
        "ledger completions zsh > ~/.zfunc/_ledger",
        "with fpath+=(~/.zfunc) before 'autoload -Uz compinit; compinit' in ~/.zshrc"),
      .init("ledger completions fish > ~/.config/fish/completions/ledger.fish"),
    ],
    notes: [
      "Commands, options and fixed values are completed, and names of files where one is expected; "
        + "entries are not. The script asks the 'ledger' in PATH, so an update needs no new script."
    ])

  private static var shells: [String] { Shell.allCases.map(\.rawValue) }

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let name = try arguments.required("SHELL")
    guard let shell = Shell(rawValue: name) else {
      let near = nearest(to: name, among: shells)
      throw UsageError.badValue(
        option: "SHELL", value: name, why: .notAllowed(shells, suggestions: near))
    }
    if console.json {
      let answer: JSONObject = ["shell": .string(shell.rawValue), "script": .string(shell.script)]
      try console.line(answer.serialized)
    } else {
      try console.write(shell.script)
    }
    return .done
  }
}

extension Shell {
  fileprivate var script: String {
    switch self {
    case .bash: Self.bashScript
    case .zsh: Self.zshScript
    case .fish: Self.fishScript
    }
  }

  /// For bash 3.2 and newer, with or without the package bash-completion.
  private static let bashScript = #"""
    # bash completion for ledger, printed by 'ledger completions bash'.
    _ledger() {
      local line files='' kind=-f
      COMPREPLY=()
      while IFS= read -r line; do
        case $line in
          :file) files=default ;;
          :folder) files=dirnames kind=-d ;;
          *) printf -v line '%q' "$line"; COMPREPLY+=("$line") ;;
        esac
      done < <(command ledger __complete bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
      [ -z "$files" ] && return
      # Without compopt, as in bash 3.2, file names are not quoted.
      compopt -o "$files" 2>/dev/null && return
      local cur=${COMP_WORDS[COMP_CWORD]}
      cur=${cur#[\'\"]}
      [ "$cur" = '=' ] && cur=
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$kind" -- "$cur")
    }
    complete -F _ledger ledger

    """#

  /// A file `_ledger` in a folder of `$fpath`, or read by `source`.
  private static let zshScript = #"""
    #compdef ledger
    # zsh completion for ledger, printed by 'ledger completions zsh'.
    _ledger() {
      local line
      local -a described values files
      while IFS= read -r line; do
        case $line in
          :file) files=(_files) ;;
          :folder) files=(_files -/) ;;
          *$'\t'*) described+=("${line/$'\t'/:}") ;;
          *) values+=("$line") ;;
        esac
      done < <(command ledger __complete zsh -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
      if [[ ${words[CURRENT]} == --*=* ]]; then
        compset -P '*='
      elif [[ ${words[CURRENT]} == -* ]]; then
        _describe -o option described
        return
      fi
      (( $#described )) && _describe -t commands command described
      (( $#values )) && _describe -t values value values
      (( $#files )) && $files
    }
    if [[ ${funcstack[1]} == _ledger ]]; then
      _ledger "$@"
    elif (( $+functions[compdef] )); then
      compdef _ledger ledger
    fi

    """#

  /// For fish 3.0 and newer.
  private static let fishScript = #"""
    # fish completion for ledger, printed by 'ledger completions fish'.
    function __ledger_complete
      set -l typed (commandline -opc)
      set -l word (string unescape -- (commandline -ct))
      set -l option (string match -r -- '^--[^=]*=' "$word")
      set -l path (string replace -r -- '^--[^=]*=' '' "$word")
      for line in (command ledger __complete fish -- $typed[2..-1] "$word" 2>/dev/null)
        switch $line
          case :file
            __fish_complete_path "$path" | string replace -r '^' -- "$option"
          case :folder
            __fish_complete_directories "$path" | string replace -r '^' -- "$option"
          case '*'
            printf '%s\n' $line
        end
      end
    end
    complete -c ledger -f -a '(__ledger_complete)'

    """#
}
