/// Completion for fish from 3.0 on.
struct FishScript {
  let table: CompletionTable

  var text: String {
    """
    # fish completion for \(Program.name) \(Program.version), made by '\(Program.name) completions fish'.

    # The words that go on with a command's name, each with what it means behind a tab.
    function __ledger_words
      switch "$argv[1]"
    \(rows { list($0.words) })
      end
    end

    # The options of a command, the ones that all have included.
    function __ledger_options
      switch "$argv[1]"
    \(rows { list($0.options) })
      end
      \(list(table.globalOptions) ?? "")
    end

    # What an option takes, or an argument by its number; fails for an option that takes nothing.
    # The command, a space, and the option or #NUMBER; the argument before; the word so far.
    function __ledger_values
      switch "$argv[1]"
    \(values)
        case '*'
          return 1
      end
      return 0
    end
    \(Self.engine)
    """
  }

  private func rows(_ row: (CompletionTable.Place) -> String?) -> String {
    table.places.compactMap { place in
      row(place).map { "    case \(quoted(place.path))\n      \($0)" }
    }.joined(separator: "\n")
  }

  private func list(_ items: [CompletionTable.Item]) -> String? {
    guard !items.isEmpty else { return nil }
    let pairs = items.flatMap { [quoted($0.word), quoted($0.help)] }
    return #"printf '%s\t%s\n' "# + pairs.joined(separator: " ")
  }

  private var values: String {
    let own = table.places.flatMap { place in
      place.values.map { row("\(place.path) ", $0) }
    }
    return (own + table.globalValues.map { row("* ", $0) }).joined(separator: "\n")
  }

  private func row(_ path: String, _ value: CompletionTable.Value) -> String {
    let patterns = value.names.map { quoted(path + $0) }
    return "    case \(patterns.joined(separator: " "))\n      \(action(value.hint))"
  }

  private func action(_ hint: ValueHint) -> String {
    switch hint {
    case .nothing: return "return 0"
    case .file: return "__fish_complete_path \"$argv[3]\""
    case .folder: return "__fish_complete_directories \"$argv[3]\""
    case .words(let words): return print(words)
    case .wordsBehind(let choices):
      let cases = choices.map { choice in
        "case \(quoted(choice.word)); \(print(choice.words))"
      }
      return "switch \"$argv[2]\"; \(cases.joined(separator: "; ")); end"
    }
  }

  private func print(_ words: [String]) -> String {
    #"printf '%s\n' "# + words.map(quoted).joined(separator: " ")
  }

  /// Between single quotes fish takes all but the quote itself and the backslash as it is.
  private func quoted(_ word: String) -> String {
    var text = ""
    for character in word {
      if character == "'" || character == #"\"# { text += #"\"# }
      text.append(character)
    }
    return "'\(text)'"
  }

  private static let engine = #"""

    function __ledger_complete
      set -l place ''
      set -l option ''
      set -l before ''
      set -l ended ''
      set -l number 0
      set -l typed (commandline -opc)
      # Where the word at the cursor stands: behind which command, as which argument of it.
      for word in $typed[2..-1]
        if test -n "$ended"
          set number (math $number + 1)
          set before $word
        else if test -n "$option"
          set option ''
        else if test "$word" = --
          set ended 1
        else if string match -q -- '-*' "$word"
          if __ledger_values "$place $word" '' '' >/dev/null
            set option $word
          end
        else if test "$word" = help -a -z "$place"
          continue
        else if test $number -eq 0; and contains -- "$word" (__ledger_words "$place" | string replace -r '\t.*' '')
          set place (string trim "$place $word")
        else
          set number (math $number + 1)
          set before $word
        end
      end
      set -l current (string unescape -- (commandline -ct))
      if test -n "$option"
        __ledger_values "$place $option" "$before" "$current"
      else if test -z "$ended"; and string match -q -- '--*=*' "$current"
        set -l parts (string split -m 1 = -- "$current")
        __ledger_values "$place $parts[1]" "$before" "$parts[2]" | string replace -r '^' -- "$parts[1]="
      else if test -z "$ended"; and string match -q -- '-*' "$current"
        __ledger_options "$place"
      else
        if test $number -eq 0 -a -z "$ended"
          __ledger_words "$place"
        end
        __ledger_values "$place #"(math $number + 1) "$before" "$current"
      end
      return 0
    end
    complete -c ledger -f -a '(__ledger_complete)'

    """#
}
