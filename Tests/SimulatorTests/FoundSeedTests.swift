import Testing

/// Seeds that once broke a promise, played again: by default a fourth of them, and all where
/// stories are asked for (docs/reliability.md). Where stories have changed their shape since,
/// `FoundDefectTests` tells by hand what was found.
@Suite struct FoundSeedTests {
  struct Found: CustomTestStringConvertible, Sendable {
    var seed: UInt64
    var what: String
    var testDescription: String { "\(seed): \(what)" }
  }

  /// Those that are played: the first, and every fourth after it by default.
  private static func played(_ all: [Found]) -> [Found] {
    stride(from: 0, to: all.count, by: SimulatorTests.size(4, full: 1)).map { all[$0] }
  }

  static let ofOneDevice = [
    Found(seed: 207_158, what: "a log without a head, and a power cut in the append that follows"),
    Found(seed: 767_692, what: "a log without a head, and a power cut in the append that follows"),
    Found(seed: 436_120, what: "a cut that was not synced, and a power cut in the append over it"),
    Found(seed: 988_664, what: "a cut that was not synced, and a power cut in the append over it"),
  ]

  static let ofSeveralDevices = [
    Found(seed: 14_751, what: "a lost answer, and a row without a time that looks like midnight"),
    Found(seed: 15_808, what: "a late call with a correction that was sent again with another"),
    Found(
      seed: 24_800,
      what: "a lost call, and another device's row without a time that looks like midnight"),
    Found(seed: 43_786, what: "a lost answer, and a row without a time that looks like midnight"),
    Found(seed: 92_269, what: "two entries of one moment, one corrected on each device"),
    Found(seed: 66_141, what: "a lost answer, and a row without a time that looks like midnight"),
    Found(seed: 17_446, what: "a late call with a correction that was sent again with another"),
    Found(seed: 400_180, what: "a person deleted an entry that had taken another one's row"),
    Found(seed: 400_324, what: "a row that was pulled after a conflict, and is suspected later"),
    Found(seed: 400_488, what: "two entries of one moment, both rows gone, one row left"),
    Found(seed: 927_447, what: "two entries of one day, one corrected, the other sent twice"),
    Found(seed: 410_798, what: "an old row that another entry had, and that is yet to be deleted"),
    Found(
      seed: 2_000_128,
      what: "two entries of one day, both corrected, one call delivered twice"),
    Found(
      seed: 2_028_850,
      what: "an entry that took the suspected row of another entry of that day"),
    Found(
      seed: 2_031_463,
      what: "two entries of one day, both corrected, one call delivered twice"),
    Found(
      seed: 2_078_232,
      what: "a late call of an entry that was moved, and another entry of the moment it had"),
    Found(seed: 2_178_374, what: "two entries of one moment, and a call delivered twice"),
    Found(
      seed: 2_209_003, what: "two entries of one day, both corrected, one call delivered twice"),
    Found(seed: 2_231_015, what: "a row taken elsewhere while it was yet to be deleted here"),
    Found(seed: 2_211_089, what: "a row taken elsewhere while it was yet to be deleted here"),
    Found(
      seed: 1_003_664, what: "a call delivered twice, its entry deleted, another one corrected"),
    Found(seed: 2_216_898, what: "an entry without its row, and an earlier row yet to be deleted"),
    Found(seed: 30_021_352, what: "another device's row, and a smaller one yet to be deleted here"),
    Found(seed: 40_009_028, what: "another device's row, and a smaller declared duplicate"),
    Found(seed: 60_008_905, what: "a row taken for that of a lost call, and the row before it"),
    Found(seed: 80_200_129, what: "a late call of a deleted entry, and another of its moment"),
    Found(seed: 70_232_647, what: "the row of a lost call that its maker never hears of"),
    Found(
      seed: 20_033_835, what: "a duplicate of an entry whose own row is taken by another entry"),
  ]

  static let ofLostRows = [
    Found(seed: 525, what: "an old row that is yet to be deleted when all is sent again"),
    Found(seed: 603, what: "a row that was missing when its entry was sent again, and is back"),
    Found(seed: 690, what: "two devices that send all again at the same time"),
    Found(seed: 937, what: "an old row that was deleted and is back, and its entry's first values"),
    Found(seed: 1_364, what: "devices that send an entry again with corrections of their own"),
    Found(seed: 33_608, what: "a deleted row that is back, and may be a moved entry's"),
    Found(seed: 8_775, what: "a duplicate that was deleted and is back"),
    Found(seed: 1_200_023_933, what: "a row of its own by decision, deleted, that is back"),
    Found(seed: 1_400_050_472, what: "another device's lost call of the moment of a lost row"),
    Found(seed: 1_700_016_974, what: "a corrected row that is back, of an entry that was pulled"),
    Found(seed: 1_900_001_901, what: "a row that is back, pulled below edits that were not sent"),
    Found(seed: 1_000_009_846, what: "a suspected row that is back beside a corrected entry"),
    Found(seed: 5_500_015_934, what: "a declared duplicate that is back, as an entry of its own"),
    Found(seed: 8_500_065_262, what: "a deleted entry's own row that is back, and is to go again"),
  ]

  static let ofConflicts = [
    Found(seed: 1_293, what: "an entry deleted in a conflict, and its old row"),
    Found(seed: 845, what: "a row in a conflict that another entry takes"),
    Found(seed: 8_900, what: "a row in a conflict that equals a lost call"),
    Found(seed: 12_443, what: "further rows of a conflict whose entry was deleted"),
    Found(
      seed: 3_000_039_036,
      what: "a power cut that kept the first of the events of what a listing means"),
    Found(
      seed: 5_000_018_412,
      what: "a decision for the backend's value, and an earlier correction of the same field"),
  ]

  static let ofNewAccounts = [
    Found(
      seed: 7_720_000_050, what: "a pulled entry that an account created again has, and an erasure"),
    Found(seed: 7_730_000_635, what: "a decision about a row of the account before"),
    Found(seed: 7_770_064_935, what: "an erased entry, and the suspicion of the row it had taken"),
    Found(
      seed: 7_730_001_374, what: "a row suspected in the run that found another account"),
    Found(seed: 7_730_002_255, what: "a decision about a row of the account before"),
  ]

  static let atCloseQuarters = [
    Found(seed: 7_100_000_989, what: "a height set back while the answer to another was lost"),
    Found(seed: 7_100_003_119, what: "a height set back while the answer to another was lost"),
  ]

  @Test(
    "A seed at close quarters that broke a promise breaks none", arguments: played(atCloseQuarters))
  func seedAtCloseQuarters(_ found: Found) throws {
    try Simulation.play(Story.atCloseQuarters(seed: found.seed))
  }

  @Test(
    "A seed of accounts created again that broke a promise breaks none",
    arguments: played(ofNewAccounts))
  func seedOfNewAccounts(_ found: Found) throws {
    try Simulation.play(Story.ofNewAccounts(seed: found.seed))
  }

  @Test("A seed of conflicts that broke a promise breaks none", arguments: played(ofConflicts))
  func seedOfConflicts(_ found: Found) throws {
    try Simulation.play(Story.ofConflicts(seed: found.seed))
  }

  @Test("A seed of lost rows that broke a promise breaks none", arguments: played(ofLostRows))
  func seedOfLostRows(_ found: Found) throws {
    try Simulation.play(Story.ofLostRows(seed: found.seed))
  }

  @Test(
    "A seed of several devices that broke a promise breaks none",
    arguments: played(ofSeveralDevices))
  func seedOfSeveralDevices(_ found: Found) throws {
    try Simulation.play(Story.ofSeveralDevices(seed: found.seed))
  }

  @Test(
    "A seed with erasures that broke a promise breaks none",
    arguments: [
      Found(seed: 62_000_000_865, what: "a cut that was not synced, and a log without a head"),
      Found(seed: 62_000_050_677, what: "an erased entry whose row another entry had taken"),
      Found(seed: 63_000_082_112, what: "an erased entry that had taken the row of another one"),
    ])
  func seedWithErasures(_ found: Found) throws {
    try Simulation.play(EraseStoryTests.story(found.seed))
  }

  @Test("A seed that broke a promise breaks none", arguments: played(ofOneDevice))
  func seed(_ found: Found) throws {
    try Simulation.play(Story(seed: found.seed))
  }
}
