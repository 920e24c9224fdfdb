import LedgerJSON
import LedgerModel

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

/// A shell that can complete command lines.
private enum Shell: String, CaseIterable {
  case bash, zsh, fish
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

/// `ledger __complete SHELL -- WORD…`, which the stubs of ``Shell`` call: what can follow. The last
/// word is the one at the cursor, possibly empty. Hidden from help and overview.
///
/// Each candidate is a line; for zsh and fish with a tab and a description. A line `:file` or
/// `:folder` asks the shell to complete names of files, since it knows how to quote them.
struct CompletionQuery {
  private let shell: Shell
  private let words: [String]

  /// Nil for every other command line.
  init?(_ words: [String]) {
    guard words.count > 3, words[0] == "__complete", let shell = Shell(rawValue: words[1]),
      words[2] == "--"
    else { return nil }
    self.shell = shell
    self.words = Array(words[3...])
  }

  func answer(from catalog: CommandCatalog, to console: Console) throws -> ExitCode {
    var typed = words
    var current = typed.removeLast()
    if shell == .bash {
      // bash splits --option=value into three words, and leaves quotes in place.
      typed = typed.enumerated().filter { $0 == 0 || $1 != "=" || !isOption(typed[$0 - 1]) }
        .map(\.element)
      if current == "=" { current = "" }
      if let first = current.first, first == "'" || first == "\"" { current.removeFirst() }
    }
    let position = CompletionPosition(typed, in: catalog)
    let offer = position.offer(for: current, in: catalog)
    for item in offer.items {
      let word = offer.prefix(for: shell) + item.word
      if let line = line(word, item.help, current) { try console.line(line) }
    }
    switch offer.files {
    case .file: try console.line(":file")
    case .folder: try console.line(":folder")
    default: break
    }
    return .done
  }

  private func isOption(_ word: String) -> Bool {
    if case .long = ArgumentWord(word) { return true }
    return false
  }

  private func line(_ word: String, _ help: String, _ current: String) -> String? {
    switch shell {
    case .bash: word.hasPrefix(current) ? word : nil
    case .zsh:
      // zsh ends the word at the first colon without a backslash.
      described(
        word.split(separator: ":", omittingEmptySubsequences: false).joined(separator: #"\:"#), help
      )
    case .fish: described(word, help)
    }
  }

  private func described(_ word: String, _ help: String) -> String {
    let oneLine = String.UnicodeScalarView(help.unicodeScalars.map { $0.value < 0x20 ? " " : $0 })
    return help.isEmpty ? word : "\(word)\t\(String(oneLine))"
  }
}

/// Candidates for the word at the cursor.
private struct CompletionOffer {
  struct Item {
    let word: String
    var help = ""
  }

  var items: [Item] = []
  /// ``ValueHint/file`` or ``ValueHint/folder`` where names of files are candidates.
  var files = ValueHint.nothing
  /// `--color=` where that begins the current word.
  var option = ""

  /// zsh replaces only what follows the equals sign (`compset` in its stub).
  func prefix(for shell: Shell) -> String { shell == .zsh ? "" : option }
}

/// Where the word at the cursor is: after which command, as which argument of it.
private struct CompletionPosition {
  private var path: [String] = []
  /// How many arguments of the command precede it, and the last of them.
  private var arguments = 0
  private var before = ""
  /// The option whose value it is.
  private var option: OptionSpec?
  private var optionsEnded = false

  init(_ words: [String], in catalog: CommandCatalog) {
    for word in words {
      if option != nil {
        option = nil
      } else if optionsEnded {
        addArgument(word)
      } else {
        switch ArgumentWord(word) {
        case .endOfOptions: optionsEnded = true
        case .long(let name, nil):
          option = options(in: catalog).first { $0.isCalled(name) && $0.takesValue }
        case .short(let letters):
          option = options(in: catalog).first {
            $0.short.map(String.init) == letters && $0.takesValue
          }
        case .long: break
        case .plain:
          if word == "help" && path.isEmpty { continue }
          if arguments == 0 && catalog.nextWords(after: path).contains(word) {
            path.append(word)
          } else if arguments == 0, path.isEmpty, let name = CommandCatalog.name(alias: word) {
            path = name.split(separator: " ").map(String.init)
          } else {
            addArgument(word)
          }
        }
      }
    }
  }

  private mutating func addArgument(_ word: String) {
    arguments += 1
    before = word
  }

  func offer(for current: String, in catalog: CommandCatalog) -> CompletionOffer {
    var offer = CompletionOffer()
    if let option {
      add(option.hint, typed: current, to: &offer)
    } else if !optionsEnded, case .long(let name, .some) = ArgumentWord(current) {
      guard let option = options(in: catalog).first(where: { $0.isCalled(name) }) else {
        return offer
      }
      offer.option = "\(option.spelled)="
      add(option.hint, to: &offer)
    } else if !optionsEnded, current.hasPrefix("-") {
      offer.items = options(in: catalog).map { .init(word: $0.spelled, help: $0.help) }
    } else {
      if arguments == 0 && !optionsEnded { offer.items = commands(in: catalog) }
      if let argument = argument(in: catalog) {
        add(argument.hint, typed: current, to: &offer)
      }
    }
    return offer
  }

  private func add(_ hint: ValueHint, typed: String = "", to offer: inout CompletionOffer) {
    switch hint {
    case .nothing: break
    case .words(let words):
      offer.items += words.map { .init(word: $0) }
      // Other names of metrics, such as `rhr`, where only they begin like that.
      guard !typed.isEmpty, words.contains(Metric.weight.name),
        !offer.items.contains(where: { $0.word.hasPrefix(typed) })
      else { break }
      let others = Metric.allCases.flatMap(\.spokenNames).map { $0.replacing(" ", with: "-") }
      offer.items += others.filter { $0.hasPrefix(typed) }.map { .init(word: $0) }
    case .wordsAfter(let choices):
      let words = choices.first { $0.word == before }?.words ?? []
      offer.items += words.map { .init(word: $0) }
    case .file, .folder: offer.files = hint
    case .fileOrWords(let words):
      offer.files = .file
      if arguments == 0 { offer.items += words.map { .init(word: $0) } }
    }
  }

  private func spec(in catalog: CommandCatalog) -> CommandSpec? {
    let name = path.joined(separator: " ")
    return catalog.specs.first { $0.name == name }
  }

  private func options(in catalog: CommandCatalog) -> [OptionSpec] {
    spec(in: catalog)?.allOptions ?? GlobalOptions.all
  }

  private func argument(in catalog: CommandCatalog) -> ArgumentSpec? {
    guard let all = spec(in: catalog)?.arguments else { return nil }
    if arguments < all.count { return all[arguments] }
    return all.last.flatMap { $0.isVariadic ? $0 : nil }
  }

  /// The words that continue the command's name.
  private func commands(in catalog: CommandCatalog) -> [CompletionOffer.Item] {
    let items = catalog.nextWords(after: path).map { word in
      let name = (path + [word]).joined(separator: " ")
      let spec = catalog.specs.first { $0.name == name }
      // A word that only leads to commands is described by these.
      let nested = catalog.nextWords(after: path + [word]).joined(separator: ", ")
      return CompletionOffer.Item(word: word, help: spec?.summary ?? nested)
    }
    guard path.isEmpty else { return items }
    let aliases = CommandCatalog.aliases.map { alias in
      CompletionOffer.Item(
        word: alias.word, help: catalog.specs.first { $0.name == alias.name }?.summary ?? "")
    }
    return items + aliases + [.init(word: "help", help: "show what there is")]
  }
}
