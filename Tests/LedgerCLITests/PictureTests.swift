import LedgerModel
import Testing

@testable import LedgerCLI

/// What is drawn of numbers says what the numbers say.
@Suite struct PictureTests {
  @Test("Sparklines scale from the least to the greatest value")
  func sparklines() {
    #expect(Sparkline.text([0, 1, 2, 3, 4, 5, 6, 7], scale: 0...7) == "▁▂▃▄▅▆▇█")
    #expect(Sparkline.text([74, nil, 76], scale: 74...76) == "▁ █")
    #expect(Sparkline.text([5, 5], scale: 5...5) == "▄▄")
    #expect(Sparkline.text([-9, 99], scale: 0...7) == "▁█")
    #expect(Sparkline.text([], scale: 0...0) == "")
  }

  @Test("Bars are proportional to their values")
  func bars() {
    #expect(ScaleBar.bar(8, highest: 8, columns: 4) == "████")
    #expect(ScaleBar.bar(4, highest: 8, columns: 4) == "██")
    #expect(ScaleBar.bar(1, highest: 8, columns: 4) == "▌")
    #expect(ScaleBar.bar(7, highest: 8, columns: 1) == "▉")
    #expect(ScaleBar.bar(0.001, highest: 8, columns: 4) == "▏")
    #expect(
      ScaleBar.bar(0, highest: 8, columns: 4) == "" && ScaleBar.bar(0, highest: 0, columns: 4) == ""
    )
    #expect(ScaleBar.place(74, scale: 74...76, columns: 5) == "●")
    #expect(ScaleBar.place(75, scale: 74...76, columns: 5) == "··●")
    #expect(ScaleBar.place(76, scale: 74...76, columns: 5) == "····●")
    #expect(ScaleBar.place(74, scale: 74...74, columns: 5) == "··●")
  }

  private func days(_ text: String...) throws -> [CalendarDate] {
    try text.map { try #require(CalendarDate($0)) }
  }

  @Test("Weeks begin on Monday; days that were not asked for are blank")
  func calendar() throws {
    let dates = try days("2025-01-29", "2025-02-18", "2025-02-02", "2025-02-03")
    let calendar = ActivityCalendar(
      counts: [dates[2]: 8, dates[3]: 1], first: dates[0], last: dates[1], isUnicode: true)
    #expect(
      calendar.lines(width: 80, paint: .plain) == [
        "2025-01-29 to 2025-02-18", "    Feb", "Mon   ░ · ·", "      · · ·", "Wed · · ·",
        "    · · ·", "Fri · · ·", "    · · ·", "Sun █ · ·", "",
        "entries a day: · none, ░ 1 to 2, ▒ 3 to 4, ▓ 5 to 6, █ 7 to 8",
      ])
    let plain = ActivityCalendar(
      counts: [dates[2]: 8], first: dates[0], last: dates[1], isUnicode: false)
    #expect(plain.lines(width: 80, paint: .plain).allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } })
  }

  @Test(
    "Months are named that have days in the range, the first one where its name leaves room",
    arguments: [
      ("2026-06-30", "2026-06-30", "    Jun"), ("2026-06-01", "2026-06-30", "    Jun"),
      ("2026-06-10", "2026-07-10", "    Jun   Jul"),
      ("2025-11-27", "2026-01-02", "      Dec     Jan"),
    ])
  func months(first: String, last: String, header: String) throws {
    let dates = try days(first, last)
    let calendar = ActivityCalendar(
      counts: [dates[0]: 1], first: dates[0], last: dates[1], isUnicode: true)
    #expect(calendar.lines(width: 80, paint: .plain)[1] == header)
  }

  @Test(
    "A year stands in as many lines of weeks as it takes", arguments: [20, 40, 57, 80, 110, 200])
  func yearAtAnyWidth(width: Int) throws {
    let dates = try days("2024-11-25", "2025-11-21")
    let calendar = ActivityCalendar(
      counts: [dates[0]: 1, dates[1]: 3], first: dates[0], last: dates[1], isUnicode: true)
    let lines = calendar.lines(width: width, paint: .plain)
    #expect(lines.allSatisfy { displayWidth($0) <= width }, "\(width)")
    let grid = lines.prefix(lines.lastIndex(of: "") ?? 0).joined()
    #expect(grid.count { "·░▒▓█".contains($0) } == 362)
    let colours = calendar.lines(width: width, paint: Paint(isOn: true)).joined(separator: "\n")
    #expect(colours.replacing(/\u{1B}\[[0-9]*m/, with: "") == lines.joined(separator: "\n"))
  }

  @Test("A ledger without entries has no pictures")
  func nothingLogged() throws {
    let dates = try days("2025-01-01", "2025-01-02")
    let calendar = ActivityCalendar(
      counts: [:], first: dates[0], last: dates[1], isUnicode: true)
    #expect(
      calendar.lines(width: 80, paint: .plain).last == "nothing was logged on any of these days")
  }
}
