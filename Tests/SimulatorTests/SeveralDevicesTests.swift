import LedgerTestSupport
import Testing

/// Stories of two to five devices that share an account: of seeds of their own, so that all other
/// stories stay as they are.
@Suite struct SeveralDevicesTests {
  private static let chunk = 40
  private static let end =
    SimulatorTests.first + (SimulatorTests.asked ?? TestSize.of(30, full: 250))
  private static let starts = Array(stride(from: SimulatorTests.first, to: end, by: chunk))

  @Test("No story of several devices breaks a promise", arguments: starts)
  func stories(_ start: Int) {
    play(start, "stories") { Story.ofSeveralDevices(seed: $0) }
  }

  @Test("No story of people who are asked about conflicts breaks a promise", arguments: starts)
  func conflicts(_ start: Int) {
    play(start, "conflicts") { Story.ofConflicts(seed: $0) }
  }

  @Test("No story of a backend that loses rows breaks a promise", arguments: starts)
  func lostRows(_ start: Int) {
    play(start, "lostRows") { Story.ofLostRows(seed: $0) }
  }

  private func play(_ start: Int, _ test: String, _ story: (UInt64) -> Story) {
    for seed in start..<min(start + Self.chunk, Self.end) {
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
