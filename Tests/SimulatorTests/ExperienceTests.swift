import Testing

/// Stories that meet with nothing prove nothing.
@Suite struct ExperienceTests {
  /// What the first stories must have met with, all in all.
  static let expected = [
    "killed", "powerCut", "not kept", "cannot write", "cannot sync", "cannot read", "cannot open",
    "cannot look at", "cannot lock", "locked", "adopted", "quarantined", "head was missing",
    "acknowledged by response", "acknowledged by reconciled", "acknowledged by elided",
    "conflict.detected", "duplicate.suspected", "progress.pulled", "profile.pulled",
    "progress.corrected", "progress.deleted", "sync.attempted", "sync.deferred", "sync.rejected",
    "sync.held", "log.repaired",
  ]

  @Test func storiesMeetWithEverything() throws {
    var all = Experience()
    for seed in UInt64(1)...1200 {
      let story = Story(seed: seed)
      // What happens to a disk alone happens soon.
      if story.isOnline || seed <= 300 { all.add(try Simulation.play(story)) }
    }
    let missing = Self.expected.filter { all.counts[$0] == nil }
    #expect(missing == [], "\(all.counts.sorted { $0.key < $1.key })")
  }

  @Test func storiesOfSeveralDevicesMeetWithEverything() throws {
    var all = Experience()
    for seed in UInt64(1)...200 {
      all.add(try Simulation.play(Story.ofSeveralDevices(seed: seed)))
    }
    let expected = [
      "conflict.detected", "duplicate.suspected", "duplicate.resolved", "progress.pulled",
      "progress.corrected", "progress.deleted", "acknowledged by reconciled",
    ]
    #expect(expected.filter { all.counts[$0] == nil } == [], "\(all.counts)")
  }

  @Test("A seed tells the same story every time", arguments: Array(UInt64(1)...60))
  func repetition(_ seed: UInt64) throws {
    #expect(try Simulation.play(Story(seed: seed)) == Simulation.play(Story(seed: seed)))
  }
}
