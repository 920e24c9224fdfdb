import LedgerTestSupport

extension Story {
  /// What makes a call's answer worthless, or its end unknown: what is hardest to keep apart.
  private static let spite: [[CallFault]] = [
    [.portal], [.garbage, .noID], [.lostBefore], [.lostAfter], [.late], [.serverErrorAfter],
    [.serverErrorBefore, .portal], [.lostBefore, .lostAfter, .late],
  ]

  /// A story at close quarters: a backend takes part, entries look alike, deletions are many, runs plan
  /// a few entries at a time, and the network has one thing in mind.
  static func atCloseQuarters(seed: UInt64) -> Story {
    var story = Story(seed: seed, isOnline: true)
    var generator = SplitMix(seed ^ 0xC105E)
    story.variety = generator.within(1...2)
    story.entriesAtATime = generator.within(1...4)
    for index in story.steps.indices where story.steps[index].act.isSync {
      if generator.chance(1, of: 2) { story.steps[index].diskFaults = nil }
      story.steps[index].networkFaults = NetworkFaults(
        percent: generator.pick([25, 50, 100]), callFaults: generator.pick(spite))
    }
    story.takeBack(using: &generator)
    if generator.chance(1, of: 2) { story.loseSight(using: &generator) }
    return story
  }

  /// What has arrived is deleted again, and that meets with the network.
  private mutating func takeBack(using generator: inout SplitMix) {
    let spiteful = NetworkFaults(
      percent: generator.pick([50, 100]), callFaults: generator.pick(Self.spite))
    let acts: [(Step.Act, NetworkFaults)] = [
      (.edit, .fair), (.edit, .fair), (.sync(together: false), .fair), (.withdraw, .fair),
      (.sync(together: false), spiteful),
    ]
    add(acts, using: &generator)
  }

  /// Answers are lost, more that looks the same is logged, and then nobody can be asked what became of
  /// the first.
  private mutating func loseSight(using generator: inout SplitMix) {
    let lossy = NetworkFaults(
      percent: 100, callFaults: generator.pick([[.lostBefore], [.lostAfter], [.late]]))
    let mute = NetworkFaults(percent: 0, callFaults: [.serverErrorBefore], asksPercent: 60)
    let acts: [(Step.Act, NetworkFaults)] = [
      (.edit, .fair), (.sync(together: false), lossy), (.edit, .fair), (.edit, .fair),
      (.sync(together: false), mute),
    ]
    add(acts, using: &generator)
  }

  private mutating func add(
    _ acts: [(act: Step.Act, networkFaults: NetworkFaults)], using generator: inout SplitMix
  ) {
    let device = generator.below(devices)
    steps += acts.map { act, networkFaults in
      Step(act: act, device: device, seed: generator.next(), networkFaults: networkFaults)
    }
  }
}

extension Step.Act {
  fileprivate var isSync: Bool { if case .sync = self { true } else { false } }
}
