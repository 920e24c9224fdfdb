import Testing

/// Stories in which entries look alike and the network has one thing in mind: of seeds of their own,
/// so that all other stories stay as they are.
@Suite struct CloseQuartersTests {
  private static let chunk = 125
  private static let end = SimulatorTests.first + max(1, SimulatorTests.seeds / 16)
  private static let starts = Array(stride(from: SimulatorTests.first, to: end, by: chunk))

  @Test("No story at close quarters breaks a promise", arguments: starts)
  func stories(_ start: Int) {
    for seed in start..<min(start + Self.chunk, Self.end) {
      let story = Story.atCloseQuarters(seed: UInt64(seed))
      do {
        try Simulation.play(story)
      } catch let violation as Violation {
        let report = FailureReport.text(story, violation)
        Issue.record("a story at close quarters, so with --filter CloseQuartersTests: \(report)")
        return
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
  }
}
