import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerImport

@Suite struct AppleHealthOddTests {
  func reasons(_ body: String) throws -> [String] {
    try readApple(export(body)).leftOut.lines.map { "\($0.count) \($0.type): \($0.reason)" }
  }

  @Test("A record that cannot be read is skipped and reported with its line and the reason")
  func whatCannotBeReadIsLeftOutAndSaysWhy() throws {
    let right = record("BodyMass", "75", "kg", ("07:00", "07:00"))
    let result = try readApple(
      export(
        right
          + record("BodyMass", "75", "furlong", ("08:00", "08:00"))
          + record("BodyMass", "1,234", "kg", ("09:00", "09:00"))
          + record("BodyMass", "much", "kg", ("10:00", "10:00"))
          + record("BodyMass", "700", "kg", ("11:00", "11:00"))
          + record("StepCount", "10", "count", ("11:00", "10:00"))
          + right.replacing("startDate=\"2026-11-01", with: "startDate=\"1.11.2026")))
    #expect(result.lines == ["weight 2026-11-01 07:00:00 75"])
    #expect(!result.problems.isEmpty)
    #expect(
      result.problems.map(\.description) == [
        "export.xml, line 4: weight: the unit 'furlong' does not fit",
        "export.xml, line 5: weight: the comma in '1,234' can mark decimals or thousands",
        "export.xml, line 6: weight: 'much' is not a number",
        "export.xml, line 7: weight of 2026-11-01 11:00:00 is 700.0 kg; it must be more than 0 and "
          + "less than 500 kg",
        "export.xml, line 8: steps: the record ends at '2026-11-01 10:00:00 +0100', before it begins "
          + "at '2026-11-01 11:00:00 +0100'",
        "export.xml, line 9: weight: startDate is '1.11.2026 07:00:00 +0100'; it must be a day and a "
          + "time such as 2016-04-12 07:30:15 +0200",
      ])
    #expect(result.leftOut.lines.reduce(0) { $0 + $1.count } == 6)
  }

  @Test("Records without a type, value, unit, date or known stage are skipped with a reason each")
  func othersThatAreLeftOut() throws {
    #expect(
      try reasons(
        sleep("HKCategoryValueSleepAnalysisFlying", "11-01 14:00", "11-01 14:30")
          + sleep("1", "11-01 14:00", "11-03 14:30")
          + "<Record value=\"1\"/><Record type=\"HKQuantityTypeIdentifierStepCount\"/>"
          + "<Record type=\"HKQuantityTypeIdentifierStepCount\" value=\"1\" unit=\"count\"/>"
          + "<Record type=\"HKQuantityTypeIdentifierBodyMass\" value=\"1\"/>") == [
          "1 BodyMass: it has no unit", "1 Record: it has no type",
          "1 SleepAnalysis: it lasts longer than a day",
          "1 SleepAnalysis: its value is not known", "1 StepCount: it has no date",
          "1 StepCount: it has no value",
        ])
  }

  @Test("Two values of one metric at one moment are both skipped and reported")
  func twoValuesOfOneMomentAreLeftOut() throws {
    let result = try readApple(
      export(
        record("BodyMass", "75", "kg", ("07:00", "07:00"))
          + record("BodyMass", "76", "kg", ("07:00", "07:00"))))
    #expect(result.lines.isEmpty)
    #expect(result.problems.count == 2)
  }

  @Test("A date without a zone is in the ledger's zone, and is known again in any other")
  func datesWithoutAZoneTakeTheLedgersAndAreKnownInEveryOther() throws {
    let body =
      record("StepCount", "5", "count", ("23:40", "23:50"), zone: "")
      + record("BodyMass", "75", "kg", ("07:00", "07:00"), zone: "")
    let result = try readApple(export(body))
    #expect(result.edits.map { $0.moment?.zone.description } == ["+02:00", "+02:00"])
    #expect(
      result.edits.map(\.sourceID) == [
        "apple-health:weight:2026-11-01T07:00:00", "apple-health:steps:2026-11-01T23:00:00",
      ])
    var context = context()
    let known = knownEntries(after: result)
    context.knownEntry = { _, id in known[id] }
    context.zone = { _, _ in ZoneOffset(minutes: -210) ?? .utc }
    let again = try AppleHealthImport.read(
      export(body), today: day("2026-11-21"), context: context)
    #expect(again.edits.isEmpty && again.growths.isEmpty && again.known == 2)
  }

  @Test("Importing the same, a later or an older export adds only what is new")
  func theSameAndALaterExportAddOnlyWhatIsNew() throws {
    let first =
      record("BodyMass", "75", "kg", ("07:00", "07:00"))
      + record("StepCount", "100", "count", ("10:00", "10:09"))
      + record("DistanceWalkingRunning", "1", "km", ("10:00", "10:09"))
    let later =
      first + record("StepCount", "20", "count", ("10:30", "10:39"))
      + record("DistanceWalkingRunning", "2", "km", ("18:00", "18:09"))
      + record("BodyMass", "74", "kg", ("07:00", "07:00"), day: "2026-11-02")
    let result = try readApple(export(first))
    var known = knownEntries(after: result)
    let same = try readApple(export(first), knownEntries: known)
    #expect(same.edits.isEmpty && same.growths.isEmpty && same.known == 3)
    let next = try readApple(export(later), knownEntries: known)
    #expect(next.lines == ["weight 2026-11-02 07:00:00 74"])
    #expect(
      next.growths.map { "\($0.metric.name) \($0.quantity)" } == ["steps 120.0", "distance_km 3.0"])
    #expect(next.growths.map(\.entry) == result.edits.dropFirst().map(\.entry))
    // What a person changed is theirs.
    for id in known.keys { known[id]?.isTouched = true }
    #expect(try readApple(export(later), knownEntries: known).growths.isEmpty)
    // An older export has less, and takes nothing away.
    let ahead = knownEntries(after: try readApple(export(later)))
    let older = try readApple(export(first), knownEntries: ahead)
    #expect(older.edits.isEmpty && older.growths.isEmpty && older.problems.isEmpty)
  }

  @Test("An export written in another zone has the same ids")
  func anExportWrittenInAnotherZoneFindsItsHoursAgain() throws {
    let here = record("StepCount", "100", "count", ("10:00", "10:09"), zone: " +0100")
    let there = record("StepCount", "100", "count", ("04:00", "04:09"), zone: " -0500")
    let known = knownEntries(after: try readApple(export(here)))
    let again = try readApple(export(there), knownEntries: known)
    #expect(again.edits.isEmpty && again.known == 1)
  }

  @Test("A measurement with another value than the ledger's is reported, not imported")
  func aMeasurementThatChangedNeedsAPerson() throws {
    let known = knownEntries(
      after: try readApple(export(record("BodyMass", "75", "kg", ("07:00", "07:00")))))
    let result = try readApple(
      export(record("BodyMass", "76", "kg", ("07:00", "07:00"))), knownEntries: known)
    #expect(result.edits.isEmpty)
    #expect(result.problems.first?.reason.contains("the ledger logged 75") == true)
  }

  @Test("Samples that were spilled to disk give the same entries")
  func samplesThatWereSetAsideGiveTheSameEntries() throws {
    var generator = SplitMix(3)
    let body = (0..<400).map { _ in
      let hour = Int.random(in: 10..<20, using: &generator)
      let minutes = (0..<2).map { _ in Int.random(in: 10..<60, using: &generator) }.sorted()
      return record(
        ["StepCount", "FlightsClimbed"].randomElement(using: &generator) ?? "",
        "\(Int.random(in: 1..<100, using: &generator))", "count",
        ("\(hour):\(minutes[0])", "\(hour):\(minutes[1])"),
        by: ["Watch", "iPhone", "App"].randomElement(using: &generator) ?? "")
    }.joined()
    let whole = try readApple(export(body))
    let spilled = try readApple(export(body), samplesInMemory: 16)
    #expect(whole.lines == spilled.lines && whole.lines.count == 10)
    #expect(whole.skipped.lines == spilled.skipped.lines)
  }

  @Test(
    "Birth date and sex are read in every layout",
    arguments: [
      #"<Me HKCharacteristicTypeIdentifierDateOfBirth="1985-03-04" "#
        + #"HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexFemale"/>"#,
      #"<Me dateOfBirth="1985-03-04" biologicalSex="HKBiologicalSexFemale"/>"#,
      #"<Me><DateOfBirth value="1985-03-04"/><BiologicalSex>female</BiologicalSex></Me>"#,
      #"<Me type="HKCharacteristicTypeIdentifierDateOfBirth" value="1985-03-04"/>"#
        + #"<Me type="HKCharacteristicTypeIdentifierBiologicalSex" value="1"/>"#,
      #"<Record type="HKCharacteristicTypeIdentifierDateOfBirth" value="1985-03-04 00:00:00"/>"#
        + #"<Record type="HKCharacteristicTypeIdentifierBiologicalSex" "#
        + #"value="HKBiologicalSexFemale"/>"#,
    ])
  func thePersonIsFoundInEveryLayout(_ me: String) throws {
    let result = try readApple(export("", me: me))
    #expect(result.profile.biologicalSex == .female)
    #expect(result.profile.dateOfBirth == day("1985-03-04"))
    #expect(result.problems.isEmpty)
  }

  @Test("The newest height is the profile's")
  func theNewestHeightIsThePersons() throws {
    let result = try readApple(
      export(
        record("Height", "172", "cm", ("07:00", "07:00"))
          + record("Height", "5.5", "ft", ("07:00", "07:00"), day: "2020-01-01")))
    #expect(result.profile.heightCM == 172)
  }

  @Test("An unset characteristic is silent, an invalid one is reported")
  func whatIsNotSetSaysNothingAndWhatIsOddIsTold() throws {
    let unset = try readApple(
      export(
        "",
        me: #"<Me HKCharacteristicTypeIdentifierDateOfBirth="" "#
          + #"HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexNotSet"/>"#))
    #expect(unset.profile == ImportedProfile() && unset.problems.isEmpty)
    let odd = try readApple(
      export("", me: #"<Me dateOfBirth="2985-03-04" biologicalSex="HKBiologicalSexMany"/>"#))
    #expect(odd.profile == ImportedProfile() && odd.problems.count == 2)
  }

  @Test(
    "XML that is no export of Apple Health is refused",
    arguments: ["<ClinicalDocument/>", "<html></html>", "<Record/>"])
  func otherFilesAreRefused(_ text: String) {
    #expect(throws: ImportError.self) { try readApple(source(text)) }
  }

  @Test("Control characters in a source's name do not stop a record")
  func controlCharactersInValuesDoNoHarm() throws {
    let result = try readApple(
      export(record("StepCount", "5", "count", ("10:00", "10:01"), by: "\u{B}\u{1}")))
    #expect(result.lines == ["steps 2026-11-01 10:00:00 5"])
  }
}
