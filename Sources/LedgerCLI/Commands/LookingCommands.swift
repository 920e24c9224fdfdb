/// The commands that look at a ledger and change nothing in it.
package var lookingCommands: [any Command.Type] {
  [
    LogCommand.self, ShowProfileCommand.self, ShowProgressCommand.self, ShowDaysCommand.self,
    ShowSyncCommand.self, StatusCommand.self, ExplainCommand.self, DiffCommand.self,
    BlameCommand.self, ConflictsCommand.self, ReplayCommand.self, VerifyCommand.self,
    CheckpointCommand.self, ReportCommand.self, ExportJSONLCommand.self, ExportCSVCommand.self,
  ]
}
