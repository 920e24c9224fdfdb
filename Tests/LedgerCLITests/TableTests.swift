import Testing

@testable import LedgerCLI

@Suite struct TableTests {
  func sample() -> Table {
    var table = Table([.left("DATE"), .right("QUANTITY"), .left("NOTES", shrinks: true)])
    table.add("2025-01-31", "80.5", "")
    table.add("体重", Table.Cell("7", .green), "a\nlonger note about 👍 it")
    return table
  }

  @Test("Columns are aligned")
  func alignsByColumns() {
    let expected = """
      DATE        QUANTITY  NOTES
      2025-01-31      80.5
      体重               7  a\\nlonger note about 👍 it

      """
    #expect(sample().rendered(paint: .plain) == expected)
  }

  @Test("A table shrinks to the terminal's width")
  func shrinksToTheTerminal() {
    let lines = sample().rendered(paint: .plain, width: 36).split(separator: "\n")
    #expect(lines.last == "体重               7  a\\nlonger not…")
    #expect(lines.allSatisfy { displayWidth($0) <= 36 })
    // Eight columns are the least a text keeps.
    let narrow = sample().rendered(paint: .plain, width: 10).split(separator: "\n")
    #expect(narrow.last == "体重               7  a\\nlong…")
  }

  @Test("The longest line's width is known without rendering")
  func width() {
    for table in [
      sample(), Table([.left(""), .right("")]), Table([.left("long title"), .left("")]),
    ] {
      let lines = table.rendered(paint: .plain).split(separator: "\n")
      #expect(table.width == lines.map { displayWidth($0) }.max() ?? 0)
    }
  }

  @Test("Columns leave a narrow terminal in their order, before the line would wrap")
  func leavesOutColumns() {
    var table = Table([
      .right("#"), .left("time").leaving(1), .left("metric", shrinks: true), .left("").leaving(3),
      .left("status").leaving(2),
    ])
    table.add("12", "07:30", "active minutes", "min", "pending")
    func row(_ width: Int?) -> Substring? {
      table.rendered(paint: .plain, width: width).split(separator: "\n").last
    }
    #expect(row(nil) == "12  07:30  active minutes  min  pending")
    #expect(row(33) == "12  07:30  active …  min  pending")
    #expect(row(31) == "12  active minut…  min  pending")
    #expect(row(25) == "12  active minutes  min")
    #expect(row(16) == "12  active minu…")
    #expect(row(3) == "12  active …")
  }

  @Test("Columns leave before one shrinks to fewer characters than it keeps")
  func keepsColumns() {
    var table = Table([
      .left("time").leaving(1), .left("metric", shrinks: true).keeping(12), .left("unit"),
    ])
    table.add("07:30", "calories out", "kcal")
    func row(_ width: Int) -> Substring? {
      table.rendered(paint: .plain, width: width).split(separator: "\n").last
    }
    #expect(row(25) == "07:30  calories out  kcal")
    #expect(row(24) == "calories out  kcal")
    #expect(row(14) == "calorie…  kcal")
  }

  @Test("Empty columns leave first")
  func emptyColumns() {
    var table = Table([
      .left("metric"), .right("mean").leaving(1), .right("change").leaving(2),
    ])
    table.add("weight", "80", "")
    let lines = table.rendered(paint: .plain, width: 15).split(separator: "\n")
    #expect(lines == ["metric  mean", "weight    80"])
  }

  @Test("Colors do not change the alignment")
  func paintsWithoutMovingColumns() {
    let lines = sample().rendered(paint: Paint(isOn: true)).split(separator: "\n")
    #expect(lines[0].hasPrefix("\u{1B}[2mDATE\u{1B}[0m        \u{1B}[2mQUANTITY\u{1B}[0m"))
    #expect(lines[2].contains("       \u{1B}[32m7\u{1B}[0m  a"))
  }

  @Test("A table without titles has no header")
  func withoutTitlesThereIsNoHeader() {
    var table = Table([.left(""), .right("")])
    #expect(table.rendered(paint: .plain) == "")
    table.add("pending", "3")
    table.add(["held", "12"])
    #expect(table.rendered(paint: .plain) == "pending   3\nheld     12\n")
  }
}
