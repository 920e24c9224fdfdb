import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// Corrections and deletions: which entry is meant, and what becomes of it.
@Suite(.blocks) struct AppendChangeTests {
  let ledger: TestLedger
  let entry: String

  init() throws {
    ledger = try TestLedger()
    entry = try ledger.logged()
  }

  @Test("An entry is named by the number of its event")
  func namesAnEntryByItsEvent() throws {
    let result = try ledger.run("append", "correction", "2", "--quantity", "165lb")
    #expect(
      result.output
        == "✓ corrected weight: 74.84 kg (165lb) on Fri 2 Jan 2026 "
        + "(event 3, entry \(entry.prefix(13)))\n")
    #expect(try ledger.last().serialized == #"{"entry":"\#(entry)","quantity":74.84274105}"#)
  }

  @Test("An entry is named by its id or the beginning of it")
  func namesAnEntryByItsId() throws {
    for name in [entry, String(entry.prefix(13)), entry.uppercased()] {
      let result = try ledger.run("append", "correction", name, "--notes", name)
      #expect(result.code == 0, "\(result.error)")
    }
  }

  @Test("A new time keeps the zone of an entry from elsewhere, unless it is given")
  func timeFromElsewhere() throws {
    try ledger.must(
      "append", "weight", "82", "--date", "2026-01-02", "--time", "20:00",
      zone: "America/Los_Angeles")
    try ledger.must("edit", "@", "--time", "20:05", zone: "Europe/Madrid")
    #expect(try ledger.last()["zone"] == "-08:00")
    try ledger.must("edit", "@", "--time", "20:06", "--zone", "+01:00", zone: "Europe/Madrid")
    #expect(try ledger.last()["zone"] == "+01:00")
    let log = try ledger.must("log", "-n", "1", zone: "Europe/Madrid")
    #expect(log.contains("time 20:05 -08:00 → 20:06 +01:00"), "\(log)")
  }

  @Test("A new moment of a session from elsewhere keeps its offset")
  func sessionFromElsewhere() throws {
    try ledger.must(
      "append", "sleep", "2026-01-02 23:00", "2026-01-03 07:00", zone: "America/Los_Angeles")
    try ledger.must("edit", "@", "--end", "2026-01-03 06:30", zone: "Europe/Madrid")
    #expect(try ledger.last()["end"] == "2026-01-03T06:30:00-08:00")
  }

  @Test("A correction to the values that an entry has writes nothing")
  func equalValues() throws {
    let before = try ledger.bytes()
    for words in [
      ["75.5"], ["--quantity", "75.5kg"], ["--date", "2026-01-02"],
      ["75.5", "--date", "2026-01-02"],
    ] {
      let result = try Executable.ledger.run(["edit", "2"] + words, in: ledger.folder.path)
      #expect(result.code == 0 && result.output.isEmpty, "\(words): \(result.error)")
      #expect(
        result.error == "nothing to change: weight is 75.5 kg on Fri 2 Jan 2026 already\n")
    }
    #expect(try ledger.bytes() == before)
    // A program gets the event that it asked for.
    #expect(try ledger.must("edit", "2", "75.5", "--json").contains("progress.corrected"))
    try ledger.must("append", "sleep", "2026-01-22 23:00", "2026-01-23 07:00")
    let session = try ledger.bytes()
    try ledger.must("edit", "4", "--end", "2026-01-23 07:00")
    #expect(try ledger.bytes() == session)
    try ledger.must("edit", "4", "--end", "2026-01-23 07:10")
    #expect(try ledger.bytes() != session)
  }

  @Test("A new date keeps the time")
  func aDateAloneKeepsTheTime() throws {
    try ledger.run("append", "correction", "2", "--date", "2026-01-03")
    #expect(try ledger.last().serialized == #"{"entry":"\#(entry)","date":"2026-01-03"}"#)
  }

  @Test("A new time takes the offset of its day")
  func aTimeTakesTheOffsetOfItsDay() throws {
    let zone = "Europe/Vienna"
    try ledger.run("append", "correction", "2", "--time", "07:30", zone: zone)
    #expect(try ledger.last()["zone"] == "+01:00")
    try ledger.run("append", "correction", "2", "--date", "2026-07-02", zone: zone)
    // The day is the one that the correction before has given it.
    try ledger.run("append", "correction", "2", "--time", "08:30", zone: zone)
    #expect(try ledger.last()["zone"] == "+02:00")
    try ledger.run("append", "correction", "2", "--time", "08:30", "--zone", "-05:00", zone: zone)
    #expect(try ledger.last()["zone"] == "-05:00")
  }

  @Test("A new date beyond a clock change keeps the local time, but not that of another zone")
  func dateBeyondClockChange() throws {
    let zone = "Europe/Berlin"
    try ledger.run("append", "correction", "2", "--date", "2026-07-01", "--time", "8am", zone: zone)
    try ledger.run("append", "correction", "2", "--date", "2026-01-05", zone: zone)
    #expect(try ledger.last()["time"] == "08:00:00")
    #expect(try ledger.last()["zone"] == "+01:00")
    try ledger.run("append", "correction", "2", "--time", "8am", "--zone", "-05:00", zone: zone)
    try ledger.run("append", "correction", "2", "--date", "2026-07-01", zone: zone)
    #expect(try ledger.last()["zone"] == nil)
  }

  @Test("--clear notes removes the notes, and where there are none writes nothing")
  func clearsNotes() throws {
    try ledger.run("append", "correction", "2", "--notes", "before breakfast")
    try ledger.run("append", "correction", "2", "--clear", "notes")
    #expect(try ledger.last().serialized == #"{"entry":"\#(entry)","notes":null}"#)
    let before = try ledger.bytes()
    try ledger.run("append", "correction", "2", "--clear", "notes")
    #expect(try ledger.bytes() == before)
  }

  @Test("A deleted entry takes no further deletion or correction")
  func deletesOnce() throws {
    let result = try ledger.run("append", "deletion", "2", "--reason", "wrong person")
    #expect(
      result.output
        == "✓ deleted weight 75.5 kg on Fri 2 Jan 2026 (event 3, entry \(entry.prefix(13)))\n")
    #expect(try ledger.last()["reason"] == "wrong person")
    try ledger.expectRefusal(
      ["append", "deletion", "2"], 2, "entry \(entry) is deleted already")
    try ledger.expectRefusal(
      ["append", "correction", entry, "--quantity", "3"], 2,
      "entry \(entry) is deleted; it cannot be corrected")
  }

  @Test("@ is the entry that the user edited last, @2 the one before, and an undone edit is none")
  func namesByRecency() throws {
    let other = try ledger.logged()
    #expect(try ledger.run("append", "correction", "@2", "--quantity", "74").code == 0)
    #expect(try ledger.last()["entry"] == .string(entry))
    #expect(try ledger.run("append", "correction", "@", "--quantity", "73").code == 0)
    #expect(try ledger.last()["entry"] == .string(entry))
    #expect(try ledger.run("undo", "4..5").code == 0)
    #expect(try ledger.run("append", "deletion", "@").code == 0)
    #expect(try ledger.last()["entry"] == .string(other))
    try ledger.expectRefusal(
      ["append", "deletion", "@3"], 4, "'@3' names no entry: you have edited fewer here")
    try ledger.expectRefusal(
      ["append", "deletion", "@x"], 2,
      "'@x' names no entry: @ is the one that you edited last, @2 the one before")
  }

  @Test("An import is no edit of the user, so that @ names the same entry as in undo")
  func nameAfterAnImport() throws {
    let rows = (10..<60).map { "2025-01-02T00:00:\($0),\(70 + $0 % 9)\n" }.joined()
    let imported = try Executable.ledger.run(
      ["import", "csv", "-", "--yes"], input: "Date,Weight (kg)\n" + rows, in: ledger.folder.path)
    #expect([0, 5].contains(imported.code), "\(imported.error)")
    #expect(try ledger.run("append", "correction", "@", "--quantity", "74").code == 0)
    #expect(try ledger.last()["entry"] == .string(entry))
    try ledger.expectRefusal(
      ["append", "deletion", "@2"], 4, "'@2' names no entry: you have edited fewer here")
  }

  @Test("An ambiguous beginning of an id is refused")
  func asksForMoreOfAnAmbiguousId() throws {
    let shared = try ledger.logged().commonPrefix(with: entry)
    try ledger.expectRefusal(
      ["append", "correction", shared, "--quantity", "3"], 2,
      "'\(shared)' begins the ids of 2 entries; give more of the id, "
        + "or the number of the event that logged it")
  }

  @Test(
    "An invalid correction or deletion is refused and changes no byte",
    arguments: [
      (
        ["correction", "99", "--quantity", "3"], 4,
        "there is no event 99; the log ends with event 2"
      ),
      (
        ["correction", "0", "--quantity", "3"], 4, "there is no event 0; the log ends with event 2"
      ),
      (
        ["correction", "1", "--quantity", "3"], 4, "event 1 is not of an entry"
      ),
      (["deletion", "zebra"], 4, "there is no entry whose id begins with 'zebra'"),
      (
        ["correction", "2"], 2, "the correction changes nothing; give quantity, date, time or notes"
      ),
      (
        ["correction", "2", "--zone", "+01:00"], 2,
        "'append correction' needs --time next to --zone; see 'ledger append correction --help'"
      ),
      (
        ["correction", "2", "--notes", "x", "--clear", "notes"], 2,
        "'--notes' and '--clear notes' exclude each other; give one of them"
      ),
      (
        ["correction", "2", "--quantity", "900"], 2,
        "quantity is 900 kg; weight must be more than 0 and less than 500 kg"
      ),
      (["correction"], 2, "'append correction' needs ENTRY; see 'ledger append correction --help'"),
    ] as [([String], Int32, String)])
  func refuses(_ words: [String], _ code: Int32, _ sentence: String) throws {
    try ledger.expectRefusal(["append"] + words, code, sentence)
  }

  @Test("A correction's event does not name an entry")
  func aCorrectionIsNoEntry() throws {
    try ledger.run("append", "correction", "2", "--quantity", "70")
    let result = try ledger.run("append", "deletion", "3")
    #expect(result.code == 4)
    #expect(
      result.error
        == "ledger: event 3 logged no entry, it changed that of event 2\n"
        + "hint: name the entry by 2\n")
  }
}
