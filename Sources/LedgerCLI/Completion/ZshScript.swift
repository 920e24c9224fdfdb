/// Completion for zsh: a file `_ledger` in a folder of `$fpath`, or read by `source`.
struct ZshScript {
  let table: CompletionTable

  var text: String {
    """
    #compdef \(Program.name)
    # zsh completion for \(Program.name) \(Program.version), made by '\(Program.name) completions zsh'.

    # The words that go on with a command's name, each with what it means behind a colon.
    _ledger_words() {
      reply=()
      case $1 in
    \(rows { list($0.words) })
      esac
    }

    # The options of a command, the ones that all have included.
    _ledger_options() {
      reply=()
      case $1 in
    \(rows { list($0.options) })
      esac
      reply+=(\(table.globalOptions.map(item).joined(separator: " ")))
    }

    # What an option takes, or an argument by its number; fails for an option that takes nothing.
    # $1: the command, a space, and the option or #NUMBER; $2: the argument before.
    _ledger_values() {
      reply=() files=
      case $1 in
    \(values)
        *) return 1 ;;
      esac
    }
    \(Self.engine)
    """
  }

  private func rows(_ row: (CompletionTable.Place) -> String?) -> String {
    table.places.compactMap { place in
      row(place).map { "    \(ShellText.quoted(place.path))) \($0) ;;" }
    }.joined(separator: "\n")
  }

  private func list(_ items: [CompletionTable.Item]) -> String? {
    items.isEmpty ? nil : "reply=(\(items.map(item).joined(separator: " ")))"
  }

  private func item(_ item: CompletionTable.Item) -> String {
    ShellText.quoted("\(escaped(item.word)):\(item.help)")
  }

  /// A colon ends the word.
  private func escaped(_ word: String) -> String {
    word.split(separator: ":", omittingEmptySubsequences: false).joined(separator: #"\:"#)
  }

  private var values: String {
    let own = table.places.flatMap { place in
      place.values.map { pattern(ShellText.quoted("\(place.path) "), $0) }
    }
    return (own + table.globalValues.map { pattern("*", $0) }).joined(separator: "\n")
  }

  private func pattern(_ path: String, _ value: CompletionTable.Value) -> String {
    let patterns = value.names.map { name in
      path + (name == "#*" ? "'#'*" : ShellText.quoted(path == "*" ? " \(name)" : name))
    }
    return "    \(patterns.joined(separator: "|"))) \(action(value.hint)) ;;"
  }

  private func action(_ hint: ValueHint) -> String {
    switch hint {
    case .nothing: return ":"
    case .file: return "files=files"
    case .folder: return "files=folders"
    case .words(let words): return "reply=(\(list(words)))"
    case .wordsBehind(let choices):
      let cases = choices.map { choice in
        "\(ShellText.quoted(choice.word))) reply=(\(list(choice.words))) ;;"
      }
      return "case $2 in \(cases.joined(separator: " ")) esac"
    }
  }

  private func list(_ words: [String]) -> String {
    words.map { ShellText.quoted(escaped($0)) }.joined(separator: " ")
  }

  private static let engine = #"""

    _ledger() {
      local place='' option='' before='' ended='' files='' word=''
      local -i number=0 index=2
      local -a reply names
      # Where the word at the cursor stands: behind which command, as which argument of it.
      while (( index < CURRENT )); do
        word=${(Q)words[index]}
        (( index += 1 ))
        if [[ -n $ended ]]; then
          (( number += 1 )); before=$word
        elif [[ -n $option ]]; then
          option=''
        elif [[ $word == -- ]]; then
          ended=1
        elif [[ $word == -* ]]; then
          if _ledger_values "$place $word"; then option=$word; fi
        elif [[ $word == help && -z $place ]]; then
          :
        else
          _ledger_words "$place"
          names=("${(@)reply%%:*}")
          if (( number == 0 )) && (( ${names[(Ie)$word]} )); then
            place=${place:+$place }$word
          else
            (( number += 1 )); before=$word
          fi
        fi
      done
      word=${words[CURRENT]}
      names=()
      if [[ -z $ended && -z $option && $word == --*=* ]]; then
        option=${word%%=*}
        compset -P '*='
      fi
      if [[ -n $option ]]; then
        _ledger_values "$place $option" "$before"
      elif [[ -z $ended && $word == -* ]]; then
        _ledger_options "$place"
        _describe -o option reply
        return
      else
        if (( number == 0 )) && [[ -z $ended ]]; then _ledger_words "$place"; names=("${reply[@]}"); fi
        _ledger_values "$place #$((number + 1))" "$before"
      fi
      (( $#names )) && _describe -t commands command names
      (( $#reply )) && _describe -t values value reply
      case $files in
        files) _files ;;
        folders) _files -/ ;;
      esac
    }
    if [[ ${funcstack[1]} == _ledger ]]; then
      _ledger "$@"
    elif (( $+functions[compdef] )); then
      compdef _ledger ledger
    fi

    """#
}
