import Foundation
import LedgerJSON
import LedgerLog
import LedgerModel
import Testing

@testable import LedgerCLI

/// The answers of `show` and `status`, to the byte.
@Suite struct ShowCommandTests {
  let ledger: LookingLedger

  init() throws { ledger = try LookingLedger() }

  private let first = LookingLedger.entry(1)
  private let second = LookingLedger.entry(2)

  @Test("Every view of an empty ledger prints an answer")
  func emptyViewsStillPrint() {
    let profile = #"{"profile":{},"physical":{},"preferences":{},"status":{}}"#
    #expect(ledger.run("show", "profile", "--json").output == profile + "\n")
    let progress = #"{"entries":[],"total":0,"limit":20,"offset":0}"#
    #expect(ledger.run("show", "progress", "--json").output == progress + "\n")
    #expect(ledger.run("show", "days", "--json").output == "[]\n")
    #expect(ledger.run("show", "sync", "--json").output == "[]\n")
  }

  @Test("show profile prints fields and their state")
  func profile() throws {
    let named = try ledger.add(.profileUpdated(ProfileUpdated(name: "Ada \"A\"", bio: .set("x"))))
    try ledger.add(.profileUpdated(ProfileUpdated(bio: .clear, preferredUnitSystem: .imperial)))
    try ledger.add(.physicalUpdated(PhysicalUpdated(heightCM: 168.5)))
    try ledger.add(.preferencesUpdated(PreferencesUpdated(allergies: [])))
    try ledger.acknowledge([named])
    let answer = ledger.run("show", "profile", "--json")
    #expect(
      answer.output == #"{"profile":{"name":"Ada \"A\"","preferred_unit_system":"imperial"},"#
        + #""physical":{"height_cm":168.5},"preferences":{"allergies":[]},"#
        + #""status":{"name":"synced","bio":"pending","preferred_unit_system":"pending","#
        + #""height_cm":"pending","allergies":"pending"}}"# + "\n")
    #expect(answer.code == .done && answer.error.isEmpty)
    _ = try answer.parsed()
  }

  @Test("show progress prints entries, newest first")
  func progress() throws {
    let logged = try ledger.log(1, .weight, 75.5, on: "2025-01-30", at: "08:00:00", notes: "first")
    try ledger.log(2, .steps, 4200, on: "2025-01-31")
    try ledger.acknowledge([logged], id: "row-1")
    let older =
      #"{"entry":"\#(first)","backend_id":"row-1","type":"weight","quantity":75.5,"#
      + #""date":"2025-01-30","time":"08:00:00","zone":"+00:00","notes":"first","status":"synced","#
      + #""seq":2}"#
    let newer =
      #"{"entry":"\#(second)","type":"steps","quantity":4200,"date":"2025-01-31","#
      + #""status":"pending","seq":3}"#
    #expect(
      ledger.run("show", "progress", "--json").output
        == #"{"entries":[\#(newer),\#(older)],"total":2,"limit":20,"offset":0}"# + "\n")
    #expect(
      ledger.run("show", "progress", "--json", "--limit", "1", "--offset", "1").output
        == #"{"entries":[\#(older)],"total":2,"limit":1,"offset":1}"# + "\n")
    for filter in [["--type", "weight"], ["--to", "2025-01-30"]] {
      #expect(
        ledger.run(["show", "progress", "--json"] + filter).output
          == #"{"entries":[\#(older)],"total":1,"limit":20,"offset":0}"# + "\n")
    }
    try ledger.add(
      .progressCorrected(ProgressCorrected(entry: first, quantity: 75, notes: .set("better"))))
    let corrected = older.replacing("75.5", with: "75").replacing("first", with: "better")
      .replacing("synced", with: "pending")
    #expect(
      ledger.run("show", "progress", "--json", "--type", "weight").output
        == #"{"entries":[\#(corrected)],"total":1,"limit":20,"offset":0}"# + "\n")
    // As it was before, its row at the backend included.
    #expect(
      ledger.run("show", "progress", "--json", "--type", "weight", "--at", "4").output
        == #"{"entries":[\#(older)],"total":1,"limit":20,"offset":0}"# + "\n")
  }

  @Test("show days prints sums by day")
  func days() throws {
    try ledger.log(1, .waterLiters, 0.25, on: "2025-01-31", at: "09:00:00")
    try ledger.log(2, .waterLiters, 0.5, on: "2025-01-31", at: "08:00:00")
    try ledger.log(3, .steps, 4200, on: "2025-01-30")
    let steps =
      #"{"date":"2025-01-30","type":"steps","count":1,"sum":4200,"min":4200,"max":4200,"#
      + #""mean":4200,"last":4200}"#
    let water =
      #"{"date":"2025-01-31","type":"water_liters","count":2,"sum":0.75,"min":0.25,"max":0.5,"#
      + #""mean":0.375,"last":0.25}"#
    #expect(ledger.run("show", "days", "--json").output == "[\(steps),\(water)]\n")
    #expect(
      ledger.run("show", "days", "--json", "--from", "2025-01-31").output == "[\(water)]\n")
    #expect(ledger.run("show", "days", "--json", "--type", "weight").output == "[]\n")
    #expect(ledger.run("show", "days", "--json", "--limit", "1").output == "[\(water)]\n")
  }

  @Test("The newest days or periods are the last of all, however old they are")
  func newestDays() throws {
    let dates = [
      "1999-05-01", "2011-12-31", "2024-02-28", "2025-01-06", "2025-01-30", "2025-02-01",
    ]
    for (index, date) in dates.enumerated() {
      try ledger.log(index * 2, .steps, 1000, on: date)
      try ledger.log(index * 2 + 1, .weight, 70, on: date)
    }
    for words in [[], ["--by", "week"], ["--by", "month"], ["--by", "year"]] {
      for metrics in [[], ["--metric", "steps"], ["--metric", "steps", "--metric", "weight"]] {
        let all = try days(words + metrics)
        let rows = metrics.count == 2 ? 1 : 2
        for count in [1, 4, 7] {
          #expect(try days(words + metrics + ["-n", "\(count)"]) == all.suffix(count * rows))
        }
      }
    }
  }

  @Test("The mean of one entry is that entry's value")
  func meanOfOne() throws {
    let ledger = try LookingLedger()
    try ledger.log(1, .caloriesIn, 478.01, on: "2025-01-06")
    for words in [["show", "days"], ["show", "days", "--by", "week"]] {
      let rows = ledger.run(words).output.split(separator: "\n")
      let end = try #require(rows.first?.range(of: "mean")?.upperBound.utf16Offset(in: rows[0]))
      #expect(rows.last?.prefix(end).hasSuffix(" 478.01") == true, "\(rows)")
    }
  }

  @Test("A week's mean lies between its lowest and its highest day")
  func periodExtremes() throws {
    try ledger.log(1, .steps, 1000, on: "2025-01-30", at: "08:00")
    try ledger.log(2, .steps, 3000, on: "2025-01-30", at: "20:00")
    try ledger.log(3, .steps, 6000, on: "2025-01-31")
    let rows = ledger.run("show", "days", "--by", "week").output.split(separator: "\n")
    let words = rows.last?.split(separator: " ").map(String.init)
    #expect(words == ["from", "2025-01-27", "steps", "2", "10,000", "5,000", "4,000", "6,000"])
  }

  @Test("--from and --to choose periods, and change none")
  func wholePeriods() throws {
    for day in 10...31 { try ledger.log(day, .steps, Double(day) * 100, on: "2025-01-\(day)") }
    let all = try days("--by", "week")
    #expect(all.count == 4)
    #expect(try days("--by", "week", "--from", "2025-01-15", "--to", "2025-01-22") == all[1...2])
    #expect(try days("--by", "week", "--from", "2025-01-15", "-n", "1") == all.suffix(1))
    #expect(try days("--by", "month", "--from", "2025-02-01") == [])
  }

  private func days(_ words: String...) throws -> ArraySlice<JSONValue> { try days(words) }

  private func days(_ words: [String]) throws -> ArraySlice<JSONValue> {
    let answer = ledger.run(["show", "days", "--json"] + words).output
    return try JSONValue(parsing: answer).array.map { $0[...] } ?? []
  }

  @Test("Longer periods have their days with entries, and are compared with the one before")
  func periods() throws {
    try ledger.log(1, .steps, 1000, on: "2025-01-30")
    try ledger.log(2, .steps, 3000, on: "2025-01-31")
    try ledger.log(3, .steps, 2500, on: "2025-02-03")
    let second =
      #"{"from":"2025-02-03","to":"2025-02-09","type":"steps","days":1,"count":1,"sum":2500,"#
      + #""min":2500,"max":2500,"mean":2500,"last":2500,"typical":2500,"before":2000}]"#
    let answer = ledger.run("show", "days", "--by", "week", "--json").output
    #expect(answer.hasSuffix(second + "\n") && !answer.hasPrefix("[" + second), "\(answer)")
    let text = ledger.run("show", "days", "--by", "month").output
    #expect(text.contains("2025-01") && text.contains("4,000") && text.contains("+500"))
    #expect(ledger.run("show", "days", "--by", "day").output.contains("2025-02-03"))
    #expect(ledger.run("show", "days", "--by", "decade").code == .usage)
    #expect(ledger.run("show", "days", "--by", "week", "--calendar").code == .usage)
  }

  @Test("Every edit that waits stands in one item, so that items add up to the counts of status")
  func sync() throws {
    let logged = try ledger.log(1, on: "2025-01-30")
    let corrected = try ledger.add(
      .progressCorrected(ProgressCorrected(entry: first, quantity: 74)))
    let rejected = try ledger.log(2, on: "2025-01-30")
    try ledger.reject([rejected], "too heavy")
    let held = try ledger.add(.profileUpdated(ProfileUpdated(languageCode: .clear)))
    try ledger.add(.syncHeld(SyncHeld(events: [held], reason: "cannot-clear")), by: .sync)
    let name = try ledger.add(.profileUpdated(ProfileUpdated(name: "Ada")))
    let conflict = try ledger.add(
      .conflictDetected(
        ConflictDetected(subject: "profile", field: "name", local: "Ada", decision: .open)),
      by: .sync)
    let expected =
      #"[{"subject":"progress","entry":"\#(first)","events":[\#(logged),\#(corrected)],"#
      + #""state":"pending","remedy":"ledger sync"},"#
      + #"{"subject":"progress","entry":"\#(second)","events":[\#(rejected)],"#
      + #""state":"rejected","message":"too heavy","status":422,"#
      + #""remedy":"ledger append correction \#(rejected) …"},{"subject":"profile","#
      + #""events":[\#(held)],"state":"held","reason":"cannot-clear","#
      + #""cause":"the backend has no way to clear a language"},{"subject":"profile","#
      + #""events":[\#(name)],"state":"conflict","conflicts":[\#(conflict)],"#
      + #""remedy":"ledger resolve \#(conflict) --take local, or --take remote"}]"#
    let narrow = ledger.run("show", "sync", columns: 60).output
    let words = narrow.split { $0.isWhitespace }.joined(separator: " ")
    #expect(words.contains("the backend has no way to") && words.contains("language"))
    #expect(narrow.split(separator: "\n").first { $0.contains("held") }?.contains("…") == false)
    #expect(ledger.run("show", "sync", "--json").output == expected + "\n")
    let status = ledger.run("status", "--json")
    let counts = ["pending": 2, "in_doubt": 0, "held": 1, "rejected": 1, "conflicts": 1]
    for (name, count) in counts { #expect(try status.member(name) == NSNumber(value: count)) }
    let rejection = ledger.run("show", "sync", columns: 80).output
    #expect(rejection.contains("too heavy") && rejection.contains("the backend has no way"))
  }

  @Test("A correction in doubt is listed even where the entry was undone since")
  func doubtOfAnUndoneEntry() throws {
    let logged = try ledger.log(1, on: "2025-01-30")
    let corrected = try ledger.add(
      .progressCorrected(ProgressCorrected(entry: first, quantity: 74)))
    try ledger.add(
      .syncAttempted(
        SyncAttempted(
          call: CallID(LedgerUUID(high: 1 << 16 | 0x7000, low: 3 << 62)), method: "POST",
          path: "/api/v1/progress", events: [corrected], fingerprint: "00", attempt: 1)), by: .sync)
    try ledger.add(.editUndone(EditUndone(event: logged)))
    #expect(try ledger.run("status", "--json").member("in_doubt") == NSNumber(value: 1))
    #expect(
      ledger.run("show", "sync", "--json").output
        == #"[{"subject":"progress","entry":"\#(first)","events":[\#(corrected)],"#
        + #""state":"in_doubt","remedy":"ledger sync"}]"# + "\n")
  }

  @Test("status counts edits by their state")
  func status() throws {
    let seq = try ledger.log(1, on: "2025-01-30")
    let hash = try #require(try ledger.lines().last).suffix(66).prefix(64)
    #expect(
      ledger.run("status", "--json").output
        == #"{"ledger":"\#(ledger.directory.path)","events":2,"#
        + #""last_event":"2025-01-01T12:00:01.000Z","entries":1,"#
        + #""sleep_sessions":0,"head":{"seq":2,"hash":"\#(hash)"},"pending":1,"in_doubt":0,"held":0,"#
        + #""rejected":0,"conflicts":0,"suspected":0,"open_conflicts":0,"signed_in":false,"#
        + #""goals":[]}"# + "\n")
    try ledger.acknowledge([seq], id: "a")
    #expect(
      try ledger.run("status", "--json").member("last_sync")
        == NSString(string: "2025-01-01T12:00:02.000Z"))
    try ledger.add(
      .accountSignedIn(AccountSignedIn(account: "a@example.com", origin: "https://example.com")),
      by: .system)
    #expect(try ledger.run("status", "--json").member("signed_in") == NSNumber(false))
    try Data("{}".utf8).write(to: URL(filePath: ledger.directory.credentials))
    #expect(try ledger.run("status", "--json").member("signed_in") == NSNumber(true))
    #expect(
      ledger.run("status", "--json").output.contains(
        #""account":{"email":"a@example.com","origin":"https://example.com"}"#))
    try ledger.add(.accountSignedOut(AccountSignedOut()), by: .system)
    #expect(try ledger.run("status", "--json").member("signed_in") == NSNumber(false))
  }

  @Test("Moments outside the log have exit code 4, nonsense has 2")
  func refusals() throws {
    try ledger.log(1, on: "2025-01-30")
    let cases: [([String], ExitCode)] = [
      (["show", "days", "--at", "3"], .notFound), (["show", "days", "--at", "0"], .usage),
      (["show", "days", "--at", "2024-12-31T23:59:59Z"], .notFound),
      (["show", "days", "--at", "2025-01-01T12:00:00Z"], .done),
      (["show", "days", "--at", "2025-02-30"], .usage),
      (["show", "days", "--at", "soon"], .usage), (["show", "days", "--type", "wieght"], .usage),
      (["show", "days", "--from", "2025-02-01", "--to", "2025-01-01"], .usage),
      (["show", "progress", "--limit", "0"], .usage),
      (["show", "progress", "--limit", "100000"], .done),
      (["show", "progress", "--offset", "-1"], .usage),
      (["show", "progress", "--from", "-7x"], .usage), (["show"], .usage),
      (["show", "profile", "--ledger", "/nowhere/at/all"], .notFound),
      (["replay", "--until", "9"], .notFound), (["replay", "--threads", "0"], .usage),
    ]
    for (words, code) in cases {
      let answer = ledger.run(words + ["--json"])
      #expect(answer.code == code, "\(words): \(answer.error)")
      #expect(answer.output.isEmpty == (code != .done), "\(words)")
    }
    #expect(ledger.run("show", "days", "--type", "wieght").error.contains("'weight'"))
  }
}

@Suite struct ShowSyncWidthTests {
  @Test("Of an item of many edits a few are named, and the rest counted")
  func manyEdits() throws {
    let ledger = try LookingLedger()
    for number in 1...15 { try ledger.add(.profileUpdated(ProfileUpdated(name: "Ada \(number)"))) }
    let text = ledger.run("show", "sync").output
    #expect(text.contains("#2 #3 ") && text.contains(" #13 and 3 more") && !text.contains("#14"))
    let json = try ledger.run("show", "sync", "--json").parsed() as? [[String: Any]]
    #expect((json?.first?["events"] as? [Any])?.count == 15)
  }

  @Test("Of an item of very many edits, beyond a screen of items, not all are counted")
  func veryManyEdits() throws {
    let ledger = try LookingLedger()
    func rename(_ numbers: ClosedRange<Int>) throws {
      try ledger.add(numbers.map { .profileUpdated(ProfileUpdated(name: "Ada \($0)")) })
    }
    try rename(1...1)
    for number in 1...30 { try ledger.log(number, on: "2025-01-30") }
    try rename(2...150)
    let text = ledger.run("show", "sync").output
    #expect(text.contains("and many more") && !text.contains("and 138 more"))
    // A hundred of the profile's edits and 29 entries are rows.
    #expect(text.contains("and \(180 - 29 - 100 - 1) more edits"))
    let json = try ledger.run("show", "sync", "-n", "30", "--json").parsed() as? [[String: Any]]
    #expect((json?.first?["events"] as? [Any])?.count == 150)
  }

  @Test("A long outbox shows first what needs more than a sync, and counts the rest")
  func limited() throws {
    let ledger = try LookingLedger()
    for number in 1...35 { try ledger.log(number, on: "2025-01-30") }
    try ledger.reject([try ledger.log(36, on: "2025-01-30")], "too heavy")
    try ledger.add(
      .progressCorrected(ProgressCorrected(entry: LookingLedger.entry(1), quantity: 74)))
    let text = ledger.run("show", "sync").output
    #expect(text.contains("too heavy") && text.contains("#2 #39") && !text.contains("#36"))
    #expect(text.contains("and 6 more edits"))
    let json = try ledger.run("show", "sync", "--json", "-n", "3").parsed() as? [[String: Any]]
    #expect(json?.compactMap { $0["state"] as? String } == ["pending", "pending", "rejected"])
    #expect(!ledger.run("show", "sync", "-n", "100").output.contains("more edits"))
  }
}
