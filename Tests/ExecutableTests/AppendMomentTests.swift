import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// Days are calendar days of the person, whatever the zone says of UTC.
@Suite(.blocks) struct AppendMomentTests {
  let ledger: TestLedger

  init() throws { ledger = try TestLedger() }

  /// The day in a zone that is so many minutes ahead of UTC.
  private func day(_ minutesAhead: Int, _ now: Date = Date()) -> String {
    let shifted = now.addingTimeInterval(Double(minutesAhead) * 60)
    return String(shifted.ISO8601Format().prefix(10))
  }

  @Test(
    "now is the local wall time",
    arguments: [
      ("UTC", 0, "+00:00"), ("Pacific/Kiritimati", 840, "+14:00"), ("Etc/GMT+12", -720, "-12:00"),
      ("Asia/Kathmandu", 345, "+05:45"), ("<-03>3", -180, "-03:00"),
    ])
  func nowIsTheWallClocks(_ zone: String, _ minutes: Int, _ offset: String) throws {
    let before = day(minutes)
    let result = try ledger.run("append", "weight", "70", zone: zone)
    #expect(result.code == 0)
    let data = try ledger.last()
    let date = try #require(data["date"]?.string)
    #expect([before, day(minutes)].contains(date))
    #expect(data["zone"]?.string == offset)
    #expect(data["time"] != nil)
  }

  @Test("The offset follows daylight saving time")
  func aSummerTimeZoneChangesItsOffset() throws {
    let zone = "America/St_Johns"
    try ledger.run("append", "weight", "70", "--date", "2026-07-01", "--time", "7:30", zone: zone)
    #expect(try ledger.last()["zone"] == "-02:30")
    try ledger.run("append", "weight", "70", "--date", "2026-01-01", "--time", "07:30", zone: zone)
    #expect(try ledger.last()["zone"] == "-03:30")
  }

  @Test(
    "Times in a clock change have the documented offset",
    arguments: [
      // Skipped by the change to summer time: the offset from before it.
      ("2026-03-29", "02:30", "+01:00"),
      // Comes twice: the first.
      ("2026-10-25", "02:30", "+02:00"),
    ])
  func clockChanges(_ date: String, _ time: String, _ offset: String) throws {
    try ledger.run(
      "append", "weight", "70", "--date", date, "--time", time, "--zone", "Europe/Vienna")
    #expect(try ledger.last()["zone"]?.string == offset)
    #expect(try ledger.last()["time"]?.string == time + ":00")
  }

  @Test(
    "A time that the clocks skip or repeat is said with what is stored",
    arguments: [
      (
        "2026-03-29",
        "the clocks skipped 02:30:00 on that day; it is stored as 02:30:00 +01:00, the moment of "
          + "03:30:00 +02:00\n"
      ),
      (
        "2026-10-25",
        "02:30:00 came twice on that day; it is stored as the first, +02:00, and --zone +01:00 is "
          + "the second\n"
      ),
    ])
  func toldClockChanges(_ date: String, _ note: String) throws {
    let result = try ledger.run(
      "append", "weight", "70", "--date", date, "--time", "02:30", zone: "Europe/Vienna")
    #expect(result.code == 0 && result.error == note)
    let named = try ledger.run(
      "append", "steps", "70", "--date", date, "--time", "02:30", "--zone", "Europe/Vienna",
      zone: "Asia/Tokyo")
    #expect(named.code == 0 && named.error == note)
    let fixed = try ledger.run(
      "append", "mood", "7", "--date", date, "--time", "02:30", "--zone", "+01:00",
      zone: "Europe/Vienna")
    #expect(fixed.code == 0 && fixed.error.isEmpty)
  }

  @Test("A time that comes twice on its day is shown with its offset, and no other is")
  func shownClockChanges() throws {
    for zone in ["+02:00", "+01:00"] {
      let result = try ledger.run(
        "append", "weight", "70", "--date", "2026-10-25", "--time", "02:30", "--zone", zone,
        zone: "Europe/Vienna")
      #expect(result.output.contains("02:30 \(zone)"), "\(result.output)")
    }
    try ledger.run(
      "append", "weight", "70", "--date", "2026-10-25", "--time", "03:00", zone: "Europe/Vienna")
    for view in [["show", "progress"], ["log"], ["explain", "2"], ["explain", "3"]] {
      let text = try Executable.ledger.run(
        view, environment: ["TZ": "Europe/Vienna"], in: ledger.folder.path
      ).output
      for (zone, entry) in [("+02:00", "2"), ("+01:00", "3")]
      where view.count == 1 || [entry, "progress"].contains(view[1]) {
        #expect(text.contains("02:30 \(zone)"), "\(view): \(text)")
      }
      #expect(!text.contains("03:00 +"), "\(view): \(text)")
    }
  }

  @Test("So are the ends of a night, unless they are written with their offsets")
  func toldClockChangesOfSleep() throws {
    func added(_ words: String...) throws -> String {
      try Executable.ledger.run(
        ["append", "sleep", "--yes"] + words, environment: ["TZ": "Europe/Vienna"],
        in: ledger.folder.path
      ).error
    }
    #expect(
      try added("2026-03-28 23:00", "2026-03-29 02:30").contains("the clocks skipped 02:30:00"))
    #expect(
      try added("2026-03-07 23:00", "2026-03-08 02:30", "--zone", "America/New_York")
        .contains("the clocks skipped 02:30:00"))
    #expect(
      try !added("2026-10-24T23:00:00+02:00", "2026-10-25T02:30:00+01:00").contains("came twice"))
  }

  @Test("The second of two equal times ends a night as the note about the first says")
  func secondTimeOfANight() throws {
    func added(_ end: String) throws -> Executable.Result {
      try Executable.ledger.run(
        ["append", "sleep", "--yes", "2026-10-24 23:00", end],
        environment: ["TZ": "Europe/Vienna"], in: ledger.folder.path)
    }
    let second = "2026-10-25T02:30:00+01:00"
    #expect(try added("2026-10-25 02:30").error.contains("and '\(second)' is the second"))
    #expect(try added(second).output.contains("4 h 30 min"))
  }

  @Test("A correction onto a time that came twice or never says so")
  func toldClockChangesOfCorrections() throws {
    func told(_ words: String...) throws -> String {
      try Executable.ledger.run(
        words, environment: ["TZ": "Europe/Vienna"], in: ledger.folder.path
      ).error
    }
    #expect(try told("add", "weight", "80", "--date", "2026-10-25", "--time", "01:30").isEmpty)
    #expect(try told("edit", "@", "--time", "02:30").contains("came twice"))
    #expect(try told("edit", "@", "--date", "2026-03-29").contains("the clocks skipped"))
    #expect(
      try told("add", "sleep", "--yes", "2026-10-24 23:00", "2026-10-25 07:00").isEmpty)
    #expect(
      try told("edit", "@", "--end", "02:30", "--yes").contains(
        "and '2026-10-25T02:30:00+01:00' is the second"))
  }

  @Test("A date without a time stores no time")
  func aDateAloneIsADay() throws {
    try ledger.run("append", "steps", "70", "--date", "2026-07-01", zone: "Pacific/Kiritimati")
    let names = try ledger.last().members.map(\.name)
    #expect(names == ["entry", "metric", "quantity", "date"])
  }

  @Test("Relative days are counted in the zone")
  func daysAreCountedInTheirZone() throws {
    for (word, days) in [
      ("today", 0), ("yesterday", -1), ("-3d", -3), ("-1w", -7), ("2 weeks ago", -14),
    ] {
      let before = day(840 + days * 1440)
      try ledger.run("append", "steps", "70", "--date", word, zone: "Pacific/Kiritimati")
      let date = try #require(ledger.last()["date"]?.string)
      #expect([before, day(840 + days * 1440)].contains(date), "\(word)")
    }
  }

  @Test("A named zone has its own today")
  func aNamedZoneHasItsOwnToday() throws {
    let before = day(840)
    try ledger.run(
      "append", "weight", "70", "--time", "00:00", "--zone", "Pacific/Kiritimati",
      zone: "Etc/GMT+12")
    let date = try #require(ledger.last()["date"]?.string)
    #expect([before, day(840)].contains(date))
  }

  @Test("The ledger's zone takes precedence over the environment's")
  func theLedgersZoneComesBeforeTheEnvironments() throws {
    try ledger.run("settings", "zone", "Asia/Kathmandu")
    let result = try ledger.run("append", "weight", "70", zone: "Nowhere/At_All")
    #expect(result.code == 0)
    #expect(try ledger.last()["zone"] == "+05:45")
  }

  @Test("An unknown zone is refused")
  func refusesAnUnknownZone() throws {
    try ledger.expectRefusal(
      ["append", "weight", "70"], 2,
      "TZ is 'Nowhere/At_All', a zone that this system does not know", zone: "Nowhere/At_All")
  }

  @Test(
    "An invalid moment is refused and changes no byte",
    arguments: [
      (
        ["--date", "2026-02-30"],
        "'--date' does not take '2026-02-30'; February 2026 has 28 days"
      ),
      (["--time", "24:00"], "'--time' does not take '24:00'; it is 00:00 of the next day"),
      (
        ["--time", "07:30", "--zone", "Nowhere"],
        "'--zone' takes an offset such as +02:00, or a zone this system knows, as Europe/Vienna, "
          + "not 'Nowhere'"
      ),
      (
        ["--date", "today", "--zone", "+02:00"],
        "'append' needs --time next to --zone; see 'ledger append --help'"
      ),
    ] as [([String], String)])
  func refuses(_ options: [String], _ sentence: String) throws {
    try ledger.expectRefusal(["append", "weight", "70"] + options, 2, sentence)
  }
}
