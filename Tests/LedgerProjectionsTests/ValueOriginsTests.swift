import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// Which event gave each value.
@Suite struct ValueOriginsTests {
  private func origins(_ scene: Scene, _ entry: Int = 1) throws -> [EntryPart: Int] {
    let state = try scene.state()
    let row = try #require(state.row(of: scene.entryID(entry)))
    return state.origins(ofRow: row).mapValues(\.number)
  }

  @Test("The newest event that gives a value has given it, also where the value is the same")
  func newestCounts() throws {
    var scene = Scene()
    scene.log(1, 75)
    #expect(try origins(scene) == [:])
    scene.correct(1, to: 74)
    let again = scene.correct(1, to: 74)
    #expect(try origins(scene) == [.quantity: again.number])
    let noted = scene.add(
      .progressCorrected(ProgressCorrected(entry: scene.entryID(1), notes: .set("x"))))
    let dated = scene.add(
      .progressCorrected(
        ProgressCorrected(
          entry: scene.entryID(1), date: Scene.day.adding(days: 1),
          moment: ZonedTime(time: .midnight, zone: .utc))))
    #expect(
      try origins(scene) == [
        .quantity: again.number, .notes: noted.number, .date: dated.number, .time: dated.number,
      ])
    scene.undo(again)
    #expect(try origins(scene)[.quantity] == again.number - 1)
    let cleared = scene.add(
      .progressCorrected(ProgressCorrected(entry: scene.entryID(1), notes: .clear)))
    #expect(try origins(scene)[.notes] == cleared.number)
    let deleted = scene.delete(1)
    scene.delete(1, by: .sync)
    #expect(try origins(scene)[.deletion] == deleted.number)
  }

  @Test(
    "What gave a value says that value, and without it the entry is another",
    arguments: [UInt64(91), 92, .random(in: 0 ... .max)])
  func anyStory(seed: UInt64) throws {
    let lines = RandomStory.lines(seed: seed, count: 300)
    let folder = try TemporaryFolder()
    let state = try Replay.run(RandomStory.log(seed: seed, count: 300).view(in: folder)).state
    for row in state.rows.indices where state.isMade(row: row) {
      let entry = state.entry(at: row)
      for (part, seq) in state.origins(ofRow: row) {
        let place: Comment = "seed \(seed), event \(seq), \(part)"
        #expect(state.edits(ofRow: row).contains(seq), place)
        switch (part, lines[seq.number - 1].payload) {
        case (.quantity, .progressCorrected(let data)):
          #expect(data.quantity == entry.quantity, place)
        case (.date, .progressCorrected(let data)): #expect(data.date == entry.date, place)
        case (.time, .progressCorrected(let data)): #expect(data.moment == entry.moment, place)
        case (.notes, .progressCorrected(let data)):
          #expect(data.notes != nil && (data.notes == .clear) == (entry.notesIn == nil), place)
        case (.deletion, .progressDeleted): #expect(entry.isDeleted, place)
        default: Issue.record("\(place) gives no such value")
        }
      }
    }
  }

  @Test("A field has its value from an edit, from the backend, from a setting or from a person")
  func sources() throws {
    var scene = Scene()
    scene.name("Ada")
    #expect(try source(scene) == .edit)
    scene.acknowledge(Seq(2), remote: ["name": "Ada"])
    scene.pull(["name": "Eve"])
    #expect(try source(scene) == .pulled)
    scene.name("Ida")
    let conflict = scene.add(
      .conflictDetected(
        ConflictDetected(
          subject: "profile", field: "name", local: "Ida", remote: "Ute", decision: .remote)),
      by: .sync)
    #expect(try source(scene) == .policy(conflict: conflict))
    scene.add(
      .conflictResolved(ConflictResolved(conflict: conflict, decision: .local, value: "Ida")))
    #expect(try source(scene) == .decision(conflict: conflict, .local))
  }

  private func source(_ scene: Scene) throws -> ValueSource {
    let folder = try TemporaryFolder()
    let view = try scene.view(in: folder)
    let seq = try #require(try Replay.run(view).state.origin(of: .name)?.seq)
    return ValueSource(try view.line(seq).event())
  }
}
