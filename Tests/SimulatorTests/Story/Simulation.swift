import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerSync
import LedgerTestSupport

/// Plays a story, and keeps everybody to their promises.
final class Simulation {
  let story: Story
  let clock: WorldClock
  let devices: [Device]
  var backend: SimulatedBackend?
  private var configuration = SyncConfiguration()

  private init(_ story: Story) throws {
    self.story = story
    let clock = WorldClock(story.start)
    self.clock = clock
    devices = (0..<story.devices).map { Device($0, clock, seed: story.seed) }
    for (device, skew) in zip(devices, story.skews) { device.skew = skew }
    backend =
      story.isOnline
      ? try SimulatedBackend(clock, dialect: story.dialect, seed: story.seed) : nil
    configuration.concurrency = story.concurrency
    configuration.conflicts = story.conflicts
    configuration.entriesAtATime = story.entriesAtATime
    for device in devices {
      device.variety = story.variety
      device.onLostRows = story.onLostRows
      device.looks = story.zoneMinutes.map { minutes in
        EntryLooks(
          liveEntries: story.liveEntries, timedPercent: story.timedPercent,
          zone: ZoneOffset(minutes: minutes) ?? .utc)
      }
    }
  }

  /// - Throws: ``Violation``.
  @discardableResult
  static func play(_ story: Story) throws -> Experience {
    let simulation = try Simulation(story)
    do {
      try simulation.play()
      return simulation.experience
    } catch {
      var violation =
        error as? Violation ?? Violation(.onlyKnownErrors, "\(type(of: error)): \(error)")
      violation.logs = simulation.devices.map(\.log)
      throw violation
    }
  }

  private var experience: Experience {
    var all = Experience()
    for device in devices {
      all.add(device.experience)
      all.note("calls of the disk", times: device.disk.calls)
      all.note("bytes of the log", times: device.log.count)
    }
    all.note("rows at the backend", times: backend?.rows.count ?? 0)
    return all
  }

  private func play() throws {
    var generator = SplitMix(story.seed ^ 0x5EED)
    for device in devices {
      let diskFaults = generator.chance(1, of: 4) ? DiskFaults.any(using: &generator) : nil
      try device.create(diskFaults, using: &generator)
    }
    for step in story.steps { try play(step) }
    // Nothing goes wrong any more.
    for device in devices {
      device.restart()
      try device.recover(seed: generator.next())
    }
    if backend != nil { try settle(using: &generator) }
    for device in devices {
      try device.losePower(seed: generator.next())
      try device.recover(seed: generator.next())
      try device.checkLog()
      try device.checkFolds(using: &generator)
    }
    guard let backend else { return }
    for device in devices {
      try device.checkRows(backend)
      try device.checkNeverSent(backend)
    }
    // With others about, who made a row that looks like one's own cannot be told.
    guard devices.count == 1 else {
      return try Convergence(devices, backend).check()
    }
    try devices[0].checkLateRows(backend)
    try devices[0].checkPerson(backend)
  }

  private func play(_ step: Step) throws {
    guard step.device < devices.count else { return }
    let device = devices[step.device]
    var generator = SplitMix(step.seed)
    switch step.act {
    case .edit: try withDiskFaults(device, step) { try device.edit(using: &generator) }
    case .note: try withDiskFaults(device, step) { try device.note(using: &generator) }
    case .confide: try withDiskFaults(device, step) { try device.confide(using: &generator) }
    case .erase: try withDiskFaults(device, step) { try device.erase(using: &generator) }
    case .withdraw: try withDiskFaults(device, step) { try device.withdraw(using: &generator) }
    case .change: try withDiskFaults(device, step) { try device.change(using: &generator) }
    case .changeProfile:
      try withDiskFaults(device, step) { try device.changeProfile(using: &generator) }
    case .importFile(let seed):
      try withDiskFaults(device, step) { try device.importFile(seed, using: &generator) }
    case .decideSuspicion:
      try withDiskFaults(device, step) { try device.decideSuspicion(using: &generator) }
    case .decideConflict:
      try withDiskFaults(device, step) { try device.decideConflict(using: &generator) }
    case .look: try withDiskFaults(device, step) { try device.look() }
    case .snapshot: try withDiskFaults(device, step) { try device.keepSnapshot() }
    case .sync(let together): try sync(together ? devices : [device], step, using: &generator)
    case .resend(let together):
      let senders = together ? devices : [device]
      for sender in senders { sender.replacement = .resend }
      try sync(senders, step, using: &generator)
    case .backUp: backend?.backUp()
    case .restoreBackup: backend?.restoreBackup()
    case .loseAccount:
      // After the profile was lost, the next run that reads one learns the user id.
      let isNoticed = try devices.allSatisfy { device in
        let state = try device.app.state()
        return !state.wasReplaced || state.account.owner?.userID != nil
      }
      try backend?.loseAccount(isNoticed: isNoticed)
    case .loseProfile: backend?.loseProfile()
    case .powerCut:
      try device.losePower(seed: generator.next())
      // The edit that follows may meet a disk fault, too.
      try withDiskFaults(device, step) { try device.note(using: &generator) }
      device.restart()
      try device.recover(seed: generator.next())
    case .restart: device.restart()
    case .rot:
      device.restart()
      try device.recover(seed: generator.next())
      try device.checkRot(using: &generator)
    case .compareFolds:
      device.restart()
      try device.recover(seed: generator.next())
      try device.checkFolds(using: &generator)
    case .jump(let milliseconds): device.skew += milliseconds
    case .pass(let milliseconds): clock.pass(milliseconds: milliseconds)
    }
  }

  private func withDiskFaults(_ device: Device, _ step: Step, _ body: () throws -> Void) throws {
    try expectKnown(device.attempt(step.diskFaults, seed: step.seed, body), step)
  }

  private func expectKnown(_ outcome: Device.Outcome, _ step: Step) throws {
    guard case .failed(let error) = outcome else { return }
    // Damage is nothing that a crash or a failing call may end in.
    if case .damaged(let damage) = error { throw Violation(.ledgerOpens, "\(damage)") }
    guard error == .poisoned || step.diskFaults?.kind.excuses(error) == true else {
      throw Violation(.onlyKnownErrors, "\(error)")
    }
  }

  // MARK: Syncing

  /// Runs of these devices that take turns; the first one's disk has the faults.
  private func sync(_ devices: [Device], _ step: Step, using generator: inout SplitMix) throws {
    try startFromSnapshots(devices)
    backend?.networkFaults = step.networkFaults
    devices[0].disk.plan(step.diskFaults, seed: generator.next())
    defer {
      backend?.networkFaults = .fair
      devices[0].disk.plan(nil, seed: 0)
    }
    let isCancelled = generator.chance(1, of: 10)
    let isDisturbed = generator.chance(1, of: 3)
    var runs: [SimulatedSync] = []
    for device in devices {
      try expectKnown(
        device.guarded { runs.append(try run(at: device, using: &generator)) }, step)
    }
    while !runs.isEmpty {
      let run = generator.pick(runs)
      var goesOn = false
      let outcome = try run.device.guarded { goesOn = try tick(run, using: &generator) }
      try expectKnown(outcome, step)
      if isDisturbed, outcome == .done, generator.chance(1, of: 8) {
        let edited = try run.device.guarded { try run.device.change(using: &generator) }
        try expectKnown(edited, step)
        if edited == .died { goesOn = false }
      }
      if isCancelled, generator.chance(1, of: 20) { run.cancel() }
      guard !goesOn || outcome != .done else { continue }
      if run.report == nil { abandon(run, using: &generator) }
      runs.removeAll { $0 === run }
    }
  }

  private func run(at device: Device, using generator: inout SplitMix) throws -> SimulatedSync {
    if story.signsIn, let user = backend?.user { try device.signIn(user, using: &generator) }
    return try SimulatedSync(device, configuration)
  }

  /// In every third story of several devices, runs begin as they do on a long log: in a process that
  /// reads a snapshot.
  private func startFromSnapshots(_ devices: [Device]) throws {
    guard self.devices.count > 1, story.seed % 3 == 0 else { return }
    for device in devices {
      device.restart()
      try device.keepSnapshot()
    }
  }

  private func tick(_ run: SimulatedSync, using generator: inout SplitMix) throws -> Bool {
    guard var backend else { return false }
    // Held by nobody else meanwhile, so that its rows are not copied.
    self.backend = nil
    defer { self.backend = backend }
    return try run.tick(&backend, using: &generator)
  }

  private func abandon(_ run: SimulatedSync, using generator: inout SplitMix) {
    guard var backend else { return }
    run.abandon(&backend, using: &generator)
    self.backend = backend
  }

  /// Runs without faults until no device has anything left to do. Then people decide the conflicts that
  /// wait for them, a few times.
  private func settle(using generator: inout SplitMix) throws {
    try rest(using: &generator)
    for _ in 0..<3 where story.conflicts == .open {
      for device in devices {
        for _ in 0..<Self.mostConflicts { try device.decideConflict(using: &generator) }
      }
      try rest(using: &generator)
    }
  }

  private func rest(using generator: inout SplitMix) throws {
    var hasWaited = devices.count == 1
    for round in 1...Self.mostRounds {
      var isQuiet = true
      if round == 2 { backend?.deliverDue(all: true) }
      for device in devices {
        clock.pass(milliseconds: 1_200_000)
        let before = device.log.count
        device.disk.plan(nil, seed: generator.next())
        let run = try run(at: device, using: &generator)
        while try tick(run, using: &generator) {}
        if run.sent > 0 || device.log.count != before { isQuiet = false }
        guard isQuiet, let report = run.report else { continue }
        // Edits of an entry in a conflict wait for a person.
        let isBusy = report.pending > 0 && report.openConflicts == 0
        if isBusy || report.stop != nil { isQuiet = false }
      }
      if !isQuiet { hasWaited = devices.count == 1 }
      if isQuiet, round > 2 {
        if hasWaited { return }
        // What other devices were to delete is asked of a person after a day, by any clock.
        clock.pass(milliseconds: 300_000_000)
        hasWaited = true
      }
    }
    let reports = try devices.map { try $0.app.state().syncCounts() }
    throw Violation(.rest, "still busy after \(Self.mostRounds) rounds: \(reports)")
  }

  /// Decided one after the other, since one decision may settle others.
  private static let mostConflicts = 6
  private static let mostRounds = 12
}
