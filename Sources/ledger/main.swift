import LedgerCLI

CommandTable(LocalCommands.all, also: LocalCommands.elsewhere, alone: StartCommand.self).main()
