import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// What changed between two moments: all of it, and nothing else.
@Suite struct LedgerDifferenceTests {
  @Test(
    "A difference lists every row that differs between any two moments",
    arguments: [UInt64(81), 82, 83, .random(in: 0 ... .max)])
  func anyTwoMoments(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let count = 240
    let view = try RandomStory.log(seed: seed, count: count).view(in: folder)
    var random = SplitMix(seed)
    for _ in 0..<TestSize.of(8, full: 40) {
      let first = Int.random(in: 0...count, using: &random)
      let last = Int.random(in: first...count, using: &random)
      let (before, after) = (try Self.state(view, first), try Self.state(view, last))
      let difference = LedgerDifference(from: before, to: after, keeping: .max)
      let place: Comment = "seed \(seed), from \(first) to \(last)"
      let expected = after.rows.indices.compactMap { row in
        EntryDifference(
          before: Self.entry(row, before), after: Self.entry(row, after),
          edits: after.edits(ofRow: row).filter { $0.number > first })
      }
      #expect(difference.entries == expected, place)
      #expect(difference.entryCounts.values.reduce(0, +) == expected.count, place)
      for field in ProfileField.allCases {
        let told = difference.fields.first { $0.field == field }
        let (old, new) = (before.origin(of: field)?.value, after.origin(of: field)?.value)
        let (was, now) = (before.fieldStatus(field), after.fieldStatus(field))
        #expect((told == nil) == (old == new && was == now), place)
        guard let told else { continue }
        #expect(told.before == old && told.after == new, place)
        #expect(told.statusBefore == was && told.statusAfter == now, place)
      }
      Self.expectMoves(difference, before, after, place)
      #expect(difference.byType.map(\.count).reduce(0, +) == last - first, place)
      if first == last { #expect(difference.isEmpty, place) }
    }
  }

  /// Edits that come to a state, less those that leave it, are how many more are in it.
  private static func expectMoves(
    _ difference: LedgerDifference, _ before: LedgerState, _ after: LedgerState, _ place: Comment
  ) {
    for state in [EditState.pending, .inDoubt, .held, .rejected, .undone] {
      let came = difference.moves.filter { $0.after == state }.map(\.count).reduce(0, +)
      let left = difference.moves.filter { $0.before == state }.map(\.count).reduce(0, +)
      let counts = [before, after].map { $0.edits.seqs { $0 == state }.count }
      #expect(counts[1] - counts[0] == came - left, place)
    }
  }

  /// Up to an event by a fold of its own; 0 for the empty ledger.
  private static func state(_ view: LogView, _ last: Int) throws -> LedgerState {
    guard let last = Seq(exactly: last) else { return LedgerState() }
    return try Replay.run(view, .init(verifies: false, until: last)).state
  }

  private static func entry(_ row: Int, _ state: LedgerState) -> EntryView? {
    row < state.rows.count && state.isMade(row: row) ? state.entry(at: row) : nil
  }

  @Test("A fold that goes on to an event is the fold up to it")
  func goesOnToAnEvent() throws {
    let folder = try TemporaryFolder()
    let view = try RandomStory.log(seed: 84, count: 120).view(in: folder)
    for first in stride(from: 0, through: 120, by: 15) {
      for last in stride(from: first, through: 120, by: 15) where last > 0 {
        var state = try Self.state(view, first)
        try Replay.advance(&state, to: view, until: Seq(last))
        let whole = try Self.state(view, last)
        #expect(state.position == whole.position && state.tally == whole.tally)
        #expect(Answers(state).difference(from: Answers(whole)) == nil, "\(first) to \(last)")
        let none = LedgerDifference(from: whole, to: state, keeping: 9)
        #expect(none.isEmpty && none.byType.isEmpty)
      }
    }
  }

  @Test("Each kind of change is called what it is")
  func kinds() throws {
    var scene = Scene()
    let kept = scene.log(1)
    let corrected = scene.log(2)
    let deletion = scene.log(3)
    let undone = scene.log(4)
    scene.log(5)
    let restored = scene.delete(5)
    scene.acknowledge(deletion)
    let before = try scene.state()
    scene.acknowledge(kept, id: "row")
    let correction = scene.correct(2, to: 74)
    scene.delete(3)
    scene.undo(undone)
    scene.undo(restored)
    scene.log(6)
    scene.log(7)
    scene.delete(7)
    scene.reject(corrected, correction)
    let difference = LedgerDifference(from: before, to: try scene.state(), keeping: 20)
    #expect(
      difference.entries.map(\.kind) == [
        .statusChanged, .corrected, .deleted, .unmade, .restored, .added, .cameAndWent,
      ])
    let change = try #require(difference.entries.first { $0.kind == .corrected })
    #expect(change.edits == [correction])
    #expect(change.before?.quantity == 75 && change.after?.quantity == 74)
    #expect(change.before?.status == .pending && change.after?.status == .failed)
  }

  @Test("Of each kind the newest are kept, and all are counted")
  func limit() throws {
    var scene = Scene()
    let first = scene.log(1)
    let before = try scene.state()
    for number in 2...9 { scene.log(number) }
    scene.acknowledge(first, id: "row")
    let difference = LedgerDifference(from: before, to: try scene.state(), keeping: 2)
    #expect(difference.entryCounts == [.statusChanged: 1, .added: 8])
    #expect(difference.entries.compactMap { $0.after?.seq.number } == [2, 9, 10])
    let none = LedgerDifference(from: before, to: try scene.state(), keeping: 0)
    #expect(none.entries.isEmpty && none.entryCounts[.added] == 8)
  }

  @Test("Conflicts that were found, and those that were decided")
  func conflicts() throws {
    var scene = Scene()
    scene.name("Ada")
    let before = try scene.state()
    let conflict = scene.add(
      .conflictDetected(
        ConflictDetected(
          subject: "profile", field: "name", local: "Ada", remote: "Eve", decision: .open)),
      by: .sync)
    let open = try scene.state()
    let found = LedgerDifference(from: before, to: open, keeping: 9)
    #expect(found.conflicts.map(\.after.seq) == [conflict] && found.conflicts[0].before == nil)
    #expect(found.fields.map(\.statusAfter) == [.conflict])
    scene.add(
      .conflictResolved(ConflictResolved(conflict: conflict, decision: .remote, value: "Eve")))
    let decided = LedgerDifference(from: open, to: try scene.state(), keeping: 9)
    #expect(decided.conflicts.map(\.before?.decision) == [.open])
    #expect(decided.conflicts.map(\.after.decision) == [.remote])
    #expect(decided.fields.map(\.after) == ["Eve"] && decided.fields[0].setBy?.number == 4)
  }
}
