import Foundation
import LedgerJSON
import LedgerModel
import LedgerProjections
import Testing

@testable import LedgerCLI

@Suite struct ShowTrendsTests {
  @Test("A line through days that lie on one has its slope and its later value")
  func straightLine() throws {
    let ledger = try LookingLedger()
    for day in 1...14 {
      try ledger.log(
        day, .weight, 80 - Double(day) / 10, on: "2025-01-\(day < 10 ? "0" : "")\(day)")
      try ledger.log(20 + day, .steps, 1000, on: "2025-01-\(day < 10 ? "0" : "")\(day)")
    }
    let words = ["show", "trends", "--from", "2025-01-01", "--to", "2025-01-14", "--json"]
    let answer = try JSONValue(parsing: ledger.run(words).output)
    let trends = try #require(answer.array).compactMap(\.object)
    #expect(trends.map { $0["type"]?.string } == ["weight", "steps"])
    let weight = trends[0]
    #expect(weight["last"] == 78.6 && weight["week"] == 78.9 && weight["change"] == -0.7)
    #expect(weight["per_week"] == -0.7)
    #expect(weight["projected"]?.object?["quantity"] == 75.6)
    #expect(weight["projected"]?.object?["date"]?.string == "2025-02-13")
    #expect(trends[1]["per_week"] == 0)
    let one = try JSONValue(parsing: ledger.run(words + ["--metric", "steps"]).output)
    #expect(one.array?.count == 1)
    let text = ledger.run(Array(words.dropLast())).output
    #expect(text.contains("-0.7") && text.contains("75.6") && !text.contains("+0 "))
  }

  @Test("--from chooses the days of the line, and not those of the two weeks")
  func from() throws {
    let ledger = try LookingLedger()
    for day in 1...28 {
      let date = "2025-01-\(day < 10 ? "0" : "")\(day)"
      try ledger.log(day, .weight, 80 - Double(day * day) / 100, on: date)
    }
    try ledger.log(30, .steps, 900, on: "2025-01-20")
    func weight(_ words: String...) throws -> JSONObject {
      let words = ["show", "trends", "--to", "2025-01-28", "--json"] + words
      let all = try #require(try JSONValue(parsing: ledger.run(words).output).array)
      #expect(all.count == (words.contains("2025-01-21") ? 1 : 2))
      return try #require(all.first?.object)
    }
    let (whole, cut) = (try weight(), try weight("--from", "2025-01-21"))
    for name in ["last", "date", "week", "change"] { #expect(whole[name] == cut[name]) }
    #expect(cut["change"] != nil && whole["per_week"] != cut["per_week"])
  }

  @Test("A ledger whose entries were all deleted has none, and no view says that none was logged")
  func deleted() throws {
    let ledger = try LookingLedger()
    try ledger.log(1, on: "2025-01-06")
    #expect(ledger.run("append", "deletion", "2").code == .done)
    for view in ["progress", "days", "trends"] {
      #expect(ledger.run("show", view).output == "There are no entries.\n")
    }
    let page = ledger.run("report", "-o", "-").output
    #expect(page.contains("<h2>There are no entries</h2>"))
  }

  @Test("Means of whole things have no decimals in a table, and an empty ledger says so")
  func wholes() throws {
    let ledger = try LookingLedger()
    for words in [["show", "trends"], ["show", "days", "--by", "week"]] {
      #expect(ledger.run(words).output == "There are no entries.\n")
    }
    for (day, steps) in [1000, 2000, 2001].enumerated() {
      try ledger.log(day, .steps, Double(steps), on: "2025-01-0\(day + 6)")
    }
    #expect(
      ledger.run("show", "trends", "--to", "2025-01-10").output.split(separator: "\n")[1]
        .split(separator: " ") == ["steps", "2,001", "2025-01-08", "1,667"])
    #expect(
      ledger.run("show", "trends", "--to", "2020-01-28").output
        == "No entry from 2020-01-01 to 2020-01-28; the newest is of 2025-01-08.\n")
    let json = ledger.run("show", "trends", "--to", "2025-01-10", "--json").output
    #expect(json.contains(#""week":1667"#))
    let week = ledger.run("show", "days", "--by", "week").output.split(separator: "\n")[1]
    #expect(week.split(separator: " ").contains("1,667"))
  }

  @Test("Too few days have no slope, and none has no trend")
  func few() throws {
    let ledger = try LookingLedger()
    for day in 1...4 { try ledger.log(day, .weight, 80, on: "2025-01-0\(day)") }
    let answer = ledger.run(
      "show", "trends", "--from", "2025-01-01", "--to", "2025-01-14", "--json")
    let trend = try #require(JSONValue(parsing: answer.output).array?.first?.object)
    #expect(trend["per_week"] == nil && trend["projected"] == nil && trend["week"] == nil)
    #expect(ledger.run("show", "trends", "--json").output == "[]\n")
  }

  @Test("Several metrics have a column each, and a day a row")
  func beside() throws {
    let ledger = try LookingLedger()
    try ledger.log(1, .weight, 80, on: "2025-01-01")
    try ledger.log(2, .steps, 1200, on: "2025-01-01")
    try ledger.log(3, .steps, 800, on: "2025-01-01")
    try ledger.log(4, .steps, 500, on: "2025-01-02")
    try ledger.log(5, .moodScore, 5, on: "2025-01-02")
    let words = ["show", "days", "--metric", "steps", "--metric", "weight"]
    let rows = ledger.run(words).output.split(separator: "\n").map { row in
      row.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
    }
    #expect(
      rows == [
        ["date", "steps", "weight,", "kg"], ["2025-01-01", "2,000", "80"], ["2025-01-02", "500"],
      ])
  }

  @Test("Computed numbers have no remainder of binary arithmetic")
  func rounded() throws {
    let ledger = try LookingLedger()
    try ledger.log(1, .weight, 78.6, on: "2025-01-01")
    try ledger.log(2, .weight, 78.8, on: "2025-01-01")
    let output = ledger.run("show", "days", "--json").output
    #expect(output.contains(#""sum":157.4,"#) && output.contains(#""mean":78.7,"#))
  }

  @Test("The log shows values before and after a correction, and what was deleted")
  func beforeAndAfter() throws {
    let ledger = try LookingLedger()
    try ledger.log(1, .weight, 75.5, on: "2025-01-01", at: "07:30:00")
    let entry = LookingLedger.entry(1)
    try ledger.add(.progressCorrected(ProgressCorrected(entry: entry, quantity: 75)))
    let day = CalendarDate(year: 2025, month: 1, day: 2)
    try ledger.add(.progressCorrected(ProgressCorrected(entry: entry, quantity: 74, date: day)))
    try ledger.add(.progressDeleted(ProgressDeleted(entry: entry)))
    let rows = ledger.run("log").output.split(separator: "\n").map(String.init)
    #expect(rows[1].hasSuffix("deleted weight 74 kg on 2025-01-02 07:30"))
    #expect(rows[2].hasSuffix("corrected weight: 75 → 74 kg, date 2025-01-01 → 2025-01-02"))
    #expect(rows[3].hasSuffix("corrected weight: 75.5 → 75 kg"))
  }
}
