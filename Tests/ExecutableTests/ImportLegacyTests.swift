import Foundation
import LedgerJSON
import Testing

@Suite(.blocks) struct ImportLegacyTests {
  let ledger: TestLedger

  init() throws { ledger = try TestLedger() }

  @Test("A legacy profile fills empty fields once")
  func theOldProfileFillsWhatIsEmptyOnce() throws {
    let profile =
      #"{"username":"anna","gender":"female","height":171,"weight":74.5,"#
      + #""activityLevel":"high"}"#
    try ledger.run("append", "physical", "--height-cm", "180")
    let first = try ledger.run("import", "legacy", "-", "--json", input: profile)
    #expect(first.code == 0, "\(first.error)")
    let answer = try #require(JSONValue(parsing: first.output).object)
    #expect(answer["added"] == 1)
    #expect(
      answer["profile"]?.serialized
        == #"{"filled":{"biological_sex":"female"},"kept":{"height_cm":171}}"#)
    #expect(
      answer["skipped"]?.array?.compactMap { $0.object?["type"]?.string }
        == ["activityLevel", "username"])
    let log = try ledger.log()
    log.expectIntact()
    #expect(log.lines.count == 4)
    let again = try ledger.run("import", "legacy", "-", input: profile)
    #expect(again.output.hasSuffix("✓ nothing imported, 1 known\n"))
    #expect(again.error.contains("  1 username: the ledger has no field for it\n"))
    #expect(try ledger.log().lines.count == 4)
  }

  @Test("Unknown members of a legacy profile are named")
  func whatIsNotKnownIsNamed() throws {
    let result = try ledger.run(
      "import", "legacy", "-", input: #"{"gender":"x","shoe\u001bSize":38}"#)
    #expect(result.code == 5)
    #expect(result.error.contains("'gender': it is 'x'; it must be male, female or other"))
    #expect(!result.error.contains("\u{1B}"))
  }

  @Test("A file that is no legacy profile is refused")
  func refusesWhatIsNoProfile() throws {
    try ledger.expectRefusal(
      ["import", "legacy", "-"], 2,
      "standard input is neither a profile nor a list of entries; it must be a JSON object or list",
      input: "7")
    try ledger.expectRefusal(
      ["import", "legacy", "none.json"], 1, "cannot open none.json: no such file or directory")
  }
}
