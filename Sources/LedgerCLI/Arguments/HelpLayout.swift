extension HelpPage {
  /// `-n, --limit N`; aligned, the long names stand below one another.
  static func label(_ option: OptionSpec, aligned: Bool) -> String {
    let short = option.short.map { "-\($0), " } ?? (aligned ? "    " : "")
    return short + option.spelled + (option.placeholder.map { " \($0)" } ?? "")
  }

  static func capitalised(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }

  /// `usage: ledger …`, further forms below as `   or: ledger …`.
  func usageLines(_ usages: [String]) -> [String] {
    usages.enumerated().flatMap { index, usage in
      let lead = index == 0 ? "usage:" : "   or:"
      let lines = wrapped("\(lead) \(Program.name) \(usage)", width: width, hanging: 11)
      return [paint.bold(lead) + lines[0].dropFirst(lead.count)] + lines.dropFirst()
    }
  }

  /// A heading and two columns: labels, and their help wrapped beside them.
  func list(_ heading: String, _ entries: [(label: String, help: String)]) -> [String] {
    guard !entries.isEmpty else { return [] }
    let labelLimit = min(28, width / 2)
    let widths = entries.map { displayWidth($0.label) }.filter { $0 <= labelLimit }
    let column = 2 + (widths.max() ?? 0) + 2
    return [paint.bold("\(heading):")]
      + entries.flatMap { entryLines($0.label, $0.help, column: column) }
  }

  func examples(_ examples: [CommandExample]) -> [String] {
    guard !examples.isEmpty else { return [] }
    return [paint.bold("Examples:")]
      + examples.flatMap { example in
        let meaning = "      \(example.meaning)"
        return ["  \(example.line)"]
          + (example.meaning.isEmpty ? [] : wrapped(meaning, width: width, hanging: 6))
      }
  }

  private func entryLines(_ label: String, _ help: String, column: Int) -> [String] {
    let margin = String(repeating: " ", count: column)
    let lines = wrapped(margin + help, width: width, hanging: column)
    let space = column - 2 - displayWidth(label)
    // A label too long for its column has the first line to itself.
    guard space >= 2 else { return ["  \(label)"] + lines }
    let first = "  \(label)" + String(repeating: " ", count: space)
    return [first + lines[0].dropFirst(column)] + lines.dropFirst()
  }
}

extension CommandCatalog {
  /// What the overview lists: names of one word, and longer ones that no shorter one stands for.
  var overviewSpecs: [CommandSpec] {
    let names = Set(specs.map(\.name))
    return specs.filter { spec in
      let words = spec.words
      return !(1..<max(words.count, 1)).contains { length in
        names.contains(words.prefix(length).joined(separator: " "))
      }
    }
  }
}
