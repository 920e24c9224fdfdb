import LedgerKit
import Testing

@Suite struct EditsTests {
  private static let day = CalendarDate(year: 2026, month: 1, day: 5)!

  private static func weight(_ quantity: Double, id: EventID? = nil) -> Edit {
    var generator = SystemRandomNumberGenerator()
    let now = Timestamp(millisecondsSince1970: 1_767_600_000_000)
    return Edit(
      id: id, by: .import,
      change: .logProgress(
        ProgressLogged(
          entry: .make(at: now, using: &generator), metric: .weight, quantity: quantity, date: day))
    )
  }

  @Test("A computed weight is stored as what a log holds")
  func computed() async throws {
    try await withLedger { ledger in
      try await ledger.log(.weight, 74.97875760000001)
      #expect(try await ledger.progress().entries.map(\.quantity) == [74.9787576])
    }
  }

  @Test("A goal is set from the latest quantity, shown with what is left, and removed")
  func goals() async throws {
    try await withLedger { ledger in
      try await ledger.log(.weight, 75.5, at: .day(Self.day))
      try await ledger.setGoal(.weight, 72, by: CalendarDate(validating: "2099-01-01"))
      try await ledger.setDailyGoal(.steps, 8000)
      let goals = try await ledger.goals()
      #expect(goals.map(\.metric) == [.weight, .steps] && goals.map(\.isDaily) == [false, true])
      #expect(goals.map(\.remaining) == [3.5, nil] && goals.allSatisfy { !$0.isReached })
      #expect(goals.map(\.start) == [75.5, nil] && goals.map(\.progress) == [0, nil])
      try await ledger.log(.weight, 74.625, at: .day(Self.day))
      try await ledger.log(.steps, 6_000)
      #expect(try await ledger.goals().map(\.progress) == [0.25, 0.75])
      try await ledger.log(.weight, 72, at: .day(Self.day))
      #expect(try await ledger.goals().map(\.progress) == [1, 0.75])
      try await ledger.removeGoal(.weight)
      #expect(try await ledger.goals().map(\.metric) == [.steps])
      let refusal = await #expect(throws: EditRefusal.self) {
        try await ledger.setGoal(.weight, 72, by: Self.day)
      }
      #expect(refusal?.refusal.field == "by")
      let pending = try await ledger.outbox()
      #expect(pending.count == 4)
    }
  }

  @Test("A refused edit is skipped with its reason, and the others are appended")
  func skips() async throws {
    try await withLedger { ledger in
      let known = EventID.derived(from: "a", at: Timestamp(millisecondsSince1970: 0))
      let seqs = try await ledger.append([Self.weight(70, id: known)])
      let edits = [
        Self.weight(71), Self.weight(0), Self.weight(72), Self.weight(70, id: known),
        Self.weight(.nan),
      ]
      let outcomes = try await ledger.append(edits, onRefusal: .skip)
      #expect(
        outcomes.map(\.seq) == [seqs[0].next, nil, seqs[0].next.next, seqs[0], nil])
      #expect(outcomes[3] == .known(seqs[0]))
      #expect(outcomes.map { $0.refusal != nil } == [false, true, false, false, true])
      #expect(try await ledger.progress().entries.map(\.quantity) == [72, 71, 70])
    }
  }

  private struct NotLogging: Error {}

  @Test("An edit that no line holds is skipped with those that need it")
  func skipsLongEdits() async throws {
    try await withLedger { ledger in
      var long = Self.weight(71)
      guard case .logProgress(var logged) = long.change else { throw NotLogging() }
      logged.source = "scale"
      logged.sourceID = String(repeating: "x", count: 70_000)
      long.change = .logProgress(logged)
      let correction = Edit(
        change: .correctProgress(ProgressCorrected(entry: logged.entry, quantity: 75)))
      let outcomes = try await ledger.append(
        [Self.weight(70), long, correction, Self.weight(72)], onRefusal: .skip)
      #expect(outcomes.map { $0.refusal != nil } == [false, true, true, false])
      #expect(outcomes[1].refusal?.reason == .wrongLength)
      #expect(try await ledger.progress().entries.map(\.quantity) == [72, 70])
    }
  }

  @Test("The start of a goal is rounded as a quantity is")
  func goalStart() async throws {
    try await withLedger { ledger in
      let goal = GoalSet(metric: .weight, quantity: 224.2 / 3, by: nil, start: 224.2 / 3)
      _ = try await ledger.append([Edit(change: .setGoal(goal))])
      #expect(try await ledger.goals().count == 1)
    }
  }

  @Test("Unless refused edits are skipped, one of them rejects all")
  func rejects() async throws {
    try await withLedger { ledger in
      let edits = [Self.weight(71), Self.weight(0)]
      await #expect(throws: EditRefusal.self) {
        try await ledger.append(edits, onRefusal: .rejectAll)
      }
      let total = try await ledger.progress().total
      #expect(total == 0)
    }
  }

  @Test("The correction of an entry whose logging was refused is refused as well")
  func dependent() async throws {
    try await withLedger { ledger in
      let logging = Self.weight(0)
      guard case .logProgress(let logged) = logging.change else { throw NotLogging() }
      let correction = Edit(
        change: .correctProgress(ProgressCorrected(entry: logged.entry, quantity: 75)))
      let outcomes = try await ledger.append([logging, correction], onRefusal: .skip)
      #expect(outcomes.map(\.seq) == [nil, nil])
    }
  }

  @Test("Of two edits with one id, the one that was refused does not count")
  func repeatedID() async throws {
    try await withLedger { ledger in
      let id = EventID.derived(from: "a", at: Timestamp(millisecondsSince1970: 0))
      let edits = [0, 71, 72].map { Self.weight($0, id: id) }
      let outcomes = try await ledger.append(edits, onRefusal: .skip)
      #expect(outcomes.map { $0.seq != nil } == [false, true, false])
    }
  }

  @Test("An entry has the moment that was given")
  func moments() async throws {
    try await withLedger { ledger in
      let evening = try #require(ClockTime(hour: 18, minute: 30))
      let day = try await ledger.log(.weight, 75, on: Self.day)
      let time = try await ledger.log(.weight, 76, at: .time(Self.day, evening))
      let now = try await ledger.log(.weight, 77)
      let entries = try await ledger.progress().entries
      #expect(entries.map(\.id) == [now.id, time.id, day.id])
      #expect(entries.map(\.seq) == [now.seq, time.seq, day.seq])
      #expect(entries.map { $0.moment?.time == nil } == [false, false, true])
      #expect(entries[1].moment?.time == evening && entries[1].date == Self.day)
    }
  }

  @Test("A correction changes what is given, and a day alone keeps the time")
  func corrects() async throws {
    try await withLedger { ledger in
      let evening = try #require(ClockTime(hour: 18, minute: 30))
      let entry = try await ledger.log(.weight, 75, at: .time(Self.day, evening), notes: "heavy").id
      try await ledger.correct(entry, quantity: 74.97875760000001)
      try await ledger.correct(entry, at: .day(Self.day.adding(days: 1)))
      try await ledger.correct(entry, notes: .clear)
      let corrected = try #require(try await ledger.entry(entry))
      #expect(corrected.quantity == 74.9787576 && corrected.notesIn == nil)
      #expect(corrected.date == Self.day.adding(days: 1) && corrected.moment?.time == evening)
    }
  }

  @Test("A deleted entry is found by its id, and cannot be corrected")
  func deletes() async throws {
    try await withLedger { ledger in
      let entry = try await ledger.log(.weight, 75).id
      #expect(try await ledger.entry(entry)?.isDeleted == false)
      try await ledger.delete(entry, reason: "a mistake")
      #expect(try await ledger.entry(entry)?.isDeleted == true)
      await #expect(throws: EditRefusal.self) { try await ledger.correct(entry, quantity: 70) }
      #expect(try await ledger.entry(EntryID(LedgerUUID(high: 1, low: 2))) == nil)
    }
  }
}
