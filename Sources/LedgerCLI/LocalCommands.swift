package enum LocalCommands {
  /// Those that this program runs.
  package static var all: [any Command.Type] {
    [
      InitCommand.self,
      AppendCommand.self, AppendSleepCommand.self, AppendGoalCommand.self,
      AppendCorrectionCommand.self, AppendDeletionCommand.self,
      AppendProfileCommand.self, AppendPhysicalCommand.self, AppendPreferencesCommand.self,
      ImportFitbitCommand.self, ImportFitbitResearchCommand.self, ImportCSVCommand.self,
      ImportLegacyCommand.self,
      ImportAppleHealthCommand.self, ImportJSONLCommand.self, ImportCommand.self,
      UndoCommand.self, RedoCommand.self, EraseCommand.self,
      ResolveCommand.self, SettingsCommand.self, VersionCommand.self,
      CompletionsCommand.self, ManualCommand.self,
      LogCommand.self, ShowProfileCommand.self, ShowProgressCommand.self, ShowDaysCommand.self,
      ShowSleepCommand.self, ShowTrendsCommand.self,
      ShowSyncCommand.self, StatusCommand.self, ExplainCommand.self, DiffCommand.self,
      BlameCommand.self, ConflictsCommand.self, ReplayCommand.self, VerifyCommand.self,
      CheckpointCommand.self, ReportCommand.self, ExportJSONLCommand.self, ExportCSVCommand.self,
      DoctorCommand.self,
    ]
  }

  /// Those that `ledger-sync` runs: `ledger` does not link networking.
  package static var forwarded: [CommandSpec] {
    NetworkCommandSpecs.all.map { $0.forwarded(to: "ledger-sync") }
  }

  package static var table: CommandTable {
    CommandTable(all, also: forwarded, alone: StartCommand.self)
  }

  package static var catalog: CommandCatalog { CommandCatalog(all.map { $0.spec } + forwarded) }
}
