import Foundation
import LedgerTestSupport
import Testing

/// What `append` says of an entry beside the entry: the person's units, and the trend.
@Suite(.blocks) struct TrendTests {
  private func said(_ ledger: TestLedger, _ arguments: String...) throws -> String {
    let result = try Executable.ledger.run(
      ["append"] + arguments, environment: ["TZ": "UTC"], in: ledger.folder.path)
    try #require(result.code == 0, "\(result.error)")
    #expect(result.output.split(separator: "\n").count == 1)
    return String(result.output.split(separator: ")").last ?? "").trimmingCharacters(in: .newlines)
  }

  @Test("A weight is compared with a week before, else with the last time")
  func weights() throws {
    let ledger = try TestLedger()
    #expect(try said(ledger, "weight", "75.2", "--date", "2026-01-01").isEmpty)
    #expect(
      try said(ledger, "weight", "75.3", "--date", "2026-01-03")
        == " · 0.1 kg more than on Thu 1 Jan 2026")
    #expect(
      try said(ledger, "weight", "74.8", "--date", "2026-01-08")
        == " · 0.4 kg less than a week before")
    // The newest of those 7 to 13 days before.
    #expect(
      try said(ledger, "weight", "75.3", "--date", "2026-01-12")
        == " · the same as on Sat 3 Jan 2026")
    #expect(try said(ledger, "weight", "70", "--date", "2026-08-01").isEmpty)
    #expect(try said(ledger, "weight", "70", "--date", "2025-12-31").isEmpty)
    #expect(try said(ledger, "body_fat_percentage", "20", "--date", "2026-01-08").isEmpty)
    #expect(
      try said(ledger, "body_fat_percentage", "19.5", "--date", "2026-01-09")
        == " · 0.5 points less than on Thu 8 Jan 2026")
  }

  @Test("Corrections and deletions count")
  func changes() throws {
    let ledger = try TestLedger()
    try ledger.must("append", "weight", "80", "--date", "2026-01-01")
    try ledger.must("append", "weight", "90", "--date", "2026-01-02")
    try ledger.must("append", "correction", "2", "--quantity", "76")
    try ledger.must("append", "deletion", "3")
    #expect(
      try said(ledger, "weight", "75", "--date", "2026-01-08") == " · 1 kg less than a week before")
  }

  @Test("What adds up is told with the rest of its day")
  func sums() throws {
    let ledger = try TestLedger()
    #expect(try said(ledger, "steps", "4000", "--date", "2026-01-01").isEmpty)
    #expect(
      try said(ledger, "steps", "5000", "--date", "2026-01-01") == " · 9,000 on that day")
  }

  @Test("People who think in pounds read pounds")
  func imperial() throws {
    let ledger = try TestLedger()
    try ledger.must("append", "profile", "--unit-system", "imperial")
    let first = try ledger.must("append", "weight", "165lb", "--date", "2026-01-01")
    #expect(first.hasPrefix("✓ weight 165 lb on Thu 1 Jan 2026 (event 3"))
    let second = try ledger.must("append", "weight", "75kg", "--date", "2026-01-08")
    #expect(second.hasPrefix("✓ weight 165.3 lb (75kg) on Thu 8 Jan 2026 (event 4"))
    #expect(second.hasSuffix(" · 0.3 lb more than a week before\n"))
    #expect(
      try ledger.must("append", "correction", "3", "--quantity", "166lb")
        .hasPrefix("✓ corrected weight: 166 lb on "))
    #expect(try ledger.must("append", "deletion", "4").hasPrefix("✓ deleted weight 165.3 lb on "))
    #expect(
      try ledger.must("append", "distance_km", "3mi").hasPrefix("✓ distance 3 mi on "))
    #expect(
      try ledger.must("append", "physical", "--height-cm", "71in")
        == "✓ physical: height 5 ft 11 in (event 8)\n")
  }

  @Test("The report and the terminal round a change in the same way")
  func roundedChange() throws {
    let ledger = try TestLedger()
    try ledger.must("append", "profile", "--unit-system", "imperial")
    for (day, weight) in [("07", "170"), ("12", "170"), ("13", "170"), ("18", "169.25")] {
      try ledger.must("append", "weight", weight + "lb", "--date", "2026-01-\(day)")
    }
    let days = ["--from", "2026-01-05", "--to", "2026-01-18"]
    for view in [["trends"], ["days", "--by", "week"]] {
      let answer = try Executable.ledger.run(["show"] + view + days, in: ledger.folder.path)
      #expect(answer.output.contains(" -0.3 "), "\(answer.output)")
    }
    try ledger.must("report", "-o", "report.html", "--to", "2026-01-18")
    let page = String(decoding: try ledger.folder.bytes("report.html"), as: UTF8.self)
    #expect(page.contains("<span>−0.3 on the week before</span>"))
  }

  @Test("A long log is folded for a bare number that may be imperial, whatever its size")
  func longImperialLog() throws {
    let ledger = try TestLedger(LongLog.files.get())
    try ledger.must("append", "profile", "--unit-system", "imperial")
    #expect(try ledger.run("append", "weight", "170").code == 2)
  }

  @Test("A long log is not folded for it, and has it again once there is a snapshot")
  func longLog() throws {
    let ledger = try TestLedger(LongLog.files.get())
    try ledger.must("append", "weight", "80kg", "--date", "2026-01-01")
    #expect(try said(ledger, "weight", "79kg", "--date", "2026-01-08").isEmpty)
    try ledger.must("show", "days")
    #expect(try !ledger.folder.bytes(".ledger/views.snapshot").isEmpty)
    #expect(
      try said(ledger, "weight", "79kg", "--date", "2026-01-08", "--time", "08:00")
        == " · 1 kg less than a week before")
  }
}
