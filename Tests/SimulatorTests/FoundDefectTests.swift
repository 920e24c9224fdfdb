import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

/// Defects that the simulator found. As tests of their own they outlast a change of its stories.
@Suite struct FoundDefectTests {
  private let device = Device(0, WorldClock(Timestamp(millisecondsSince1970: 0)), seed: 1)

  @Test("A ledger whose creator died at any call survives a power cut after the next append")
  func aLedgerMadeByADeadProcessSurvives() throws {
    for after in 0..<60 {
      for seed in UInt64(0)..<SimulatorTests.size(3, full: 12) {
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

  @Test("Pages that a crash left unwritten refuse no edit")
  func unwrittenPagesRefuseNoEdit() throws {
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

  @Test("Sectors of a failed append do not mix with those of the next")
  func aFailedAppendLeavesNothingToMixWith() throws {
    for seed in UInt64(0)..<SimulatorTests.size(100, full: 400) {
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

  @Test("A truncation whose sync failed is completed by the next writer")
  func aCutThatNobodySyncedIsFinished() throws {
    for seed in UInt64(0)..<SimulatorTests.size(300, full: 1500) {
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

  /// Readers need `head` to tell the rest of an interrupted append from damage.
  @Test("An erasure leaves a durable head")
  func anErasureLeavesAHead() throws {
    for seed in UInt64(0)..<SimulatorTests.size(60, full: 200) {
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

  @Test("A truncation is durable before log.repaired is written over it")
  func aCutIsDurableBeforeItIsWrittenOver() throws {
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

  @Test("A folder that cannot be read is an I/O error, not a missing one")
  func aFailureToLookIsNamed() throws {
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

  /// The power fails at any call towards an erasure's end, where names change.
  @Test("A power cut in an erasure leaves the old log with its head or the new one without")
  func anErasureIsCutOffAnywhere() throws {
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
