import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// What lines still in the log say about a record's entry or fields (docs/log-format.md, Erasing).
@Suite struct ErasureSubjectTests {
  private typealias Rule = ErasureRuleTests
  typealias Line = ErasureRuleTests.Line

  static let cases = fieldCases + entryCases + olderCases

  private static let asEntry = Rule.asEntry
  private static let asBio = Rule.asFields
  private static let asHeight = #","fields":["height_cm"]"#
  private static let asBirth = #","fields":["date_of_birth"]"#
  private static let height = Line("physical.updated", #"{"height_cm":171}"#)
  private static let differed = Rule.erased("sync.differed")
  private static let physical = "/api/v1/users/me/physical"

  private static func erased(_ type: String, by: Event.Actor) -> Line {
    Line(type, by: by, isErased: true)
  }

  private static func later(_ seq: Int) -> Line {
    Line("event.erased", #"{"event":\#(seq),"reason":"later"}"#)
  }

  /// Records as older versions wrote them, without an entry or fields.
  static let olderCases: [(String, [Line], [Int])] = [
    (
      "two entries, of an older version",
      [
        Rule.erased("progress.logged"), Rule.erased("progress.logged"),
        Rule.erased("progress.corrected"), Rule.record(2), later(3), later(4),
      ], []
    ),
    (
      "an entry that was not sent, of an older version, whose correction stays",
      [Rule.erased("progress.logged"), Rule.corrected, Rule.record(2)], [2]
    ),
    (
      "an entry of an older version whose correction stays",
      [Rule.erased("progress.logged"), Rule.answered, Rule.corrected, Rule.record(2)], [2]
    ),
    (
      "an entry of an older version whose row is not deleted",
      [Rule.erased("progress.logged"), Rule.posted, Rule.bound, Rule.record(2)], [2]
    ),
    (
      "an entry of an older version whose row is deleted",
      [Rule.erased("progress.logged"), Rule.posted, Rule.bound, Rule.record(2), Rule.deleted], []
    ),
    (
      "an entry of an older version in doubt",
      [Rule.erased("progress.logged"), Rule.posted, Rule.record(2)], [2]
    ),
    (
      "a correction before its logging, of an older version",
      [
        Rule.erased("progress.corrected"), Rule.erased("progress.logged"), Rule.record(2),
        Rule.record(3),
      ], [2]
    ),
    (
      "an answer that differed, with an entry of an older version that was not sent",
      [Rule.erased("progress.logged"), differed, Rule.record(2), Rule.record(3)], [3]
    ),
    (
      "a field in force, of an older version",
      [
        Rule.erased("profile.updated"), Rule.call(2), Rule.erased("sync.acknowledged"),
        Rule.record(2), Rule.record(4),
      ], [2]
    ),
    (
      "an overwritten field, of an older version",
      [
        Rule.erased("profile.updated"), Rule.call(2), Rule.erased("sync.acknowledged"), Rule.note,
        Rule.answer(5), Rule.record(2), Rule.record(4),
      ], []
    ),
    (
      "an answer of an older version that no call had",
      [
        Rule.erased("profile.updated"), Rule.call(2), Rule.erased("sync.acknowledged"),
        Rule.erased("sync.acknowledged"), Rule.note, Rule.answer(6), Rule.record(2),
        Rule.record(4), Rule.record(5),
      ], [5]
    ),
    (
      "two edits in one erasure of an older version",
      [
        Rule.erased("profile.updated"), Rule.erased("profile.updated"), Rule.call(2, 3),
        Rule.erased("sync.acknowledged"), Rule.note, Rule.answer(6), Rule.record(2),
        Rule.record(3), Rule.record(5),
      ], [2, 3, 5]
    ),
    (
      "an entry without a subject, after a record with one",
      [
        Rule.erased("progress.logged"), Rule.record(2, asEntry), Line("x"),
        Rule.erased("progress.logged"), Rule.record(5),
      ], [5]
    ),
  ]

  /// The lines after line 1, and the numbers of the damaged ones.
  static let fieldCases: [(String, [Line], [Int])] = [
    (
      "a height with the fields of the profile",
      [
        Rule.erased("physical.updated"), Rule.call(2, to: physical),
        Rule.erased("sync.acknowledged"), Rule.note, Rule.answer(5), Rule.record(2, asBio),
        Rule.record(4, asBio),
      ], [2]
    ),
    (
      "fields of two groups",
      [
        Rule.erased("profile.updated"), Rule.call(2), Rule.erased("sync.acknowledged"), Rule.note,
        Rule.answer(5), Rule.record(2, #","fields":["bio","height_cm"]"#),
        Rule.record(4, #","fields":["bio","height_cm"]"#),
      ], [2]
    ),
    (
      "an unknown field",
      [
        Rule.erased("profile.updated"), Rule.call(2), Rule.erased("sync.acknowledged"), Rule.note,
        Rule.record(2, #","fields":["nam"]"#), Rule.record(4, #","fields":["nam"]"#),
      ], [2]
    ),
    (
      "a field twice",
      [
        Rule.erased("profile.updated"), Rule.call(2), Rule.erased("sync.acknowledged"), Rule.note,
        Rule.answer(5), Rule.record(2, #","fields":["bio","bio"]"#),
        Rule.record(4, #","fields":["bio","bio"]"#),
      ], [2]
    ),
    (
      "a goal with fields", [Rule.erased("goal.set"), Rule.record(2, asBio)], [2]
    ),
    ("a goal", [Rule.erased("goal.set"), Rule.record(2, #","fields":[]"#)], []),
    (
      "a field in force, with an answer that another erasure took",
      [
        Rule.erased("profile.updated"), Rule.erased("profile.updated"), Rule.call(2, 3),
        Rule.erased("sync.acknowledged"), Rule.record(2, asBio), Rule.record(5, asBio),
        Rule.answer(3), Line("x"), Rule.record(3, asBio),
      ], [3]
    ),
    (
      "a field whose later value was erased before",
      [
        Rule.erased("profile.updated"), Rule.call(2), Rule.erased("sync.acknowledged"),
        Rule.erased("profile.updated"), Rule.call(5, id: Rule.entry),
        Rule.erased("sync.acknowledged"), Rule.note, Rule.answer(8),
        Rule.record(5, asBio), Rule.record(7, asBio), Line("x"), Rule.record(2, asBio),
        Rule.record(4, asBio),
      ], []
    ),
    (
      "a field whose later value was set after the erasure, and erased",
      [
        Rule.erased("profile.updated"), Rule.call(2), Rule.erased("sync.acknowledged"),
        Rule.record(2, asBio), Rule.record(4, asBio), Rule.erased("profile.updated"),
        Rule.call(7, id: Rule.entry), Rule.erased("sync.acknowledged"), Rule.note, Rule.answer(10),
        Rule.record(7, asBio), Rule.record(9, asBio),
      ], [2]
    ),
    (
      "a field that was never sent",
      [Rule.erased("profile.updated"), Rule.note, Rule.record(2, asBio)], [2]
    ),
    (
      "a field whose answer with its value stays",
      [
        Rule.erased("profile.updated"), Rule.call(2), Rule.answer(2, remote: #"{"bio":"a"}"#),
        Rule.note, Rule.answer(5), Rule.record(2, asBio),
      ], [2]
    ),
    (
      "a field whose answer has another field alone",
      [
        Rule.erased("profile.updated"), Rule.call(2), Rule.answer(2, remote: #"{"name":"a"}"#),
        Rule.note, Rule.answer(5), Rule.record(2, asBio),
      ], [2]
    ),
    (
      "a field whose answer has the value of a later edit",
      [
        Rule.erased("profile.updated"), Rule.note, Rule.call(2, 3),
        Rule.answer(2, 3, remote: #"{"bio":"b"}"#), Rule.record(2, asBio),
      ], []
    ),
    (
      "a field whose refusal with its value stays",
      [
        Rule.erased("profile.updated"), Rule.call(2),
        Line(
          "sync.rejected",
          #"{"call":"\#(Rule.other)","events":[2],"status":422,"message":"no","body":{"bio":"a"}}"#,
          by: .sync), Rule.note, Rule.answer(2, 5), Rule.record(2, asBio),
      ], [2]
    ),
    (
      "an answer to a call about another group",
      [
        Rule.erased("profile.updated"), Rule.call(2), Rule.answer(2), height,
        Rule.call(5, to: physical, id: Rule.entry), Rule.erased("sync.acknowledged"), Rule.note,
        Rule.answer(8), Rule.record(2, asBio), Rule.record(7, asBio),
      ], [7]
    ),
    (
      "an answer after the edit of a lost call was acknowledged",
      [
        Rule.erased("profile.updated"), Rule.call(2), Rule.answer(2),
        Rule.erased("sync.acknowledged"),
        Rule.note, Rule.answer(6), Rule.record(2, asBio), Rule.record(5, asBio),
      ], [5]
    ),
    (
      "an answer to a call that has another answer",
      [
        Rule.erased("profile.updated"), Rule.call(2), Rule.erased("sync.acknowledged"),
        Line(
          "sync.deferred", #"{"call":"\#(Rule.other)","events":[2],"reason":"offline"}"#,
          by: .sync), Rule.note, Rule.answer(6), Rule.record(2, asBio), Rule.record(4, asBio),
      ], [4]
    ),
    (
      "an answer to a call whose edit was sent again",
      [
        Rule.erased("profile.updated"), Rule.call(2), Rule.erased("sync.acknowledged"),
        Rule.call(2, id: Rule.entry), Rule.answer(2), Rule.note, Rule.answer(7),
        Rule.record(2, asBio), Rule.record(4, asBio),
      ], [4]
    ),
    (
      "an answer to another edit that stays unacknowledged",
      [
        Rule.erased("profile.updated"), Line("profile.updated", #"{"name":"c"}"#), Rule.call(2, 3),
        Rule.erased("sync.acknowledged"), Rule.note, Rule.answer(6), Rule.record(2, asBio),
        Rule.record(5, asBio),
      ], [5]
    ),
    (
      "an answer to another edit that is acknowledged again",
      [
        Rule.erased("profile.updated"), Rule.note, Rule.call(2, 3),
        Rule.erased("sync.acknowledged"), Rule.record(2, asBio), Rule.record(5, asBio),
        Rule.answer(3),
      ], []
    ),
    (
      "an answer as that to a registration, which has one already",
      [
        Line(
          "account.signed_in", #"{"account":"a@example.com","origin":"http://127.0.0.1"}"#,
          by: .system), Rule.erased("physical.updated"), Rule.answer(3),
        Line("physical.updated", #"{"date_of_birth":"1990-01-02"}"#), Rule.answer(5), Rule.logged,
        Rule.posted, Rule.erased("sync.acknowledged"), Rule.record(3, asBirth),
        Rule.record(9, asBirth),
      ], [9]
    ),
    (
      "a decision without its conflict",
      [
        Rule.erased("profile.updated"), Rule.call(2), Rule.erased("sync.acknowledged"),
        Rule.erased("conflict.resolved"), Rule.note, Rule.answer(6), Rule.record(2, asBio),
        Rule.record(4, asBio), Rule.record(5, asBio),
      ], [5]
    ),
  ]

  /// The answer that an entry's row is gone, with its new row's correction before.
  private static func gone(_ entry: EntryID, _ seq: Int) -> Line {
    Line(
      "sync.acknowledged",
      #"{"events":[\#(seq)],"status":404,"via":"reconciled","entry":"\#(entry)","backend_id":"b0"}"#,
      by: .sync)
  }

  /// The lines after line 1, and the numbers of the damaged ones.
  static let entryCases: [(String, [Line], [Int])] = [
    (
      "a correction before the logging",
      [
        Rule.erased("progress.corrected"), Rule.erased("progress.logged"), Rule.record(2, asEntry),
        Rule.record(3, asEntry),
      ], [2]
    ),
    (
      "a deletion before the logging",
      [
        Rule.erased("progress.deleted"), Rule.erased("progress.logged"), Rule.record(2, asEntry),
        Rule.record(3, asEntry),
      ], [2]
    ),
    (
      "a correction with a session",
      [
        Rule.erased("sleep.logged"), Rule.erased("progress.corrected"), Rule.record(2, asEntry),
        Rule.record(3, asEntry),
      ], [3]
    ),
    (
      "two loggings before a deletion",
      [
        Rule.erased("progress.logged"), Rule.erased("progress.logged"),
        Rule.erased("progress.deleted"), Rule.record(2, asEntry), Rule.record(3, asEntry),
        Rule.record(4, asEntry),
      ], [3]
    ),
    (
      "a correction by sync of an entry without a row",
      [
        Rule.erased("progress.logged"), erased("progress.corrected", by: .sync),
        Rule.record(2, asEntry), Rule.record(3, asEntry),
      ], [3]
    ),
    (
      "a deletion by sync of an entry without a row",
      [
        Rule.erased("progress.logged"), erased("progress.deleted", by: .sync),
        Rule.record(2, asEntry), Rule.record(3, asEntry),
      ], [3]
    ),
    (
      "a conflict of an entry without a row",
      [
        Rule.erased("progress.logged"), Rule.erased("conflict.detected"), Rule.record(2, asEntry),
        Rule.record(3, asEntry),
      ], [3]
    ),
    (
      "an answer that differed without the row that it bound",
      [
        Rule.erased("progress.logged"), Rule.posted, differed, Rule.record(2, asEntry),
        Rule.record(4, asEntry),
      ], [4]
    ),
    (
      "an answer that differed, with the row that it bound",
      [
        Rule.erased("progress.logged"), Rule.posted, differed, Rule.record(2, asEntry),
        Rule.record(4, asEntry), Rule.bound, Rule.deleted,
      ], []
    ),
    (
      "a correction by sync of an entry with a row",
      [
        Rule.erased("progress.logged"), erased("progress.corrected", by: .sync), Rule.bound,
        Rule.record(2, asEntry), Rule.record(3, asEntry), Rule.deleted,
      ], []
    ),
    (
      "a decision without its conflict",
      [
        Rule.erased("progress.logged"), Rule.bound, Rule.erased("conflict.resolved"),
        Rule.record(2, asEntry), Rule.record(4, asEntry), Rule.deleted,
      ], [4]
    ),
    (
      "a deletion of the row of another entry",
      [
        Line(
          "progress.pulled",
          #"{"entry":"\#(Rule.other)","backend_id":"b/9","metric":"weight","quantity":70,"date":"2026-01-01"}"#,
          by: .sync), Rule.erased("progress.logged"), Rule.erased("progress.deleted"),
        Rule.call(4, to: "/api/v1/progress/b%2F9"),
        Line(
          "sync.deferred", #"{"call":"\#(Rule.other)","events":[4],"reason":"offline"}"#,
          by: .sync), Rule.record(3, asEntry), Rule.record(4, asEntry),
      ], [3]
    ),
    (
      "a deletion of a row that the entry had before",
      [
        Rule.erased("progress.logged"), Rule.bound, Rule.erased("progress.deleted"),
        Rule.call(4, to: "/api/v1/progress/b1"),
        Line(
          "sync.deferred", #"{"call":"\#(Rule.other)","events":[4],"reason":"offline"}"#,
          by: .sync), Rule.record(2, asEntry), Rule.record(4, asEntry), Rule.deleted,
      ], []
    ),
    (
      "a deletion that was not acknowledged and is not recorded again",
      [
        Rule.erased("progress.logged"), Rule.bound, Rule.erased("progress.deleted"),
        Rule.record(2, asEntry), Rule.record(4, asEntry),
      ], [2]
    ),
    (
      "a person's deletion after a deletion",
      [
        Rule.erased("progress.logged"), Rule.erased("progress.deleted"),
        Rule.erased("progress.deleted"), Rule.record(2, asEntry), Rule.record(3, asEntry),
        Rule.record(4, asEntry),
      ], [4]
    ),
    (
      "a person's deletion after one that was undone",
      [
        Rule.erased("progress.logged"), Rule.erased("progress.deleted"),
        Line("edit.undone", #"{"event":3}"#), Rule.erased("progress.deleted"),
        Rule.record(2, asEntry), Rule.record(3, asEntry), Rule.record(5, asEntry),
      ], []
    ),
    (
      "a conflict from before the first call",
      [
        Rule.erased("progress.logged"), erased("conflict.detected", by: .sync), Rule.posted,
        Rule.bound, Rule.record(2, asEntry), Rule.record(3, asEntry), Rule.deleted,
      ], [3]
    ),
    (
      "a correction by sync to the new row of another entry",
      [
        Line("progress.logged", Rule.logged.data.replacing("\(Rule.entry)", with: "\(Rule.other)")),
        Rule.erased("progress.logged"), Rule.posted(3), Rule.bound(3),
        erased("progress.corrected", by: .sync), gone(Rule.other, 2), Rule.record(3, asEntry),
        Rule.record(6, asEntry), Rule.deleted,
      ], [6]
    ),
    (
      "a correction by sync to the new row of the entry",
      [
        Rule.erased("progress.logged"), Rule.posted, Rule.bound,
        erased("progress.corrected", by: .sync), gone(Rule.entry, 2), Rule.record(2, asEntry),
        Rule.record(5, asEntry), Rule.bound(5), Rule.deleted,
      ], []
    ),
    (
      "a correction by sync before a suspected row of another entry is gone",
      [
        Line(
          "duplicate.suspected",
          #"{"entry":"\#(Rule.other)","backend_ids":["b0"]}"#, by: .sync),
        Rule.erased("progress.logged"), Rule.posted(3), Rule.bound(3),
        erased("progress.corrected", by: .sync), gone(Rule.other, 2), Rule.record(3, asEntry),
        Rule.record(6, asEntry), Rule.bound(6), Rule.deleted,
      ], []
    ),
    (
      "an answer that differed whose conflict is left",
      [
        Rule.erased("progress.logged"), Rule.posted, differed,
        Line(
          "conflict.detected",
          #"{"subject":"\#(Rule.other)","field":"quantity","local":2,"remote":3,"decision":"open"}"#,
          by: .sync), Rule.bound, Rule.record(2, asEntry), Rule.record(4, asEntry), Rule.deleted,
      ], [4]
    ),
  ]

  @Test("Fields are erased as one edit set them and its calls say", arguments: fieldCases.indices)
  func fields(_ index: Int) throws {
    try check(Self.fieldCases[index])
  }

  @Test("An entry is erased as its lines and its rows say", arguments: entryCases.indices)
  func entries(_ index: Int) throws {
    try check(Self.entryCases[index])
  }

  @Test("What was erased later is no damage in an earlier state, since later lines tell why")
  func earlier() throws {
    let log = Rule.log([
      Rule.erased("profile.updated"), Rule.call(2), Rule.erased("sync.acknowledged"),
      Rule.erased("progress.pulled"), Rule.note, Rule.answer(6), Rule.record(2, Self.asBio),
      Rule.record(4, Self.asBio), Rule.record(5, Self.asEntry),
      Line(
        "sync.acknowledged",
        #"{"events":[5],"via":"elided","entry":"\#(Rule.entry)","backend_id":"b1"}"#, by: .sync),
      Rule.deleted,
    ])
    let view = try log.view(in: TemporaryFolder())
    for cut in 1...log.seq {
      let outcome = try Replay.run(view, .init(until: Seq(cut)))
      #expect(outcome.damage == nil, "\(cut)")
      #expect(outcome.state.position.seq == cut)
    }
  }

  private func check(_ example: (String, [Line], [Int])) throws {
    let (name, lines, damaged) = example
    let found = try ErasureReaders.damage(Rule.log(lines), in: TemporaryFolder())
    #expect(found == damaged, "\(name)")
  }
}
