import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections

@Suite struct GoalFoldTests {
  private static let today = Scene.day

  private static func set(
    _ metric: Metric, _ quantity: Double, inDays days: Int? = nil, from start: Double? = nil,
    since day: CalendarDate? = today
  ) -> Event.Payload {
    var goal = GoalSet(
      metric: metric, quantity: quantity, by: days.map { today.adding(days: $0) }, start: start)
    goal.since = day
    return .goalSet(goal)
  }

  private static func log(
    _ scene: inout Scene, _ entry: Int, _ quantity: Double, daysAgo: Int,
    of metric: Metric = .weight
  ) {
    scene.add(
      .progressLogged(
        ProgressLogged(
          entry: scene.entryID(entry), metric: metric, quantity: quantity,
          date: today.adding(days: -daysAgo))))
  }

  @Test("A metric has one goal: the last one set, or none once it is removed")
  func oneGoal() throws {
    var scene = Scene()
    scene.add(Self.set(.weight, 72, inDays: 30))
    scene.add(Self.set(.steps, 8000))
    let last = scene.add(Self.set(.weight, 70, inDays: 60))
    scene.add(.goalRemoved(GoalRemoved(metric: .steps)))
    let goals = try scene.state().goals(today: Self.today)
    #expect(goals.map(\.metric) == [.weight] && goals.map(\.quantity) == [70])
    #expect(goals.map(\.setBy) == [last] && goals[0].by == Self.today.adding(days: 60))
  }

  @Test("A goal is reached from the side on which it was set")
  func sides() throws {
    func goal(_ start: Double, _ quantity: Double, latest: Double) throws -> GoalView {
      var scene = Scene()
      scene.add(Self.set(.weight, quantity, inDays: 30, from: start))
      scene.log(1, latest)
      return try #require(try scene.state().goals(today: Self.today).first)
    }
    let losing = try goal(80, 72, latest: 75)
    #expect(!losing.isReached && losing.remaining == 3)
    #expect(try goal(80, 72, latest: 71.5).remaining == 0)
    #expect(try goal(60, 72, latest: 71.5).remaining == 0.5)
    #expect(try goal(60, 72, latest: 73).isReached)
  }

  @Test("A goal that was set before any entry starts at the first entry since")
  func startsAtTheFirstEntry() throws {
    var scene = Scene()
    scene.add(Self.set(.weight, 72, inDays: 30))
    Self.log(&scene, 1, 80, daysAgo: 0)
    Self.log(&scene, 2, 71, daysAgo: 0)
    #expect(try scene.goal().start == 80 && scene.goal().isReached)
    // The past is logged later.
    Self.log(&scene, 3, 60, daysAgo: 300)
    Self.log(&scene, 4, 78, daysAgo: 2)
    #expect(try scene.goal().start == 78 && scene.goal().isReached)
    scene.correct(2, to: 73)
    #expect(try scene.goal().remaining == 1)
  }

  @Test(
    "A goal starts at the latest entry when it was set, as that entry is now",
    arguments: [Self.today, nil])
  func startFollowsCorrections(since day: CalendarDate?) throws {
    var scene = Scene()
    Self.log(&scene, 1, 75, daysAgo: 3)
    Self.log(&scene, 2, 7.3, daysAgo: 1)
    // Earlier versions wrote a copy of the latest quantity, and no day.
    scene.add(Self.set(.weight, 70, inDays: 30, from: day == nil ? 7.3 : nil, since: day))
    scene.correct(2, to: 73)
    #expect(try scene.goal().start == 73 && !scene.goal().isReached && scene.goal().remaining == 3)
    scene.delete(2)
    #expect(try scene.goal().start == 75)
    Self.log(&scene, 3, 69.9, daysAgo: 0)
    #expect(try scene.goal().isReached)
  }

  @Test("A start that was given is kept")
  func givenStart() throws {
    var scene = Scene()
    Self.log(&scene, 1, 75, daysAgo: 1)
    scene.add(Self.set(.weight, 70, inDays: 30, from: 80))
    #expect(try scene.goal().start == 80 && scene.goal().progress == 0.5)
  }

  @Test("A goal to keep a quantity is reached only while it is that")
  func kept() throws {
    var scene = Scene()
    Self.log(&scene, 1, 70, daysAgo: 1)
    scene.add(Self.set(.weight, 70, inDays: 30))
    #expect(try scene.goal().isReached)
    Self.log(&scene, 2, 72, daysAgo: 0)
    #expect(try !scene.goal().isReached && scene.goal().remaining == 2)
  }

  @Test(
    "A goal of which more is wanted is reached by more, whatever came before",
    arguments: [(Metric.steps, 10_000.0, 11_000.0), (.moodScore, 8, 9), (.sleepHours, 8, 8.5)])
  func moreIsBetter(_ metric: Metric, _ quantity: Double, _ latest: Double) throws {
    for isKnown in [true, false] {
      var scene = Scene()
      if isKnown { Self.log(&scene, 1, latest, daysAgo: 3, of: metric) }
      scene.add(Self.set(metric, quantity, inDays: 30))
      if !isKnown { Self.log(&scene, 1, latest, daysAgo: 3, of: metric) }
      #expect(try scene.goal().isReached && scene.goal().remaining == 0)
    }
  }

  @Test("A sum that is to fall is not reached by a day that is not over")
  func fallingSum() throws {
    var scene = Scene()
    Self.log(&scene, 1, 2500, daysAgo: 1, of: .caloriesIn)
    scene.add(Self.set(.caloriesIn, 2000, inDays: 30))
    Self.log(&scene, 2, 400, daysAgo: 0, of: .caloriesIn)
    #expect(try scene.goal().latest == 2500 && !scene.goal().isReached)
  }

  @Test("A goal for sleep counts sessions")
  func sleep() throws {
    var scene = Scene()
    scene.add(Self.set(.sleepHours, 8, inDays: 30))
    let start = "\(Self.today.adding(days: -1))T23:00:00Z"
    scene.add(
      .sleepLogged(
        SleepLogged(
          entry: scene.entryID(1), start: try #require(ZonedTimestamp(start)),
          end: try #require(ZonedTimestamp("\(Self.today)T06:00:00Z")))))
    #expect(try scene.goal().latest == 7 && scene.goal().remaining == 1)
  }

  @Test("A daily limit is kept by at most its quantity, on days with an entry")
  func limit() throws {
    var scene = Scene()
    func log(_ entry: Int, _ quantity: Double, daysAgo: Int) {
      scene.add(
        .progressLogged(
          ProgressLogged(
            entry: scene.entryID(entry), metric: .caloriesIn, quantity: quantity,
            date: Self.today.adding(days: -daysAgo))))
    }
    scene.add(
      .goalSet(GoalSet(metric: .caloriesIn, quantity: 2000, by: nil, isAtMost: true)))
    func goal() throws -> GoalView { try #require(scene.state().goals(today: Self.today).first) }
    log(1, 1500, daysAgo: 3)
    log(2, 2000, daysAgo: 1)
    #expect(try goal().isAtMost && goal().streakDays == 1 && !goal().isReached)
    log(3, 1200, daysAgo: 0)
    #expect(try goal().isReached && goal().streakDays == 2 && goal().progress == 1)
    log(4, 900, daysAgo: 0)
    #expect(try goal().remaining == 100 && goal().streakDays == 0 && goal().progress == nil)
  }

  @Test(
    "A streak counts back from today, or from yesterday while today is short", arguments: [0, 40])
  func streak(daysBefore: Int) throws {
    var scene = Scene()
    var entry = 1
    func log(_ quantity: Double, daysAgo: Int) {
      scene.add(
        .progressLogged(
          ProgressLogged(
            entry: scene.entryID(entry), metric: .steps, quantity: quantity,
            date: Self.today.adding(days: -daysAgo))))
      entry += 1
    }
    log(4000, daysAgo: 0)
    for day in 1...(daysBefore + 3) {
      log(5000, daysAgo: day)
      log(5000, daysAgo: day)
    }
    log(9999, daysAgo: daysBefore + 4)
    log(20_000, daysAgo: daysBefore + 5)
    scene.add(Self.set(.steps, 10_000))
    let short = try #require(try scene.state().goals(today: Self.today).first)
    #expect(short.streakDays == daysBefore + 3 && !short.isReached && short.remaining == 6000)
    log(6000, daysAgo: 0)
    let reached = try #require(try scene.state().goals(today: Self.today).first)
    #expect(reached.streakDays == daysBefore + 4 && reached.isReached && reached.latest == 10_000)
  }

  @Test("Goals come out of a snapshot, with those set since, and none is sent")
  func snapshot() throws {
    let folder = try TemporaryFolder()
    var scene = Scene()
    scene.add(Self.set(.weight, 72, inDays: 30, from: 75))
    scene.add(Self.set(.steps, 8000))
    let cut = scene.add(.goalRemoved(GoalRemoved(metric: .steps)))
    scene.add(Self.set(.waterLiters, 2))
    let view = try scene.view(in: folder)
    Snapshot.keep(try Replay.run(view, .init(verifies: false, until: cut)).state, of: view)
    let whole = try Replay.run(view).state
    let goals = try FoldedLog(view).ask { state in
      #expect(state.opened != nil)
      return state.goals(today: Self.today)
    }
    #expect(goals == whole.goals(today: Self.today))
    #expect(goals.map(\.metric) == [.weight, .waterLiters])
    #expect(whole.syncCounts().pending == 0)
  }
}

extension Scene {
  fileprivate func goal() throws -> GoalView {
    try #require(state().goals(today: Scene.day).first)
  }
}
