/// Where in a command line the command's words stand.
struct Location: Equatable {
  var path: [String] = []
  /// Where the words of `path` stand.
  var used: [Int] = []
  /// The first argument that continues no command's name.
  var stopWord: String?

  /// The words of `path` as one, as specs are named.
  var name: String {
    // `joined` would set up its generic types at run time, which a small append feels.
    path.isEmpty ? "" : path.dropFirst().reduce(path[0]) { $0 + " " + $1 }
  }

  /// The words that are not the command's name.
  func rest(of words: [String]) -> [String] {
    var rest = words
    for index in used.reversed() { rest.remove(at: index) }
    return rest
  }
}

extension CommandCatalog {
  /// Follows the longest name among the specs, past global options only: the options of a
  /// command are not known before the command is.
  func locate(_ words: [String]) -> Location {
    var location = Location()
    var index = 0
    while index < words.count {
      switch ArgumentWord(words[index]) {
      case .plain:
        guard continues(location, words[index]) else {
          location.stopWord = words[index]
          return location
        }
        location.path.append(words[index])
        location.used.append(index)
      case .long(let name, let value):
        guard let option = GlobalOptions.all.first(where: { $0.name == name }) else {
          return location
        }
        let detached = option.takesValue && value == nil && index + 1 < words.count
        if detached && canBeValue(words[index + 1], GlobalOptions.all) { index += 1 }
      case .short(let letters):
        guard letters == "h" else { return location }
      case .endOfOptions:
        return location
      }
      index += 1
    }
    return location
  }

  /// Compares names whole, since splitting every name at every start would be felt.
  private func continues(_ location: Location, _ word: String) -> Bool {
    // One argument with a space in it is not two words.
    if word.isEmpty || word.utf8.contains(0x20) { return false }
    let name = location.path.isEmpty ? word : location.name + " " + word
    let longer = name + " "
    return specs.contains { $0.name == name || $0.name.hasPrefix(longer) }
  }
}
