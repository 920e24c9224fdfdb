/// What can be wrong with a command line, as data; `UsageFailure` has the wording.
///
/// Options are named as they are typed, with their dashes.
package enum UsageError: Error, Equatable, Sendable {
  case unknownOption(String, suggestions: [String])
  /// Commands that have the option.
  case optionOfOthers(String, [String])
  /// `found` is the word in the place of the value.
  case missingValue(option: String, placeholder: String, found: String?)
  case unexpectedValue(option: String, value: String)
  case repeatedOption(String)
  /// `option` may also be the name of a positional argument.
  case badValue(option: String, value: String, why: BadValue)
  case missingArgument(String)
  /// `meant` is the option that it may be the value of, with the value.
  case extraArgument(String, meant: String? = nil)
  /// Options or arguments that exclude each other.
  case conflict(String, String)
  case missingCommand
  case missingSubcommand(of: String, choices: [String])
  case unknownCommand(String, suggestions: [String])
}

package enum BadValue: Equatable, Sendable {
  case notInteger(ClosedRange<Int>)
  case notAllowed([String], suggestions: [String])
  /// Completes the sentence "--date takes …", such as `a day like 2025-01-31`.
  case expected(String)
  /// There are too many allowed values to list; these are similar.
  case meant([String])
  /// Completes the sentence "--date does not take '2026-02-30'; …".
  case impossible(String)

  /// Of `24:00` alone.
  static let endOfDay = BadValue.impossible("it is 00:00 of the next day")
}

/// A usage error and its command, put into one sentence: what, where, and what to do.
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
    case .optionOfOthers(let option, let owners):
      "\(place) has no option \(quoted(option)), which is of \(listed(owners))"
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
    case .extraArgument(let argument, let meant?):
      "unexpected argument \(quoted(argument)); \(advice([meant]))"
    case .extraArgument(let argument, nil) where argument.first?.isLetter == true:
      "unexpected argument \(quoted(argument)); quote text that contains spaces, or see \(helpLine)"
    case .extraArgument(let argument, nil):
      "unexpected argument \(quoted(argument)); see \(helpLine)"
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
    // A long list would hide the suggestions.
    case .notAllowed(let allowed, let suggestions) where allowed.count > 6 && !suggestions.isEmpty:
      "\(quoted(option)) does not take \(quoted(value)); \(advice(suggestions))"
    case .notAllowed(let allowed, let suggestions):
      "\(quoted(option)) takes \(listed(allowed)), not \(quoted(value))"
        + (suggestions.isEmpty ? "" : "; \(advice(suggestions))")
    case .meant(let suggestions):
      "\(quoted(option)) does not take \(quoted(value)); \(advice(suggestions))"
    case .impossible(let reason):
      "\(quoted(option)) does not take \(quoted(value)); \(reason)"
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

/// Quoted words as an error lists them: 'a', 'b' or 'c'.
package func listed(_ words: [String]) -> String {
  guard let last = words.last, words.count > 1 else { return words.map(quoted).joined() }
  return words.dropLast().map(quoted).joined(separator: ", ") + " or " + quoted(last)
}

/// A word as an error shows it: in quotes, and truncated.
package func quoted(_ word: String) -> String {
  let limit = 60
  return word.count > limit ? "'\(word.prefix(limit))…'" : "'\(word)'"
}

/// Spelling suggestions for `word`: the candidates at the smallest edit distance that is plausible
/// for a typing error, at most three, in their given order.
///
/// Case, `-` and `_` are ignored; a prefix counts as one error, as does one part of a compound, such
/// as `health` for `apple-health`.
package func nearest(to word: String, among candidates: [String]) -> [String] {
  let typed = comparable(word)
  // One letter resembles everything.
  guard (2...64).contains(typed.count) else { return [] }
  let threshold = typed.count <= 5 ? 1 : typed.count <= 8 ? 2 : 3
  var best = threshold
  var found: [String] = []
  for candidate in candidates {
    let distance = errors(from: typed, to: candidate, limit: best)
    if distance > best { continue }
    if distance < best { found = [] }
    best = distance
    if !found.contains(candidate) { found.append(candidate) }
  }
  return Array(found.prefix(3))
}

private func comparable(_ word: String) -> [Unicode.Scalar] {
  word.lowercased().unicodeScalars.filter { $0 != "-" && $0 != "_" }
}

private func errors(from typed: [Unicode.Scalar], to candidate: String, limit: Int) -> Int {
  let target = comparable(candidate)
  if typed == target { return 0 }
  if target.starts(with: typed) { return 1 }
  let parts = candidate.lowercased().split { $0 == "-" || $0 == "_" || $0 == "." }
  if typed.count > 2, parts.contains(where: { $0.unicodeScalars.elementsEqual(typed) }) {
    return 1
  }
  if abs(typed.count - target.count) > limit { return limit + 1 }
  return editDistance(typed, target)
}

/// The restricted Damerau–Levenshtein distance: insertions, deletions, substitutions and swaps of
/// neighbours each count one.
func editDistance(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar]) -> Int {
  if first.isEmpty || second.isEmpty { return max(first.count, second.count) }
  var beforePrevious: [Int] = []
  var previous = Array(0...second.count)
  for row in 1...first.count {
    var current = [row]
    current.reserveCapacity(second.count + 1)
    for column in 1...second.count {
      let same = first[row - 1] == second[column - 1]
      var cost = min(
        previous[column] + 1, current[column - 1] + 1, previous[column - 1] + (same ? 0 : 1))
      let swapped =
        row > 1 && column > 1 && first[row - 1] == second[column - 2]
        && first[row - 2] == second[column - 1]
      if swapped { cost = min(cost, beforePrevious[column - 2] + 1) }
      current.append(cost)
    }
    beforePrevious = previous
    previous = current
  }
  return previous[second.count]
}
