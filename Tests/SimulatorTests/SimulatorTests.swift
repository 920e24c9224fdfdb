import LedgerPlatform
import LedgerTestSupport
import Testing

/// Many stories, each from a seed. `LEDGER_SIMULATOR_SEEDS` says how many, and
/// `LEDGER_SIMULATOR_FIRST` where to begin (docs/reliability.md).
@Suite struct SimulatorTests {
  static let seeds = asked ?? TestSize.of(100, full: 2_000)
  /// How many seeds were asked for.
  static let asked = number("LEDGER_SIMULATOR_SEEDS")
  static let first = number("LEDGER_SIMULATOR_FIRST") ?? 1
  private static let chunk = 50
  private static let starts = Array(stride(from: first, to: first + seeds, by: chunk))

  /// As ``TestSize``, and all where stories are asked for.
  static func size<Size>(_ short: Size, full: Size) -> Size {
    asked == nil ? TestSize.of(short, full: full) : full
  }

  private static func number(_ name: String) -> Int? {
    getenv(name).flatMap { Int(String(cString: $0)) }
  }

  @Test("No story breaks a promise", arguments: starts)
  func stories(_ start: Int) {
    for seed in start..<min(start + Self.chunk, Self.first + Self.seeds) {
      let story = Story(seed: UInt64(seed))
      do {
        try Simulation.play(story)
      } catch let violation as Violation {
        Issue.record(Comment(rawValue: FailureReport.text(story, violation)))
        return
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
  }
}
