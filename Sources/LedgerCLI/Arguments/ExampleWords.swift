/// A command line as a shell splits it, as far as examples in help go: quotes, and what goes on
/// behind `|`, `<` or `>` left away.
enum ExampleWords {
  /// - Returns: `nil` where a quote is left open.
  static func split(_ line: String) -> [String]? {
    var words: [String] = []
    var word: String?
    var quote: Character?
    // `source <(ledger …)` calls the program in the middle.
    let start = line.firstRange(of: "<(")?.upperBound ?? line.startIndex
    for character in line[start...] {
      if let open = quote {
        if character == open { quote = nil } else { word?.append(character) }
      } else if character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if "|<>)".contains(character) {
        break
      } else if character == " " {
        if let whole = word { words.append(whole) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    return quote == nil ? words : nil
  }
}
