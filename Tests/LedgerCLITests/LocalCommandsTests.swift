import LedgerModel
import Testing

@testable import LedgerCLI

@Suite struct LocalCommandsTests {
  @Test("The specs of local commands are consistent")
  func specsAreSound() {
    #expect(LocalCommands.catalog.problems == [])
  }
}

@Suite struct MomentOptionsTests {
  /// 21 November 2026, 23:30 UTC.
  let now = Timestamp("2026-11-21T23:30:00.000Z")!

  private func logged(_ words: String...) throws -> String {
    let arguments = try AppendCommand.spec.parse(["weight", "1"] + words)
    let (date, moment) = try MomentOptions(arguments).logged(at: now, in: .current)
    return moment.map { "\(date) \($0.time)\($0.zone)" } ?? "\(date)"
  }

  @Test("Days are counted at the offset of --zone")
  func countDaysAtTheOffset() throws {
    #expect(try logged("--zone", "+14:00") == "2026-11-22 13:30:00+14:00")
    #expect(try logged("--zone", "-12:00") == "2026-11-21 11:30:00-12:00")
    #expect(try logged("--zone", "+01:00", "--time", "7:05") == "2026-11-22 07:05:00+01:00")
    #expect(
      try logged("--zone", "+01:00", "--time", "07:05:09", "--date", "-1d")
        == "2026-11-21 07:05:09+01:00")
    #expect(try logged("--date", "2024-02-29") == "2024-02-29")
  }

  @Test(
    "Words that are no day are refused",
    arguments: [
      "", "d", "-d", "-3", "3d", "--3d", "-999999d", "2026-2-1", "overmorrow", "2026-02-29",
    ])
  func refuseOtherDays(_ text: String) {
    #expect(throws: UsageError.self) { try MomentOptions.day(text) }
  }

  @Test(
    "Words that are no time are refused",
    arguments: ["", "7", "24:00", "07:60", "7:5", "07:30:60", "17:30 PM", ":30", "1:1:1"])
  func refuseOtherTimes(_ text: String) {
    #expect(throws: UsageError.self) { try MomentOptions.time(text) }
  }
}

@Suite struct EntryTextTests {
  @Test("Days and quantities are written for people")
  func readsLikeASentence() throws {
    let date = try #require(CalendarDate("2026-11-21"))
    #expect(EntryText.day(date) == "Sat 21 Nov 2026")
    #expect(EntryText.quantity(75.5, .weight) == "75.5 kg")
    #expect(EntryText.quantity(12_345, .steps) == "12,345")
    #expect(EntryText.quantity(21.456, .bodyFatPercentage) == "21.46%")
    #expect(EntryText.quantity(0.001, .waterLiters) == "0.001 l")
  }

  @Test("A quantity in another unit is shown beside the metric's own")
  func showsAForeignUnitBesideTheMetrics() throws {
    #expect(try Amount("165lb", of: .weight).shown(in: .metric) == "74.84 kg (165lb)")
    for inches in ["71\"", "71”", "71″", "5’11”", "5′11″"] {
      let height = try Amount(inches, of: .height)
      try height.check(in: .imperial)
      #expect(height.quantity == 180.34)
    }
    #expect(try Amount("165 pounds", of: .weight).shown(in: .imperial) == "165 lb")
    #expect(try Amount("11st 4lb", of: .weight).shown(in: .imperial) == "158 lb (11st 4lb)")
    #expect(try Amount("75 kg", of: .weight).shown(in: .metric) == "75 kg")
    #expect(try Amount("75", of: .weight).shown(in: .metric) == "75 kg")
    #expect(try Amount("165lb", of: .weight).shown(in: .imperial) == "165 lb")
    #expect(try Amount("165 lbs", of: .weight).shown(in: .imperial) == "165 lb")
    #expect(try Amount("75kg", of: .weight).shown(in: .imperial) == "165.3 lb (75kg)")
    #expect(try Amount("12st", of: .weight).shown(in: .imperial) == "168 lb (12st)")
    #expect(try Amount("20floz", of: .waterLiters).shown(in: .imperial) == "20 fl oz")
    #expect(try Amount("8000", of: .steps).shown(in: .imperial) == "8,000")
    #expect(throws: Refusal.self) { try Amount("1,000", of: .steps) }
  }

  @Test("With imperial units, a bare number is refused where the metric has an imperial unit")
  func bareNumbers() throws {
    #expect(throws: CommandFailure.self) { try Amount("170", of: .weight).check(in: .imperial) }
    #expect(throws: CommandFailure.self) {
      try Amount("0.5", of: .waterLiters).check(in: .imperial)
    }
    try Amount("170", of: .weight).check(in: .metric)
    try Amount("170lb", of: .weight).check(in: .imperial)
    try Amount("0.5floz", of: .waterLiters).check(in: .imperial)
    try Amount("8000", of: .steps).check(in: .imperial)
  }
}
