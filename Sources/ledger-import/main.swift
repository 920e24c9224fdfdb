import LedgerCommands

CommandTable(ImportCommands.all).main()
