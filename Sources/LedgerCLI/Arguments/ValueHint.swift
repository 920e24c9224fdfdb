/// What a shell can offer where a value is wanted.
package enum ValueHint: Sendable, Equatable {
  /// Only the person knows it: a quantity, an entry, a name.
  case nothing
  case words([String])
  /// Words that hang on the argument before: what a setting can be, by its key.
  case wordsBehind([Choice])
  case file
  case folder

  package struct Choice: Sendable, Equatable {
    package let word: String
    package let words: [String]

    package init(_ word: String, _ words: [String]) {
      (self.word, self.words) = (word, words)
    }
  }

  /// What the name of a value says by itself, so that few specs have to say more.
  package init(placeholder: String) {
    switch placeholder {
    case "FILE", "PATH": self = .file
    case "DIR", "FOLDER": self = .folder
    default: self = .nothing
    }
  }
}

/// A hint that is put together only when a shell asks for it.
package typealias MakeHint = @Sendable () -> ValueHint?
