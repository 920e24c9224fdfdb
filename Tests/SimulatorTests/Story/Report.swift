/// What a person is told of a seed that fails.
enum Report {
  static func text(seed: UInt64, _ error: any Error) -> String {
    let shortest = Shrinking.shortest(Story(seed: seed), error)
    var lines = ["seed \(seed): \(shortest.error)"]
    lines += shortest.story.steps.enumerated().map { "  \($0 + 1). \($1)" }
    lines.append(
      "to repeat it: LEDGER_SIMULATOR_FIRST=\(seed) LEDGER_SIMULATOR_SEEDS=1 "
        + "swift test --filter SimulatorTests")
    return lines.joined(separator: "\n")
  }
}

/// Leaves out whatever a failure does not need.
enum Shrinking {
  static func shortest(_ story: Story, _ error: any Error) -> (story: Story, error: any Error) {
    var (story, error) = (story, error)
    var size = max(1, story.steps.count / 2)
    while true {
      var hasShrunk = false
      var start = 0
      while start < story.steps.count {
        var shorter = story
        shorter.steps.removeSubrange(start..<min(start + size, story.steps.count))
        if let failure = failure(of: shorter), isSame(failure, error) {
          (story, error, hasShrunk) = (shorter, failure, true)
        } else {
          start += size
        }
      }
      if size > 1 { size /= 2 } else if !hasShrunk { break }
    }
    return calmer(story, error)
  }

  /// Takes away the trouble and the weather that a failure does not need.
  private static func calmer(_ story: Story, _ error: any Error) -> (Story, any Error) {
    var (story, error) = (story, error)
    for index in story.steps.indices {
      for calm in [{ (step: inout Step) in step.trouble = nil }, { $0.weather = .fair }] {
        var calmer = story
        calm(&calmer.steps[index])
        if let failure = failure(of: calmer), isSame(failure, error) {
          (story, error) = (calmer, failure)
        }
      }
    }
    return (story, error)
  }

  private static func failure(of story: Story) -> (any Error)? {
    do {
      try Simulation.play(story)
      return nil
    } catch {
      return error
    }
  }

  private static func isSame(_ left: any Error, _ right: any Error) -> Bool {
    (left as? Violation)?.promise == (right as? Violation)?.promise
  }
}
