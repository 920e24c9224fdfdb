/// A usage error together with the command it happened in: what, where, and what to do.
package struct UsageFailure: ReportableError, Equatable {
  package let error: UsageError
  /// The command's words; empty before one is known.
  package let command: String

  package init(_ error: UsageError, command: String = "") {
    self.error = error
    self.command = command
  }

  package var exitCode: ExitCode { .usage }

  package var sentence: String {
    switch error {
    case .unknownOption(let option, let suggestions):
      "\(place) has no option \(quoted(option)); \(advice(suggestions))"
    case .missingValue(let option, let placeholder, let found):
      missingValue(option, placeholder, found)
    case .unexpectedValue(let option, let value):
      "\(quoted(option)) takes no value but was given \(quoted(value)); write it alone"
    case .repeatedOption(let option):
      "\(quoted(option)) is given twice; \(place) takes it once"
    case .badValue(let option, let value, let why):
      badValue(option, value, why)
    case .missingArgument(let argument):
      "\(place) needs \(argument); see \(helpLine)"
    case .extraArgument(let argument):
      "\(place) has no use for \(quoted(argument)); "
        + "quote a text that holds spaces, or see \(helpLine)"
    case .conflict(let first, let second):
      "\(quoted(first)) and \(quoted(second)) exclude each other; give one of them"
    case .missingCommand:
      "a command is missing; see \(helpLine)"
    case .missingSubcommand(let group, let choices):
      "\(quoted(group)) needs one of \(listed(choices)); see \(helpLine)"
    case .unknownCommand(let word, let suggestions):
      "\(quoted(word)) is not a \(Program.name) command; \(advice(suggestions))"
    }
  }

  private func missingValue(_ option: String, _ placeholder: String, _ found: String?) -> String {
    guard let found else {
      return "\(quoted(option)) needs a value; write \(quoted("\(option) \(placeholder)"))"
    }
    return "\(quoted(option)) needs a value before \(quoted(found)); "
      + "write \(quoted("\(option) \(placeholder)")), "
      + "or \(quoted("\(option)=…")) for a value that begins with a dash"
  }

  private func badValue(_ option: String, _ value: String, _ why: BadValue) -> String {
    switch why {
    case .notInteger(let limits):
      "\(quoted(option)) takes \(described(limits)), not \(quoted(value))"
    // A long list would hide what was meant.
    case .notAllowed(let allowed, let suggestions) where allowed.count > 6 && !suggestions.isEmpty:
      "\(quoted(option)) does not take \(quoted(value)); \(advice(suggestions))"
    case .notAllowed(let allowed, let suggestions):
      "\(quoted(option)) takes \(listed(allowed)), not \(quoted(value))"
        + (suggestions.isEmpty ? "" : "; \(advice(suggestions))")
    case .meant(let suggestions):
      "\(quoted(option)) does not take \(quoted(value)); \(advice(suggestions))"
    case .expected(let expectation):
      "\(quoted(option)) takes \(expectation), not \(quoted(value))"
    }
  }

  private var place: String { quoted(command.isEmpty ? Program.name : command) }

  private var helpLine: String {
    quoted(command.isEmpty ? "\(Program.name) help" : "\(Program.name) \(command) --help")
  }

  private func advice(_ suggestions: [String]) -> String {
    suggestions.isEmpty ? "see \(helpLine)" : "did you mean \(listed(suggestions))?"
  }

  private func described(_ limits: ClosedRange<Int>) -> String {
    switch (limits.lowerBound, limits.upperBound) {
    case (.min, .max): "a whole number"
    case (let lowest, .max): "a whole number from \(lowest) up"
    case (.min, let highest): "a whole number up to \(highest)"
    case (let lowest, let highest): "a whole number from \(lowest) to \(highest)"
    }
  }
}

/// Words as an error shows them: 'a', 'b' or 'c'.
package func listed(_ words: [String]) -> String {
  guard let last = words.last, words.count > 1 else { return words.map(quoted).joined() }
  return words.dropLast().map(quoted).joined(separator: ", ") + " or " + quoted(last)
}

/// A word as an error shows it: in quotes, and cut where it would drown the sentence.
package func quoted(_ word: String) -> String {
  let limit = 60
  return word.count > limit ? "'\(word.prefix(limit))…'" : "'\(word)'"
}
