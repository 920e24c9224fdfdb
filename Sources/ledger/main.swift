import LedgerCLI

LocalCommands.table.main()
