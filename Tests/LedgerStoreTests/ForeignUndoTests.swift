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

  /// What a reference to itself, to a later event or in a cycle could make endless.
  @Test(
    "A reference that does not go backwards is ignored",
    arguments: [
      [("profile.updated", #"{"bio":"two","undoes":4}"#)],
      [("profile.updated", #"{"bio":"two","undoes":5}"#), ("profile.updated", #"{"bio":"z"}"#)],
      [
        ("profile.updated", #"{"bio":"two","undoes":5}"#),
        ("profile.updated", #"{"bio":"three","undoes":4}"#),
      ],
      [("edit.undone", #"{"event":4}"#)],
      [("edit.undone", #"{"event":9}"#)],
      [("edit.undone", #"{"event":5}"#), ("edit.undone", #"{"event":4}"#)],
      [("edit.undone", #"{"event":5}"#), ("profile.updated", #"{"bio":"two"}"#)],
    ])
  func wrongReference(_ events: [(type: String, data: String)]) throws {
    var log = try Self.log(undoing: nil)
    for event in events { log.append(type: event.type, data: event.data) }
    let today = try #require(CalendarDate("2026-01-03"))
    func run(_ step: (LedgerStore, inout SplitMix) throws -> Void) throws {
      let folder = try TemporaryFolder()
      var random = SplitMix()
      do {
        try step(LedgerStore(log.write(to: folder)), &random)
      } catch is UndoRefusal {}
    }
    let now = HandWrittenLog.at(100)
    for seq in 1...log.seq {
      try run { _ = try $0.undo(Seq(seq), at: now, today: today, using: &$1) }
    }
    try run { _ = try $0.undo(at: now, today: today, using: &$1) }
    try run { _ = try $0.redo(at: now, today: today, using: &$1) }
    let all = UndoSelection(ranges: [Seq(2)...Seq(log.seq)])
    try run { _ = try $0.undo(all, at: now, today: today, using: &$1) }
    let folder = try TemporaryFolder()
    let ledger = LedgerStore(try log.write(to: folder))
    let state = try ledger.state()
    for seq in 1...log.seq { _ = try Explanation(of: Seq(seq), state, in: log.view(in: folder)) }
  }

  @Test(
    "A chain of thousands of undoings is followed", arguments: ["edit.undone", "profile.updated"])
  func longChain(_ type: String) throws {
    var log = try Self.log(undoing: nil)
    let first = log.seq
    for seq in first..<first + 3000 {
      let data = type == "edit.undone" ? #"{"event":\#(seq)}"# : #"{"bio":"b","undoes":\#(seq)}"#
      log.append(type: type, data: data)
    }
    let folder = try TemporaryFolder()
    let ledger = LedgerStore(try log.write(to: folder))
    var random = SplitMix()
    let today = try #require(CalendarDate("2026-01-03"))
    do {
      _ = try ledger.undo(Seq(first), at: HandWrittenLog.at(9000), today: today, using: &random)
    } catch is UndoRefusal {}
    do {
      _ = try ledger.redo(at: HandWrittenLog.at(9000), today: today, using: &random)
    } catch is UndoRefusal {}
    let explanation = try Explanation(
      of: Seq(log.seq), ledger.state(), in: log.view(in: folder))
    #expect(!explanation.history.isEmpty)
  }
}
