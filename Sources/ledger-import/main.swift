import LedgerCLI

CommandTable(ImportCommands.all).main()
