import Foundation
import LedgerLog
import LedgerModel
import Testing

@testable import LedgerCLI

@Suite struct ReportCommandTests {
  private let ledger: LookingLedger
  private let folder: String

  init() throws {
    ledger = try LookingLedger()
    folder = ledger.directory.path + "-out"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private func page(_ more: String...) throws -> String {
    let answer = ledger.run(["report", "-o", "-"] + more)
    #expect(answer.code == .done, "\(answer.error)")
    return answer.output
  }

  @Test("report writes the page and prints its path")
  func writesThePageAndSaysWhere() throws {
    try ledger.log(1, on: "2025-01-01")
    let path = folder + "/page.html"
    let before = try ledger.snapshot()
    let answer = ledger.run("report", "-o", path)
    #expect(answer.code == .done)
    let bytes = try Data(contentsOf: URL(filePath: path))
    #expect(
      answer.output
        == "✓ \(path): \((bytes.count + 500) / 1000) kB, 2 events, chain checked\n")
    // Made of letters and signs that a link may have as they are.
    let whole = try #require(realpath(path, nil).map { String(cString: $0) })
    #expect(answer.error == "open it in a browser; it needs no network: file://\(whole)\n")
    let odd = ledger.run("report", "-o", folder + "/a page#1 é.html")
    #expect(odd.error.hasSuffix("/a%20page%231%20%C3%A9.html\n"))
    try FileManager.default.removeItem(atPath: folder + "/a page#1 é.html")
    #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("</html>\n"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["page.html"])
    #expect(try ledger.snapshot() == before)
    let json = ledger.run("report", "-o", path, "--json")
    #expect(try json.member("path") == NSString(string: path))
    #expect(try json.member("events") == 2 as NSNumber)
    let size = try Data(contentsOf: URL(filePath: path)).count
    #expect(try json.member("bytes") == NSNumber(value: size))
    let head = try #require(try json.member("head") as? NSDictionary)
    #expect(head["seq"] as? Int == 2)
    let last = try ledger.lines().last.map { String($0.dropLast(2).suffix(64)) }
    #expect(head["hash"] as? String == last)
  }

  @Test("The page ends today without --to, and counts later entries")
  func laterEntries() throws {
    try ledger.log(1, .weight, 80, on: "2025-01-01")
    #expect(try !page().contains("without --to"))
    try ledger.log(2, .weight, 60, on: "2999-01-01")
    let today = try page()
    #expect(today.contains("<dd class=\"value\">80.0 "))
    #expect(today.contains(": 1 entry is dated later and is not shown without --to"))
    let later = try page("--to", "2999-12-31")
    #expect(later.contains("<dd class=\"value\">60.0 ") && !later.contains("dated later"))
    #expect(try page("--from", "2998-01-01").contains("<dd class=\"value\">60.0 "))
  }

  @Test("A page of later entries alone says so")
  func onlyLaterEntries() throws {
    try ledger.log(1, .weight, 60, on: "2999-01-01")
    #expect(try page().contains("Make the page again with --to."))
  }

  @Test("The page shows quantities in the person's units")
  func showsThePersonsOwnUnits() throws {
    try ledger.log(1, .weight, 74.84274105, on: "2025-01-01")
    #expect(try page().contains("74.8 kg"))
    try ledger.add(.profileUpdated(ProfileUpdated(name: "Ada", preferredUnitSystem: .imperial)))
    let imperial = try page()
    #expect(imperial.contains("165.0 lb"))
    #expect(!imperial.contains(" kg"))
    #expect(imperial.contains("<title>Ledger report: Ada</title>"))
  }

  @Test("The page lists only the newest events")
  func listsTheNewestEventsOnly() throws {
    for day in 1...9 { try ledger.log(day, .steps, 100, on: "2025-01-0\(day)", notes: "n\(day)") }
    let few = try page("--events", "3")
    #expect(few.contains("The newest 3 of 10 events"))
    #expect(few.contains("“n9”") && few.contains("“n7”") && !few.contains("“n6”"))
    #expect(try !page("--events", "0").contains("Newest first"))
    #expect(ledger.run("report", "--events", "1001").code == .usage)
  }

  @Test("Markup in notes stays text on the page")
  func hostileTextStaysText() throws {
    try ledger.log(
      1, on: "2025-01-01", notes: "</style><script>alert(1)</script>\u{202E}\"><img onerror=x>")
    let page = try page()
    #expect(!page.contains("<script") && !page.contains("<img") && !page.contains("\u{202E}"))
    #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;\\u{202E}&quot;&gt;&lt;img"))
  }

  @Test("The page counts edits by sync state")
  func tellsWhereEditsStood() throws {
    let first = try ledger.log(1, on: "2025-01-01")
    let second = try ledger.log(2, on: "2025-01-02")
    try ledger.acknowledge([first], id: "b1")
    try ledger.reject([second], "no")
    try ledger.log(3, on: "2025-01-03")
    let page = try page()
    for (name, now) in [("acknowledged", 1), ("pending", 1), ("rejected", 1)] {
      #expect(
        page.contains("<h3><span>Edits \(name)</span><span class=\"now\">\(now) now</span></h3>"))
    }
    #expect(page.contains("No span ends with an edit in doubt, held or in conflict."))
    #expect(page.contains("1 edit acknowledged now, at most 1"))
    #expect(page.contains("1 edit pending now, at most 2"))
  }

  @Test("A damaged log makes no page")
  func aDamagedLogMakesNoPage() throws {
    try ledger.log(1, on: "2025-01-01", notes: "true")
    try ledger.log(2, on: "2025-01-02")
    let text = String(decoding: try ledger.bytes(), as: UTF8.self)
    try ledger.overwrite(Data(text.replacing("true", with: "fake").utf8))
    let path = folder + "/page.html"
    let answer = ledger.run("report", "-o", path)
    #expect(answer.code == .damaged)
    #expect(answer.error.contains("line 2"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
  }

  @Test("An output name that is no file is refused")
  func refusesNamesThatAreNoFile() throws {
    let answer = ledger.run("report", "-o", folder)
    #expect(answer.code == .usage)
    #expect(
      answer.error
        == "ledger: \(folder) is a folder; name a file in it\nhint: -o \(folder)/NAME\n")
    #expect(ledger.run("report", "-o", folder + "/").code == .usage)
    #expect(ledger.run("report", "-o", "").code == .usage)
    #expect(ledger.run("report", "-o", "/dev/null").code == .usage)
    #expect(ledger.run("report", "-o", folder + "/none/page.html").code == .failed)
    #expect(ledger.run("report", "-o", "-", "--json").code == .usage)
    for name in ["events.jsonl", "head", "page.html"] {
      let own = ledger.run("report", "-o", "\(ledger.directory.path)/\(name)")
      #expect(own.code == .usage)
      #expect(own.error.contains("among the ledger's own files"))
    }
    #expect(ledger.run("verify").code == .done)
  }

  @Test("A symbolic link stays, and its target is replaced")
  func keepsALinkAndReplacesWhatItNames() throws {
    let files = FileManager.default
    let (target, link) = (folder + "/real.html", folder + "/link.html")
    try Data("old".utf8).write(to: URL(filePath: target))
    try files.createSymbolicLink(atPath: link, withDestinationPath: target)
    #expect(ledger.run("report", "-o", link).code == .done)
    #expect(try files.destinationOfSymbolicLink(atPath: link) == target)
    #expect(try Data(contentsOf: URL(filePath: target)).count > 1000)
  }

  @Test("A long history is shown over its whole time")
  func aLongLifeIsToldOverTime() throws {
    let first = try ledger.log(1, on: "2025-01-01")
    ledger.wait(days: 365)
    try ledger.acknowledge([first], id: "b1")
    ledger.wait(days: 365)
    try ledger.log(2, on: "2027-01-01")
    let page = try page()
    #expect(page.contains("Over time, 1 Jan 2025 to 1 Jan 2027."))
    // One edit waited for the first of two years, and one waits since the last day.
    let path = try #require(page.split(separator: "<path class=\"bar pending\" d=\"").last)
    let bars = path.prefix { $0 != "\"" }.count { $0 == "M" }
    #expect((24...26).contains(bars))
  }

  /// The days of a metric as `show days` has them.
  private func days(_ metric: String) throws -> [NSDictionary] {
    let answer = ledger.run("show", "days", "--metric", metric, "--json")
    return try #require(try answer.parsed() as? [NSDictionary])
  }

  @Test("The numbers of a page are those of the commands")
  func numbersOfTheCommands() throws {
    let start = try #require(CalendarDate("2025-01-01"))
    for day in 0..<40 {
      let date = start.adding(days: day).description
      try ledger.log(2 * day, .weight, 80 - Double(day) / 10, on: date)
      try ledger.log(2 * day + 1, .steps, Double(5000 + 137 * day), on: date)
    }
    try ledger.add(
      .sleepLogged(
        SleepLogged(
          entry: LookingLedger.entry(999),
          start: #require(ZonedTimestamp("2025-02-08T23:00:00+00:00")),
          end: #require(ZonedTimestamp("2025-02-09T07:00:00+00:00")),
          stages: [
            SleepStage(
              .deep, start: #require(ZonedTimestamp("2025-02-08T23:00:00+00:00")),
              end: #require(ZonedTimestamp("2025-02-09T01:00:00+00:00"))),
            SleepStage(
              .rem, start: #require(ZonedTimestamp("2025-02-09T01:00:00+00:00")),
              end: #require(ZonedTimestamp("2025-02-09T06:30:00+00:00"))),
          ])))
    let page = try page()
    for day in try days("steps").suffix(30) {
      let sum = try #require(day["sum"] as? Double)
      let number = Int(sum)
      #expect(page.contains("\(number / 1000),\(String(number % 1000 + 1000).suffix(3)) steps\""))
    }
    for day in try days("weight").suffix(30) {
      let mean = try #require(day["mean"] as? Double)
      #expect(page.contains(": \(String(format: "%.1f", mean)) kg\""))
    }
    let night = try #require(try days("sleep_hours").first)
    #expect(night["sum"] as? Double == 7.5)
    #expect(page.contains("9 Feb 2025: 7 h 30 min; deep 2:00, REM 5:30"))
  }

  @Test("--from compares with as many days before")
  func comparesWithTheDaysBefore() throws {
    for day in 1...20 {
      try ledger.log(day, .weight, day < 11 ? 80 : 78, on: "2025-01-\(day < 10 ? "0" : "")\(day)")
    }
    let page = try page("--from", "2025-01-11", "--to", "2025-01-20")
    #expect(page.contains("<span>−2.0 against the 10 days before</span>"))
    #expect(page.contains("<span>10 of 10 days logged</span>"))
    // A metric without an entry in these days is left out.
    let empty = try self.page("--from", "2025-02-01")
    #expect(!empty.contains("There are no entries"))
    #expect(empty.contains("Nothing is logged in this period"))
    #expect(empty.contains("There are entries on other days, "))
  }

  @Test("The checkpoint on the page is one")
  func checkpointOfThePage() throws {
    try ledger.log(1, on: "2025-01-01")
    let page = try page()
    let rest = try #require(page.split(separator: "<pre>ledger checkpoint v1\n").last)
    let lines = "ledger checkpoint v1\n" + rest.prefix { $0 != "<" } + "\n"
    let path = folder + "/ledger.checkpoint"
    try Data(lines.utf8).write(to: URL(filePath: path))
    #expect(ledger.run("verify", "--checkpoint", path).code == .done)
    try ledger.log(2, on: "2025-01-02")
    #expect(ledger.run("verify", "--checkpoint", path).code == .done)
    let next = try self.page()
    #expect(next.contains("The check before that was on "))
  }

  @Test("Sync is summarized by local day")
  func syncByDay() throws {
    let first = try ledger.log(1, on: "2025-01-01")
    try ledger.acknowledge([first], id: "b1")
    ledger.wait(days: 3)
    try ledger.reject([ledger.log(2, on: "2025-01-02")], "no")
    try ledger.acknowledge([ledger.log(3, on: "2025-01-02")], id: "b3")
    let page = try page()
    #expect(page.contains("<th scope=\"row\">1 Jan 2025</th>"))
    let last = try #require(page.firstRange(of: "<th scope=\"row\">4 Jan 2025</th>"))
    #expect(page[last.upperBound...].prefix(400).contains("1 acknowledged, 1 refused</td>"))
    // The newest days only.
    for _ in 1...20 {
      ledger.wait(days: 1)
      try ledger.reject([first], "no")
    }
    let newest = try self.page()
    #expect(newest.contains("The newest 14 days on which sync recorded anything"))
    #expect(newest.components(separatedBy: "1 refused</td>").count == 15)
  }

  @Test("A goal is shown if no entry of its metric is on the page")
  func goalWithoutEntries() throws {
    try ledger.log(1, on: "2025-01-01")
    try ledger.add(.goalSet(GoalSet(metric: .steps, quantity: 9000, by: nil)))
    #expect(try page().contains("Goal: at least 9,000 a day"))
    try ledger.log(2, .steps, 100, on: "2025-01-01")
    #expect(try page("--from", "2025-02-01").contains("Goal: at least 9,000 a day"))
  }

  @Test("What is left of a goal of sleep is in hours and minutes")
  func goalOfSleep() throws {
    let today = LocalZone.fixed(.utc).today(at: LocalZone.now())
    try ledger.add(.goalSet(GoalSet(metric: .sleepHours, quantity: 8, by: nil)))
    // The page may be made on the next day.
    for day in 0...1 {
      try ledger.log(day, .sleepHours, 6.25, on: today.adding(days: day).description)
    }
    #expect(try page().contains("<dd class=\"note\">1 h 45 min to go today</dd>"))
  }
}
