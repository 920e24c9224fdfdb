import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

@Suite(.blocks) struct AppendTests {
  let ledger: TestLedger

  init() throws { ledger = try TestLedger() }

  @Test("--json answers the stored line")
  func answersTheStoredLine() throws {
    let result = try ledger.run(
      "append", "weight", "75.5", "--date", "2026-11-21", "--time", "07:30", "--zone", "+01:00",
      "--notes", "before \"breakfast\"", "--json")
    #expect(result.code == 0)
    #expect(result.error.isEmpty)
    #expect(try ledger.bytes().suffix(result.output.utf8.count) == .init(result.output.utf8))
    let data = try ledger.last()
    let names = ["entry", "metric", "quantity", "date", "time", "zone", "notes"]
    #expect(data.members.map(\.name) == names)
    #expect(data["time"] == "07:30:00")
    #expect(data["zone"] == "+01:00")
    try ledger.log().expectIntact()
  }

  @Test("The answer to a person names what was logged")
  func tellsAPersonWhatItLogged() throws {
    let told = try ledger.run("append", "weight", "165", "lb", "--date", "2026-11-21").output
    let entry = try #require(ledger.last()["entry"]?.string)
    #expect(
      told == "✓ weight 74.84 kg (165 lb) on Sat 21 Nov 2026 (event 2, entry \(entry.prefix(13)))\n"
    )
  }

  @Test(
    "A quantity with a unit is converted to the metric's own",
    arguments: [
      (["weight", "165lb"], 74.842_741_05), (["weight", "165", "lb"], 74.842_741_05),
      (["height", "5.5ft"], 167.64), (["distance_km", "3mi"], 4.828_032),
      (["water_liters", "250ml"], 0.25), (["water_liters", "8", "fl", "oz"], 0.236_588_236_5),
      (["active_minutes", "1.5h"], 90), (["height", "5", "ft", "11", "in"], 180.34),
      (["height", "5'11\""], 180.34), (["weight", "11st", "4lb"], 71.667_594_46),
      (["steps", "8000"], 8000),
    ] as [([String], Double)])
  func convertsToTheMetricsUnit(_ words: [String], _ quantity: Double) throws {
    let result = try Executable.ledger.run(["append"] + words, in: ledger.folder.path)
    #expect(result.code == 0)
    #expect(try ledger.last()["quantity"] == .number(quantity))
  }

  @Test("Who thinks in pounds is told in pounds, and what is sent is as ever")
  func imperial() throws {
    try ledger.must("append", "profile", "--unit-system", "imperial")
    try ledger.expectRefusal(
      ["append", "weight", "2000lb"], 2,
      "quantity is 2,000 lb; weight must be more than 0 and less than 1,102.3 lb")
    try ledger.expectRefusal(
      ["append", "steps", "-1"], 2, "quantity is -1; steps must be at least 0 and less than 1000000"
    )
    try ledger.must("append", "weight", "165lb", "--date", "2026-01-02")
    try ledger.expectRefusal(
      ["append", "correction", "3", "--quantity", "2000lb"], 2,
      "quantity is 2,000 lb; weight must be more than 0 and less than 1,102.3 lb")
    for bare in [["weight", "170"], ["correction", "3", "--quantity", "170"]] {
      try ledger.expectRefusal(
        ["append"] + bare, 2,
        "quantity is 170, without a unit, and the profile's units are imperial; write 170lb "
          + "(77.11 kg) or 170kg (374.8 lb); nothing was written")
    }
    try ledger.must("append", "weight", "75kg")
    try ledger.must("append", "correction", "4", "--quantity", "166lb")
    try ledger.must("undo", "4")
    #expect(try ledger.must("explain", "4").contains("corrected weight: 166 lb\n"))
    let plan = try ledger.must("sync", "--dry-run")
    #expect(plan.contains("weight 165 lb of 2026-01-02"))
    #expect(plan.contains(#""quantity":74.84274105"#))
    let json = try ledger.must("sync", "--dry-run", "--json")
    #expect(json.contains("weight 165 lb of 2026-01-02"))
    let trace = try ledger.must("replay", "--trace")
    #expect(trace.contains("entry #3 weight 165 lb on 2026-01-02"))
  }

  @Test(
    "An invalid entry is refused and changes no byte",
    arguments: [
      ([], 2, "'append' needs METRIC; see 'ledger append --help'"),
      (["weight"], 2, "'append' needs QUANTITY; see 'ledger append --help'"),
      (["wieght", "75"], 2, "'wieght' is not a metric; did you mean 'weight'?"),
      (["profil", "75"], 2, "'profil' is not a metric; did you mean 'profile'?"),
      (
        ["weight", "600"], 2,
        "quantity is 600 kg; weight must be more than 0 and less than 500 kg"
      ),
      (
        ["weight", "-3"], 2, "quantity is -3 kg; weight must be more than 0 and less than 500 kg"
      ),
      (
        ["weight", "75,5"], 2,
        #"quantity is "75,5"; write it with a point and without commas, as 75.5"#
      ),
      (
        ["weight", "80 poundz"], 2,
        "the unit 'poundz' does not fit weight; it takes kg, g, lb, lbs, st; "
          + "did you mean 'pound' or 'pounds'?"
      ),
      (
        ["weight", "80 lbz"], 2,
        "the unit 'lbz' does not fit weight; it takes kg, g, lb, lbs, st; did you mean 'lb' or 'lbs'?"
      ),
      (
        ["weight", "150lb", "149lb"], 2,
        "unexpected argument '149lb'; see 'ledger append --help'"
      ),
      (
        ["protein", "45", "fat", "20"], 2, "'fat' is another metric, and a command takes one"
      ),
      (
        ["active", "1:15"], 2,
        "quantity is \"1:15\", which can be hours and minutes or minutes and seconds; write 1h 15min or "
          + "1.25min"
      ),
      (
        ["weight", "kg"], 2,
        #"quantity is "kg"; it must be a number such as 75.5, optionally with a unit"#
      ),
      (["sleep_hours", "hours", "8"], 2, "unexpected argument 'hours'; did you mean '8hours'?"),
      (
        ["weight", "180lb", "--date", "last", "monday"], 2,
        #"unexpected argument 'monday'; did you mean '--date "last monday"'?"#
      ),
      (
        ["weight", "180", "lb", "--time", "3", "pm"], 2,
        #"unexpected argument 'pm'; did you mean '--time "3 pm"'?"#
      ),
      (
        ["goal", "steps", "10000", "daily"], 2,
        "unexpected argument 'daily'; did you mean '--daily'?"
      ),
      (
        ["goal", "water", "64", "oz", "--daily"], 2,
        "the unit 'oz' does not fit water_liters; it takes l, dl, cl, ml, floz, fl oz, cup, cups; did you "
          + "mean 'floz' or 'fl oz'?"
      ),
      (
        ["weight", "82", "--notes", "felt", "good"], 2,
        "unexpected argument 'good'; quote text that contains spaces, or see 'ledger append --help'"
      ),
      (
        ["weight", "82,4", "yesterday"], 2,
        "unexpected argument 'yesterday'; did you mean '--date yesterday'?"
      ),
      (["height", "5", "11"], 2, "unexpected argument '11'; did you mean '5ft11in'?"),
      (["nap", "1h"], 2, "'nap' is not a metric; did you mean 'sleep_hours'?"),
      (
        ["weight", "80", "--date", "yesteday"], 2,
        "'--date' does not take 'yesteday'; did you mean 'yesterday'?"
      ),
      (
        ["weight", "80", "--time", "7:30", "--zone", "Europe/Vienn"], 2,
        "'--zone' does not take 'Europe/Vienn'; did you mean 'Europe/Vienna'?"
      ),
      (["steps", "8km"], 2, #"quantity is "8km"; steps is a plain number without a unit"#),
      (
        ["weight", "7", "kg", "x"], 2,
        "unexpected argument 'x'; did you mean '--notes \"x\"'?"
      ),
      (
        ["weight", "7", "--stdin"], 2, "'METRIC' and '--stdin' exclude each other; give one of them"
      ),
    ] as [([String], Int32, String)])
  func refuses(_ words: [String], _ code: Int32, _ sentence: String) throws {
    try ledger.expectRefusal(["append"] + words, code, sentence)
  }

  @Test(
    "What is probably meant otherwise is refused with what to write",
    arguments: [
      (["sleep", "23:10"], "'23:10' is a time, and a session has two"),
      (["pulse", "62"], "did you mean 'resting_heart_rate'?"),
      (["heart", "rate", "120"], "did you mean 'resting_heart_rate'?"),
      (["steps", "1,5"], "steps are whole numbers, such as 2"),
      (["profile", "--language", "german"], "a BCP 47 tag such as en or de-AT"),
    ])
  func meantOtherwise(words: [String], sentence: String) throws {
    let result = try Executable.ledger.run(["append"] + words, in: ledger.folder.path)
    #expect(result.code == 2 && result.error.contains(sentence), "\(result.error)")
  }

  @Test("A height out of range is refused in the units of the profile")
  func imperialHeight() throws {
    try ledger.must("append", "profile", "--unit-system", "imperial")
    let result = try ledger.run("append", "physical", "--height-cm", "10ft")
    #expect(result.code == 2)
    #expect(
      result.error.contains("height_cm is 120 in; it must be more than 0 and less than 118.1 in"),
      "\(result.error)")
  }

  @Test("A folder .ledger without a log is not said to be missing")
  func emptyFolder() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/.ledger", withIntermediateDirectories: false)
    let result = try Executable.ledger.run(["append", "weight", "75"], in: folder.path)
    #expect(result.code == 4 && result.error.contains(".ledger in this folder is no ledger"))
  }

  @Test("Without a ledger an append is refused")
  func needsALedger() throws {
    let folder = try TemporaryFolder()
    let result = try Executable.ledger.run(["append", "weight", "7"], in: folder.path)
    #expect(result.code == 4)
    #expect(result.error.hasPrefix("ledger: there is no .ledger in this folder or above it\n"))
  }

  @Test("A repaired tail is reported with the append")
  func tellsWhatItMended() throws {
    try ledger.folder.write(ledger.bytes() + "torn".utf8, to: ".ledger/events.jsonl")
    let result = try ledger.run("append", "weight", "70")
    #expect(result.code == 0)
    #expect(result.error.hasPrefix("ledger: warning: an interrupted write had left 4 bytes"))
    let log = try ledger.log()
    log.expectIntact()
    #expect(log.lines.map(\.type) == ["ledger.created", "log.repaired", "progress.logged"])
  }

  @Test("A damaged log takes no append")
  func refusesADamagedLog() throws {
    let damaged = try String(decoding: ledger.bytes(), as: UTF8.self)
      .replacing("\"device\":\"test\"", with: "\"device\":\"best\"")
    try ledger.folder.write(.init(damaged.utf8), to: ".ledger/events.jsonl")
    let result = try ledger.run("append", "weight", "7")
    #expect(result.code == 3)
    #expect(try ledger.bytes() == .init(damaged.utf8))
  }
}
