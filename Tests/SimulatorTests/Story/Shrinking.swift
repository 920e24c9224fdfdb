/// Leaves out whatever a failure does not need.
struct Shrinking {
  /// How a story fails; `nil` when it does not.
  var failure: (Story) -> Violation? = { story in
    do {
      try Simulation.play(story)
      return nil
    } catch {
      return error as? Violation
    }
  }

  /// The shortest story found that breaks the same promise.
  func shortest(_ story: Story, _ violation: Violation) -> (story: Story, violation: Violation) {
    var best = (story: story, violation: violation)
    var size = max(1, story.steps.count / 2)
    while true {
      var hasShrunk = false
      var start = 0
      while start < best.story.steps.count {
        let end = min(start + size, best.story.steps.count)
        if take(&best, { $0.steps.removeSubrange(start..<end) }) {
          hasShrunk = true
        } else {
          start += size
        }
      }
      if size > 1 { size /= 2 } else if !hasShrunk { break }
    }
    for index in best.story.steps.indices {
      take(&best) { $0.steps[index].diskFaults = nil }
      take(&best) { $0.steps[index].networkFaults = .fair }
    }
    while best.story.devices > 1, take(&best, { $0.devices -= 1 }) {}
    return best
  }

  /// - Returns: whether the changed story fails in the same way, and so is the best one now.
  @discardableResult
  private func take(
    _ best: inout (story: Story, violation: Violation), _ change: (inout Story) -> Void
  ) -> Bool {
    var story = best.story
    change(&story)
    guard let violation = failure(story), violation.promise == best.violation.promise else {
      return false
    }
    best = (story, violation)
    return true
  }
}
