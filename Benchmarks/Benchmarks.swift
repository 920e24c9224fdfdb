import LedgerLog
import LedgerPlatform
import LedgerProjections

/// The program: 0 when every case gave the right answer, 1 when one did not or the disk failed, 2
/// when it was called wrongly, 3 when something got slower than the baseline.
enum Benchmarks {
  static func run(_ arguments: some Sequence<String>) -> Int32 {
    let options: Options
    do throws(UsageProblem) {
      options = try Options(arguments)
    } catch {
      return complain(error.sentence, exitCode: 2)
    }
    if options.wantsHelp {
      print(Options.help)
      return 0
    }
    if let path = options.grownPath { return grow(to: options, at: path) }
    #if DEBUG
      guard options.isSmoke else {
        return complain(
          "this build is not optimised, so its times mean nothing; use swift build -c release, "
            + "or --smoke to see only that every case works",
          exitCode: 2)
      }
    #endif
    do {
      if options.isOfGrowth {
        let folder = try BenchmarkFolder()
        defer { folder.remove() }
        print(try GrowthTable(options, in: folder).run())
        return 0
      }
      // Read first: a wrong path is told before minutes of measuring.
      let baseline = try options.baseline.map { try Baseline(path: $0) }
      let report = try measure(options)
      let comparison = try baseline.map { try Comparison(report, to: $0) }
      print(options.asJSON ? report.json(comparison) : report.table)
      guard let comparison else { return 0 }
      if !options.asJSON { print("\n" + comparison.table) }
      return comparison.isSlower ? 3 : 0
    } catch {
      return complain("\(error)", exitCode: 1)
    }
  }

  private static func grow(to options: Options, at path: String) -> Int32 {
    do {
      try SampleLedger(at: path, seed: options.seed).grow(to: options.events)
      return 0
    } catch {
      return complain("\(error)", exitCode: 1)
    }
  }

  private static func measure(_ options: Options) throws -> Report {
    let folder = try BenchmarkFolder()
    defer { folder.remove() }
    let ledger = try SampleLedger(at: folder.path + "/ledger", seed: options.seed)
    // The snapshot is of all but the last events.
    try ledger.grow(to: options.events - Case.tail(of: options.events))
    let before = try LogView.open(ledger.directory)
    try FoldedLog(before).keepSnapshot()
    try ledger.grow(to: options.events)
    let all =
      try Case.replays(ledger) + Case.views(ledger) + Case.plans(ledger)
      + Case.snapshots(ledger, before)
      + Case.logs(ledger, in: folder) + [Case.report(ledger)]
      + Case.growth(options, in: folder) + Case.idleSyncs(options, in: folder)
    let cases = all.filter { options.names.isEmpty || options.names.contains($0.name) }
    let times = try Rounds.run(cases, rounds: options.rounds)
    return Report(
      options: options, bytes: ledger.head.offsetBytes, hash: "\(ledger.head.hash)",
      results: zip(cases, times).map { CaseResult(of: $0, times: $1) })
  }

  private static func complain(_ sentence: String, exitCode: Int32) -> Int32 {
    let line = Array("LedgerBenchmarks: \(sentence)\n".utf8)
    // Nothing is left to say it with should this fail.
    _ = write(STDERR_FILENO, line, line.count)
    return exitCode
  }
}
