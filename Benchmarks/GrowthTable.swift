import LedgerLog
import LedgerModel
import LedgerPlatform

/// `--growth`: what the commands of `ledger` cost as the log grows, as whole processes.
struct GrowthTable {
  /// One command and how its cost may grow.
  private struct Command {
    var words: [String]
    /// Whether it shows or changes a bounded part of the log, so that its cost must not grow.
    var isBounded: Bool
    /// Whether it takes long, or makes a short log much longer, and so runs once and last.
    var runsOnce = false
    /// The file that it reads as its standard input.
    var input: String?

    var name: String { words.joined(separator: " ") }
  }

  private struct Measurement {
    /// Processor time: unlike the wall clock it hardly depends on what else the machine does.
    var milliseconds: Double
    /// At least that of the process that measures.
    var peakBytes: Int
  }

  /// The ledger at one size, and the events that its commands name.
  private final class Ledger {
    let events: Int
    let path: String
    private var logged: [Seq] = []
    let lastDay: CalendarDate

    init(of events: Int, at path: String, seed: UInt64) throws {
      (self.events, self.path) = (events, path)
      // In a process of its own: the system counts this one's peak memory as that of each command.
      let maker = try ChildProcess(
        CommandLine.arguments[0], ["--grow", path, "--events", "\(events)", "--seed", "\(seed)"])
      guard maker.wait() == 0 else { throw Failure(description: "no log could be made") }
      let view = try LogView.open(LedgerDirectory(path))
      var day: CalendarDate?
      for line in try view.lastLines(min(events, 400)) {
        let event = try line.event()
        day = event.event.at.utc?.date ?? day
        if case .progressLogged = event.event.payload { logged.append(event.seq) }
      }
      lastDay = day ?? .first
    }

    /// An entry that was logged lately, another one each time.
    func nextEntry() -> Seq? { logged.popLast() }
  }

  let options: Options
  let folder: BenchmarkFolder
  /// The executable beside this one.
  let program: String
  /// The input of `append --stdin`.
  private let batch: String

  init(_ options: Options, in folder: BenchmarkFolder) throws {
    (self.options, self.folder) = (options, folder)
    batch = folder.path + "/batch.jsonl"
    let data = #"{"metric":"steps","quantity":7,"date":"2026-01-02"}"#
    let thousand = String(
      repeating: #"{"type":"progress.logged","data":\#(data)}"# + "\n", count: 1_000)
    let file = try OpenFile(batch, .create)
    for part in 0..<(options.isSmoke ? 1 : 100) {
      try file.write(Array(thousand.utf8), at: part * thousand.utf8.count)
    }
    let own = CommandLine.arguments[0]
    program = (own.lastIndex(of: "/").map { String(own[...$0]) } ?? "./") + "ledger"
  }

  private var sizes: [Int] {
    let all = options.isSmoke ? [1_000, 4_000] : [10_000, 100_000, 1_000_000, 10_000_000]
    return all.filter { $0 <= max(options.growthEvents, all[1]) }
  }

  /// Measures every command at every size. A size's commands run in turn, round after round.
  ///
  /// - Returns: the table, with the exponent of growth: 0 for a constant time, 1 for a linear one.
  /// - Throws: ``Failure`` if a command fails.
  func run() throws -> String {
    var columns: [[Measurement]] = []
    var names: [Command] = []
    for size in sizes {
      let ledger = try Ledger(of: size, at: "\(folder.path)/grown-\(size)", seed: options.seed)
      // Writes the snapshot that every later command finds.
      _ = try measure(Command(words: ["status"], isBounded: true), of: ledger)
      names = commands(of: ledger)
      var rounds = [[Measurement]](repeating: [], count: names.count)
      // What shows a bounded part first: an erasure moves the snapshot that it finds.
      for isBounded in [true, false] {
        for _ in 0..<options.growthRounds {
          for (index, command) in commands(of: ledger).enumerated()
          where command.isBounded == isBounded && !command.runsOnce {
            rounds[index].append(try measure(command, of: ledger))
          }
        }
      }
      for (index, command) in commands(of: ledger).enumerated() where command.runsOnce {
        rounds[index].append(try measure(command, of: ledger))
      }
      columns.append(rounds.map(Self.median))
      BenchmarkFolder.remove(ledger.path)
    }
    return table(names, columns)
  }

  private func commands(of ledger: Ledger) -> [Command] {
    let seq = ledger.nextEntry().map { "\($0)" } ?? "2"
    let first = ledger.lastDay.adding(days: -10)
    let bounded = [
      ["version"], ["status"], ["show", "profile"], ["show", "progress", "--limit", "20"],
      ["show", "progress", "--offset", "\(ledger.events / 3)"],
      ["show", "progress", "--notes", "river"],
      ["show", "progress", "--metric", "weight", "--from", "\(first.adding(days: -5000))"],
      ["show", "days", "--from", "\(first)"], ["show", "days", "-n", "7"], ["show", "sync"],
      ["log", "-n", "20"], ["log", "-n", "20000"], ["log", "--from", "\(ledger.lastDay)"],
      ["log", "--json", "--from", "\(ledger.lastDay)"],
      ["log", "--type", "progress.corrected", "-n", "20"],
      ["log", "--type", "ledger.created"], ["log", "--graph", "-n", "20"],
      ["explain", seq], ["append", "weight", "75kg"], ["undo"],
      ["diff", "\(ledger.events)", "now"],
    ]
    let whole = [
      ["diff", "\(ledger.events - 10)", "\(ledger.events)"],
      ["show", "progress", "--notes", "river", "--json"], ["replay"], ["verify"],
      ["doctor", "--strict"],
      ["export", "csv", "-o", folder.path + "/out.csv"],
      ["erase", seq, "--reason", "growth", "--yes"], ["status"],
    ]
    return bounded.map { Command(words: $0, isBounded: true) }
      + whole.map { Command(words: $0, isBounded: false) }
      + [
        Command(words: ["sync", "--dry-run"], isBounded: false, runsOnce: true),
        Command(words: ["append", "--stdin"], isBounded: true, runsOnce: true, input: batch),
      ]
  }

  private func measure(_ command: Command, of ledger: Ledger) throws -> Measurement {
    var usage = rusage()
    let child: ChildProcess
    let words = command.words
    let file = command.input.map { open($0, O_RDONLY | O_CLOEXEC) }
    defer { _ = file.map { close($0) } }
    do throws(SystemError) {
      child = try ChildProcess(
        program, words + (words == ["version"] ? [] : ["--ledger", ledger.path]),
        input: file.map { .descriptor($0) } ?? .null, output: .null, error: .null)
    } catch {
      throw Failure(description: "\(program) cannot be run; build the product 'ledger' first")
    }
    let status = child.wait(&usage)
    // `doctor` and `undo` report findings and refusals by their status.
    guard status == 0 || words[0] == "doctor" || words[0] == "erase" else {
      throw Failure(description: "'ledger \(words.joined(separator: " "))' ended with \(status)")
    }
    #if canImport(Darwin)
      let peakBytes = usage.ru_maxrss
    #else
      let peakBytes = usage.ru_maxrss << 10
    #endif
    return Measurement(
      milliseconds: Self.milliseconds(usage.ru_utime) + Self.milliseconds(usage.ru_stime),
      peakBytes: peakBytes)
  }

  private static func milliseconds(_ time: timeval) -> Double {
    Double(time.tv_sec) * 1000 + Double(time.tv_usec) / 1000
  }

  private static func median(_ rounds: [Measurement]) -> Measurement {
    let times = rounds.map(\.milliseconds).sorted()
    return Measurement(
      milliseconds: times[times.count / 2], peakBytes: rounds.map(\.peakBytes).max() ?? 0)
  }

  /// The smallest size with a snapshot: without one, a look folds the log, which would hide growth.
  private var base: Int { min(1, sizes.count - 2) }

  /// The slope of the logarithm of the time over that of the size, from ``base`` to the last size.
  private func exponent(_ times: [Double]) -> Double {
    guard sizes.count > 1, let last = times.last, let most = sizes.last else { return 0 }
    return log2(last / times[base]) / log2(Double(most) / Double(sizes[base]))
  }

  private func table(_ names: [Command], _ columns: [[Measurement]]) -> String {
    var rows = [["command"] + sizes.map { "\($0)" } + ["MB", "exponent", ""]]
    for (index, command) in names.enumerated() {
      let times = columns.map { $0[index].milliseconds }
      let slope = exponent(times)
      rows.append(
        [command.name.prefix(while: { $0 != "/" }).description] + times.map { fixed($0, 1) }
          + ["\(columns[columns.count - 1][index].peakBytes >> 20)", fixed(slope, 2)]
          + [command.isBounded && slope >= 0.1 ? "grows" : ""])
    }
    let heading =
      "Processor time in ms by the log's events, medians of \(options.growthRounds) rounds; peak memory "
      + "of the last\n"
    return ([heading] + Report.align(rows, leading: [0])).joined(separator: "\n")
  }

  private func fixed(_ value: Double, _ digits: Int) -> String {
    let scale = digits == 1 ? 10.0 : 100
    let scaled = Int((value.magnitude * scale).rounded())
    let fraction = "\(scaled % Int(scale))"
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return (value < 0 && scaled > 0 ? "-" : "") + "\(scaled / Int(scale)).\(zeros)\(fraction)"
  }
}
