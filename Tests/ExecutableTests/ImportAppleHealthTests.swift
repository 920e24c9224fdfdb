import Foundation
import LedgerJSON
import LedgerTestSupport
import Testing

/// Exports of Apple's Health app.
@Suite(.blocks) struct ImportAppleHealthTests {
  let ledger: TestLedger

  init() throws { ledger = try TestLedger() }

  /// As one system version wrote it: a list of attributes is not closed, a bracket is too many.
  static let beginning = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE HealthData [
    <!-- HealthKit Export Version: 12 -->
    <!ELEMENT HealthData (ExportDate,Me,(Record|Workout)*)>
    <!ATTLIST VisionPrescription
      type             CDATA #REQUIRED
    <!ELEMENT RightEye EMPTY>
    <!ATTLIST RightEye
      sphere           CDATA #IMPLIED
    >
    >
    ]>
    <HealthData locale="en_US">
     <ExportDate value="2026-11-01 18:00:00 -0330"/>
     <Me HKCharacteristicTypeIdentifierDateOfBirth="1985-03-04" \
    HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexFemale"/>

    """

  static func record(_ type: String, _ more: String, at time: String, to end: String = "") -> String
  {
    " <Record type=\"HKQuantityTypeIdentifier\(type)\" sourceName=\"W\" \(more) "
      + "startDate=\"2026-11-01 \(time):00 -0330\" "
      + "endDate=\"2026-11-01 \(end.isEmpty ? time : end):00 -0330\"/>\n"
  }

  static let morning =
    record("Height", #"unit="cm" value="171""#, at: "06:00")
    + record("BodyMass", #"unit="lb" value="165""#, at: "07:00")
    + record("StepCount", #"unit="count" value="500""#, at: "10:00", to: "10:10")
    + record("HeartRate", #"unit="count/min" value="70""#, at: "10:00")
  static let evening =
    record("StepCount", #"unit="count" value="50""#, at: "10:30", to: "10:40")
    + record("StepCount", #"unit="count" value="70""#, at: "23:50", to: "23:59")

  static func export(_ records: String) -> String { beginning + records + "</HealthData>\n" }

  private func importing(
    _ text: String, zone: String = "UTC", _ more: String...
  ) throws -> Executable.Result {
    try ledger.folder.write(Data(text.utf8), to: "export.xml")
    return try Executable.ledger.run(
      ["import", "apple-health", "export.xml"] + more, environment: ["TZ": zone],
      in: ledger.folder.path)
  }

  @Test(
    "A second import of a zip adds nothing, in every zone",
    arguments: ["UTC", "Pacific/Kiritimati", "America/St_Johns"])
  func importsAZipOnceInEveryZone(_ zone: String) throws {
    let zip = StoredZip.bytes([
      ("apple_health_export/export_cda.xml", "<ClinicalDocument/>"),
      ("apple_health_export/Exportación.xml", Self.export(Self.morning + Self.evening)),
    ])
    try ledger.folder.write(zip, to: "export.zip")
    let first = try ledger.run("import", "apple-health", "export.zip", "--json", zone: zone)
    #expect(first.code == 0, "\(first.error)")
    let answer = try #require(JSONValue(parsing: first.output).object)
    #expect(answer["added"] == 4)
    #expect(
      answer["skipped"]?.serialized
        == #"[{"type":"HeartRate","reason":"the ledger has no metric for it","count":1}]"#)
    #expect(
      answer["profile"]?.object?["filled"]?.serialized
        == #"{"biological_sex":"female","height_cm":171,"date_of_birth":"1985-03-04"}"#)
    let before = try ledger.bytes()
    for other in ["UTC", "Pacific/Kiritimati", "America/St_Johns"] {
      let again = try ledger.run("import", "apple-health", "export.zip", zone: other)
      #expect(again.code == 0)
      #expect(again.output.hasSuffix("✓ nothing imported, 4 known\n"))
    }
    #expect(try ledger.bytes() == before)
    try ledger.log().expectIntact()
    let days = try JSONValue(parsing: ledger.run("show", "days", "--json", zone: zone).output)
    #expect(
      days.array?.map { $0.object?["date"]?.string } == Array(repeating: "2026-11-01", count: 3))
    #expect(days.array?.compactMap { $0.object?["sum"]?.number }.contains(620) == true)
    #expect(try ledger.run("verify").code == 0)
  }

  @Test(
    "The export is recognised by its content, whatever it and the files next to it are called",
    arguments: [
      ["export_cda.xml": false, "导出.xml": true], ["导出_cda.xml": false, "导出.xml": true],
      ["экспорт CDA.xml": false, "экспорт.xml": true],
      ["a.xml": false, "ä.xml": true, "b.xml": false],
      ["export.xml": true, "copy.xml": true], ["deeper/x.xml": true, "ส่งออก.xml": true],
    ])
  func isRecognised(_ files: [String: Bool]) throws {
    let document = "<ClinicalDocument>\(String(repeating: " ", count: 300_000))</ClinicalDocument>"
    let sorted = files.sorted { $0.key < $1.key }
    for files in [sorted, sorted.reversed()] {
      let zip = StoredZip.bytes(
        files.map { name, isExport in
          ("apple_health_export/\(name)", isExport ? Self.export(Self.morning) : document)
        })
      try ledger.folder.write(zip, to: "export.zip")
      let result = try ledger.run("import", "apple-health", "export.zip", "--json")
      #expect(result.code == 0, "\(files): \(result.error)")
      let answer = try #require(JSONValue(parsing: result.output).object)
      #expect([answer["added"], answer["known"]].contains(3), "\(result.output)")
    }
  }

  /// Fourteen days with a walk in the morning, and one in the evening that gets shorter by the day.
  private static func walks(
    evening: String, daysLater: Int, morning: String, zone: String
  ) -> String {
    (1...14).map { day in
      func walk(_ day: Int, _ hour: String, _ value: String) -> String {
        let date = "2026-10-\(day < 10 ? "0" : "")\(day)"
        return "<Record type=\"HKQuantityTypeIdentifierDistanceWalkingRunning\" sourceName=\"W\" "
          + "unit=\"km\" value=\"\(value)\" startDate=\"\(date) \(hour):00:00 \(zone)\" "
          + "endDate=\"\(date) \(hour):10:00 \(zone)\"/>\n"
      }
      let tenths = 15 - day
      return walk(day, morning, "1")
        + walk(day + daysLater, evening, "\(tenths / 10).\(tenths % 10)")
    }.joined()
  }

  @Test("The same export from a phone that moved by nine hours is asked about with numbers")
  func movedPhone() throws {
    let home = Self.export(
      Self.walks(evening: "20", daysLater: 0, morning: "10", zone: "+0100"))
    #expect(try importing(home, "--quiet").code == 0)
    let before = try ledger.log().lines.count
    let away = Self.export(
      Self.walks(evening: "05", daysLater: 1, morning: "19", zone: "+1000"))
    let asked = try importing(away)
    #expect(asked.code == 2)
    #expect(
      asked.error.contains("13 of 14 known sums of distance_km would grow, by 6 %"),
      "\(asked.error)")
    #expect(try ledger.log().lines.count == before)
    let forced = try importing(away, "--yes", "--json")
    #expect(forced.code == 0 && forced.output.contains(#""corrected":13"#), "\(forced.output)")
  }

  @Test("After the ledger's own table, the export that it came from adds nothing twice")
  func ownTable() throws {
    let text = Self.export(Self.morning + Self.evening)
    #expect(try importing(text, "--quiet").code == 0)
    let other = try TestLedger()
    try other.must("import", "csv", "-", input: ledger.run("export", "csv").output)
    try other.folder.write(Data(text.utf8), to: "export.xml")
    let again = try other.run("import", "apple-health", "export.xml", "--json")
    #expect(again.code == 0 && again.output.hasPrefix(#"{"added":0,"#), "\(again.output)")
  }

  @Test("A record later than its own export is asked about")
  func afterExport() throws {
    let late = Self.record("BodyMass", #"unit="kg" value="75""#, at: "07:00")
      .replacing("2026-11-01", with: "2026-11-05")
    let asked = try importing(Self.export(Self.morning + late))
    #expect(asked.code == 2)
    #expect(
      asked.error.contains(
        "1 entry is later than the export, which was made on 2026-11-01, the last of 2026-11-05"),
      "\(asked.error)")
    #expect(try ledger.log().lines.count == 1)
    #expect(try importing(Self.export(Self.morning + late), "--yes").code == 0)
  }

  @Test("Two exports in a zip are refused, and so is a zip without one")
  func needsOneExport() throws {
    let export = Self.export(Self.morning)
    try ledger.folder.write(StoredZip.bytes([("a.xml", export), ("b.xml", export)]), to: "2.zip")
    try ledger.expectRefusal(
      ["import", "apple-health", "2.zip"], 2,
      "2.zip has several files that may be the export ('a.xml', 'b.xml'); unpack it and import one of "
        + "them")
    try ledger.folder.write(StoredZip.bytes([("a.xml", "<a/>"), ("b.xml", "b")]), to: "0.zip")
    try ledger.expectRefusal(
      ["import", "apple-health", "0.zip"], 2,
      "0.zip has no export.xml in it, so it is not an export of Apple's Health app; it holds 'a.xml', "
        + "'b.xml'")
  }

  @Test("A later export corrects sums that no person corrected")
  func aLaterExportCorrectsSumsUnlessAPersonDid() throws {
    #expect(try importing(Self.export(Self.morning)).code == 0)
    let later = try importing(Self.export(Self.morning + Self.evening), "--json")
    #expect(later.output.hasPrefix(#"{"added":1,"known":2,"left_out":0,"#), "\(later.output)")
    #expect(later.output.contains(#""steps":{"added":1,"known":0,"corrected":1}"#))
    let log = try ledger.log()
    log.expectIntact()
    #expect(log.lines.last?.object["type"]?.string == "progress.corrected")
    #expect(log.lines.last?.object["by"]?.string == "import")
    // A person has the last word.
    let entry = try #require(log.lines.last?.data["entry"]?.string)
    try ledger.run("append", "correction", entry, "--quantity", "1")
    let again = try importing(Self.export(Self.morning + Self.evening))
    #expect(again.output.hasSuffix("✓ nothing imported, 4 known\n"))
  }

  @Test("Fields that are set are not changed")
  func fieldsThatAreSetStay() throws {
    try ledger.run("append", "physical", "--sex", "male", "--height-cm", "180")
    let result = try importing(Self.export(Self.morning))
    #expect(result.code == 0)
    #expect(result.error.contains("sex stays as it is; the file says female"))
    let profile = try JSONValue(parsing: ledger.run("show", "profile", "--json").output)
    #expect(
      profile.object?["physical"]?.serialized
        == #"{"biological_sex":"male","height_cm":180,"date_of_birth":"1985-03-04"}"#)
  }

  @Test("Skipped records exit with 5")
  func whatIsLeftOutExitsFive() throws {
    let odd = Self.record("BodyMass", #"unit="x" value="1""#, at: "09:00")
    let result = try importing(Self.export(Self.morning + odd))
    #expect(result.code == 5)
    #expect(result.error.contains("  export.xml, line 20: weight: the unit 'x' does not fit\n"))
    // A few are told one by one; of many there is a list by reason as well.
    #expect(!result.error.contains("by reason"))
    let many = (0..<21).map { minute in
      Self.record("BodyMass", #"unit="x" value="1""#, at: "09:\(10 + minute)")
    }
    let told = try importing(Self.export(many.joined())).error
    #expect(told.contains("problems, by reason:\n  21 BodyMass: its unit does not fit\n"))
    #expect(told.contains("  and 1 more; see --all\n"))
  }

  @Test("An export is read from standard input")
  func standardInputIsRead() throws {
    let result = try ledger.run(
      "import", "apple-health", "-", "--quiet", input: Self.export(Self.morning))
    #expect(result.code == 0)
    #expect(result.error.isEmpty)
    #expect(try ledger.log().lines.count == 5)
  }

  @Test(
    "A file that is no usable export is refused and changes no byte",
    arguments: [
      ("", 2, "export.xml is empty; it should be the export.xml of an export"),
      (
        "<ClinicalDocument/>", 2,
        "export.xml is not an export of Apple's Health app: it begins with <ClinicalDocument>; the "
          + "export contains the right file, export.xml, next to it"
      ),
      (
        beginning + morning, 2,
        "export.xml ends in the middle, on line 20, inside of <HealthData>: it was cut off, and its "
          + "last sums would be wrong, so nothing was imported; copy it or export it again"
      ),
      (
        "<!DOCTYPE a [<!ENTITY b \"c\"><!ENTITY d \"&b;&b;\">]><HealthData>&d;</HealthData>", 2,
        "export.xml, line 1, declares entities, which no export does and which could make it grow "
          + "or read other files; nothing of it was imported"
      ),
      (
        "PK\u{3}\u{4}garbage", 2,
        "export.xml is not a complete zip: it was cut off, or is something else; nothing was imported. "
          + "Copy it or export it again, or unpack it and import what is in it"
      ),
    ]) func refuses(_ text: String, _ code: Int32, _ sentence: String) throws
  {
    try ledger.folder.write(Data(text.utf8), to: "export.xml")
    try ledger.expectRefusal(["import", "apple-health", "export.xml"], code, sentence)
  }

  @Test("A missing file is refused")
  func refusesWhatIsNoExport() throws {
    try ledger.expectRefusal(
      ["import", "apple-health", "none.zip"], 1, "cannot open none.zip: no such file or directory")
    try ledger.expectRefusal(
      ["import", "apple-health", "."], 2,
      ". is a folder without an export.xml; name the export.zip, or the export.xml in it")
    try ledger.folder.write(StoredZip.bytes([("a.txt", "x")]), to: "a.zip")
    try ledger.expectRefusal(
      ["import", "apple-health", "a.zip"], 2,
      "a.zip has no export.xml in it, so it is not an export of Apple's Health app; it holds 'a.txt'"
    )
    // A byte of the content changes: the sum in the zip shows it.
    var damaged = StoredZip.bytes([("export.xml", Self.export(Self.morning))])
    damaged.replace(Data("value=\"500\"".utf8), with: Data("value=\"900\"".utf8))
    try ledger.folder.write(damaged, to: "damaged.zip")
    try ledger.expectRefusal(
      ["import", "apple-health", "damaged.zip"], 2,
      "damaged.zip is damaged (unzip says 2); nothing was imported. Copy it or export it again, or "
        + "unpack it and import what is in it")
  }

  /// What a damaged zip unpacks to may be no XML, which is not what a person should look for.
  @Test("A damaged zip is reported as damaged")
  func aZipThatIsDamagedInItsMiddleIsCalledThat() throws {
    var damaged = StoredZip.bytes([("export.xml", Self.export(Self.morning))])
    damaged.replace(Data(" value=\"500\"".utf8), with: Data(" value<<500>>".utf8))
    try ledger.folder.write(damaged, to: "damaged.zip")
    try ledger.expectRefusal(
      ["import", "apple-health", "damaged.zip"], 2,
      "damaged.zip is damaged (unzip says 2); nothing was imported. Copy it or export it again, or "
        + "unpack it and import what is in it")
  }

  /// To `unzip` a name with brackets is a pattern, which could mean another file.
  @Test("A file is opened whatever its name")
  func theNamedFileIsOpenedWhateverItsName() throws {
    let name = "export[1]*.zip"
    for (file, records) in [(name, Self.morning), ("export1x.zip", "")] {
      try ledger.folder.write(
        StoredZip.bytes([("a/export.xml", Self.export(records))]), to: file)
    }
    let result = try ledger.run("import", "apple-health", name, "--json")
    #expect(result.output.hasPrefix(#"{"added":3,"#), "\(result.error)")
  }

  @Test("Without unzip the error says what to do")
  func withoutUnzipItSaysWhatToDo() throws {
    try ledger.folder.write(StoredZip.bytes([("export.xml", "<HealthData/>")]), to: "a.zip")
    let result = try Executable.ledger.run(
      ["import", "apple-health", "a.zip"], environment: ["PATH": ledger.folder.path],
      in: ledger.folder.path)
    #expect(result.code == 1)
    #expect(
      result.error
        == "ledger: a.zip is a zip, and the program unzip, which would open it, is not installed; "
        + "install it (apt install unzip), or unpack the file and import its export.xml\n")
  }

  @Test("Help of the command is available")
  func helpComesFromTheHelper() throws {
    let help = try ledger.run("import", "apple-health", "--help")
    #expect(help.code == 0)
    #expect(help.output.contains("export.zip, or the export.xml in it"))
  }

  @Test("A night becomes one session, counted once beside the same night recorded as hours")
  func nights() throws {
    func sleep(_ stage: String, _ start: String, _ end: String) -> String {
      " <Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" sourceName=\"W\" "
        + "value=\"HKCategoryValueSleepAnalysis\(stage)\" startDate=\"2026-\(start):00 -0330\" "
        + "endDate=\"2026-\(end):00 -0330\"/>\n"
    }
    let first =
      sleep("AsleepCore", "10-31 23:00", "11-01 03:00")
      + sleep("AsleepREM", "11-01 03:00", "11-01 06:00")
    let second = sleep("AsleepDeep", "11-01 23:00", "11-02 06:30")
    // As an importer without sessions logged the first night.
    try ledger.run(
      "append", "--stdin",
      input: #"{"type":"progress.logged","data":{"metric":"sleep_hours","quantity":7,"#
        + #""date":"2026-11-01","source":"apple-health","#
        + #""source_id":"apple-health:sleep_hours:2026-11-01"}}"# + "\n")
    let result = try importing(Self.export(first + second))
    #expect(result.code == 0, "\(result.error)")
    #expect(result.output.contains("sleep sessions      1"), "\(result.output)")
    let again = try importing(Self.export(first + second))
    #expect(again.output.contains("nothing imported, 2 known"), "\(again.output)")
    let days = try ledger.run("show", "days", "--metric", "sleep_hours", "--json")
    let sums = try JSONValue(parsing: Array(days.output.utf8)).array?.compactMap {
      $0.object?["sum"]?.number
    }
    #expect(sums == [7, 7.5])
  }
}

extension Data {
  fileprivate mutating func replace(_ part: Data, with other: Data) {
    if let place = range(of: part) { replaceSubrange(place, with: other) }
  }
}
