import LedgerTestSupport
import Testing

/// Stories in which people want things to be forgotten: of seeds of their own, so that all other
/// stories stay as they are.
@Suite struct EraseStoryTests {
  private static let chunk = 60
  private static let end = SimulatorTests.first + max(1, SimulatorTests.seeds / 4)
  private static let starts = Array(stride(from: SimulatorTests.first, to: end, by: chunk))

  /// A story with confidences and second thoughts put in between.
  static func story(_ seed: UInt64) -> Story {
    var story = Story(seed: seed)
    var generator = SplitMix(seed ^ 0xE4A5E)
    for _ in 0..<generator.within(2...6) {
      var step = Step(
        act: generator.chance(1, of: 2) ? .confide : .erase, device: generator.below(story.devices),
        seed: generator.next())
      if generator.chance(1, of: 2) { step.diskFaults = .any(using: &generator) }
      story.steps.insert(step, at: generator.within(0...story.steps.count))
    }
    // A name can be forgotten once the backend has a later one.
    let device = generator.below(story.devices)
    let acts: [Step.Act] = [
      .confide, .sync(together: false), .confide, .sync(together: false), .erase, .erase,
    ]
    let place = generator.within(0...story.steps.count)
    story.steps.insert(
      contentsOf: acts.map { Step(act: $0, device: device, seed: generator.next()) }, at: place)
    return story
  }

  @Test("No story with erasures breaks a promise", arguments: starts)
  func stories(_ start: Int) throws {
    var experience = Experience()
    for seed in start..<min(start + Self.chunk, Self.end) {
      let story = Self.story(UInt64(seed))
      do {
        experience.add(try Simulation.play(story))
      } catch let violation as Violation {
        let report = FailureReport.text(story, violation)
        Issue.record("a story with erasures, so with --filter EraseStoryTests: \(report)")
        return
      }
    }
    // Stories in which nothing is ever erased would show nothing.
    guard start + Self.chunk <= Self.end else { return }
    #expect(experience.counts["erased", default: 0] > 0)
  }
}
