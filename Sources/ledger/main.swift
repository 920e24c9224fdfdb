import LedgerCommands

CommandTable(LocalCommands.all, also: LocalCommands.elsewhere).main()
