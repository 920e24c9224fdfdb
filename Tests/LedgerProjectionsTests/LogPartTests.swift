import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections
@testable import LedgerStore

/// The state of a log's lines since some event, as a write folds it for one entry.
@Suite struct LogPartTests {
  private static let seeds = [UInt64(61), 62, 63, 64].prefix(TestSize.of(2, full: 4))
  private static let count = 110
  private static let today = CalendarDate(year: 2026, month: 1, day: 2)!

  /// - Returns: the whole state, and that of each part that can be folded.
  private func parts(
    _ seed: UInt64, _ folder: TemporaryFolder
  ) throws -> (view: LogView, whole: LedgerState, parts: [(first: Int, state: LedgerState)]) {
    let view = try RandomStory.log(seed: seed, count: Self.count).view(in: folder)
    let firsts = stride(from: 2, through: Self.count, by: TestSize.of(4, full: 1))
    let parts = firsts.compactMap { first in
      (try? Replay.part(of: view, from: Seq(first))).map { (first, $0) }
    }
    return (view, try Replay.run(view).state, parts)
  }

  @Test("A part of the log tells of an entry what all of it tells", arguments: seeds)
  func entries(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let (_, whole, parts) = try parts(seed, folder)
    var told = 0
    for (first, part) in parts {
      #expect(part.isPart && part.position == whole.position && part.nextSeq == whole.nextSeq)
      for seq in 1...Self.count {
        let place: Comment = "seed \(seed), event \(seq) of the part since \(first)"
        guard let row = part.edits.row(seq) else {
          #expect(throws: NeedsEarlierLines.self, place) {
            if part.session(ofEdit: seq) == nil {
              try part.requireEntry(ofEdit: Seq(seq))
            } else {
              throw NeedsEarlierLines()
            }
          }
          continue
        }
        let known = part.entry(at: row)
        let right = whole.entry(at: try #require(whole.edits.row(seq)))
        #expect(known.quantity == right.quantity && known.date == right.date, place)
        #expect(known.moment == right.moment && known.notesIn == right.notesIn, place)
        #expect(known.isDeleted == right.isDeleted && known.seq == right.seq, place)
        let isUndone = whole.edits.state(seq) == .undone
        #expect((part.edits.state(seq) == .undone) == isUndone, place)
        told += 1
      }
    }
    #expect(told > TestSize.of(250, full: 1_000))
  }

  @Test("A part of the log tells the value of a field only if all of it tells the same")
  func fields() throws {
    var told = 0
    for seed in Self.seeds { told += try fieldsTold(seed) }
    #expect(told > TestSize.of(75, full: 300))
  }

  private func fieldsTold(_ seed: UInt64) throws -> Int {
    let folder = try TemporaryFolder()
    let (_, whole, parts) = try parts(seed, folder)
    var told = 0
    for (first, part) in parts {
      for field in ProfileField.allCases {
        for seq in [nil] + (first...Self.count).map({ Seq($0) }) {
          guard (try? part.requireValue(of: field, before: seq)) != nil else { continue }
          let known = part.profile.value(of: field, before: seq ?? part.nextSeq, part.edits)
          let right = whole.profile.value(of: field, before: seq ?? part.nextSeq, whole.edits)
          let place: Comment = "seed \(seed), \(field) before \(seq?.number ?? 0), since \(first)"
          #expect(known?.seq == right?.seq && known?.value == right?.value, place)
          told += 1
        }
      }
    }
    return told
  }

  @Test("What is undone by a part of the log is undone as by all of it", arguments: seeds)
  func undoings(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let (view, whole, parts) = try parts(seed, folder)
    let entry = EntryID(LedgerUUID(high: 9 << 16 | 0x7000, low: 2 << 62))
    func planner(_ state: LedgerState) -> UndoPlanner {
      UndoPlanner(state: state, view: view, isSyncing: false, newEntry: entry)
    }
    let right = planner(whole)
    let undone = (1...Self.count).map { try? right.undo(Seq($0)) }
    let newest = try? right.undoNewest(passesImports: true)
    var planned = 0
    var ofFields = 0
    for (first, part) in parts {
      let place: Comment = "seed \(seed), the part since \(first)"
      for seq in first...Self.count {
        guard let undoing = try? planner(part).undo(Seq(seq)) else { continue }
        #expect(undoing == undone[seq - 1], place)
        planned += 1
        if try view.line(Seq(seq)).event().event.payload.setsFields { ofFields += 1 }
      }
      if let undoing = try? planner(part).undoNewest(passesImports: true) {
        #expect(undoing == newest, place)
      }
      if let logging = try part.loggingEdited(in: view) {
        #expect(try logging == whole.loggingEdited(in: view), place)
      }
    }
    #expect(planned > TestSize.of(25, full: 100) && ofFields > TestSize.of(5, full: 20))
  }
}
