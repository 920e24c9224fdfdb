import Foundation
import LedgerJSON
import LedgerModel
import Testing

@testable import LedgerCLI

/// Pictures are for people at a terminal that can draw them, and for nobody else.
@Suite struct ShowDaysPicturesTests {
  let ledger: LookingLedger

  init() throws {
    ledger = try LookingLedger()
    for day in 1...9 {
      try ledger.log(day, .weight, 76 - Double(day) / 4, on: "2025-01-0\(day)")
      if day != 5 { try ledger.log(20 + day, .steps, Double(day) * 1000, on: "2025-01-0\(day)") }
    }
  }

  private func run(_ words: String..., columns: Int?, locale: String? = "en_US.UTF-8") -> String {
    ledger.run(words, columns: columns, environment: locale.map { ["LANG": $0] } ?? [:]).output
  }

  @Test("Beside sums, last values are said to be such")
  func legend() throws {
    let ledger = try LookingLedger()
    try ledger.log(1, .weight, 70, on: "2025-01-21")
    #expect(!ledger.run(["show", "days"], columns: 80).error.contains("sum: "))
    try ledger.log(2, .steps, 4000, on: "2025-01-21")
    let legend = "sum: of what adds up in a day; last: the latest value of the day\n"
    #expect(ledger.run(["show", "days"], columns: 80).error == legend)
    #expect(ledger.run(["show", "days"]).error.isEmpty)
  }

  @Test("A bar from 0 for what adds up, a place for what does not, and the scale in words")
  func trends() {
    let lines = run("show", "days", columns: 80).split(separator: "\n")
    #expect(lines.count == 22)
    #expect(
      lines[1] == "2025-01-01  weight      1         75.75  75.75  75.75  75.75  kg  ·············●"
    )
    #expect(
      lines[2] == "            steps       1  1,000  1,000  1,000  1,000  1,000      █▌")
    #expect(
      lines.suffix(4) == [
        "weight  █▇▆▅▅▄▃▂▁  73.75 to 75.75 kg", "steps   ▂▃▃▄ ▆▆▇█  0 to 9,000",
        "2025-01-01 to 2025-01-09, a bar is a day; bars of means begin at the lowest",
        "value, not at 0",
      ])
    #expect(lines.allSatisfy { displayWidth($0) <= 80 })
  }

  @Test("Several metrics side by side are drawn below the table, too")
  func sideBySide() {
    let words = ["show", "days", "--metric", "steps", "--metric", "weight"]
    let environment = ["LANG": "en_US.UTF-8"]
    let lines = ledger.run(words, columns: 80, environment: environment).output
      .split(separator: "\n")
    #expect(lines[1].hasPrefix("2025-01-01  ") && lines.count == 14)
    #expect(lines[10] == "weight  █▇▆▅▅▄▃▂▁  73.75 to 75.75 kg")
    #expect(ledger.run(words).output.split(separator: "\n").count == 10)
  }

  @Test("The note below periods names the columns that are there", arguments: [60, 100])
  func periods(_ columns: Int) {
    let words = ["show", "days", "--by", "week", "--metric", "weight"]
    let answer = ledger.run(words, columns: columns)
    let hasExtremes = answer.output.contains(" min ")
    #expect(hasExtremes == answer.error.contains("mean, min, max: "))
    #expect(answer.error.contains("mean"))
  }

  @Test("More days than columns share bars, and it is said")
  func manyDays() throws {
    try ledger.log(99, .weight, 70, on: "2025-12-31")
    for columns in [40, 80, 120] {
      let lines = run("show", "days", "--type", "weight", columns: columns).split(separator: "\n")
      #expect(lines.allSatisfy { displayWidth($0) <= columns }, "\(columns)")
      #expect(lines.joined(separator: " ").contains("a bar is the mean of"), "\(columns)")
    }
  }

  @Test("Into a pipe, where the locale draws no such characters, and in JSON: as ever")
  func plain() {
    let piped = run("show", "days", columns: nil)
    #expect(piped == run("show", "days", columns: nil, locale: nil))
    #expect(piped.split(separator: "\n").count == 18 && piped.utf8.allSatisfy { $0 < 0x80 })
    for locale in [nil, "C", "en_US.ISO-8859-1"] {
      let lines = run("show", "days", columns: 80, locale: locale)
      #expect(lines.split(separator: "\n").count == 18 && lines.utf8.allSatisfy { $0 < 0x80 })
    }
    #expect(
      run("show", "days", "--json", columns: 80) == run("show", "days", "--json", columns: nil))
    #expect(!run("show", "days", "--from", "2025-01-09", columns: 80).contains("a bar is"))
  }

  @Test("The first that is not empty of LC_ALL, LC_CTYPE and LANG counts")
  func locales() {
    let cases: [([String: String], Bool)] = [
      (["LANG": "de_AT.utf8"], true), (["LC_ALL": "C", "LANG": "de_AT.UTF-8"], false),
      (["LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "C"], true), ([:], false),
    ]
    for (environment, expected) in cases {
      let streams = ConsoleStreams.captured(
        output: MemorySink(), error: MemorySink(), environment: environment)
      #expect(Console(streams).drawsUnicode == expected, "\(environment)")
    }
  }

  @Test("The calendar: the days that were asked for, in words for programs")
  func calendar() {
    let text = run(
      "show", "days", "--calendar", "--from", "2025-01-01", "--to", "2025-01-14", columns: 80)
    #expect(
      text == """
        2025-01-01 to 2025-01-14
            Jan
        Mon   █ ·
              █ ·
        Wed █ █
            █ █
        Fri █ ·
            █ ·
        Sun ▒ ·

        entries a day: · none, ▒ 1, █ 2

        """)
    let json = run(
      "show", "days", "--calendar", "--json", "--to", "2025-01-02", "--type", "steps", columns: nil)
    #expect(json == #"[{"date":"2025-01-01","count":1},{"date":"2025-01-02","count":1}]"# + "\n")
    let early = run(
      "show", "days", "--calendar", "--from", "2024-12-02", "--to", "2025-01-14", columns: 80)
    #expect(early.hasPrefix("2024-12-02 to 2025-01-14\n"))
    let long = run("show", "days", "--calendar", "--from", "1990-01-01", columns: 80)
    #expect(long.hasPrefix("2025-01-01 to "))
    let old = run("show", "days", "--calendar", columns: 80)
    #expect(old.hasPrefix("2024-01-08 to 2025-01-09\n"))
    #expect(
      run("show", "days", "--calendar", columns: nil, locale: nil).utf8.allSatisfy { $0 < 0x80 })
    #expect(run("show", "days", "--calendar", "--json", "--type", "bmi", columns: nil) == "[]\n")
  }
}
