import Foundation
import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections
import Testing

@testable import LedgerCLI

@Suite struct LogCommandTests {
  let ledger: LookingLedger

  init() throws {
    ledger = try LookingLedger()
    let logged = try ledger.log(1, on: "2025-01-30", notes: "2 lines\nof “text”")
    try ledger.log(2, .steps, 4200, on: "2025-01-31")
    try ledger.add(
      .progressCorrected(ProgressCorrected(entry: LookingLedger.entry(1), quantity: 75)))
    try ledger.reject([Seq(3)], "no")
    try ledger.acknowledge([logged, Seq(4)], id: "a")
    try ledger.add(.unknown(type: "mood.guessed", version: 2, data: ["mood": "fine"]))
  }

  /// The seqs of the lines that come out, each compared with the stored one.
  private func seqs(_ words: String...) throws -> [Int] {
    let answer = ledger.run(["log", "--json"] + words)
    #expect(answer.code == .done, "\(answer.error)")
    let stored = try ledger.lines()
    return try answer.output.split(separator: "\n").map { line in
      try #require(stored.firstIndex(of: String(line))) + 1
    }
  }

  @Test("log --json prints stored lines byte for byte")
  func leavesEveryByteAsItIs() throws {
    #expect(
      ledger.run("log", "--json").output == String(decoding: try ledger.bytes(), as: UTF8.self))
  }

  @Test("Filters select events by type, actor, entry and time")
  func filters() throws {
    #expect(try seqs("-n", "2") == [6, 7])
    #expect(try seqs("-n", "99") == [1, 2, 3, 4, 5, 6, 7])
    #expect(try seqs("--since", "3", "--until", "5") == [3, 4, 5])
    #expect(try seqs("--since", "99") == [])
    #expect(try seqs("--since", "6", "-n", "1") == [7])
    #expect(try seqs("--type", "progress") == [2, 3, 4])
    #expect(try seqs("--type", "progress.logged", "-n", "1") == [3])
    #expect(try seqs("--type", "prog") == [])
    #expect(try seqs("--type", "mood.guessed") == [7])
    #expect(
      try seqs("--since", "2025-01-01T12:00:02Z", "--until", "2025-01-01T12:00:03Z") == [3, 4])
    #expect(try seqs("--until", "2024-12-31T00:00:00Z") == [])
  }

  @Test("A part of a correction that was so before is no change")
  func unchangedParts() throws {
    let date = try #require(CalendarDate("2025-01-30"))
    try ledger.add(
      .progressCorrected(
        ProgressCorrected(entry: LookingLedger.entry(1), quantity: 74, date: date)))
    #expect(ledger.run("log", "-n", "1").output.contains("weight: 75 → 74 kg, date 2025-01-30\n"))
    let start = try #require(ZonedTimestamp("2025-01-30T23:00:00Z"))
    let ends = try ["2025-01-31T06:00:00Z", "2025-01-31T07:00:00Z"].map {
      try #require(ZonedTimestamp($0))
    }
    let session = LookingLedger.entry(9)
    try ledger.add(.sleepLogged(SleepLogged(entry: session, start: start, end: ends[0])))
    try ledger.add(.sleepCorrected(SleepCorrected(entry: session, start: start, end: ends[1])))
    let log = ledger.run("log", "-n", "1").output
    #expect(
      log.contains(
        "start 2025-01-30 23:00 +00:00, end 2025-01-31 06:00 → 2025-01-31 07:00 +00:00"), "\(log)")
  }

  @Test(
    "No events, and an end before the start, are refused",
    arguments: [
      ["-n", "0"], ["--from", "5", "--to", "3"], ["--from", "2025-01-02", "--to", "2025-01-01"],
    ])
  func emptyByRequest(_ words: [String]) {
    for words in [words, words + ["--json"]] {
      let answer = ledger.run(["log"] + words)
      #expect(answer.code == .usage && answer.output.isEmpty && !answer.error.isEmpty)
    }
  }

  @Test("Ids of one millisecond leave the columns in line, also those of later blocks")
  func columnsInLine() throws {
    func logged(_ high: UInt64, _ low: UInt64) throws -> Event.Payload {
      .progressLogged(
        ProgressLogged(
          entry: EntryID(LedgerUUID(high: 7 << 16 | 0x7000 | high, low: 2 << 62 | low)),
          metric: .steps, quantity: 1, date: try #require(CalendarDate("2025-02-01"))))
    }
    // The older ones differ in later digits.
    try ledger.add((0..<600).map { try logged(0xABC, UInt64($0) << 40) })
    try ledger.add((0..<600).map { try logged(UInt64($0), 0) })
    let rows = ledger.run("log", "--metric", "steps", "--from", "8").output.split(separator: "\n")
    #expect(rows.count == 1201)
    let columns = rows.dropFirst().compactMap { row in
      row.range(of: "steps 1").map { row.distance(from: row.startIndex, to: $0.lowerBound) }
    }
    #expect(columns.count == 1200 && Set(columns).count == 1, "\(Set(columns))")
  }

  @Test("Ids of one millisecond do not widen the column of others, with a snapshot or without")
  func columnOfOthers() throws {
    try ledger.add(
      (0..<2).map { low in
        .progressLogged(
          ProgressLogged(
            entry: EntryID(LedgerUUID(high: 7 << 16 | 0x7ABC, low: 2 << 62 | low)), metric: .steps,
            quantity: 1, date: try #require(CalendarDate("2025-02-01"))))
      })
    try ledger.log(77, .steps, 1000, on: "2025-02-02")
    let without = ledger.run("log", "-n", "1").output
    #expect(without.contains("00000000-004d  steps"), "\(without)")
    try FoldedLog(LogView.open(ledger.directory)).keepSnapshot()
    #expect(ledger.run("log", "-n", "1").output == without)
    #expect(ledger.run("log").output.contains("004d" + String(repeating: " ", count: 25) + "steps"))
  }

  @Test("Every correction shows both values, however many there are")
  func manyCorrections() throws {
    for number in 10..<70 {
      try ledger.log(number, .steps, 1000, on: "2025-01-31")
      try ledger.add(
        .progressCorrected(
          ProgressCorrected(entry: LookingLedger.entry(number), quantity: 2000 + Double(number))))
    }
    let log = ledger.run("log", "--type", "progress.corrected").output
    #expect(log.split(separator: "\n").count { $0.contains("1,000 → 2,0") } == 60, "\(log)")
  }

  @Test("An edit is described by what it changed then, whatever was undone since")
  func undone() throws {
    let entry = LookingLedger.entry(2)
    try ledger.add(.progressCorrected(ProgressCorrected(entry: entry, quantity: 5000)))
    try ledger.add(.progressCorrected(ProgressCorrected(entry: entry, quantity: 6000)))
    try ledger.add(.progressDeleted(ProgressDeleted(entry: entry)))
    for seq in [10, 9, 8] { try ledger.add(.editUndone(EditUndone(event: Seq(seq)))) }
    try ledger.add(.progressCorrected(ProgressCorrected(entry: entry, quantity: 7000)))
    let log = ledger.run("log", "--from", "8").output
    #expect(log.contains("corrected steps: 4,200 → 5,000"))
    #expect(log.contains("corrected steps: 5,000 → 6,000"))
    #expect(log.contains("deleted steps 6,000"))
    #expect(log.contains("corrected steps: 4,200 → 7,000"))
  }

  @Test("A redo of what the backend had names the edit, not what had undone it")
  func redoOfCompensation() throws {
    func redone() -> String { ledger.run("redo").output }
    #expect(ledger.run("undo", "4").code == .done)
    let correction = "✓ redid event 4, corrected weight: 75.5 → 75 kg (event 9)"
    #expect(redone() == correction + ": its undoing was never sent\n")
    try ledger.acknowledge([Seq(3)], id: "b")
    #expect(ledger.run("undo", "3").code == .done)
    let entry = "✓ redid event 3, steps 4,200 on 2025-01-31"
    #expect(redone().hasPrefix("\(entry) (event 12): the entry is back; its deletion was never"))
    #expect(ledger.run("undo", "3").code == .done)
    try ledger.acknowledge([Seq(13)])
    #expect(redone().hasPrefix("\(entry) (event 15): the entry is back; the next"))
  }

  @Test("A correction of a session shows its times before and after")
  func session() throws {
    let entry = LookingLedger.entry(3)
    func moment(_ text: String) throws -> ZonedTimestamp { try #require(ZonedTimestamp(text)) }
    try ledger.add(
      .sleepLogged(
        SleepLogged(
          entry: entry, start: moment("2025-01-30T23:00:00Z"),
          end: moment("2025-01-31T06:00:00Z"))))
    for start in ["2025-01-30T22:00:00Z", "2025-01-30T21:00:00Z"] {
      try ledger.add(.sleepCorrected(SleepCorrected(entry: entry, start: moment(start))))
    }
    try ledger.add(.editUndone(EditUndone(event: Seq(9))))
    let log = ledger.run("log", "-n", "3").output
    #expect(log.contains("start 2025-01-30 23:00 → 2025-01-30 22:00 +00:00"))
    #expect(log.contains("start 2025-01-30 22:00 → 2025-01-30 21:00 +00:00"))
  }

  @Test("An edit that undoes another one says which")
  func undoing() throws {
    #expect(ledger.run("undo", "4").code == .done)
    let row = ledger.run("log", "-n", "1").output.split(separator: "\n").last
    #expect(row?.contains("corrected weight: 75 → 75.5 kg (undoes #4)") == true)
    try ledger.acknowledge([Seq(3)], id: "b")
    #expect(ledger.run("rm", "3").code == .done)
    #expect(ledger.run("undo", "3").code != .done)
    try ledger.acknowledge([Seq(10)])
    #expect(ledger.run("undo", "10").code == .done)
    let log = ledger.run("log", "-n", "1").output
    #expect(log.contains("steps 4,200 on 2025-01-31 (undoes #10)"), "\(log)")
  }

  @Test("What names no earlier event undoes nothing")
  func undoingNothing() throws {
    let next = try ledger.lines().count + 1
    for seq in [next, next + 7] {
      var edit = ProfileUpdated(name: "Ada")
      edit.unknown = ["undoes": .number(Double(seq))]
      try ledger.add(.profileUpdated(edit))
    }
    try ledger.add(.editUndone(EditUndone(event: Seq(next + 2))))
    try ledger.add(.editUndone(EditUndone(event: Seq(next + 1))))
    let log = ledger.run("log", "-n", "4").output
    #expect(!log.contains("(undoes"), "\(log)")
    #expect(log.contains("undid nothing: #\(next + 2) is no earlier event"), "\(log)")
    #expect(log.contains("undid #\(next + 1)"), "\(log)")
  }

  @Test("An entry's life: its edits, and the answers that name them")
  func entry() throws {
    #expect(try seqs("--entry", "2") == [2, 4, 6])
    #expect(try seqs("--entry", "3") == [3, 5])
    #expect(try seqs("--entry", "00000000-0001") == [2, 4, 6])
    #expect(try seqs("--entry", "2", "--type", "sync") == [6])
    #expect(try seqs("--entry", "2", "--since", "4") == [4, 6])
    #expect(ledger.run("log", "--entry", "1").code == .notFound)
    #expect(ledger.run("log", "--entry", "fff").code == .notFound)
    #expect(ledger.run("log", "--entry", "00000000-").code == .usage)
  }

  @Test("An answer belongs to the entries whose edits it names")
  func entryOfAnAnswer() throws {
    // Every acknowledgement of this ledger names the first entry.
    try ledger.acknowledge([Seq(3)])
    try ledger.acknowledge([Seq(7)])
    try ledger.reject([Seq(3), Seq(4)], #"a "quoted" word"#)
    try ledger.reject([Seq(7)], #"a "quoted" word, no edit of theirs"#)
    #expect(try seqs("--entry", "2") == [2, 4, 6, 10])
    #expect(try seqs("--entry", "3") == [3, 5, 8, 10])
  }

  @Test("The last few lines are found without reading what stands before them")
  func lastLinesOfADamagedLog() throws {
    var bytes = try ledger.bytes()
    bytes[2] = 0x21
    try ledger.overwrite(bytes)
    #expect(ledger.run("log", "-n", "2", "--json").code == .done)
    let all = ledger.run("log", "--json")
    #expect(all.code == .damaged && all.output.isEmpty && all.error.contains("line 1"))
  }

  @Test("The last of those that match are those of all that match")
  func lastOfAFilter() throws {
    for day in 1...28 {
      let text = JSONValue.string(String(repeating: "x", count: day * 9))
      let event = Event.Payload.unknown(
        type: ["test.a", "test.b", "test.c"][day % 3], version: 1, data: ["text": text])
      try ledger.add([Event.Payload](repeating: event, count: 60))
    }
    let filters: [[String]] = [
      [], ["--type", "test.b"], ["--type", "test"], ["--type", "progress"], ["--since", "900"],
      ["--until", "900"], ["--since", "700", "--until", "720"], ["--until", "99999"],
      ["--since", "99999"], ["--since", "2025-01-01T12:00:20Z"],
      ["--until", "2025-01-01T12:00:05Z"],
      ["--type", "test.c", "--since", "2025-01-01T12:00:09Z", "--until", "1500"], ["--entry", "2"],
    ]
    for filter in filters {
      let all = ledger.run(["log", "--json"] + filter).output.split(separator: "\n")
      for count in [1, 7, 20, 500, 5000] {
        let answer = ledger.run(["log", "--json", "-n", "\(count)"] + filter)
        #expect(answer.code == .done)
        #expect(
          answer.output.split(separator: "\n") == Array(all.suffix(count)), "\(filter) -n \(count)")
      }
    }
  }

  @Test("Damage that a search from the end comes to is told by its line")
  func damageOnTheWay() throws {
    for _ in 0..<20 {
      try ledger.add((0..<20).map { _ in .unknown(type: "test.note", version: 1, data: [:]) })
    }
    var bytes = try ledger.bytes()
    bytes[try ledger.lines()[..<4].reduce(0) { $0 + $1.utf8.count + 1 } + 2] = 0x21
    try ledger.overwrite(bytes)
    #expect(ledger.run("log", "-n", "2", "--json", "--type", "test").code == .done)
    let reached = ledger.run("log", "-n", "2", "--json", "--type", "progress.logged")
    #expect(reached.code == .damaged && reached.output.isEmpty)
    #expect(reached.error.contains("line 5"))
  }

  @Test("What follows the damage is printed as text, newest first")
  func downToTheDamage() throws {
    for _ in 0..<20 {
      try ledger.add((0..<20).map { _ in .unknown(type: "test.note", version: 1, data: [:]) })
    }
    let lines = try ledger.lines()
    var bytes = try ledger.bytes()
    bytes[lines[..<4].reduce(0) { $0 + $1.utf8.count + 1 } + 2] = 0x21
    try ledger.overwrite(bytes)
    let answer = ledger.run("log")
    #expect(answer.code == .damaged && answer.error.contains("line 5"))
    let seqs = answer.output.split(separator: "\n").dropFirst().compactMap {
      $0.split(separator: " ").first.flatMap { Int($0) }
    }
    #expect(seqs.count > 20 && seqs.last.map { $0 > 5 } == true)
    #expect(seqs == (0..<seqs.count).map { lines.count - $0 })
  }

  @Test("Quantities are shown in the person's own units, where those differ")
  func showsImperialUnits() throws {
    try ledger.add(.profileUpdated(ProfileUpdated(preferredUnitSystem: .imperial)))
    try ledger.log(3, .steps, 100, on: "2025-02-01")
    let line = ledger.run("log", "-n", "3", columns: 140).output.split(separator: "\n")[1]
    #expect(line.contains("steps 100"))
    #expect(
      ledger.run("log", columns: 140).output.contains("corrected weight: 166.4 → 165.3 lb"))
  }

  @Test("What stands before the damage is printed")
  func upToTheDamage() throws {
    let lines = try ledger.lines()
    var bytes = try ledger.bytes()
    bytes[lines[0].utf8.count + lines[1].utf8.count + 4] = 0x21
    try ledger.overwrite(bytes)
    let answer = ledger.run("log", "--json")
    #expect(answer.code == .damaged && answer.output == "\(lines[0])\n\(lines[1])\n")
    #expect(answer.error.contains("line 3"))
  }

  @Test("Events are described in words")
  func tellsPeopleInWords() {
    let wide = ledger.run("log", columns: 140).output
    let lines = wide.split(separator: "\n").map(String.init)
    #expect(lines.count == 8 && lines[1].contains("mood.guessed") && lines[7].contains("created"))
    #expect(lines[4].contains("corrected weight: 75.5 → 75 kg"))
    #expect(lines[3].contains("rejected #3 (422): no"))
    #expect(lines[6].contains("weight 75.5 kg on 2025-01-30 “2 lines\\nof"))
    #expect(lines[6].contains("00000000-0001"))
    let narrow = ledger.run("log", columns: 60).output.split(separator: "\n")
    #expect(narrow.allSatisfy { displayWidth($0) <= 60 })
    let phone = ledger.run("log", columns: 40).output.split(separator: "\n")
    #expect(phone.allSatisfy { displayWidth($0) <= 40 })
    #expect(phone.contains("  4  corrected weight: 75.5 → 75 kg"))
    let note = phone.firstIndex { $0.hasPrefix("  2  weight 75.5 kg on 2025-01-30") } ?? 0
    #expect(phone[note + 1].hasPrefix("     ") && !phone[note].contains("…"))
  }

  @Test("A misspelled type is answered with a suggestion")
  func suggestsATypeWhereNoneMatches() {
    let answer = ledger.run("log", "--type", "progress.loged")
    #expect(answer.code == .done && answer.output == "No event matches.\n")
    #expect(answer.error.contains("'progress.logged'"))
  }
}
