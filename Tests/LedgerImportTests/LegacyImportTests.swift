import LedgerModel
import Testing

@testable import LedgerImport

@Suite struct LegacyImportTests {
  func read(_ text: String, knownEntries: [String: KnownEntry] = [:]) throws -> ImportResult {
    var context = context()
    context.knownEntry = { _, id in knownEntries[id] }
    return try LegacyImport.read(
      source(text, name: "profile.json"), today: day("2026-11-21"), context: context)
  }

  func refusal(_ text: String) -> String? {
    do {
      _ = try read(text)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test("Members that are not known are problems of a bounded number of kinds")
  func unknownMembers() throws {
    let members = (0..<100).map { "\"m\($0)\":1" }.joined(separator: ",")
    let result = try read(
      #"[{"type":"weight","quantity":80,"date":"2026-01-01",\#(members)}]"#)
    #expect(result.problems.count == 100 && Set(result.problems.map(\.kind)).count == 21)
  }

  @Test("A number of many digits is shown with an exponent")
  func largeNumber() throws {
    let result = try read(#"[{"type":"weight","quantity":80,"date":-1e300}]"#)
    #expect(result.problems.map(\.reason) == ["it is -1e+300, which is not a date"])
  }

  @Test("Members of a profile are mapped to its fields; others are reported")
  func membersFindTheirFields() throws {
    let result = try read(
      #"{"username":"anna","name":"Anna","gender":"Female","height":171,"weight":74.5,"#
        + #""activityLevel":"high","dateOfBirth":"1985-03-04","bio":"","shoeSize":38,"#
        + #""units":"metric","allergies":["nuts"],"locale":"de_AT"}"#)
    #expect(result.profile.name == "Anna")
    #expect(result.profile.biologicalSex == .female)
    #expect(result.profile.heightCM == 171)
    #expect(result.profile.dateOfBirth == day("1985-03-04"))
    #expect(result.profile.unitSystem == .metric)
    #expect(result.profile.languageCode == "de-AT")
    #expect(result.profile.allergies == ["nuts"])
    #expect(result.profile.bio == nil)
    #expect(result.lines == ["weight 2026-11-21 74.5"])
    #expect(result.edits.first?.sourceID == "legacy:weight:74.5")
    #expect(result.skipped.lines.map(\.type) == ["activityLevel", "username"])
    #expect(result.problems.map(\.reason) == ["'shoeSize' is not known in the old app's data"])
    let again = try read(#"{"weight":74.5}"#, knownEntries: knownEntries(after: result))
    #expect(again.edits.isEmpty && again.known == 1)
  }

  @Test("Other spellings of members, and values with units, are read")
  func otherSpellingsAndUnits() throws {
    let result = try read(
      #"{"profile":{"date_of_birth":"1985-03-04T00:00:00Z","height":"5.5ft","weight":"165lb","#
        + #""weight_date":"2020-02-02","sex":"m"}}"#)
    #expect(result.profile.dateOfBirth == day("1985-03-04"))
    #expect(result.profile.heightCM == 167.64)
    #expect(result.profile.biologicalSex == .male)
    #expect(result.lines == ["weight 2020-02-02 74.84274105"])
  }

  @Test("A number of more digits than a log keeps is rounded, with a unit or without")
  func digits() throws {
    let result = try read(
      #"{"height":180.34000000000003,"heightUnit":"cm","weight":69.98930269100001,"weightUnit":"kg"}"#
    )
    #expect(result.problems.isEmpty)
    #expect(result.profile.heightCM == 180.34)
    #expect(result.edits.map(\.quantity) == [69.989302691])
  }

  @Test(
    "An invalid value is left out, with a sentence",
    arguments: [
      (#"{"gender":"robot"}"#, "'gender': it is 'robot'; it must be male, female or other"),
      (#"{"height":1.8}"#, "'height': it is 1.8, which is not a height in cm"),
      (#"{"height":true}"#, "'height': it is true, no number"),
      (#"{"weight":"75,5"}"#, "use a decimal point"),
      (#"{"weight":700}"#, "'weight': it is 700; it must be more than 0 and less than 500 kg"),
      (#"{"birthday":"4.3.1985"}"#, "it must be a day such as 1985-03-04"),
      (#"{"birthday":"2985-03-04"}"#, "which is in the future"),
      (#"{"name":7}"#, "'name': it is 7; it must be text"),
      (#"{"units":"odd"}"#, "it must be metric or imperial"),
      (#"{"language":"!"}"#, "it must be a BCP 47 tag"),
    ])
  func oddValuesAreLeftOut(_ text: String, _ sentence: String) throws {
    let result = try read(text)
    #expect(result.problems.count == 1)
    #expect(result.problems.first?.reason.contains(sentence) == true, "\(result.problems)")
    #expect(result.profile == ImportedProfile() && result.edits.isEmpty)
  }

  @Test(
    "A file that is no JSON object or list is refused",
    arguments: [
      ("", "is empty"), ("7", "a JSON object or list"), ("{\"a\":", "is not valid JSON"),
      ("a,b", "is not valid JSON"), ("PK\u{3}\u{4}", "is a zip file"),
      ("{\"a\":1,\"a\":2}", "is not valid JSON"),
    ])
  func otherFilesAreRefused(_ text: String, _ sentence: String) {
    #expect(refusal(text)?.contains(sentence) == true, "\(refusal(text) ?? "read")")
  }

  // MARK: The profile's forms

  @Test("Numbers are in the units that the profile names")
  func units() throws {
    let imperial = try read(
      #"{"height":65,"weight":135.6,"heightUnit":"in","weightUnit":"lbs"}"#)
    #expect(imperial.profile.heightCM == 165.1)
    #expect(imperial.lines == ["weight 2026-11-21 61.507125372"])
    let unknown = try read(#"{"height":3,"heightUnit":"ell","weight":70,"weightUnit":"kg"}"#)
    #expect(unknown.profile.heightCM == nil)
    #expect(unknown.problems.first?.reason.contains("its unit is 'ell'") == true)
    #expect(unknown.lines == ["weight 2026-11-21 70"])
  }

  @Test("A number whose name and unit contradict each other is left out")
  func contradictingUnits() throws {
    let result = try read(#"{"heightCm":65,"heightUnit":"in","weightKg":70,"weightUnit":"kg"}"#)
    #expect(result.profile.heightCM == nil)
    #expect(result.problems.first?.reason.contains("'cm' by its name and 'in' by its unit") == true)
    #expect(result.lines == ["weight 2026-11-21 70"])
  }

  @Test(
    "A small height without a unit has two readings, and is left out, unless the profile is metric",
    arguments: [
      #"{"units":"imperial","height":65}"#, #"{"units":"imperial","height":"65"}"#,
      #"{"height":65}"#,
    ])
  func smallHeight(_ profile: String) throws {
    let result = try read(profile)
    #expect(result.profile.heightCM == nil)
    #expect(result.problems.first?.reason.contains("cm or inches") == true)
    #expect(try read(#"{"units":"metric","height":65}"#).profile.heightCM == 65)
  }

  @Test(
    "A field of which two members give different values is left out",
    arguments: [
      #"{"profile":{"dateOfBirth":"1983-07-20"},"physical":{"birthDate":"1984-01-01"}}"#,
      #"{"height":171,"physical":{"heightCm":172}}"#, #"{"weight":71,"physical":{"weightKg":72}}"#,
      #"{"name":"Ana","profile":{"fullName":"Eva"}}"#,
      #"{"allergies":["nuts"],"preferences":{"allergies":["milk"]}}"#,
    ])
  func contradictions(_ profile: String) throws {
    let result = try read(profile)
    #expect(result.profile == ImportedProfile() && result.edits.isEmpty)
    #expect(result.problems.count == 1)
    #expect(result.problems.first?.reason.contains("another member says otherwise") == true)
  }

  @Test("A weight whose unit is given twice and differently is left out")
  func twoWeightUnits() throws {
    let result = try read(#"{"weight":71,"weightUnit":"lb","physical":{"weightUnit":"kg"}}"#)
    #expect(result.edits.isEmpty && result.problems.count == 2)
  }

  @Test("A field that two members give equally is read")
  func repeatedFields() throws {
    let result = try read(
      #"{"dob":"1983-07-20","physical":{"birthDate":"1983-07-20T00:00:00Z"}}"#)
    #expect(result.profile.dateOfBirth == day("1983-07-20") && result.problems.isEmpty)
  }

  @Test(
    "A bare weight in an imperial profile has two readings, and is left out",
    arguments: ["135.6", #""135.6""#])
  func imperialWeight(_ weight: String) throws {
    let result = try read(#"{"units":"imperial","weight":\#(weight)}"#)
    #expect(result.edits.isEmpty)
    #expect(result.problems.first?.reason.contains("kg or lb") == true)
    #expect(try read(#"{"units":"imperial","weight":135.6,"weightUnit":"lb"}"#).edits.count == 1)
  }

  @Test("A nested profile is read as a flat one")
  func nested() throws {
    let result = try read(
      #"{"id":"p1","metadata":{"firstName":"Ana","lastName":"Ruiz","dateOfBirth":"1983-07-20"},"#
        + #""physical":{"biologicalSex":"female","heightCm":168}}"#)
    #expect(result.profile.name == "Ana Ruiz")
    #expect(result.profile.dateOfBirth == day("1983-07-20"))
    #expect(result.profile.biologicalSex == .female && result.profile.heightCM == 168)
    #expect(result.problems.isEmpty)
  }

  @Test(
    "A birth date is the day of which it is the midnight, in the ledger's zone or in UTC",
    arguments: [
      (#""1983-07-19T22:00:00Z""#, "1983-07-20"), (#""1983-07-19 22:00:00 +0000""#, "1983-07-20"),
      (#""1983-07-20T00:00:00Z""#, "1983-07-20"), (#""1983-07-20T00:00:00+02:00""#, "1983-07-20"),
      (#""1983-07-20""#, "1983-07-20"), (#""1983-07-20T00:00:00""#, "1983-07-20"),
      ("-550461600", "1983-07-24"),
    ])
  func birthDates(_ written: String, _ date: String) throws {
    let result = try read(#"{"dateOfBirth":\#(written)}"#)
    #expect(result.profile.dateOfBirth == day(date), "\(result.problems)")
  }

  @Test("A birth date that is no midnight is left out, with both readings")
  func birthMoment() throws {
    let result = try read(#"{"dateOfBirth":"1983-07-19T23:30:00Z"}"#)
    #expect(result.profile.dateOfBirth == nil)
    let reason = try #require(result.problems.first?.reason)
    #expect(reason.contains("1983-07-20 01:30:00") && reason.contains("1983-07-19 23:30:00"))
  }

  // MARK: Entries

  static let entries = #"""
    [{"id":"e1","type":"weight","quantity":75.5,"date":"2026-01-05T06:30:00Z","notes":"home",
      "backendID":"b1","syncStatus":"synced"},
     {"id":"e2","type":"caloriesOut","quantity":300,"date":"2026-01-05","backendID":null,
      "syncStatus":"syncing"},
     {"id":"e3","type":"sleep_hours","quantity":7.5,"date":"2026-01-05T00:00:00Z","time":"07:00"},
     {"id":"e4","type":"steps","quantity":900,"date":789285600},
     {"id":"e5","type":"shoes","quantity":1,"date":"2026-01-05"},
     {"id":"e6","type":"weight","quantity":700,"date":"2026-01-05"},
     {"id":"e1","type":"weight","quantity":75.5,"date":"2026-01-05T06:30:00Z"}]
    """#

  @Test("A list of entries keeps ids, claims, times and notes")
  func listOfEntries() throws {
    let result = try read(Self.entries)
    #expect(
      result.lines == [
        "weight 2026-01-05 08:30:00 75.5", "calories_out 2026-01-05 300",
        "sleep_hours 2026-01-05 07:00:00 7.5", "steps 2026-01-05 08:00:00 900",
      ])
    #expect(result.edits.map(\.sourceID) == ["e1", "e2", "e3", "e4"])
    #expect(result.edits.map { $0.claimedBackendID?.text } == ["b1", nil, nil, nil])
    #expect(result.edits[0].notes == "home")
    #expect(result.problemRows == [5, 6])
    #expect(result.duplicates.count == 1)
    let again = try read(Self.entries, knownEntries: knownEntries(after: result))
    #expect(again.edits.isEmpty && again.known == 4)
  }

  @Test("A number that two ids may share, and a member with two values, are left out and listed")
  func undecided() throws {
    let result = try read(
      #"[{"id":12345678901234567,"type":"steps","quantity":5,"date":"2026-01-05"},"#
        + #"{"id":"b","type":"steps","quantity":5,"date":"2026-01-05","is_deleted":true,"#
        + #""isDeleted":false}]"#)
    #expect(
      result.problems.map(\.reason) == [
        "its id is a number of more than 15 digits; it must be text",
        "its isDeleted is there twice, with different values",
      ])
    #expect(result.edits.isEmpty)
  }

  @Test("A quantity in quotes that can be read in two ways is left out and listed")
  func quotedThousands() throws {
    let result = try read(
      #"[{"id":"a","type":"steps","quantity":"5.000","date":"2026-01-05"}]"#)
    #expect(
      result.edits.isEmpty
        && result.problems.map(\.reason) == [
          #"its quantity '5.000' can be read in two ways; write it without quotes"#
        ])
  }

  @Test("A quantity with a unit of its own beside 'unit' is left out and listed")
  func twoUnits() throws {
    let result = try read(
      #"[{"id":"a","type":"weight","quantity":"70 kg","unit":"lb","date":"2026-01-05"}]"#)
    #expect(result.edits.isEmpty && result.problems.map(\.kind) == ["its quantity has two units"])
  }

  @Test("A quantity in quotes is a number, with a unit or without")
  func quotedQuantity() throws {
    let result = try read(
      #"[{"id":"a","type":"weight","quantity":"82.5","date":"2026-01-05"},"#
        + #"{"id":"b","type":"weight","quantity":"180","unit":"lb","date":"2026-01-05"},"#
        + #"{"id":"c","type":"steps","quantity":"8000","unit":"count","date":"2026-01-05"},"#
        + #"{"id":"d","type":"weight","quantity":"82,5","date":"2026-01-05"},"#
        + #"{"id":"e","type":"weight","quantity":"much","date":"2026-01-05"},"#
        + #"{"id":"f","type":"weight","quantity":"82.500","date":"2026-01-05"}]"#)
    #expect(result.edits.map(\.quantity) == [82.5, 81.6466266, 8000, 82.5])
    #expect(
      result.problems.map(\.reason) == [
        #"quantity is "82,5"; use a decimal point, as in 75.5"#,
        #"quantity is "much"; it must be a number such as 75.5, optionally with a unit"#,
      ])
    #expect(Set(result.problems.map(\.kind)) == ["its quantity does not fit"])
  }

  @Test("The quantity of an entry is in the unit that the entry names")
  func unitOfEntry() throws {
    let result = try read(
      #"[{"id":"a","type":"weight","quantity":180,"unit":"lb","date":"2026-01-05"},"#
        + #"{"id":"b","type":"weight","quantity":80,"unit":"stones","date":"2026-01-05"}]"#)
    #expect(result.lines == ["weight 2026-01-05 81.6466266"])
    #expect(result.problemRows == [2])
  }

  @Test("Deleted entries are left out, and members that are not known are named")
  func otherMembers() throws {
    let result = try read(
      #"[{"id":"a","type":"weight","quantity":80,"date":"2026-01-05","isDeleted":true},"#
        + #"{"id":"b","type":"weight","quantity":81,"date":"2026-01-05","deletedAt":"2026-01-06"},"#
        + #"{"id":"c","type":"weight","quantity":82,"date":"2026-01-05","isDeleted":false,"#
        + #""createdAt":"2026-01-05","shoe":1}]"#)
    #expect(result.lines == ["weight 2026-01-05 82"])
    #expect(result.skipped.lines.map(\.type).sorted() == ["createdAt", "entry"])
    #expect(result.problems.map(\.reason) == ["'shoe' is not known in the old app's data"])
  }

  @Test(
    "Databases say deleted by 1, and an unknown status or unit leaves the entry out",
    arguments: [
      (#""isDeleted":1"#, 0, 0), (#""isDeleted":"true""#, 0, 0), (#""deletedAt":"""#, 1, 0),
      (#""deleted":0"#, 1, 0), (#""syncStatus":"pendingDelete""#, 0, 1),
      (#""weightUnit":"lb""#, 0, 2),
    ])
  func states(_ member: String, _ entries: Int, _ problems: Int) throws {
    let result = try read(
      #"[{"id":"a","type":"weight","quantity":80,"date":"2026-01-05",\#(member)}]"#)
    #expect(result.edits.count == entries && result.problems.count == problems)
  }

  @Test("A fraction of a second is cut off, as in what the old app sent")
  func fraction() throws {
    let result = try read(
      #"[{"id":"a","type":"weight","quantity":80,"date":789287415.9997}]"#)
    #expect(result.edits.first?.moment?.time.description == "08:30:15")
  }

  @Test("Claimed entries of local midnight are named, since they may be days")
  func localMidnight() throws {
    let result = try read(
      #"[{"id":"a","type":"weight","quantity":80,"date":"2026-01-04T22:00:00Z","backendID":"b"}]"#)
    #expect(result.notes.count == 1 && result.edits.first?.moment != nil)
  }

  @Test(
    "Quantities without a unit are metric, which is said where the units are imperial",
    arguments: [("imperial", 1), ("metric", 0)])
  func bareQuantities(_ units: String, _ notes: Int) throws {
    let result = try read(
      #"{"profile":{"preferredUnitSystem":"\#(units)"},"entries":["#
        + #"{"id":"a","type":"weight","quantity":80,"date":"2026-01-05"},"#
        + #"{"id":"b","type":"distance","quantity":3,"unit":"mi","date":"2026-01-05"},"#
        + #"{"id":"c","type":"steps","quantity":900,"date":"2026-01-05"}]}"#)
    #expect(result.edits.first?.quantity == 80)
    #expect(result.notes.count == notes)
    #expect(result.notes.allSatisfy { $0.contains("kept them, weight in kg, although") })
  }

  @Test("A profile and its entries come in one file")
  func both() throws {
    let result = try read(#"{"profile":{"name":"Ana"},"entries":\#(Self.entries)}"#)
    #expect(result.profile.name == "Ana" && result.edits.count == 4)
  }
}
