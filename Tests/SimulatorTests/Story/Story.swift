import LedgerModel
import LedgerSync
import LedgerTestSupport
import ReferenceBackend

/// Everything that a seed comes to: devices, settings, and what happens, step by step.
struct Story: Sendable {
  let seed: UInt64
  var devices: Int
  /// Whether a backend takes part.
  var isOnline: Bool
  var dialect: BackendConfiguration.MomentFormat
  var concurrency: Int
  var conflicts: ConflictDecision
  var start: Timestamp
  var skews: [Int64]
  var steps: [Step]
  /// How many quantities there are.
  var variety = 3
  /// Of a story of several devices: how many live entries there are, about.
  var liveEntries = 3
  /// How many of a hundred entries have a time.
  var timedPercent = 50
  /// The zone of all devices; `nil` for stories in which it changes.
  var zoneMinutes: Int?
  /// What people decide when a run stops because the backend has lost rows.
  var onLostRows = ReplacementPolicy.acceptDeletions
  /// Whether the ledgers know whose account it is.
  var signsIn = false
  /// How many entries a run plans at a time.
  var entriesAtATime = 1_000

  /// Most stories are of one device and its disk: they are short, and there can be many.
  ///
  /// - Parameter isOnline: whether a backend takes part; `nil` leaves it to the seed.
  init(seed: UInt64, isOnline: Bool? = nil) {
    self.seed = seed
    var generator = SplitMix(seed)
    let lot = generator.chance(1, of: Self.onlineEvery)
    self.isOnline = isOnline ?? lot
    devices = self.isOnline ? generator.pick([1, 1, 1, 2, 2, 3]) : 1
    dialect = generator.chance(1, of: 2) ? .dateTime : .loggedAt
    concurrency = generator.within(1...5)
    conflicts = generator.chance(1, of: 2) ? .local : .remote
    // Nights on which clocks change, the turn of a year, a leap day, some day.
    let starts: [Int64] = [
      1_774_744_200_000, 1_792_888_200_000, 1_767_225_540_000, 1_709_164_740_000, 1_780_000_000_000,
    ]
    start = Timestamp(millisecondsSince1970: generator.pick(starts))
    skews = (0..<devices).map { _ in
      generator.pick([0, 0, 0, 90_000, -90_000, 86_400_000, -86_400_000])
    }
    let count = generator.within(self.isOnline ? 3...12 : 2...14)
    steps = []
    for _ in 0..<count {
      var step = anyStep(using: &generator)
      // DiskFaults seldom comes alone.
      if let before = steps.last, before.diskFaults != nil, generator.chance(1, of: 4) {
        step.device = before.device
        step.diskFaults = DiskFaults(kind: .powerCut, after: generator.within(6...20), times: 1)
      }
      steps.append(step)
    }
  }

  static let onlineEvery = 8

  private func anyStep(using generator: inout SplitMix) -> Step {
    var step = Step(
      act: isOnline ? onlineAct(using: &generator) : diskAct(using: &generator),
      device: generator.below(devices), seed: generator.next())
    if generator.chance(1, of: isOnline ? 4 : 2) { step.diskFaults = .any(using: &generator) }
    if case .sync = step.act { step.networkFaults = .any(using: &generator) }
    return step
  }

  private func diskAct(using generator: inout SplitMix) -> Step.Act {
    switch generator.below(20) {
    case 0...9: .note
    case 10...12: .edit
    case 13: generator.chance(1, of: 3) ? .look : .snapshot
    case 14...16: .powerCut
    case 17: .restart
    case 18: .rot
    default: .compareFolds
    }
  }

  private func onlineAct(using generator: inout SplitMix) -> Step.Act {
    switch generator.below(20) {
    case 0...8: .edit
    case 9...13: .sync(together: devices > 1 && generator.chance(1, of: 3))
    case 14: .powerCut
    case 15: .restart
    case 16: generator.chance(1, of: 2) ? .look : .snapshot
    case 17: .compareFolds
    case 18:
      .jump(milliseconds: generator.pick([-86_400_000, -3_600_000, 3_600_000, 86_400_000, -5_000]))
    default: .pass(milliseconds: Int64(generator.within(0...200_000)))
    }
  }
}
