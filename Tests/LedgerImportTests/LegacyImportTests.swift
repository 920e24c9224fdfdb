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

  @Test func membersFindTheirFields() throws {
    let result = try read(
      #"{"username":"anna","name":"Anna","gender":"Female","height":171,"weight":74.5,"#
        + #""activityLevel":"high","dateOfBirth":"1985-03-04","bio":"","shoeSize":38,"#
        + #""units":"metric","allergies":["nuts"],"locale":"de_AT"}"#)
    #expect(result.person.name == "Anna")
    #expect(result.person.biologicalSex == .female)
    #expect(result.person.heightCM == 171)
    #expect(result.person.dateOfBirth == day("1985-03-04"))
    #expect(result.person.unitSystem == .metric)
    #expect(result.person.languageCode == "de-AT")
    #expect(result.person.allergies == ["nuts"])
    #expect(result.person.bio == nil)
    #expect(result.lines == ["weight 2026-11-21 74.5"])
    #expect(result.edits.first?.sourceID == "legacy:weight:74.5")
    #expect(result.skipped.lines.map(\.type) == ["activityLevel", "username"])
    #expect(result.problems.map(\.reason) == ["'shoeSize' is not known here"])
    let again = try read(#"{"weight":74.5}"#, knownEntries: knownEntries(after: result))
    #expect(again.edits.isEmpty && again.known == 1)
  }

  @Test func otherSpellingsAndUnits() throws {
    let result = try read(
      #"{"profile":{"date_of_birth":"1985-03-04T00:00:00Z","height":"5.5ft","weight":"165lb","#
        + #""weight_date":"2020-02-02","sex":"m"}}"#)
    #expect(result.person.dateOfBirth == day("1985-03-04"))
    #expect(result.person.heightCM == 167.64)
    #expect(result.person.biologicalSex == .male)
    #expect(result.lines == ["weight 2020-02-02 74.84274105"])
  }

  @Test(
    arguments: [
      (#"{"gender":"robot"}"#, "'gender': it is 'robot'; it must be male, female or other"),
      (#"{"height":1.8}"#, "'height': it is 1.8, which is no height in cm"),
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
    #expect(result.person == PersonFields() && result.edits.isEmpty)
  }

  @Test(
    arguments: [
      ("", "is empty"), ("[1]", "one JSON object"), ("{\"a\":", "is no JSON"),
      ("a,b", "is no JSON"), ("PK\u{3}\u{4}", "is a zip file"),
      ("{\"a\":1,\"a\":2}", "is no JSON"),
    ])
  func otherFilesAreRefused(_ text: String, _ sentence: String) {
    #expect(refusal(text)?.contains(sentence) == true, "\(refusal(text) ?? "read")")
  }
}
