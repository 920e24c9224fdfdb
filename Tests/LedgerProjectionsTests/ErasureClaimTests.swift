import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections

/// Erasures by hand whose records claim what other lines contradict: another entry, an edit that was
/// taken back, or one conflict for several fields (docs/log-format.md, Erasing).
@Suite struct ErasureClaimTests {
  private typealias Rule = ErasureRuleTests
  typealias Line = ErasureRuleTests.Line

  static let cases = repeatedCases + foreignCases + rowCases + undoneCases + conflictCases

  private static let asEntry = Rule.asEntry
  private static let asOther = #","entry":"\#(Rule.other)""#

  /// An id that is used again after an erasure.
  static let repeatedCases: [(String, [Line], [Int])] = [
    (
      "an entry erased again, whose correction in between stays",
      [
        Rule.erased("progress.logged"), Rule.record(2, asEntry), Rule.erased("progress.logged"),
        Rule.corrected, Rule.record(4, asEntry),
      ], [4]
    ),
    (
      "an entry erased again",
      [
        Rule.erased("progress.logged"), Rule.record(2, asEntry), Rule.erased("progress.logged"),
        Rule.erased("progress.corrected"), Rule.record(4, asEntry), Rule.record(5, asEntry),
      ], []
    ),
    (
      "an entry logged again after its erasure",
      [
        Rule.erased("progress.logged"), Rule.record(2, asEntry), Rule.logged, Rule.corrected,
      ], []
    ),
  ]

  /// A record that names another entry than the erased one.
  static let foreignCases: [(String, [Line], [Int])] = [
    (
      "an entry under another id, whose correction stays",
      [Rule.erased("progress.logged"), Rule.corrected, Rule.record(2, asOther)], [2]
    ),
    (
      "an entry under another id, whose deletion stays",
      [Rule.erased("progress.logged"), Rule.deleted, Rule.record(2, asOther)], [2]
    ),
    (
      "a session under another id, whose correction stays",
      [
        Rule.erased("sleep.logged"),
        Line("sleep.deleted", #"{"entry":"\#(Rule.entry)","reason":"no"}"#),
        Rule.record(2, asOther),
      ], [2]
    ),
    (
      "a correction of nothing before an erased entry",
      [Rule.corrected, Rule.erased("progress.logged"), Rule.record(3, asOther)], []
    ),
    (
      "a correction of nothing after the records of an entry",
      [Rule.erased("progress.logged"), Rule.record(2, asOther), Rule.corrected], []
    ),
    (
      "a correction of nothing after an erased session",
      [Rule.erased("sleep.logged"), Rule.corrected, Rule.record(2, asOther)], []
    ),
    (
      "a correction of an entry that is logged later",
      [Rule.erased("progress.logged"), Rule.corrected, Rule.logged, Rule.record(2, asOther)], []
    ),
    (
      "a deletion of an entry that is erased too",
      [
        Rule.erased("progress.logged"), Rule.erased("progress.logged"), Rule.deleted,
        Rule.record(2, asOther), Rule.record(3, asEntry),
      ], []
    ),
    (
      "a deletion that can be of an entry of an older version",
      [
        Rule.erased("progress.logged"), Rule.erased("progress.logged"), Rule.deleted,
        Rule.record(2),
        Line("x"), Rule.record(3, asOther),
      ], []
    ),
  ]

  private static func row(_ event: Int, _ row: String, status: Int? = nil) -> Line {
    let status = status.map { #","status":\#($0)"# } ?? ""
    return Line(
      "sync.acknowledged",
      #"{"events":[\#(event)],"via":"elided","entry":"\#(Rule.entry)","backend_id":"\#(row)"\#(status)}"#,
      by: .sync)
  }
  private static func erasedBySync(_ type: String) -> Line {
    Line(type, by: .sync, isErased: true)
  }
  /// An entry that an event gave another row; the first one was deleted.
  private static func moved(by type: String, records: [Int], _ after: [Line]) -> [Line] {
    [
      Rule.erased("progress.logged"), row(2, "b1"), Rule.erased("progress.corrected"),
      erasedBySync(type), row(4, "b1", status: 204),
    ] + records.map { Rule.record($0, Rule.asEntry) } + after
  }

  /// An erased event that gave the entry a row, with and without a record of the row's id.
  static let rowCases: [(String, [Line], [Int])] = [
    (
      "a correction by sync whose row nothing keeps",
      moved(by: "progress.corrected", records: [2, 4, 5], []), [5]
    ),
    (
      "a correction by sync whose row is kept",
      moved(by: "progress.corrected", records: [2, 4, 5], [row(5, "b2"), Rule.deleted]), []
    ),
    (
      "a correction by sync whose row is kept, but not deleted",
      moved(by: "progress.corrected", records: [2, 4, 5], [row(5, "b2")]), [2]
    ),
    (
      "an answer that differed whose row nothing keeps",
      moved(by: "sync.differed", records: [2, 4, 5], []), [5]
    ),
    (
      "an answer that differed whose row is kept",
      moved(by: "sync.differed", records: [2, 4, 5], [row(4, "b2"), Rule.deleted]), []
    ),
    (
      "a correction by sync of an account that was created again",
      [
        Rule.erased("progress.logged"), row(2, "b1"), erasedBySync("progress.corrected"),
        Line("account.replaced", #"{"reason":"gone"}"#, by: .sync),
      ] + [2, 4].map { Rule.record($0, Rule.asEntry) }, []
    ),
    (
      "a correction by sync before the deletion by sync",
      [
        Rule.erased("progress.logged"), row(2, "b1"), erasedBySync("progress.corrected"),
        erasedBySync("progress.deleted"),
      ] + [2, 4, 5].map { Rule.record($0, Rule.asEntry) }, []
    ),
    (
      "a pulled entry whose deletion was not sent and whose row nothing keeps",
      [erasedBySync("progress.pulled"), Rule.deleted, Rule.record(2, Rule.asEntry)], [2]
    ),
    (
      "a pulled entry whose deletion was acknowledged after the erasure",
      [
        erasedBySync("progress.pulled"), Rule.deleted, Rule.record(2, Rule.asEntry),
        Rule.answer(3),
      ], [2]
    ),
    (
      "a pulled entry whose deletion was acknowledged",
      [
        erasedBySync("progress.pulled"), Rule.deleted, row(3, "b1", status: 204),
        Rule.record(2, Rule.asEntry),
      ], []
    ),
    (
      "a pulled entry whose deletion was not sent",
      [
        erasedBySync("progress.pulled"), Rule.deleted, Rule.record(2, Rule.asEntry),
        row(2, "b1"), Rule.deleted,
      ], []
    ),
  ]

  private static let undone = Line("edit.undone", #"{"event":2}"#)
  private static let sent = [
    Rule.erased("profile.updated"), Rule.call(2), Rule.erased("sync.acknowledged"),
  ]

  /// An edit without a later value, which an `edit.undone` accounts for.
  static let undoneCases: [(String, [Line], [Int])] = [
    (
      "an edit that was undone before it was sent",
      [Rule.erased("profile.updated"), undone, Rule.record(2, Rule.asFields)], []
    ),
    (
      "an edit that was undone after its erased answer",
      sent + [undone, Rule.record(2, Rule.asFields), Rule.record(4, Rule.asFields)], [2]
    ),
    (
      "an edit that was undone after its answer",
      [
        Rule.erased("profile.updated"), Rule.call(2), Rule.answer(2), undone,
        Rule.record(2, Rule.asFields),
      ], [2]
    ),
    (
      "an edit that was undone after the account was created again",
      sent + [
        Line("account.replaced", #"{"reason":"gone"}"#, by: .sync), undone,
        Rule.record(2, Rule.asFields), Rule.record(4, Rule.asFields),
      ], []
    ),
    (
      "an edit that was undone before the account was created again",
      sent + [
        undone, Line("account.replaced", #"{"reason":"gone"}"#, by: .sync),
        Rule.record(2, Rule.asFields), Rule.record(4, Rule.asFields),
      ], [2]
    ),
    (
      "an edit that was undone between two new accounts",
      sent + [
        Line("account.replaced", #"{"reason":"gone"}"#, by: .sync), undone,
        Line("account.replaced", #"{"reason":"gone"}"#, by: .sync),
        Rule.record(2, Rule.asFields), Rule.record(4, Rule.asFields),
      ], []
    ),
    (
      "an edit that was undone before the answer to another one",
      [
        Rule.erased("profile.updated"), undone, Rule.note, Rule.call(4),
        Rule.erased("sync.acknowledged"), Rule.record(2, Rule.asFields),
        Rule.record(6, Rule.asFields), Rule.answer(4),
      ], []
    ),
  ]

  private static let asBioAndName = #","fields":["bio","name"]"#
  private static let conflict = Line("conflict.detected", by: .sync, isErased: true)
  private static func conflicts(_ count: Int, after edit: [Line]) -> [Line] {
    let lines = edit + Array(repeating: conflict, count: count)
    let taken = [2, 4] + (0..<count).map { edit.count + 2 + $0 }
    return lines + taken.map { Rule.record($0, asBioAndName) }
  }

  /// Erased conflicts as the later values of two fields.
  static let conflictCases: [(String, [Line], [Int])] = {
    let sentAgain = [
      conflict, Rule.erased("profile.updated"), Rule.call(6, id: Rule.entry),
      Rule.erased("sync.acknowledged"),
    ]
    func decided(_ conflicts: Int, _ damaged: [Int]) -> (String, [Line], [Int]) {
      let lines = sent + sentAgain + Array(repeating: conflict, count: conflicts)
      let end = lines.count + 2
      return (
        "two fields, the later values of a decision and \(conflicts) conflicts",
        lines + [Rule.erased("conflict.resolved")]
          + [5, 6, 8].map { Rule.record($0, asBioAndName) }
          + (9...end).map { Rule.record($0, asBioAndName) }
          + [Line("x"), Rule.record(2, asBioAndName), Rule.record(4, asBioAndName)],
        damaged
      )
    }
    return [
      ("two fields and the conflict over one", conflicts(1, after: sent), [2]),
      ("two fields and the conflicts over them", conflicts(2, after: sent), []),
      decided(0, [6]), decided(1, []),
    ]
  }()

  @Test("Records agree with the lines that are left", arguments: cases.indices)
  func claims(_ index: Int) throws {
    let (name, lines, damaged) = Self.cases[index]
    let found = try ErasureReaders.damage(Rule.log(lines), in: TemporaryFolder())
    #expect(found == damaged, "\(name)")
  }
}
