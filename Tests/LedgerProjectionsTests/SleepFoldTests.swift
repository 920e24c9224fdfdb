import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections

private func at(_ text: String) -> ZonedTimestamp {
  ZonedTimestamp("2025-01-\(text):00-03:30")!
}

/// Sleep sessions: what their events come to, and that a snapshot keeps it.
@Suite struct SleepFoldTests {
  private func logged(
    _ scene: Scene, _ number: Int, _ start: String = "30T23:00", _ end: String = "31T07:00",
    stages: [SleepStage] = [], notes: String? = nil
  ) -> Event.Payload {
    .sleepLogged(
      SleepLogged(
        entry: scene.entryID(number), start: at(start), end: at(end), stages: stages,
        notes: notes))
  }

  private func view(_ state: LedgerState, _ scene: Scene, _ number: Int) throws -> SleepView {
    state.session(at: try #require(state.session(of: scene.entryID(number))))
  }

  @Test("Without stages all of a session is sleep; with stages they are added up")
  func durations() throws {
    var scene = Scene()
    scene.add(logged(scene, 1))
    let stages: [SleepStage] = [
      .init(.rem, start: at("31T02:00"), end: at("31T03:00")),
      .init(.core, start: at("31T00:00"), end: at("31T02:00")),
      .init(.deep, start: at("31T03:00"), end: at("31T03:30")),
      .init(.asleep, start: at("31T03:30"), end: at("31T03:45")),
      .init(.awake, start: at("31T03:45"), end: at("31T04:00")),
      .init(.inBed, start: at("31T04:00"), end: at("31T07:00")),
    ]
    scene.add(logged(scene, 2, stages: stages))
    let state = try scene.state()
    let hour = 3600
    #expect(
      try view(state, scene, 1).durations
        == SleepDurations(timeInBed: 8 * hour, totalSleep: 8 * hour))
    #expect(
      try view(state, scene, 2).durations
        == SleepDurations(
          timeInBed: 8 * hour, totalSleep: 15 * hour / 4, awake: hour / 4, rem: hour,
          core: 2 * hour, deep: hour / 2))
  }

  @Test("Days between two dates have their sleep from a snapshot, too")
  func daysFromASnapshot() throws {
    var scene = Scene()
    // On another day.
    for number in 1...40 { scene.log(number) }
    scene.add(logged(scene, 41, "28T23:00", "29T07:00"))
    let folder = try TemporaryFolder()
    let view = try scene.view(in: folder)
    Snapshot.keep(try Replay.run(view).state, of: view)
    let day = CalendarDate(year: 2025, month: 1, day: 29)!
    let days = try #require(
      try FoldedLog(view, keepsSnapshot: false).quickly { $0.days(from: day, to: day) })
    #expect(days.map(\.metric) == [.sleepHours] && days.map(\.sum) == [8])
  }

  @Test("A correction changes what it names, and an undone one nothing")
  func corrections() throws {
    var scene = Scene()
    let stage = SleepStage(.core, start: at("31T00:00"), end: at("31T02:00"))
    let first = scene.add(logged(scene, 1, stages: [stage], notes: "first"))
    let end = scene.add(
      .sleepCorrected(SleepCorrected(entry: scene.entryID(1), end: at("31T06:00"))))
    let notes = scene.add(
      .sleepCorrected(SleepCorrected(entry: scene.entryID(1), notes: .clear)))
    var session = try view(scene.state(), scene, 1)
    #expect(session.start == at("30T23:00") && session.end == at("31T06:00"))
    #expect(session.stagesIn == first && session.notesIn == nil && session.status == .pending)
    #expect(session.durations.totalSleep == 7200 && session.durations.timeInBed == 7 * 3600)
    scene.undo(notes)
    scene.undo(end)
    session = try view(scene.state(), scene, 1)
    #expect(session.end == at("31T07:00") && session.notesIn == first)
    scene.add(.sleepCorrected(SleepCorrected(entry: scene.entryID(1), stages: [])))
    session = try view(scene.state(), scene, 1)
    #expect(session.stagesIn == nil && session.durations.totalSleep == 8 * 3600)
    scene.undo(first)
    let state = try scene.state()
    #expect(state.session(of: scene.entryID(1)) == nil && state.syncCounts() == SyncCounts())
  }

  @Test("A session is synced once every edit is acknowledged, and its edits count in the status")
  func statuses() throws {
    var scene = Scene()
    let first = scene.add(logged(scene, 1))
    #expect(try scene.state().syncCounts() == SyncCounts(pending: 1))
    scene.attempt(first)
    #expect(try view(scene.state(), scene, 1).status == .syncing)
    scene.add(
      .syncAcknowledged(
        SyncAcknowledged(
          events: [first], status: 201, via: .response, entry: scene.entryID(1),
          backendID: BackendID("b1")!)), by: .sync)
    var state = try scene.state()
    #expect(try view(state, scene, 1).status == .synced)
    #expect(try view(state, scene, 1).boundBy == Seq(4) && state.syncCounts() == SyncCounts())
    let deletion = scene.add(.sleepDeleted(SleepDeleted(entry: scene.entryID(1))))
    state = try scene.state()
    #expect(try view(state, scene, 1).isDeleted && view(state, scene, 1).status == .pending)
    scene.add(
      .syncHeld(SyncHeld(events: [deletion], reason: "backend-cannot-change-sleep")), by: .sync)
    #expect(try scene.state().syncCounts() == SyncCounts(held: 1))
    #expect(try scene.state().sleep().total == 0)
  }

  @Test("A pulled session is bound and has the backend's minutes until it is corrected")
  func pulled() throws {
    var scene = Scene()
    var data = SleepPulled(
      entry: scene.entryID(1), backendID: BackendID("b1")!, start: at("30T23:00"),
      end: at("31T07:00"))
    data.totalSleepMinutes = 400.5
    let seq = scene.add(.sleepPulled(data), by: .sync)
    let session = try view(scene.state(), scene, 1)
    #expect(session.status == .synced && session.boundBy == seq)
    #expect(
      session.durations == SleepDurations(timeInBed: 8 * 3600, totalSleep: 400 * 60 + 30))
    scene.add(.sleepCorrected(SleepCorrected(entry: scene.entryID(1), end: at("31T06:00"))))
    let state = try scene.state()
    #expect(try view(state, scene, 1).durations.totalSleep == 7 * 3600)
    #expect(state.syncCounts() == SyncCounts(pending: 1) && state.acknowledgedEdits() == 0)
  }

  @Test("A day with sessions counts these, and no sleep_hours entries")
  func days() throws {
    var scene = Scene()
    scene.log(1, 7.5, metric: .sleepHours)
    scene.log(2, 80)
    scene.add(logged(scene, 3))
    // Another device recorded the same night.
    scene.add(logged(scene, 4, "30T23:30", "31T06:30"))
    scene.add(logged(scene, 5, "31T13:00", "31T13:30"))
    let state = try scene.state()
    let sleep = try #require(state.days(metric: .sleepHours).first)
    #expect(sleep.count == 2 && sleep.sum == 8.5 && sleep.last == 0.5 && sleep.min == 0.5)
    #expect(state.days().map(\.metric) == [.weight, .sleepHours])
    #expect(AllViews(state).days == state.days())
    #expect(state.days(metric: .weight).map(\.sum) == [80])
    #expect(state.days(from: Scene.day.adding(days: 1)).isEmpty)
  }

  @Test("A session belongs to the day on which it ends, at its own offset")
  func dayOfTheEnd() throws {
    var scene = Scene()
    for (number, zone) in ["+14:00", "-12:00"].enumerated() {
      scene.add(
        .sleepLogged(
          SleepLogged(
            entry: scene.entryID(number + 1),
            start: ZonedTimestamp("2025-01-30T22:00:00\(zone)")!,
            end: ZonedTimestamp("2025-01-31T00:30:00\(zone)")!)))
    }
    let state = try scene.state()
    #expect(state.sleep(from: Scene.day, to: Scene.day).total == 2)
    #expect(state.days().map(\.date) == [Scene.day])
  }

  @Test("A created again account unbinds sessions and sends them again")
  func replacedAccount() throws {
    var scene = Scene()
    let first = scene.add(logged(scene, 1))
    let acknowledged = SyncAcknowledged(
      events: [first], status: 201, via: .response, entry: scene.entryID(1),
      backendID: BackendID("b1")!)
    scene.add(.syncAcknowledged(acknowledged), by: .sync)
    scene.add(.accountReplaced(AccountReplaced(from: "a", to: "b", reason: "test")))
    let session = try view(scene.state(), scene, 1)
    #expect(session.status == .pending && session.boundBy == nil)
  }

  @Test("A snapshot taken after any event and the rest is the whole", arguments: [UInt64(1), 2, 3])
  func snapshots(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let view = try story(seed).view(in: folder)
    let whole = try Replay.run(view).state
    #expect(whole.sleep.count > 20)
    let step = TestSize.of(5, full: 1)
    for cut in stride(from: 1 + Int(seed - 1) % step, to: whole.position.seq, by: step) {
      let before = try Replay.run(view, .init(verifies: false, until: Seq(cut))).state
      Snapshot.keep(before, of: view)
      var state = try #require(Snapshot.open(view), "cut after event \(cut)")
      try Replay.advance(&state, to: view)
      #expect(state.syncCounts() == whole.syncCounts(), "seed \(seed), cut after event \(cut)")
      #expect(state.sleep() == whole.sleep() && state.days() == whole.days())
      #expect(
        state.sessions.map { state.session(at: $0) } == whole.sessions.map { whole.session(at: $0) }
      )
      #expect(try state.sleep.hasBytes(of: whole.sleep) && !state.isBroken)
      guard case .right = SnapshotAudit(view, whole).result else {
        Issue.record("seed \(seed), cut after event \(cut)")
        return
      }
    }
  }

  @Test("Reading event by event is reading at once", arguments: [UInt64(4), 5])
  func traces(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let view = try story(seed).view(in: folder)
    var last: [Seq: SleepView] = [:]
    let traced = try Replay.trace(view) { step in
      for case .session(let before, let after) in step.changes {
        guard let seq = before?.seq ?? after?.seq else { continue }
        #expect(before == last[seq])
        last[seq] = after
      }
      return true
    }.state
    let whole = try Replay.run(view).state
    #expect(try traced.sleep.hasBytes(of: whole.sleep))
    #expect(
      last.values.sorted { $0.seq < $1.seq } == whole.sessions.map { whole.session(at: $0) })
    #expect(FastReaderTests.difference(story(seed).bytes, .chain) == nil)
  }

  /// Sessions, entries, and answers to both.
  private func story(_ seed: UInt64) -> HandWrittenLog {
    var random = SplitMix(seed)
    var log = HandWrittenLog()
    log.appendCreation()
    var ids: [EntryID] = []
    var edits: [Seq] = []
    func moment() -> ZonedTimestamp { at("\(random.pick(["30T22:00", "30T23:15", "31T00:10"]))") }
    for _ in 0..<70 {
      let next = Seq(log.seq + 1)
      let id = ids.isEmpty ? EntryID(LedgerUUID(high: 0x7000, low: 2 << 62)) : random.pick(ids)
      switch Int.random(in: 0..<9, using: &random) {
      case 0...2:
        ids.append(EntryID(LedgerUUID.version7(at: HandWrittenLog.at(log.seq), using: &random)))
        let stage = SleepStage(.deep, start: at("31T01:00"), end: at("31T02:00"))
        log.append(
          .sleepLogged(
            SleepLogged(
              entry: ids[ids.count - 1], start: moment(), end: at("31T07:00"),
              stages: random.chance(50) ? [stage] : [], notes: random.chance(30) ? "n" : nil)))
        edits.append(next)
      case 3:
        var data = SleepCorrected(entry: id, start: moment())
        if random.chance(30) { data.stages = [] }
        if random.chance(30) { data.notes = .clear }
        log.append(.sleepCorrected(data))
        edits.append(next)
      case 4:
        log.append(.sleepDeleted(SleepDeleted(entry: id)))
        edits.append(next)
      case 5: log.append(.editUndone(EditUndone(event: edits.last ?? next)))
      case 6:
        log.append(
          .syncAcknowledged(
            SyncAcknowledged(
              events: Array(edits.suffix(1)), status: 201, via: .response, entry: id,
              backendID: BackendID("b\(next)")!)), by: .sync)
      case 7:
        log.append(
          .progressLogged(
            ProgressLogged(
              entry: EntryID(LedgerUUID.version7(at: HandWrittenLog.at(log.seq), using: &random)),
              metric: .sleepHours, quantity: 7, date: Scene.day)))
      default:
        ids.append(EntryID(LedgerUUID.version7(at: HandWrittenLog.at(log.seq), using: &random)))
        log.append(
          .sleepPulled(
            SleepPulled(
              entry: ids[ids.count - 1], backendID: BackendID("p\(next)")!, start: moment(),
              end: at("31T06:00"))), by: .sync)
      }
    }
    return log
  }
}
