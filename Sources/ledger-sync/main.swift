import LedgerNetworkCLI

await NetworkCommands.table.main()
