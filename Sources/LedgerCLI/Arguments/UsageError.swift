/// What can be wrong with a command line, as data; `UsageWording` has the words.
///
/// Options are named as a person types them, with their dashes.
package enum UsageError: Error, Equatable, Sendable {
  case unknownOption(String, suggestions: [String])
  /// `found` is the word that stood where the value should.
  case missingValue(option: String, placeholder: String, found: String?)
  case unexpectedValue(option: String, value: String)
  case repeatedOption(String)
  /// `option` may also be the name of a positional argument.
  case badValue(option: String, value: String, why: BadValue)
  case missingArgument(String)
  case extraArgument(String)
  /// Options or arguments that exclude one another.
  case conflict(String, String)
  case missingCommand
  case missingSubcommand(of: String, choices: [String])
  case unknownCommand(String, suggestions: [String])
}

/// Why a value is refused.
package enum BadValue: Equatable, Sendable {
  case notInteger(ClosedRange<Int>)
  case notAllowed([String], suggestions: [String])
  /// Completes the sentence «--date takes …», such as `a day like 2025-01-31`.
  case expected(String)
  /// There are too many right ones to list, and these are near.
  case meant([String])
}
