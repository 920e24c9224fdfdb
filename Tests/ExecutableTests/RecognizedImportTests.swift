import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// `ledger import FILE` without a kind, and `import jsonl`.
@Suite(.blocks) struct RecognizedImportTests {
  let ledger: TestLedger

  init() throws { ledger = try TestLedger() }

  private func importing(_ words: String...) throws -> Executable.Result {
    try Executable.ledger.run(["import"] + words, in: ledger.folder.path)
  }

  @Test("A vendor's file is recognized, and its name may be given")
  func vendor() throws {
    let rows =
      "Datum;\"Gewicht (kg)\";\"Fettmasse (kg)\";Kommentare\n2026-01-31 07:31:05;75,5;12;\n"
    try ledger.folder.write(Data(rows.utf8), to: "weight.csv")
    let shown = try importing("weight.csv", "--dry-run")
    #expect(shown.code == 0)
    #expect(shown.error.contains("weight.csv: Withings weight.csv"), "\(shown.error)")
    #expect(try importing("withings", "weight.csv", "--json").output.hasPrefix(#"{"added":1,"#))
    #expect(
      try importing("weight.csv", "--json").output.hasPrefix(#"{"added":0,"known":1,"#))
    #expect(try ledger.last()["source"] == "withings")
  }

  @Test("The form of numbers and dates can be given for the tables of a folder")
  func formOfTables() throws {
    let rows = "Date,Weight (kg),Fat mass (kg),Comments\n03/04/2026 07:31:05,75.5,12,\n"
    try FileManager.default.createDirectory(
      atPath: ledger.folder.path + "/download", withIntermediateDirectories: true)
    try ledger.folder.write(Data(rows.utf8), to: "download/weight.csv")
    #expect(try importing("download").code == 2)
    #expect(
      try importing("download", "--date-format", "dd/MM/yyyy", "--decimal", "point").code == 0)
    #expect(try ledger.last()["date"] == "2026-04-03")
    #expect(try ledger.last()["quantity"] == 75.5)
  }

  @Test("What is asked about is in the answer for programs")
  func warnings() throws {
    try ledger.folder.write(Data("Date,Weight\n2026-01-05,350\n".utf8), to: "a.csv")
    #expect(
      try importing("a.csv", "--dry-run", "--json").output.contains(
        #""warnings":["1 entry is weight outside"#))
    #expect(try importing("a.csv", "--yes", "--json").output.contains(#""warnings":["#))
    #expect(!(try importing("a.csv", "--json").output.contains("warnings")))
  }

  @Test("A table that names the metric in each row comes in, and what is no metric is counted")
  func namedMetrics() throws {
    let rows =
      "Metric;Value;Unit;Date\nWeight;180,5;lb;31.01.2026\nSteps;9.000;;31.01.2026\n"
      + "Blood pressure;120;mmHg;31.01.2026\n"
    try ledger.folder.write(Data(rows.utf8), to: "table.csv")
    let result = try importing("table.csv", "--json")
    #expect(result.code == 0)
    #expect(result.output.contains(#""type":"Blood pressure","reason":"no metric of a ledger""#))
    #expect(
      try ledger.log().lines.dropFirst().map { $0.data["quantity"]?.number } == [
        81.873422785, 9000,
      ])
  }

  @Test(
    "Weights of the Fitbit site without an index are refused with both readings, unless --unit says"
  )
  func openUnit() throws {
    try ledger.folder.write(
      Data("Body\nDate,Weight,BMI,Fat\n2026-01-31,180,,\n".utf8), to: "fitbit.csv")
    let before = try ledger.bytes()
    let refused = try importing("fitbit.csv")
    #expect(refused.code == 2)
    #expect(refused.error.contains("180 kg or 180 lb (81.65 kg)"), "\(refused.error)")
    #expect(try ledger.bytes() == before)
    #expect(try importing("fitbit.csv", "--unit", "ounce").code == 2)
    #expect(try importing("fitbit", "fitbit.csv", "--unit", "lb,mi").code == 0)
    #expect(try ledger.last()["quantity"] == 81.6466266)
  }

  @Test("With imperial units, a table without a unit is refused as a number without one is")
  func openUnitOfAPerson() throws {
    try ledger.must("append", "profile", "--unit-system", "imperial")
    try ledger.folder.write(Data("date,weight\n2026-01-31,183\n".utf8), to: "simple.csv")
    try ledger.expectRefusal(
      ["import", "simple.csv"], 2,
      "simple.csv: '183' in the column 'weight' has no unit and can be 183 kg (403.4 lb) or 183 lb; "
        + "give --unit kg or --unit lb; --unit may be repeated")
    let refused = try importing("simple.csv", "--json").error
    let error = try JSONValue(parsing: Array(refused.utf8)).object?["error"]?.object
    #expect(error?["code"] == "file-unfit" && error?["field"] == "unit")
    #expect(error?["values"] == ["kg", "lb"])
    let shown = try importing("simple.csv", "--unit", "lb", "--dry-run")
    #expect(shown.output.contains("183   183  lb"), "\(shown.output)")
    #expect(try importing("simple.csv", "--unit", "lb").code == 0)
    #expect(try ledger.last()["quantity"] == 83.00740371)
  }

  @Test("Of several files, one with a question does not keep the next from being imported")
  func severalFiles() throws {
    for (name, rows) in [
      ("a.csv", "2026-01-01,82"), ("b.csv", "03/04/2026,82"), ("c.csv", "2026-01-02,81"),
      ("d.csv", "2026-01-03,81\nnone,81"),
    ] {
      try ledger.folder.write(Data("date,weight_kg\n\(rows)\n".utf8), to: name)
    }
    let result = try importing("a.csv", "b.csv", "c.csv", "d.csv")
    #expect(result.code == 2)
    #expect(try ledger.entries().count == 3)
    #expect(
      result.output.split(separator: "\n").filter { $0.hasSuffix(":") } == [
        "a.csv:", "b.csv:", "c.csv:", "d.csv:",
      ])
    #expect(result.error.contains("ledger: b.csv has dates such as '03/04/2026'"))
    #expect(try importing("a.csv", "d.csv").code == 5)
    #expect(try importing("none.csv", "b.csv").code == 1)
  }

  @Test("Where no ledger is, the files that were not read are named")
  func filesNotRead() throws {
    let folder = try TemporaryFolder()
    for name in ["a.csv", "b.csv"] {
      try folder.write(Data("date,weight_kg\n2026-01-01,82\n".utf8), to: name)
    }
    let result = try Executable.ledger.run(["import", "a.csv", "b.csv"], in: folder.path)
    #expect(result.code == 4)
    #expect(result.error.hasPrefix("not read: 'b.csv'\nledger: "), "\(result.error)")
  }

  @Test("A first word that is neither a file nor a kind is refused with the kinds")
  func unknownKind() throws {
    try ledger.folder.write(Data("date,weight_kg\n2026-01-01,82\n".utf8), to: "excel.csv")
    try ledger.expectRefusal(
      ["import", "excel", "excel.csv"], 2, "'excel' is neither a file nor a kind of file")
  }

  @Test("A packed file is refused with the way to unpack it")
  func packed() throws {
    let gzip = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
    try ledger.folder.write(gzip, to: "ledger.jsonl.gz")
    try ledger.folder.write(gzip, to: "ledger.tar.gz")
    let unpack = "ledger.jsonl.gz is a gzip file; unpack it with gunzip first"
    try ledger.expectRefusal(["import", "ledger.jsonl.gz"], 2, unpack)
    try ledger.expectRefusal(["import", "jsonl", "ledger.jsonl.gz"], 2, unpack)
    try ledger.expectRefusal(
      ["import", "ledger.tar.gz"], 2,
      "ledger.tar.gz is a gzip file; unpack it with tar; a backup of a ledger is unpacked into a "
        + "ledger's folder, not imported")
  }

  @Test("A zip of another program is refused with what to do with it")
  func otherZips() throws {
    for (name, member, advice) in [
      (
        "book.xlsx", "xl/workbook.xml",
        "is a workbook of a spreadsheet; save its sheet as CSV in UTF-8 and import that"
      ),
      (
        "book.ods", "content.xml",
        "is a workbook of a spreadsheet; save its sheet as CSV in UTF-8 and import that"
      ),
      ("t.zip", "weight.csv", "holds CSV files ('weight.csv'); unpack it and import them"),
      (
        "old.zip", "export/profile.json",
        "holds JSON ('export/profile.json') and no export of Apple's Health app; if it is the old app's, "
          + "unpack it and import the file as the old app's"
      ),
    ] {
      try ledger.folder.write(StoredZip.bytes([(member, "x")]), to: name)
      try ledger.expectRefusal(["import", name], 2, "\(name) \(advice)")
    }
    try ledger.expectRefusal(
      ["import", "legacy", "old.zip"], 2,
      "old.zip is a zip file; unpack it and give the JSON file that is in it")
  }

  /// Parts of a download of Google Takeout.
  private static let takeout = [
    (
      "Takeout/Fitbit/Global Export Data/weight-2026-01-01.json",
      #"[{"logId":1,"weight":165.0,"bmi":23.1,"date":"01/30/26","time":"07:30:00"}]"#
    ),
    (
      "Takeout/Fitbit/Global Export Data/steps-2026-01-01.json",
      #"[{"dateTime":"01/30/26 10:00:00","value":"1200"}]"#
    ),
    (
      "Takeout/Fit/Daily activity metrics/Daily activity metrics.csv",
      "Date,Move Minutes count,Calories (kcal),Distance (m),Heart Points,Step count\n"
        + "2026-01-31,30,1800,4200,12,5300\n"
    ),
    ("Takeout/archive_browser.html", "<html></html>"),
  ]

  @Test("A download of Takeout is recognized as a zip and as a folder, and counts once")
  func takeout() throws {
    try ledger.folder.write(StoredZip.bytes(Self.takeout), to: "takeout.zip")
    let zipped = try importing("takeout.zip", "--json")
    #expect(zipped.code == 0 && zipped.output.hasPrefix(#"{"added":7,"#), "\(zipped.error)")
    let weight = try ledger.run("show", "progress", "--type", "weight", "--json").output
    #expect(weight.contains(#""quantity":74.84274105"#), "\(weight)")
    for (name, text) in Self.takeout {
      let url = ledger.folder.url(name)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try ledger.folder.write(Data(text.utf8), to: name)
    }
    let folder = try importing("Takeout", "--json")
    #expect(
      folder.code == 0 && folder.output.hasPrefix(#"{"added":0,"known":7,"#), "\(folder.error)")
  }

  @Test(
    "A zip that needs a password is refused in one sentence, and asks nothing",
    arguments: ["apple_health_export/export.xml", "Takeout/Fitbit/steps-2026-01-01.json"])
  func locked(_ name: String) throws {
    try ledger.folder.write(StoredZip.bytes([(name, "<a/>")], isLocked: true), to: "a.zip")
    let before = try ledger.bytes()
    let refused = try importing("a.zip")
    #expect(refused.code == 2)
    let sentence =
      "ledger: a.zip is an encrypted zip; unpack it with its password, and import what is in it\n"
    #expect(refused.error == sentence)
    for kind in ["fitbit", "withings", "csv", "apple-health", "jsonl", "legacy"] {
      let named = try importing(kind, "a.zip")
      #expect(named.code == 2 && named.error == sentence, "\(kind): \(named.error)")
    }
    #expect(try ledger.bytes() == before)
  }

  @Test("Many rows from a pipe come in by one write, and again as known")
  func pipe() throws {
    // Their lines are more than the parts in which a log is written.
    let rows = (0..<5_000).map { row in
      let (hour, minute) = (row / 60 % 24, row % 60)
      let day = 1 + row / 1440
      func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
      return "2026-01-\(two(day)),\(two(hour)):\(two(minute)):00,\(row % 90)"
    }
    let text = "date,time,steps\n" + rows.joined(separator: "\n") + "\n"
    let first = try ledger.run("import", "csv", "-", "--json", input: text)
    #expect(first.code == 0 && first.output.hasPrefix(#"{"added":5000,"#), "\(first.error)")
    try ledger.log().expectIntact()
    let again = try ledger.run("import", "csv", "-", "--json", input: text)
    #expect(again.output.hasPrefix(#"{"added":0,"known":5000,"#), "\(again.error)")
    #expect(try ledger.run("verify").code == 0)
  }

  @Test("The old app's JSON is recognized")
  func legacy() throws {
    try ledger.folder.write(Data(#"{"name":"Ada"}"#.utf8), to: "old.json")
    let result = try importing("old.json")
    #expect(result.code == 0 && result.error.contains("old.json: read as the old app's data"))
    #expect(try ledger.last()["name"] == "Ada")
  }

  @Test("Exported events restore a new ledger, once, under the same numbers and ids")
  func events() throws {
    let other = try TestLedger()
    let entry = try other.logged("75.5")
    try other.must("append", "correction", entry, "--quantity", "76")
    try other.must("undo")
    let events = try other.run("export", "jsonl").output
    try ledger.folder.write(Data(events.utf8), to: "events.jsonl")
    let first = try importing("events.jsonl", "--json")
    #expect(first.code == 0, "\(first.error)")
    #expect(first.output.hasPrefix(#"{"added":3,"known":0,"left_out":0,"#))
    let log = try ledger.log()
    log.expectIntact()
    let dropFirst = { (ledger: TestLedger) in
      try ledger.log().lines.dropFirst().map { line in
        [line.object["id"], line.object["at"], line.object["by"], line.object["data"]]
      }
    }
    #expect(try dropFirst(ledger) == dropFirst(other))
    let again = try importing("events.jsonl", "--json")
    #expect(again.output.hasPrefix(#"{"added":0,"known":3,"left_out":0,"#))
    #expect(try ledger.log().lines.count == 4)
  }

  @Test("Events are restored into a new ledger only, and only if the chain holds")
  func refusedEvents() throws {
    let other = try TestLedger()
    _ = try other.logged("75.5")
    let events = try other.run("export", "jsonl").output
    try ledger.folder.write(Data(events.replacing("75.5", with: "75.6").utf8), to: "forged.jsonl")
    let forged = try importing("forged.jsonl")
    #expect(forged.code == 2 && forged.error.contains("forged.jsonl is damaged"), "\(forged.error)")
    try ledger.folder.write(Data(events.utf8), to: "events.jsonl")
    _ = try ledger.logged("70")
    let full = try importing("events.jsonl")
    #expect(full.code == 2 && full.error.contains("can only be restored into a new ledger"))
  }

  @Test(
    "A log in which an undoing names no earlier event is not restored",
    arguments: [
      ("profile.updated", #"{"bio":"two","undoes":2}"#, "'undoes' of event 2 is 2"),
      ("edit.undone", #"{"event":7}"#, "'event' of event 2 is 7"),
    ])
  func wrongReference(_ type: String, _ data: String, _ place: String) throws {
    var log = HandWrittenLog.created
    log.append(type: type, data: data)
    try ledger.folder.write(Data(log.bytes), to: "events.jsonl")
    try ledger.expectRefusal(
      ["import", "jsonl", "events.jsonl"], 2,
      "events.jsonl cannot be restored: \(place); it must be the number of an earlier event")
  }
}
