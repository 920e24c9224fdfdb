/// What can stand where on a command line, as every shell's script is made of it.
///
/// A place is a command's words as far as they are typed, such as `append` or `import csv`; the
/// program's own name alone is the empty place.
struct CompletionTable {
  /// A word that can be typed, and what it means.
  struct Item: Equatable {
    let word: String
    let help: String
  }

  /// What is offered at one of a command's arguments or options.
  struct Value: Equatable {
    /// `#1` for the first argument, `#*` for all from some number on, else an option.
    let names: [String]
    let hint: ValueHint
  }

  struct Place: Equatable {
    let path: String
    /// The words that go on with the command's name.
    let words: [Item]
    /// The command's own options.
    let options: [Item]
    let values: [Value]
  }

  let places: [Place]
  let globalOptions = Self.items(GlobalOptions.all)
  let globalValues = Self.values(GlobalOptions.all)

  init(_ catalog: CommandCatalog) {
    var paths = [""]
    for words in catalog.specs.map(\.words) {
      for count in 1...max(1, words.count) {
        let path = words.prefix(count).joined(separator: " ")
        if !paths.contains(path) { paths.append(path) }
      }
    }
    places = paths.map { Self.place($0, catalog) }
  }

  private static func place(_ path: String, _ catalog: CommandCatalog) -> Place {
    let spec = catalog.specs.first { $0.name == path }
    let typed = path.split(separator: " ").map(String.init)
    var words = catalog.nextWords(after: typed).map { word in
      Item(word: word, help: summary((typed + [word]).joined(separator: " "), catalog))
    }
    if path.isEmpty { words.append(Item(word: "help", help: "show what there is")) }
    let arguments = spec?.arguments ?? []
    return Place(
      path: path, words: words, options: items(spec?.options ?? []),
      values: arguments.enumerated().compactMap { index, argument in
        let name = argument.isVariadic ? "#*" : "#\(index + 1)"
        return argument.hint == .nothing ? nil : Value(names: [name], hint: argument.hint)
      } + values(spec?.options ?? []))
  }

  /// A word that only leads to commands is described by what they are.
  private static func summary(_ path: String, _ catalog: CommandCatalog) -> String {
    if let spec = catalog.specs.first(where: { $0.name == path }) { return oneLine(spec.summary) }
    let next = catalog.nextWords(after: path.split(separator: " ").map(String.init))
    return oneLine(next.joined(separator: ", "))
  }

  private static func items(_ options: [OptionSpec]) -> [Item] {
    options.map { Item(word: $0.spelled, help: oneLine($0.help)) }
  }

  private static func values(_ options: [OptionSpec]) -> [Value] {
    options.filter(\.takesValue).map { option in
      Value(names: [option.spelled] + (option.short.map { ["-\($0)"] } ?? []), hint: option.hint)
    }
  }

  private static func oneLine(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
  }
}
