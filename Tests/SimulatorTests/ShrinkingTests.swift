import LedgerTestSupport
import Testing

/// What a person gets to see of a failure is as short as it can be.
@Suite struct ShrinkingTests {
  private static func story() -> Story {
    var story = Story(seed: 1)
    story.steps = (0..<40).map { index in
      Step(
        act: index == 7 ? .restart : index == 31 ? .powerCut : .edit, device: 0,
        seed: UInt64(index), diskFaults: DiskFaults(kind: .kill, after: 1, times: 1),
        networkFaults: NetworkFaults(percent: 100, callFaults: [.late]))
    }
    return story
  }

  @Test("Shrinking keeps only the steps that the failure needs")
  func onlyWhatIsNeededIsLeft() {
    let shrinking = Shrinking { story in
      let restart = story.steps.firstIndex { $0.act == .restart && $0.diskFaults != nil }
      let cut = story.steps.firstIndex { $0.act == .powerCut }
      guard let restart, let cut, restart < cut else { return nil }
      return Violation(.rest, "")
    }
    let short = shrinking.shortest(Self.story(), Violation(.rest, "")).story
    #expect(short.steps.map(\.seed) == [7, 31])
    #expect(short.steps.map { $0.diskFaults == nil } == [false, true])
    #expect(short.steps.allSatisfy { $0.networkFaults == .fair } && short.devices == 1)
  }

  @Test("Shrinking keeps the kind of failure")
  func anotherFailureIsNotTheSame() {
    let shrinking = Shrinking { story in
      Violation(story.steps.count == 40 ? .rest : .oneRow, "")
    }
    #expect(shrinking.shortest(Self.story(), Violation(.rest, "")).story.steps.count == 40)
  }
}
