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
    for seed in start..<min(start + Self.chunk, Self.end) {
      let story = Story.ofSeveralDevices(seed: UInt64(seed))
      do {
        try Simulation.play(story)
      } catch let violation as Violation {
        let report = FailureReport.text(story, violation, suite: "SeveralDevicesTests")
        Issue.record(Comment(rawValue: report))
        return
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
  }
}
