import LedgerSyncCommands

await NetworkCommands.table.main()
