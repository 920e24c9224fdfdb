import LedgerModel
import LedgerTestSupport

extension Story {
  /// What may happen to a call in stories of several devices: answers are lost, calls arrive late or
  /// twice, or not at all.
  private static let faults: [[CallFault]] = [
    [.lostAfter], [.late], [.lostBefore, .lostAfter, .late], [.serverErrorAfter, .garbage],
    [.notSent], [.lostAfter, .notSent, .rateLimited], [.serverErrorBefore], [.twice],
    [.twice, .late],
  ]

  /// A story of two to five devices that log, correct, delete and sync entries of one account, with
  /// lost answers, late deliveries and runs that interleave. In some stories entries look alike, in
  /// others each has values of its own.
  static func ofSeveralDevices(seed: UInt64) -> Story {
    var story = Story(seed: seed, isOnline: true)
    var generator = SplitMix(seed ^ 0xDE71CE5)
    story.devices = generator.pick([2, 2, 2, 3, 3, 4, 5])
    story.skews = (0..<story.devices).map { _ in
      generator.pick([0, 0, 0, 90_000, -90_000, 86_400_000, -86_400_000])
    }
    story.variety = generator.pick([2, 3, 10, 1_000, 1_000])
    story.liveEntries = generator.pick([1, 1, 2, 3, 5])
    story.timedPercent = generator.pick([0, 50, 100, 100])
    story.zoneMinutes = generator.pick([0, 120, -570])
    story.entriesAtATime = generator.pick([1, 1_000])
    let hasDiskFaults = generator.chance(1, of: 6)
    let isFair = generator.chance(1, of: 3)
    let faults = generator.pick(Self.faults)
    story.steps = []
    // An entry that every device knows.
    story.add(.change, device: 0, using: &generator)
    for device in 0..<story.devices {
      story.add(.sync(together: false), device: device, using: &generator)
    }
    for _ in 0..<generator.within(4...18) {
      var step = Step(
        act: story.actOfSeveral(using: &generator), device: generator.below(story.devices),
        seed: generator.next())
      if case .sync = step.act, !isFair {
        step.networkFaults = NetworkFaults(
          percent: generator.pick([0, 10, 30, 100]), callFaults: faults,
          asksPercent: generator.pick([0, 0, 10]))
      }
      if hasDiskFaults, generator.chance(1, of: 4) { step.diskFaults = .any(using: &generator) }
      story.steps.append(step)
    }
    return story
  }

  /// A story of several devices whose backend loses rows, or has deleted ones again, as after a restored
  /// backup; people send again what it lacks, or accept the deletions.
  static func ofLostRows(seed: UInt64) -> Story {
    var story = ofSeveralDevices(seed: seed)
    var generator = SplitMix(seed ^ 0x1057)
    story.onLostRows = generator.pick([.resend, .resend, .acceptDeletions])
    for _ in 0...generator.below(3) {
      let backup = generator.below(story.steps.count + 1)
      let acts: [Step.Act] =
        generator.chance(1, of: 4) ? [.restoreBackup] : [.backUp, .restoreBackup]
      var place = backup
      for act in acts {
        story.insert(act, at: place, using: &generator)
        place = generator.within(place + 1...story.steps.count)
      }
      guard generator.chance(2, of: 3) else { continue }
      story.insert(.resend(together: generator.chance(1, of: 4)), at: place, using: &generator)
    }
    return story
  }

  /// A story of several devices whose account is deleted and registered again, or loses its profile;
  /// people send all again, or accept the deletions. They change the profile, and some erase entries.
  static func ofNewAccounts(seed: UInt64) -> Story {
    var story = ofSeveralDevices(seed: seed)
    var generator = SplitMix(seed ^ 0xACC0)
    story.signsIn = true
    story.onLostRows = generator.pick([.resend, .resend, .acceptDeletions])
    let erases = generator.chance(1, of: 3)
    for _ in 0...generator.below(2) {
      let place = generator.within(1...story.steps.count)
      if generator.chance(1, of: 2) {
        story.insert(.resend(together: generator.chance(1, of: 4)), at: place, using: &generator)
      }
      story.insert(
        generator.chance(1, of: 4) ? .loseProfile : .loseAccount, at: place, using: &generator)
    }
    for _ in 0..<(erases ? generator.within(1...4) : 0) {
      story.insert(.erase, at: generator.within(1...story.steps.count), using: &generator)
    }
    for _ in 0..<generator.below(6) {
      story.insert(
        .changeProfile, at: generator.within(1...story.steps.count), using: &generator)
    }
    for _ in 0..<generator.below(3) {
      story.insert(
        .decideSuspicion, at: generator.within(1...story.steps.count), using: &generator)
    }
    // In every fourth story they are asked about conflicts.
    guard seed % 4 == 1 else { return story }
    story.conflicts = .open
    for _ in 0..<generator.below(3) {
      story.insert(
        .decideConflict, at: generator.within(1...story.steps.count), using: &generator)
    }
    return story
  }

  /// A story of several devices that import the same file, one or two of them before they sync at all.
  static func ofImports(seed: UInt64) -> Story {
    var story = ofSeveralDevices(seed: seed)
    var generator = SplitMix(seed ^ 0x1F11E)
    let file = generator.next()
    for device in 0..<story.devices where device < 2 || generator.chance(1, of: 2) {
      let place = generator.below(2) == 0 ? 0 : generator.below(story.steps.count)
      let acts: [Step.Act] =
        [.importFile(seed: file)] + (generator.chance(1, of: 2) ? [.change] : [])
      for act in acts.reversed() {
        story.steps.insert(Step(act: act, device: device, seed: generator.next()), at: place)
      }
    }
    return story
  }

  /// A story of several devices whose people are asked about every conflict.
  static func ofConflicts(seed: UInt64) -> Story {
    var story = ofSeveralDevices(seed: seed)
    story.conflicts = .open
    var generator = SplitMix(seed ^ 0xA5C)
    for _ in 0...generator.below(5) {
      let place = generator.within(3...story.steps.count)
      story.insert(.decideConflict, at: place, using: &generator)
      if generator.chance(1, of: 3) {
        story.insert(.sync(together: generator.chance(1, of: 4)), at: place, using: &generator)
      }
    }
    return story
  }

  private mutating func insert(_ act: Step.Act, at place: Int, using generator: inout SplitMix) {
    let step = Step(act: act, device: generator.below(devices), seed: generator.next())
    steps.insert(step, at: min(place, steps.count))
  }

  private mutating func add(_ act: Step.Act, device: Int, using generator: inout SplitMix) {
    steps.append(Step(act: act, device: device, seed: generator.next()))
  }

  private func actOfSeveral(using generator: inout SplitMix) -> Step.Act {
    switch generator.below(40) {
    case 0...19: .change
    case 20...29: .sync(together: false)
    case 30...34: .sync(together: true)
    case 35: .decideSuspicion
    case 36: .restart
    case 37: .compareFolds
    case 38: .jump(milliseconds: generator.pick([-86_400_000, 3_600_000, 86_400_000, -5_000]))
    default: .pass(milliseconds: Int64(generator.within(0...200_000)))
    }
  }
}
