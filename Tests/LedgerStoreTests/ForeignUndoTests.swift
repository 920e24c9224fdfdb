import LedgerLog
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

/// That an edit undoes another is found in the log however another program wrote it.
@Suite struct ForeignUndoTests {
  private static let entry = EntryID(LedgerUUID(high: 0x7000, low: 2 << 62))

  private static func log(undoing: String?) throws -> HandWrittenLog {
    var log = HandWrittenLog()
    log.appendCreation()
    log.append(
      .progressLogged(
        ProgressLogged(
          entry: entry, metric: .weight, quantity: 75,
          date: try #require(CalendarDate("2026-01-02")), moment: nil,
          notes: #"what "undoes" a day, and a \ backslash"#)))
    if let undoing {
      log.append(type: "progress.deleted", data: #"{"entry":"\#(entry)",\#(undoing)}"#)
    }
    log.append(.profileUpdated(ProfileUpdated(name: #"Ada "undoes" \"#)))
    return log
  }

  private func undo(_ log: HandWrittenLog) throws -> Undoing {
    let folder = try TemporaryFolder()
    var random = SplitMix()
    let ledger = LedgerStore(try log.write(to: folder))
    return try ledger.undo(
      Seq(2), at: HandWrittenLog.at(100), today: #require(CalendarDate("2026-01-03")),
      using: &random
    ).undoing
  }

  @Test(
    "An undo is found however its member is written",
    arguments: [#""undoes":2"#, #""\u0075ndoes":2"#, #""reason":"x","undo\u0065s":2"#])
  func theUndoingIsFound(_ member: String) throws {
    #expect(throws: UndoRefusal.isUndone(Seq(2), by: Seq(3))) {
      try undo(Self.log(undoing: member))
    }
  }

  @Test("The word alone, in a text or of another event, is no undoing")
  func othersAreNot() throws {
    #expect(try undo(Self.log(undoing: nil)).target == Seq(2))
    #expect(throws: UndoRefusal.entryIsDeleted(Seq(2), by: Seq(3))) {
      try undo(Self.log(undoing: #""reason":"undoes","undoes":1"#))
    }
  }
}
