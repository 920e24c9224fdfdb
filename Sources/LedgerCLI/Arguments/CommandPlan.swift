/// What a command line asks for, decided before anything is done.
package enum CommandPlan {
  case run(CommandSpec, ParsedArguments)
  case help(HelpTopic)
  /// The command's code is in another program, which reads the same words again.
  case forward(to: String, [String])
  case refuse(UsageFailure)
}

package enum HelpTopic: Equatable, Sendable {
  case overview
  /// How to begin, where there is no ledger yet.
  case beginning
  case command(CommandSpec)
  /// Words that only lead to commands, such as `import`.
  case group(String)
}
