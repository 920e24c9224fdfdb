import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

/// What the simulator has found, told by hand, so that no later change of its stories forgets it.
@Suite struct FoundDefectTests {
  private let device = Device(0, WorldClock(Timestamp(millisecondsSince1970: 0)), seed: 1)

  /// Whoever makes the ledger dies at every call on the way; whoever finds it writes to it, and the
  /// power fails in any of several ways.
  @Test func aLedgerMadeByADeadProcessSurvives() throws {
    for after in 0..<60 {
      for seed in UInt64(0)..<12 {
        let device = Device(0, WorldClock(Timestamp(millisecondsSince1970: 0)), seed: seed)
        var generator = SplitMix(seed)
        try device.create(DiskFaults(kind: .kill, after: after, times: 1), using: &generator)
        let outcome = try device.attempt(nil, seed: seed) { try device.note(using: &generator) }
        #expect(outcome == .done)
        try device.losePower(seed: seed)
        try device.recover(seed: seed)
      }
    }
  }

  /// An edit that looks at the ledger first is not refused for pages that a crash left unwritten
  /// before the end of a line.
  @Test func unwrittenPagesRefuseNoEdit() throws {
    var generator = SplitMix(1)
    try device.create(nil, using: &generator)
    let entry = EntryID.make(at: device.now, using: &generator)
    let day = CalendarDate.first
    let logged = ProgressLogged(entry: entry, metric: .weight, quantity: 70, date: day)
    let corrected = ProgressCorrected(entry: entry, quantity: 71)
    func append(_ change: Edit.Change) throws {
      _ = try device.app.append(
        [Edit(change: change)], at: device.now, today: day, using: &generator)
    }
    try append(.logProgress(logged))
    device.acknowledge()
    let unwritten = [UInt8](repeating: 0, count: 700) + Array("\n{\"id\":".utf8)
    device.disk.restore(device.directory.events, device.log + unwritten)
    device.restart()
    try append(.correctProgress(corrected))
    device.acknowledge()
    try device.checkLog()
    #expect(try device.app.state().entryCounts().live == 1)
  }

  /// What a failed sync left on the platter does not mix with what is appended next.
  @Test func aFailedAppendLeavesNothingToMixWith() throws {
    for seed in UInt64(0)..<400 {
      let device = Device(0, WorldClock(Timestamp(millisecondsSince1970: 0)), seed: seed)
      var generator = SplitMix(seed)
      try device.create(nil, using: &generator)
      for diskFaults in [
        DiskFaults(kind: .failingSync, after: 0, times: 1),
        DiskFaults(kind: .powerCut, after: generator.within(14...18), times: 1),
      ] {
        device.restart()
        _ = try device.attempt(diskFaults, seed: generator.next()) {
          try device.note(lengths: [1_500], using: &generator)
        }
      }
      try device.recover(seed: seed)
    }
  }

  /// Nor where the sync of the cut fails too: whoever comes next finishes the cut first.
  @Test func aCutThatNobodySyncedIsFinished() throws {
    for seed in UInt64(0)..<1500 {
      let device = Device(0, WorldClock(Timestamp(millisecondsSince1970: 0)), seed: seed)
      var generator = SplitMix(seed)
      try device.create(nil, using: &generator)
      for diskFaults in [
        DiskFaults(kind: .failingSync, after: 0, times: 2),
        DiskFaults(kind: .powerCut, after: generator.within(14...21), times: 1),
      ] {
        device.restart()
        _ = try device.attempt(diskFaults, seed: generator.next()) {
          try device.note(lengths: [1_500], using: &generator)
        }
      }
      try device.recover(seed: seed)
      try device.checkLog()
    }
  }

  /// Readers tell what an interrupted append has left from damage by `head`: an erasure makes it anew,
  /// so it must not be gone with the next power cut.
  @Test func anErasureLeavesAHead() throws {
    for seed in UInt64(0)..<200 {
      let device = Device(0, WorldClock(Timestamp(millisecondsSince1970: 0)), seed: seed)
      var generator = SplitMix(seed)
      try device.create(nil, using: &generator)
      try device.confide(using: &generator)
      try device.erase(using: &generator)
      let diskFaults = DiskFaults(kind: .powerCut, after: generator.within(14...18), times: 1)
      _ = try device.attempt(diskFaults, seed: generator.next()) {
        try device.note(lengths: [1_500, 1_500], using: &generator)
      }
      let looked = try device.guarded { try device.look() }
      #expect(looked == .done)
      try device.recover(seed: seed)
    }
  }

  /// Recovery cuts a torn tail off and writes `log.repaired` in its place. Whatever a power cut during
  /// it leaves, the next recovery knows what to make of it.
  @Test func aCutIsDurableBeforeItIsWrittenOver() throws {
    for after in 12..<48 {
      for seed in UInt64(0)..<4 {
        let device = Device(0, WorldClock(Timestamp(millisecondsSince1970: 0)), seed: seed)
        var generator = SplitMix(seed)
        try device.create(nil, using: &generator)
        // Unwritten pages in a line that has an end: what is written over them may take them away.
        let start = Array(#"{"id":"0190a0b0-0000-7000-8000-000000000000","seq":2,"at":"20"#.utf8)
        let unwritten = [UInt8](repeating: 0, count: 600)
        let end = Array("\n{\"id\":".utf8)
        device.disk.restore(device.directory.events, device.log + start + unwritten + end)
        device.restart()
        let diskFaults = DiskFaults(kind: .powerCut, after: after, times: 1)
        _ = try device.attempt(diskFaults, seed: generator.next()) {
          _ = try device.app.log.withSession { $0.repairs }
        }
        try device.recover(seed: seed)
      }
    }
  }

  /// Where the system does not let one look at the folder, that is what is said; never that it is none.
  @Test func aFailureToLookIsNamed() throws {
    var failures = 0
    for after in 0..<40 {
      let device = Device(0, WorldClock(Timestamp(millisecondsSince1970: 0)), seed: 1)
      var generator = SplitMix(1)
      device.disk.plan(DiskFaults(kind: .failure, after: after, times: 1), seed: UInt64(after))
      do throws(LogError) {
        _ = try EventLog.create(device.directory, device: "d", at: device.now, using: &generator)
      } catch {
        failures += 1
        guard case .io = error else {
          Issue.record("the call after \(after) others fails, and it says: \(error)")
          continue
        }
      }
    }
    #expect(failures > 10)
  }

  /// The power fails at any call towards an erasure's end, where names change: the old log with its
  /// head is left, or the new one without it, never the new one with the head of the old.
  @Test func anErasureIsCutOffAnywhere() throws {
    var cuts = 0
    for seed in UInt64(0)..<12 {
      // About a hundred calls, the last ones by who looks whether it worked.
      for after in 86..<96 {
        let device = Device(0, WorldClock(Timestamp(millisecondsSince1970: 0)), seed: seed)
        var generator = SplitMix(seed)
        try device.create(nil, using: &generator)
        try device.confide(using: &generator)
        let diskFaults = DiskFaults(kind: .powerCut, after: after, times: 1)
        let outcome = try device.attempt(diskFaults, seed: generator.next()) {
          try device.erase(using: &generator)
        }
        if outcome == .died { cuts += 1 }
        try device.recover(seed: seed)
      }
    }
    #expect(cuts > 60)
  }
}
