import LedgerLog
import LedgerModel
import LedgerProjections

extension Case {
  /// How long the logs of the growth cases are; a smoke run takes a hundredth of each.
  static let growthSizes = [10_000, 100_000, 1_000_000, 10_000_000]

  static func growthName(_ size: Int) -> String {
    "growth-" + (size < 1_000_000 ? "\(size / 1000)k" : "\(size / 1_000_000)M")
  }

  /// One verified replay of ever longer stretches of one log: the time of an event should stay what
  /// it is. The longest is for those who ask for so many events, since its log takes 4 GB.
  static func growth(_ options: Options, in folder: BenchmarkFolder) -> [Case] {
    let asked = growthSizes.filter { size in
      options.names.isEmpty
        ? size <= max(1_000_000, options.events) : options.names.contains(growthName(size))
    }
    let sizes = asked.map { options.isSmoke ? $0 / 100 : $0 }
    let log = GrowingLog(folder.path + "/growth", longest: sizes.max() ?? 0, seed: options.seed)
    return sizes.map { size in
      let name = growthName(options.isSmoke ? size * 100 : size)
      return Case(
        name, about: "replay of \(size) events, verified, 1 thread", events: size,
        prepare: { try log.view() },
        run: { view in try Replay.run(view, .init(threads: 1, until: Seq(size))) },
        check: { _, outcome in
          if let damage = outcome.damage { throw Failure(description: "\(name): \(damage)") }
          try expect("the last seq", outcome.state.position.seq, toBe: size, in: name)
        })
    }
  }
}

/// A log that is written when it is first read: most runs ask for other cases.
private final class GrowingLog {
  private let path: String
  private let longest: Int
  private let seed: UInt64
  private var opened: LogView?

  init(_ path: String, longest: Int, seed: UInt64) {
    self.path = path
    self.longest = longest
    self.seed = seed
  }

  func view() throws -> LogView {
    if let opened { return opened }
    let ledger = try SampleLedger(at: path, seed: seed)
    try ledger.grow(to: longest)
    let view = try LogView.open(ledger.directory)
    opened = view
    return view
  }
}
