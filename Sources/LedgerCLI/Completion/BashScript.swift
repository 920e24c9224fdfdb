/// Completion for bash from 3.2 on, without the package `bash-completion`.
struct BashScript {
  let table: CompletionTable

  var text: String {
    """
    # bash completion for \(Program.name) \(Program.version), made by '\(Program.name) completions bash'.

    # The words that go on with a command's name.
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
      reply+=(\(table.globalOptions.map { quoted($0.word) }.joined(separator: " ")))
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
      row(place).map { "    \(quoted(place.path))) \($0) ;;" }
    }.joined(separator: "\n")
  }

  private func list(_ items: [CompletionTable.Item]) -> String? {
    items.isEmpty ? nil : "reply=(\(items.map { quoted($0.word) }.joined(separator: " ")))"
  }

  private var values: String {
    let own = table.places.flatMap { place in
      place.values.map { pattern(quoted("\(place.path) "), $0) }
    }
    return (own + table.globalValues.map { pattern("*", $0) }).joined(separator: "\n")
  }

  private func pattern(_ path: String, _ value: CompletionTable.Value) -> String {
    let patterns = value.names.map { name in
      path + (name == "#*" ? "'#'*" : quoted(path == "*" ? " \(name)" : name))
    }
    return "    \(patterns.joined(separator: "|"))) \(action(value.hint)) ;;"
  }

  private func action(_ hint: ValueHint) -> String {
    switch hint {
    case .nothing: return ":"
    case .file: return "files=default"
    case .folder: return "files=dirnames"
    case .words(let words): return "reply=(\(words.map(quoted).joined(separator: " ")))"
    case .wordsBehind(let choices):
      let cases = choices.map { choice in
        "\(quoted(choice.word))) reply=(\(choice.words.map(quoted).joined(separator: " "))) ;;"
      }
      return "case $2 in \(cases.joined(separator: " ")) esac"
    }
  }

  private func quoted(_ word: String) -> String { ShellText.quoted(word) }

  private static let engine = #"""

    _ledger() {
      local cur=${COMP_WORDS[COMP_CWORD]} place='' option='' before='' ended='' files='' word='' item=''
      local number=0 index=1
      local -a reply
      COMPREPLY=()
      # Where the word at the cursor stands: behind which command, as which argument of it.
      while [ "$index" -lt "$COMP_CWORD" ]; do
        word=${COMP_WORDS[index]}
        index=$((index + 1))
        if [ -n "$ended" ]; then
          number=$((number + 1)) before=$word
        elif [ -n "$option" ]; then
          # bash makes three words of --option=value.
          [ "$word" = '=' ] || option=
        else
          case $word in
            --) ended=1 ;;
            -*) if _ledger_values "$place $word"; then option=$word; fi ;;
            help) [ -n "$place" ] && number=$((number + 1)) ;;
            *)
              _ledger_words "$place"
              item=
              if [ "$number" -eq 0 ]; then
                for item in "${reply[@]}"; do [ "$item" = "$word" ] && break; item=; done
              fi
              if [ -n "$item" ]; then
                place=${place:+$place }$word
              else
                number=$((number + 1)) before=$word
              fi ;;
          esac
        fi
      done
      [ "$cur" = '=' ] && cur=
      cur=${cur#[\'\"]}
      if [ -n "$option" ]; then
        _ledger_values "$place $option" "$before"
      elif [ -z "$ended" ] && [ "${cur:0:1}" = - ]; then
        _ledger_options "$place"
      else
        local -a names=()
        if [ "$number" -eq 0 ] && [ -z "$ended" ]; then _ledger_words "$place"; names=("${reply[@]}"); fi
        _ledger_values "$place #$((number + 1))" "$before"
        reply=("${names[@]}" "${reply[@]}")
      fi
      for item in "${reply[@]}"; do
        case $item in "$cur"*) printf -v item '%q' "$item"; COMPREPLY+=("$item") ;; esac
      done
      [ -z "$files" ] && return
      # The shell itself completes names best: it knows how to quote them.
      compopt -o "$files" 2>/dev/null && return
      local kind=-f
      [ "$files" = dirnames ] && kind=-d
      while IFS= read -r item; do COMPREPLY+=("$item"); done < <(compgen "$kind" -- "$cur")
    }
    complete -F _ledger ledger

    """#
}
