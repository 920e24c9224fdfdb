/// A shell that can complete command lines.
enum Shell: String, CaseIterable {
  case bash, zsh, fish

  func script(_ table: CompletionTable) -> String {
    switch self {
    case .bash: BashScript(table: table).text
    case .zsh: ZshScript(table: table).text
    case .fish: FishScript(table: table).text
    }
  }
}
