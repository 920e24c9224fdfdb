import LedgerTestSupport
import Testing

/// Stories of two to five devices that share an account: of seeds of their own, so that all other
/// stories stay as they are.
@Suite struct SeveralDevicesTests {
  private static let chunk = 10

  /// The first seeds of each chunk.
  private static func starts(_ count: Int) -> [Int] {
    Array(stride(from: SimulatorTests.first, to: end(count), by: chunk))
  }

  /// - Parameter count: how many stories are played unless a number is asked for.
  private static func end(_ count: Int) -> Int {
    SimulatorTests.first + (SimulatorTests.asked ?? count)
  }

  private static let most = TestSize.of(15, full: 250)
  private static let few = TestSize.of(5, full: 250)

  @Test("No story of several devices breaks a promise", arguments: starts(most))
  func stories(_ start: Int) {
    play(start, Self.most, "stories") { Story.ofSeveralDevices(seed: $0) }
  }

  @Test("No story of people who are asked about conflicts breaks a promise", arguments: starts(few))
  func conflicts(_ start: Int) {
    play(start, Self.few, "conflicts") { Story.ofConflicts(seed: $0) }
  }

  @Test("No story of a backend that loses rows breaks a promise", arguments: starts(few))
  func lostRows(_ start: Int) {
    play(start, Self.few, "lostRows") { Story.ofLostRows(seed: $0) }
  }

  @Test("No story of devices that import the same file breaks a promise", arguments: starts(few))
  func imports(_ start: Int) {
    play(start, Self.few, "imports") { Story.ofImports(seed: $0) }
  }

  @Test("No story of an account created again breaks a promise", arguments: starts(few))
  func newAccounts(_ start: Int) {
    play(start, Self.few, "newAccounts") { Story.ofNewAccounts(seed: $0) }
  }

  private func play(_ start: Int, _ count: Int, _ test: String, _ story: (UInt64) -> Story) {
    for seed in start..<min(start + Self.chunk, Self.end(count)) {
      let story = story(UInt64(seed))
      do {
        try Simulation.play(story)
      } catch let violation as Violation {
        let report = FailureReport.text(story, violation, test: "SeveralDevicesTests.\(test)")
        Issue.record(Comment(rawValue: report))
        return
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
  }
}
