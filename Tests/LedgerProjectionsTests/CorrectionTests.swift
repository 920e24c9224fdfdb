import LedgerLog
import LedgerModel
import Testing

@testable import LedgerProjections

/// What an entry says after corrections, deletions and second thoughts.
@Suite struct CorrectionTests {
  @Test("The newest correction of each member stands, whatever else it leaves alone")
  func chain() throws {
    var scene = Scene()
    let entry = scene.entryID(1)
    let noon = ZonedTime(time: ClockTime(hour: 12, minute: 0)!, zone: .utc)
    let evening = ZonedTime(
      time: ClockTime(hour: 20, minute: 0)!, zone: ZoneOffset(minutes: 60)!)
    scene.add(
      .progressLogged(
        ProgressLogged(
          entry: entry, metric: .weight, quantity: 75, date: Scene.day, moment: noon,
          notes: "first")))
    scene.correct(1, to: 74)
    let other = Scene.day.adding(days: 1)
    scene.add(.progressCorrected(ProgressCorrected(entry: entry, date: other)))
    let view = try scene.state().entry(1)
    #expect(view.quantity == 74 && view.date == other && view.moment == noon)
    #expect(view.notesIn == Seq(2))
    scene.add(.progressCorrected(ProgressCorrected(entry: entry, moment: evening)))
    let noted = scene.add(
      .progressCorrected(ProgressCorrected(entry: entry, notes: .set("second"))))
    #expect(try scene.state().entry(1).notesIn == noted)
    scene.add(.progressCorrected(ProgressCorrected(entry: entry, notes: .clear)))
    let last = try scene.state().entry(1)
    #expect(last.notesIn == nil && last.moment == evening && last.quantity == 74)
  }

  @Test("An undone correction leaves the one before it in force")
  func undone() throws {
    var scene = Scene()
    scene.log(1, 75)
    scene.correct(1, to: 74)
    let slip = scene.correct(1, to: 7.4)
    #expect(try scene.state().entry(1).quantity == 7.4)
    scene.undo(slip)
    #expect(try scene.state().entry(1).quantity == 74)
    #expect(try scene.state().edits(ofRow: 0) == [Seq(2), Seq(3)])
  }

  @Test("An undone deletion brings back what was corrected meanwhile")
  func undoneDeletion() throws {
    var scene = Scene()
    scene.log(1, 75)
    let deleted = scene.delete(1)
    scene.correct(1, to: 74)
    var state = try scene.state()
    #expect(state.progress(ProgressQuery()).total == 0 && state.days().isEmpty)
    scene.undo(deleted)
    state = try scene.state()
    #expect(try state.entry(1).quantity == 74 && !state.entry(1).isDeleted)
  }

  @Test("A correction of a deleted entry does not bring it back")
  func correctedAfterDeletion() throws {
    var scene = Scene()
    scene.log(1)
    scene.delete(1)
    scene.correct(1, to: 74)
    let state = try scene.state()
    #expect(state.entryCounts().live == 0 && state.entryCounts().deleted == 1)
  }

  @Test("A correction or deletion before the logging is about nothing")
  func tooEarly() throws {
    var scene = Scene()
    let early = [scene.correct(1, to: 74), scene.delete(1)]
    scene.log(1, 75)
    let state = try scene.state()
    #expect(try state.entry(1).quantity == 75 && !state.entry(1).isDeleted)
    #expect(early.allSatisfy { state.edits.state($0.number) == .none })
    #expect(state.syncCounts().pending == 1)
  }

  @Test("An undone logging was never made, nor were the changes of it")
  func undoneLogging() throws {
    var scene = Scene()
    let logged = scene.log(1)
    scene.correct(1, to: 74)
    scene.undo(logged)
    let state = try scene.state()
    #expect(state.entryCounts() == EntryCounts() && state.entry(scene.entryID(1)) == nil)
    #expect(state.syncCounts() == SyncCounts())
    // What counts as never made may be made.
    scene.log(1, 80)
    #expect(try scene.state().entry(1).quantity == 80)
  }

  @Test("What was undone stays undone, whatever answer comes late")
  func undoneStays() throws {
    var scene = Scene()
    let logged = scene.log(1)
    scene.undo(logged)
    scene.acknowledge(logged, id: "a")
    #expect(try scene.state().entryCounts().live == 0)
  }

  @Test("In the years 1 and 9999 alike")
  func hostileDates() throws {
    var scene = Scene()
    for (number, date) in [CalendarDate.first, Scene.day, .last].enumerated() {
      scene.add(
        .progressLogged(
          ProgressLogged(
            entry: scene.entryID(number + 1), metric: .steps, quantity: Double(number),
            date: date)))
    }
    let state = try scene.state()
    #expect(state.days().map(\.date) == [.first, Scene.day, .last])
    #expect(state.progress(ProgressQuery()).entries.map(\.date) == [.last, Scene.day, .first])
    #expect(state.days(from: .last).map(\.sum) == [2] && state.days(to: .first).count == 1)
  }

  @Test("The latest of a day is by time, none being midnight, then by seq")
  func latestOfTheDay() throws {
    var scene = Scene()
    func logged(_ number: Int, _ quantity: Double, hour: Int?) -> Event.Payload {
      let moment = hour.map { ZonedTime(time: ClockTime(hour: $0, minute: 0)!, zone: .utc) }
      return .progressLogged(
        ProgressLogged(
          entry: Scene().entryID(number), metric: .weight, quantity: quantity, date: Scene.day,
          moment: moment))
    }
    scene.add(logged(1, 1, hour: 0))
    scene.add(logged(2, 2, hour: nil))
    #expect(try scene.state().days().map(\.last) == [2])
    scene.add(logged(3, 3, hour: 9))
    scene.add(logged(4, 4, hour: 8))
    let day = try #require(try scene.state().days().first)
    #expect(day.last == 3 && day.count == 4 && day.sum == 10 && day.mean == 2.5)
    #expect(day.min == 1 && day.max == 4)
  }
}
