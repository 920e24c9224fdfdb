import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

@Suite(.blocks) struct ImportTests {
  let ledger: TestLedger
  private let call = [
    "import", "csv", "-", "--metric", "weight", "--quantity", "lbs", "--date", "Day",
    "--date-format", "M/d/yyyy", "--unit", "lb",
  ]

  init() throws { ledger = try TestLedger() }

  private func csv(_ more: String..., input: String) throws -> Executable.Result {
    try Executable.ledger.run(call + more, input: input, in: ledger.folder.path)
  }

  @Test("A second import adds nothing")
  func addsOnceAndKnowsAfterwards() throws {
    let first = try csv("--json", input: "Day,lbs\n11/21/2025,165\n11/22/2025,166.5\n")
    #expect(first.code == 0)
    #expect(
      first.output == #"{"added":2,"known":0,"left_out":0,"problems":[],"#
        + #""by_metric":{"weight":{"added":2,"known":0}},"corrected":0,"skipped":[],"#
        + #""left_out_by_type":[],"profile":{"filled":{},"kept":{}}}"# + "\n")
    let log = try ledger.log()
    log.expectIntact()
    #expect(log.lines.dropFirst().map { $0.object["by"]?.string } == ["import", "import"])
    let before = try ledger.bytes()
    let again = try csv(input: "Day,lbs\n11/22/2025,166.5\n11/21/2025,165\n")
    #expect(again.code == 0)
    #expect(
      again.output == "metric  added  known\nweight      0      2\n✓ nothing imported, 2 known\n")
    #expect(try ledger.bytes() == before)
  }

  @Test("Two concurrent imports add each row once")
  func twoAtOnceAddOnce() throws {
    let rows = (0..<2000).map { number in
      "\(number % 12 + 1)/\(number / 12 % 28 + 1)/\(2015 + number / 336),165\n"
    }.joined()
    let input = Data("Day,lbs\n\(rows)".utf8)
    let runs = try (1...3).map { _ in
      try Executable.ledger.start(call, input: input, in: ledger.folder.path)
    }
    for run in runs {
      var code = try run.wait().code
      // Who has waited too long for the lock is told to try again.
      while code == 75 {
        code = try Executable.ledger.start(call, input: input, in: ledger.folder.path).wait().code
      }
      #expect(code == 0)
    }
    let log = try ledger.log()
    log.expectIntact()
    #expect(log.lines.count == 2001)
  }

  @Test("A deleted entry is not imported again")
  func whatAPersonDeletedStaysDeleted() throws {
    _ = try csv(input: "Day,lbs\n11/21/2025,165\n")
    try ledger.run("append", "deletion", "2")
    let again = try csv("--json", input: "Day,lbs\n11/21/2025,165\n")
    #expect(again.output.hasPrefix(#"{"added":0,"known":1,"#))
  }

  @Test("An import that was undone is imported again, and is known after a redo")
  func anUndoneImportComesBack() throws {
    let rows = "Day,lbs\n11/21/2025,165\n11/22/2025,166\n"
    _ = try csv(input: rows)
    try ledger.run("undo", "2..3")
    #expect(try csv("--json", input: rows).output.hasPrefix(#"{"added":2,"known":0,"#))
    #expect(try ledger.entries().count == 2)
    try ledger.run("undo", "6..7")
    try ledger.run("redo")
    #expect(try csv("--json", input: rows).output.hasPrefix(#"{"added":0,"known":2,"#))
    #expect(try ledger.entries().count == 2)
  }

  @Test("A redo does not log again what was imported again meanwhile")
  func redoAfterImportingAgain() throws {
    let rows = "Day,lbs\n11/21/2025,165\n11/22/2025,166\n"
    _ = try csv(input: rows)
    try ledger.run("undo", "2..3")
    _ = try csv(input: rows)
    try ledger.expectRefusal(
      ["redo"], 2,
      "nothing of event 5 can be put back: event 6 has logged it again; nothing was written")
    try ledger.expectRefusal(
      ["undo", "4"], 2,
      "nothing of event 4 can be put back: event 7 has logged it again; nothing was written")
    #expect(try ledger.entries().count == 2)
  }

  @Test("Nor does it take back a deletion that is still to be sent")
  func redoOfUnsentDeletions() async throws {
    try await withBackend { backend in
      let ledger = try TestLedger.registered(at: backend)
      func importRows() throws {
        try ledger.must(
          "import", "csv", "-", "--metric", "calories_in", "--quantity", "Kal", "--date", "Day",
          input: "Day,Kal\n2025-11-24,1500\n2025-11-25,1700\n")
      }
      try importRows()
      let added = try ledger.entries().compactMap { $0["seq"]?.integer }.sorted()
      try ledger.must("sync")
      try ledger.must("undo", "\(added[0])..\(added[1])")
      try importRows()
      let redo = try ledger.run("redo")
      #expect(redo.code == 2 && redo.error.contains("has logged it again"))
      #expect(try ledger.entries().count == 2)
    }
  }

  @Test("A redo makes again only those entries that were not imported again")
  func redoOfTheRest() throws {
    let first = "Day,lbs\n11/21/2025,165\n"
    _ = try csv(input: first + "11/22/2025,166\n11/23/2025,167\n")
    try ledger.run("undo", "2..4")
    _ = try csv(input: first)
    #expect(try ledger.must("redo").contains("redid 2 edits"))
    #expect(try ledger.entries().count == 3)
    // What was deleted by hand since is no longer in the ledger.
    try ledger.must("append", "deletion", "8")
    try ledger.must("undo", "7")
    #expect(try ledger.entries().count == 3)
    try ledger.log().expectIntact()
  }

  @Test("Skipped rows are listed")
  func listsWhatItLeavesOut() throws {
    let rows = (1...25).map { "13/\($0)/2025,165\n" }.joined()
    let result = try csv(input: "Day,lbs\n11/21/2025,165\n\(rows)")
    #expect(result.code == 5)
    #expect(result.output.hasSuffix("✓ 1 added (event 2); 25 problems\n"))
    let told = result.error.split(separator: "\n")
    #expect(
      told == [
        "problems:",
        "  standard input, 25 rows (3, 4, 5, …), the first: Day is "
          + "'13/1/2025'; it is not a day of the calendar when read as M/d/yyyy",
        "next: ledger report", "take it back: ledger undo 2",
      ])
    let all = try csv("--all", input: "Day,lbs\n\(rows)")
    #expect(all.error.split(separator: "\n").count == 26)
    let json = try JSONValue(parsing: csv("--json", input: "Day,lbs\n\(rows)").output).object
    #expect(json?["problems"]?.array?.count == 25)
    #expect(json?["problems"]?.array?.first?.object?["row"] == 2)
  }

  @Test("One person of a study is imported")
  func importsOnePersonOfTheStudy() throws {
    // Two rows of the published layout (Furberg et al. 2016, CC BY 4.0).
    let rows =
      "Id,Date,WeightKg,WeightPounds,Fat,BMI,IsManualReport,LogId\n"
      + "1503960366,5/2/2016 11:59:59 PM,52.5999984741211,115.963146545323,22,22.6499996185303,"
      + "True,1462233599000\n"
    try ledger.folder.write(Data(rows.utf8), to: "weightLogInfo_merged.csv")
    let words = ["import", "fitbit", ".", "--person", "1503960366", "--zone", "America/New_York"]
    let result = try Executable.ledger.run(words + ["--quiet"], in: ledger.folder.path)
    #expect(result.code == 0, "\(result.error)")
    #expect(result.output.hasSuffix("✓ 3 added (events 2 to 4)\n"))
    #expect(try ledger.last()["zone"] == "-04:00")
    let again = try Executable.ledger.run(words, in: ledger.folder.path)
    #expect(again.output.hasSuffix("✓ nothing imported, 3 known\n"))
  }

  @Test(
    "Invalid arguments are refused",
    arguments: [
      (
        ["csv", "x", "--date", "b"], 2,
        "'import csv' needs --metric; see 'ledger import csv --help'"
      ),
      (["fitbit", "."], 2, "'import fitbit' needs --person; see 'ledger import fitbit --help'"),
      (
        ["fitbit", ".", "--person", "1", "--from", "2016-05-01", "--to", "2016-04-01"], 2,
        "--from is 2016-05-01, which lies after --to, 2016-04-01"
      ),
      (
        ["csv", "none.csv", "--metric", "weight", "--quantity", "a", "--date", "b"], 1,
        "cannot open none.csv: no such file or directory"
      ),
      (
        ["csv", "x", "--metric", "weight", "--quantity", "a", "--date", "b", "--where", "c"], 2,
        "'--where' takes a column and a value, as person=anna, not 'c'"
      ),
    ] as [([String], Int32, String)])
  func refuses(_ words: [String], _ code: Int32, _ sentence: String) throws {
    try ledger.expectRefusal(["import"] + words, code, sentence)
  }

  @Test("A dry run shows what would come in, and writes nothing")
  func dryRun() throws {
    let before = try ledger.bytes()
    let input = "Day,lbs\n11/21/2025,165\n11/22/2025,166.5\n"
    let result = try csv("--dry-run", input: input)
    #expect(result.code == 0)
    #expect(
      result.output
        == "metric  entries  first       last        least   most  unit\n"
        + "weight        2  2025-11-21  2025-11-22  74.84  75.52  kg\n"
        + "✓ 2 would be added\n")
    let json = try JSONValue(parsing: csv("--dry-run", "--json", input: input).output).object
    #expect(json?["dry_run"] == true && json?["added"] == 2)
    #expect(try ledger.bytes() == before)
  }

  @Test("Dates after tomorrow are asked about, and --yes goes on")
  func futureDates() throws {
    let input = "Day,lbs\n11/21/2568,165\n"
    let before = try ledger.bytes()
    let refused = try csv(input: input)
    #expect(refused.code == 2)
    #expect(
      refused.error.contains("warning: 1 entry is later than tomorrow, the last of 2568-11-21"))
    #expect(try ledger.bytes() == before)
    #expect(try csv("--yes", input: input).code == 0)
  }

  @Test("Sums of days that another source has already are asked about")
  func sharedDays() throws {
    func steps(_ source: String, _ rows: String, _ more: String...) throws -> Executable.Result {
      try Executable.ledger.run(
        [
          "import", "csv", "-", "--metric", "steps", "--quantity", "n", "--date", "d", "--source",
          source,
        ] + more, input: "d,n\n" + rows, in: ledger.folder.path)
    }
    let days = "2025-08-01,9012\n2025-08-02,8000\n2025-08-03,7000\n"
    #expect(try steps("fitbit", days).code == 0)
    // Known rows, and days that only the same source has, add to nothing.
    #expect(try steps("fitbit", days + "2025-08-04,6000\n").code == 0)
    // A sum of a day and parts of it are two counts.
    #expect(
      try steps("fitbit", "2025-08-01 10:00,500\n").error.contains(
        "1 day has steps from fitbit (sums of days) already, such as 2025-08-01 with 9012; the import "
          + "adds to it"))
    #expect(try steps("fitbit", "2025-08-01 10:00,500\n", "--yes").code == 0)
    #expect(try steps("fitbit", "2025-08-01 11:00,0\n").code == 0)
    #expect(try steps("mine", "2025-08-05,5000\n").code == 0)
    let before = try ledger.bytes()
    let refused = try steps("mine", days)
    #expect(refused.code == 2)
    #expect(
      refused.error.contains(
        "3 days have steps from fitbit already, such as 2025-08-01 with 9512; the import adds to them"
      ),
      "\(refused.error)")
    #expect(try ledger.bytes() == before)
    // Corrected, deleted and undone entries count as they are.
    #expect(try ledger.run("append", "correction", "2", "9000").code == 0)
    #expect(try ledger.run("append", "deletion", "3").code == 0)
    #expect(
      try steps("mine", days).error.contains(
        "2 days have steps from fitbit already, such as 2025-08-01 with 9500;"))
    #expect(try steps("mine", days, "--yes").code == 0)
    #expect(try steps("mine", days).code == 0)
    // A weight does not add up.
    #expect(try csv("--source", "a", input: "Day,lbs\n11/21/2025,165\n").code == 0)
    #expect(try csv("--source", "b", input: "Day,lbs\n11/21/2025,166\n").code == 0)
  }

  @Test("A quantity a hundred times the usual is asked about")
  func unusualQuantities() throws {
    let rows = (1...8).map { "\($0)/1/2025,5000\n" }.joined()
    let words = [
      "import", "csv", "-", "--metric", "steps", "--quantity", "n", "--date", "d", "--date-format",
      "M/d/yyyy",
    ]
    let input = "d,n\n\(rows)9/1/2025,700000\n"
    let refused = try Executable.ledger.run(words, input: input, in: ledger.folder.path)
    #expect(refused.code == 2)
    #expect(refused.error.contains("700000 on 2025-09-01, usual is 5000"))
  }

  @Test(
    "Files are recognized by their columns, and what a ledger exports comes back with its sources")
  func exportedTable() throws {
    let other = try TestLedger()
    let rows = "Datum;Gewicht (kg)\n31.01.2026;75,5\n01.02.2026;75,1\n"
    try ledger.folder.write(Data(rows.utf8), to: "gewicht.csv")
    #expect(
      try Executable.ledger.run(["import", "csv", "gewicht.csv"], in: ledger.folder.path).code == 0)
    let table = try ledger.run("export", "csv").output
    #expect(table.contains(",csv,csv:weight:2026-01-31\r\n"))
    let moved = try Executable.ledger.run(
      ["import", "csv", "-", "--json"], input: table, in: other.folder.path)
    #expect(moved.output.hasPrefix(#"{"added":2,"known":0,"#), "\(moved.error)")
    try other.folder.write(Data(rows.utf8), to: "gewicht.csv")
    let again = try Executable.ledger.run(
      ["import", "csv", "gewicht.csv", "--json"], in: other.folder.path)
    #expect(again.output.hasPrefix(#"{"added":0,"known":2,"#), "\(again.error)")
    #expect(try other.run("export", "csv").output == table)
  }

  @Test("Rules of the ledger's folder are read by name")
  func ownRules() throws {
    let rules = "# my scale\nsource scale\ndate When\nquantity weight = W in lb\n"
    let folder = ledger.path + "/rules"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(rules.utf8).write(to: URL(fileURLWithPath: folder + "/scale.rules"))
    try ledger.folder.write(Data("When,W\n2026-01-31,180\n".utf8), to: "scale.csv")
    let result = try Executable.ledger.run(
      ["import", "csv", "scale.csv", "--rules", "scale"], in: ledger.folder.path)
    #expect(result.code == 0, "\(result.error)")
    #expect(try ledger.last()["source"] == "scale" && ledger.last()["quantity"] == 81.6466266)
    let none = try Executable.ledger.run(
      ["import", "csv", "scale.csv", "--rules", "none"], in: ledger.folder.path)
    #expect(none.code == 2 && none.error.contains("there are no rules 'none'"))
  }

  @Test("Rules of the ledger's folder with a header recognize a file, unusable ones are named")
  func ownRulesRecognize() throws {
    let folder = ledger.path + "/rules"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    func write(_ text: String, to name: String) throws {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name).rules"))
    }
    try ledger.folder.write(Data("Tag,Masse\n2026-11-20,75.5\n".utf8), to: "y.csv")
    let refused = try Executable.ledger.run(["import", "y.csv"], in: ledger.folder.path)
    #expect(refused.code == 2 && refused.error.contains("or --rules"), "\(refused.error)")
    try write("header Tag, Masse\ndate Tag\nquantity weight = Masse in kg\n", to: "y")
    try write("nonsense\n", to: "broken")
    let result = try Executable.ledger.run(["import", "y.csv"], in: ledger.folder.path)
    #expect(result.code == 0, "\(result.error)")
    #expect(result.error.contains("the rules 'broken'"), "\(result.error)")
    #expect(try ledger.last()["source"] == "y")
  }

  /// Files as spreadsheets and other programs leave them: each is told what to do.
  @Test(
    "A file that cannot be read as CSV is refused and changes no byte",
    arguments: [
      ("", "data.csv is empty; its first row must name the columns"),
      (
        "Day,Lbs \n",
        "data.csv has no column 'lbs'; its columns are 'Day', 'Lbs '; did you mean 'Lbs '?"
      ),
      ("Day,kg\n", "data.csv has no column 'lbs'; its columns are 'Day', 'kg'"),
      (
        "11/21/2025,165\n",
        "data.csv has no column 'lbs'; its first row seems to be data ('11/21/2025'); put a row with "
          + "the names of the columns above it"
      ),
      (
        "PK\u{3}\u{4}x",
        "data.csv is a zip file (or a spreadsheet such as .xlsx, which is one); open it in a "
          + "spreadsheet and save the file as CSV in UTF-8"
      ),
    ])
  func oddFilesAreToldWhatToDo(_ text: String, _ sentence: String) throws {
    try ledger.folder.write(Data(text.utf8), to: "data.csv")
    try ledger.expectRefusal(
      call.map { $0 == "-" ? "data.csv" : $0 }, 2, sentence)
  }

  @Test("Invalid rows are skipped with their reasons")
  func rowsThatAreOddAreLeftOutWithTheirReasons() throws {
    let result = try csv(input: "Day,lbs\n11/21/2025,much\n11/22/2025\n11/23/2025,1,2\n")
    #expect(result.code == 5)
    #expect(result.error.contains("row 2: lbs: quantity is \"much\""))
    #expect(result.error.contains("2 rows (3, 4), the first: the row has 1 field"))
    let none = try csv(input: "Day,lbs\n")
    #expect(none.code == 0)
    #expect(none.error.contains("no rows follow the header"))
  }
}
