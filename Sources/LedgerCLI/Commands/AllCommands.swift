/// The commands of `ledger`: those in this program, and those it has its helpers run.
package enum LocalCommands {
  package static var all: [any Command.Type] {
    [
      InitCommand.self,
      AppendCommand.self, AppendCorrectionCommand.self, AppendDeletionCommand.self,
      AppendProfileCommand.self, AppendPhysicalCommand.self, AppendPreferencesCommand.self,
      ImportFitbitCommand.self, ImportCSVCommand.self, ImportLegacyCommand.self,
      UndoCommand.self, EraseCommand.self,
      ResolveCommand.self, SettingsCommand.self, VersionCommand.self,
      CompletionsCommand.self, ManualCommand.self,
    ] + lookingCommands + [DoctorCommand.self]
  }

  /// What the helpers hold: exports of a gigabyte, and the network, which this program does not
  /// link.
  package static let elsewhere: [CommandSpec] = [
    CommandSpec(
      ImportAppleHealthCommand.spec.name, ImportAppleHealthCommand.spec.summary, group: .write,
      helper: "ledger-import"),
    network(
      "sync", "send to the backend what it has not heard, and take in what is new there", .sync),
    network("login", "sign in to a backend", .sync),
    network("register", "make an account at a backend and sign in", .sync),
    network("logout", "forget the tokens; nothing else is lost", .sync),
    network(
      "delete-account", "delete the account at the backend, and the ledger here", .sync),
    network("backend", "run the reference backend on this machine", .more),
    network("demo", "see the whole story in one command", .start),
  ]

  /// All of them, with what is known of the helpers' without asking these.
  package static var catalog: CommandCatalog { CommandCatalog(all.map { $0.spec } + elsewhere) }

  private static func network(_ name: String, _ summary: String, _ group: HelpGroup) -> CommandSpec
  {
    CommandSpec(name, summary, group: group, helper: "ledger-sync")
  }
}

/// The commands of `ledger-import`.
package enum ImportCommands {
  package static var all: [any Command.Type] { [ImportAppleHealthCommand.self] }
}
