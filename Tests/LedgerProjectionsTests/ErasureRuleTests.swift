import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections
@testable import LedgerStore

/// An erasure that `erase` could not have made is damage to every reader (docs/log-format.md, Erasing).
@Suite struct ErasureRuleTests {
  /// A line of a log that is erased by hand.
  struct Line {
    var type: String
    var data: String
    var by = Event.Actor.user
    var isErased = false
    var v = 1

    init(_ type: String, _ data: String = "{}", by: Event.Actor = .user, isErased: Bool = false) {
      (self.type, self.data, self.by, self.isErased) = (type, data, by, isErased)
    }
  }

  /// Consecutive records have one time.
  ///
  /// - Parameter isCreated: whether a line 1 comes before these.
  static func log(_ lines: [Line], isCreated: Bool = true) -> HandWrittenLog {
    var log = HandWrittenLog()
    if isCreated { log.appendCreation() }
    var recordedAt: Timestamp?
    for line in lines {
      let isRecord = line.type == "event.erased" && !line.isErased
      recordedAt = isRecord ? recordedAt ?? HandWrittenLog.at(log.seq + 1) : nil
      if line.isErased {
        log.appendErased(type: line.type, by: line.by, data: line.data)
      } else {
        log.append(type: line.type, data: line.data, by: line.by, at: recordedAt, version: line.v)
      }
    }
    return log
  }

  static func record(_ seq: Int, _ subject: String = "") -> Line {
    Line("event.erased", #"{"event":\#(seq),"reason":"r"\#(subject)}"#)
  }

  static let entry = Scene().entryID(1)
  static let asEntry = #","entry":"\#(entry)""#
  static let other = Scene().entryID(2)
  static let asFields = #","fields":["bio"]"#
  private static let asOther = #","entry":"\#(other)""#
  static let answered = Line(
    "sync.acknowledged", #"{"events":[2],"via":"elided","entry":"\#(entry)"}"#, by: .sync)
  static let attempted = call(2)
  static let posted = posted(2)
  static func posted(_ seq: Int) -> Line {
    var line = call(seq, to: "/api/v1/progress")
    line.data.replace("PUT", with: "POST")
    return line
  }
  static let bound = bound(2)
  static func bound(_ seq: Int) -> Line {
    Line(
      "sync.acknowledged",
      #"{"events":[\#(seq)],"via":"elided","entry":"\#(entry)","backend_id":"b1"}"#, by: .sync)
  }
  private static let rowDeleted = Line(
    "sync.acknowledged",
    #"{"events":[2],"status":204,"via":"response","entry":"\#(entry)","backend_id":"b1"}"#,
    by: .sync)
  static let deleted = Line("progress.deleted", #"{"entry":"\#(entry)"}"#)
  /// The answer to the edit of line 7.
  static let noteSent = Line(
    "sync.acknowledged", #"{"events":[7],"status":200,"via":"response"}"#, by: .sync)
  static func call(_ events: Int..., to path: String = "/api/v1/users/me", id: EntryID = other)
    -> Line
  {
    Line(
      "sync.attempted",
      #"{"call":"\#(id)","method":"PUT","path":"\#(path)","events":[\#(csv(events))],"fingerprint":"0123456789abcdef0123456789abcdef","attempt":1}"#,
      by: .sync)
  }
  static func answer(_ events: Int..., remote: String = "{}") -> Line {
    Line(
      "sync.acknowledged",
      #"{"events":[\#(csv(events))],"status":200,"via":"response","remote":\#(remote)}"#, by: .sync)
  }
  private static func csv(_ seqs: [Int]) -> String { seqs.map(String.init).joined(separator: ",") }
  static let pulledNote = Line("profile.pulled", #"{"fields":{"bio":"c"}}"#, by: .sync)
  static func erased(_ type: String) -> Line { Line(type, isErased: true) }
  static let logged = Line(
    "progress.logged",
    #"{"entry":"\#(entry)","metric":"weight","quantity":70,"date":"2026-01-01"}"#)
  static let corrected = Line("progress.corrected", #"{"entry":"\#(entry)","quantity":71}"#)
  static let note = Line("profile.updated", #"{"bio":"b"}"#)

  /// The lines after line 1, and the numbers of the damaged ones.
  static let cases: [(String, [Line], [Int])] = [
    ("an entry", [erased("progress.logged"), record(2, asEntry)], []),
    ("an entry that its record does not name", [erased("progress.logged"), record(2)], []),
    (
      "a pulled entry whose row nothing names", [erased("progress.pulled"), record(2, asEntry)], [2]
    ),
    (
      "a pulled entry", [erased("progress.pulled"), record(2, asEntry), bound, deleted], []
    ),
    (
      "an entry whose row stays", [erased("progress.logged"), bound, record(2, asEntry)], [2]
    ),
    (
      "an entry whose row was deleted",
      [erased("progress.logged"), bound, rowDeleted, record(2, asEntry)], []
    ),
    (
      "an entry of which a call has no answer",
      [erased("progress.logged"), posted, record(2, asEntry)], [2]
    ),
    (
      "an entry whose refusal is erased",
      [
        erased("progress.logged"), posted, erased("sync.rejected"), record(2, asEntry),
        record(4, asEntry),
      ],
      []
    ),
    (
      "an entry whose refusal stays",
      [
        erased("progress.logged"), posted,
        Line(
          "sync.rejected", #"{"call":"\#(other)","events":[2],"status":422,"message":"no"}"#,
          by: .sync), record(2, asEntry),
      ], [2]
    ),
    (
      "a refusal of another call",
      [erased("progress.logged"), erased("sync.rejected"), record(2, asEntry), record(3, asEntry)],
      [3]
    ),
    (
      "a refusal of a call for an entry, with fields",
      [
        erased("profile.updated"), posted, erased("sync.rejected"), pulledNote, record(2, asFields),
        record(4, asFields),
      ], [4]
    ),
    (
      "a conflict after an answer about an entry, with fields",
      [
        erased("profile.updated"),
        Line(
          "sync.differed",
          #"{"events":[1],"status":200,"via":"response","entry":"\#(entry)","remote":{}}"#,
          by: .sync), erased("conflict.detected"), pulledNote, record(2, asFields),
        record(4, asFields),
      ], [4]
    ),
    (
      "an answer to a call that was put off",
      [
        erased("profile.updated"), attempted,
        Line(
          "sync.deferred", #"{"call":"\#(other)","events":[2],"reason":"offline"}"#, by: .sync),
        erased("sync.acknowledged"), pulledNote, record(2, asFields), record(5, asFields),
      ], [5]
    ),
    (
      "a field whose later value was not sent",
      [
        erased("profile.updated"), attempted, erased("sync.acknowledged"), note,
        record(2, asFields),
        record(4, asFields),
      ], [2]
    ),
    (
      "a record by sync",
      [
        erased("progress.logged"),
        Line("event.erased", #"{"event":2,"reason":"r","entry":"\#(entry)"}"#, by: .sync),
      ], [3]
    ),
    (
      "a record without a reason",
      [
        erased("progress.logged"),
        Line("event.erased", #"{"event":2,"reason":"","entry":"\#(entry)"}"#),
      ], [3]
    ),
    ("a session", [erased("sleep.logged"), record(2, asEntry)], []),
    ("unnamed", [erased("progress.logged"), note], [2]),
    ("named too early", [record(3), erased("progress.logged")], [3]),
    ("named twice", [erased("progress.logged"), record(2), note, record(2)], [2]),
    (
      "a record that is erased",
      [erased("progress.logged"), erased("event.erased"), record(3)], [2, 3]
    ),
    (
      "entry and correction",
      [
        erased("progress.logged"), erased("progress.corrected"), record(2, asEntry),
        record(3, asEntry),
      ], []
    ),
    (
      "in any order",
      [
        erased("progress.logged"), erased("progress.deleted"), record(3, asEntry),
        record(2, asEntry),
      ], []
    ),
    ("a lone correction", [erased("progress.corrected"), record(2)], [2]),
    ("a lone deletion", [erased("progress.deleted"), record(2)], [2]),
    ("a lone correction of a session", [erased("sleep.corrected"), record(2)], [2]),
    (
      "a correction in an erasure of its own",
      [
        erased("progress.logged"), erased("progress.corrected"), record(2, asEntry), note,
        record(3, asEntry),
      ], [3]
    ),
    (
      "a correction with fields",
      [
        erased("progress.corrected"), erased("profile.updated"), record(2, asFields),
        record(3, asFields),
      ], [2]
    ),
    (
      "two entries that their records do not name",
      [
        erased("progress.logged"), erased("progress.logged"), erased("progress.corrected"),
        record(2), record(3), record(4),
      ], [3]
    ),
    (
      "two loggings of one entry",
      [
        erased("progress.logged"), erased("progress.logged"), record(2, asEntry),
        record(3, asEntry),
      ], [3]
    ),
    (
      "an entry that was logged again after a deletion",
      [
        erased("progress.logged"), erased("progress.deleted"), erased("progress.logged"),
        record(2, asEntry), record(3, asEntry), record(4, asEntry),
      ], []
    ),
    ("an entry without its logging", [erased("conflict.detected"), record(2, asEntry)], [2]),
    (
      "an answer with an entry",
      [
        erased("progress.logged"), erased("sync.acknowledged"), record(2, asEntry),
        record(3, asEntry),
      ], [3]
    ),
    (
      "a field and its answer, without fields",
      [
        erased("profile.updated"), attempted, erased("sync.acknowledged"), note, noteSent,
        record(2), record(4),
      ], []
    ),
    ("a lone answer", [erased("sync.acknowledged"), record(2)], [2]),
    (
      "fields and what repeats them",
      [
        erased("profile.updated"), attempted, erased("sync.acknowledged"), erased("profile.pulled"),
        erased("conflict.detected"), note, noteSent, record(2, asFields), record(4, asFields),
        record(5, asFields), record(6, asFields),
      ], []
    ),
    ("a field in force", [erased("profile.updated"), record(2, asFields)], [2]),
    ("a field set later", [erased("profile.updated"), record(2, asFields), note], [2]),
    (
      "a field that was pulled since",
      [
        erased("profile.updated"), attempted, erased("sync.acknowledged"), pulledNote,
        record(2, asFields), record(4, asFields),
      ], []
    ),
    (
      "a field that a conflict took from the backend since",
      [
        erased("profile.updated"), attempted, erased("sync.acknowledged"),
        Line(
          "conflict.detected",
          #"{"subject":"profile","field":"bio","local":"b","remote":"c","decision":"remote"}"#,
          by: .sync), record(2, asFields), record(4, asFields),
      ], []
    ),
    (
      "a field in force that was pulled",
      [
        erased("profile.updated"), note, erased("profile.pulled"), record(2, asFields),
        record(4, asFields),
      ], [4]
    ),
    (
      "two edits of a field",
      [
        erased("profile.updated"), erased("profile.updated"), call(2, 3),
        erased("sync.acknowledged"), note, answer(6), record(2, asFields), record(3, asFields),
        record(5, asFields),
      ], []
    ),
    (
      "an undone edit",
      [erased("profile.updated"), Line("edit.undone", #"{"event":2}"#), record(2, asFields)], []
    ),
    ("an edit of no field", [erased("profile.updated"), note, record(2, #","fields":[]"#)], [2]),
    (
      "an answer to no call about the profile",
      [
        erased("profile.updated"), pulledNote, erased("sync.acknowledged"), record(2, asFields),
        record(4, asFields),
      ], [4]
    ),
    (
      "a registration's answer",
      [
        Line(
          "account.signed_in", #"{"account":"a@example.com","origin":"http://127.0.0.1"}"#,
          by: .system),
        erased("physical.updated"), erased("sync.acknowledged"),
        Line("profile.pulled", #"{"fields":{"date_of_birth":"1990-01-02"}}"#, by: .sync),
        record(3, #","fields":["date_of_birth"]"#), record(4, #","fields":["date_of_birth"]"#),
      ], []
    ),
    ("content that a record names", [logged, record(2, asEntry)], [3]),
    ("a record of its own line", [note, record(3)], [3]),
    ("a removed goal", [erased("goal.removed"), record(2)], [2]),
    (
      "a correction under another entry",
      [
        erased("progress.corrected"), answered, erased("progress.logged"), record(2, asOther),
        record(4, asOther),
      ], [2]
    ),
    ("an entry under another id", [erased("progress.logged"), answered, record(2, asOther)], [2]),
    ("an answered entry", [erased("progress.logged"), answered, record(2, asEntry)], []),
    (
      "an entry whose deletion with a reason stays",
      [
        erased("progress.logged"),
        Line("progress.deleted", #"{"entry":"\#(entry)","reason":"wrong"}"#),
        record(2, asEntry),
      ], [2]
    ),
    (
      "an entry whose deletion stays",
      [
        erased("progress.logged"), Line("progress.deleted", #"{"entry":"\#(entry)"}"#),
        record(2, asEntry),
      ], []
    ),
    ("an entry as fields", [erased("progress.logged"), record(2, asFields)], [2]),
    ("fields as an entry", [erased("profile.updated"), record(2, asEntry)], [2]),
    ("an unknown type", [erased("weather.noticed"), record(2)], []),
    ("an account of a later version", [erased("account.moved"), record(2)], [2]),
    (
      "an entry whose correction stays",
      [erased("progress.logged"), corrected, record(2, asEntry)], [2]
    ),
    ("an entry that stays", [erased("progress.pulled"), logged, record(2, asEntry)], [2]),
    ("an entry that is logged again", [erased("progress.logged"), record(2, asEntry), logged], []),
    (
      "a conflict that stays",
      [
        erased("progress.logged"),
        Line(
          "conflict.detected",
          #"{"subject":"\#(entry)","field":"quantity","base":1,"local":2,"remote":3,"decision":"open"}"#,
          by: .sync), record(2, asEntry),
      ], [2]
    ),
  ]

  @Test("An erasure is damage unless `erase` could have made it", arguments: cases.indices)
  func table(_ index: Int) throws {
    let (name, lines, damaged) = Self.cases[index]
    let folder = try TemporaryFolder()
    let found = try ErasureReaders.damage(Self.log(lines), in: folder)
    #expect(found == damaged, "\(name)")
  }

  @Test(
    "What `erase` never takes",
    arguments: [
      "account.signed_in", "account.signed_out", "account.replaced", "log.repaired",
      "event.erased", "sync.attempted", "sync.deferred", "sync.held", "sync.rejected",
      "sync.differed", "row.skipped", "duplicate.suspected", "duplicate.resolved", "edit.undone",
      "profile.pulled", "conflict.detected", "conflict.resolved",
    ])
  func neverAlone(_ type: String) throws {
    let folder = try TemporaryFolder()
    #expect(
      try ErasureReaders.damage(Self.log([Self.erased(type), Self.record(2)]), in: folder) == [2])
  }

  @Test("Line 1 is never erased")
  func lineOne() throws {
    var log = HandWrittenLog()
    log.appendErased(type: "ledger.created", by: .system, data: "{}")
    log.append(.eventErased(EventErased(event: Seq(1), reason: "r")))
    #expect(try ErasureReaders.damage(log, in: TemporaryFolder()) == [1])
  }

  @Test("The state at an earlier event takes later erasure records into account")
  func cuts() throws {
    let right = Self.log([
      Self.note, Self.erased("progress.logged"), Self.erased("progress.corrected"), Self.note,
      Self.record(3, Self.asEntry), Self.record(4, Self.asEntry), Self.note,
    ])
    let wrong = Self.log([
      Self.note, Self.erased("progress.logged"), Self.erased("progress.corrected"), Self.note,
      Self.record(3, Self.asEntry), Self.note, Self.record(4, Self.asEntry),
    ])
    for (log, damage) in [(right, nil), (wrong, 4)] {
      let folder = try TemporaryFolder()
      let view = try log.view(in: folder)
      for cut in 1...log.seq {
        let outcome = try Replay.run(view, .init(until: Seq(cut)))
        // The first erased line of each log is event 3.
        let isSeen = cut >= 3 && !(cut == 3 && damage == nil)
        if damage == nil { #expect(outcome.damage == nil, "\(cut)") }
        if damage != nil, isSeen { #expect(outcome.damage?.line == damage, "\(cut)") }
        #expect(outcome.state.position.seq == cut)
      }
    }
    // The record comes after a break.
    let folder = try TemporaryFolder()
    var bytes = right.bytes
    bytes[right.starts[5] - 40] = UInt8(ascii: "?")
    let directory = try right.write(to: folder, head: false)
    try folder.write(bytes, to: directory.events)
    let (view, _) = try LogView.openDamaged(directory)
    #expect(try Replay.run(view, .init(until: Seq(4))).damage != nil)
    #expect(try Replay.run(view, .init(until: Seq(2))).damage == nil)
  }

  @Test("Erasures after a state or a snapshot was folded are checked")
  func tails() throws {
    let folder = try TemporaryFolder()
    let short = Self.log([Self.note, Self.logged])
    let view = try short.view(in: folder)
    let ledger = LedgerStore(folder.ledger)
    #expect(try ledger.state().position.seq == 3)
    Snapshot.keep(try Replay.run(view).state, of: view)
    for (tail, isRight) in [
      ([Self.erased("progress.corrected"), Self.note], false),
      ([Self.erased("weather.noticed"), Self.record(4)], true),
      ([Self.erased("progress.corrected"), Self.record(4)], false),
    ] {
      let log = Self.log([Self.note, Self.logged] + tail)
      let longer = try log.view(in: folder)
      for state in [
        { try FoldedLog(longer, keepsSnapshot: false).state() },
        { try ledger.catchUp(to: longer) },
        { try FoldedLog(longer, keepsSnapshot: false).state(until: Seq(4)) },
        { try FoldedLog(longer, keepsSnapshot: false).ask { $0 } },
      ] {
        if isRight {
          #expect(throws: Never.self) { _ = try state() }
        } else {
          #expect(throws: LogError.self) { _ = try state() }
        }
      }
    }
  }

  @Test("`erase` refuses what readers would call damage")
  func refusals() throws {
    let stranger = #"{"entry":"\#(Self.other)","quantity":71}"#
    let log = Self.log([
      Self.logged, Line("progress.corrected", stranger),
      Line("progress.deleted", #"{"entry":"\#(Self.other)"}"#), Line("account.moved"),
      Line("sleep.corrected", #"{"entry":"\#(Self.other)","notes":null}"#), Line("x"), Self.logged,
      Self.corrected,
    ])
    let folder = try TemporaryFolder()
    let ledger = LedgerStore(try log.write(to: folder))
    func refusal(_ seq: Int) -> EraseRefusal? {
      do {
        _ = try ledger.erasures(of: [Seq(seq)])
      } catch {
        return error as? EraseRefusal
      }
      return nil
    }
    #expect(refusal(3) == .hasNoEntry(Seq(3)))
    #expect(refusal(4) == .hasNoEntry(Seq(4)))
    #expect(refusal(5) == .notContent(Seq(5), type: "account.moved"))
    #expect(refusal(6) == .hasNoEntry(Seq(6)))
    #expect(refusal(7) == nil)
    // Logged twice under one id, as no version of this program does.
    #expect(refusal(8) == .entangled(Seq(8)) || refusal(2) == .entangled(Seq(2)))
  }
}
