import LedgerPlatform

exit(Benchmarks.run(CommandLine.arguments.dropFirst()))
