import LedgerJSON
import LedgerTestSupport
import Testing

@Suite(.blocks) struct AppendFieldsTests {
  let ledger: TestLedger

  init() throws { ledger = try TestLedger() }

  @Test(
    "Fields of the profile are stored as given",
    arguments: [
      (
        [
          "profile", "--name", "Anna", "--bio", "x", "--unit-system", "metric", "--language",
          "de-AT",
        ],
        #"{"name":"Anna","bio":"x","preferred_unit_system":"metric","language_code":"de-AT"}"#,
        "profile: name “Anna”, bio “x”, units metric, language de-AT"
      ),
      (
        ["profile", "--clear", "bio", "--name", "Ada"], #"{"name":"Ada","bio":null}"#,
        "profile: name “Ada”, bio cleared"
      ),
      (
        ["physical", "--height-cm", "1.72m", "--sex", "female", "--born", "1990-05-17"],
        #"{"biological_sex":"female","height_cm":172,"date_of_birth":"1990-05-17"}"#,
        "physical: sex female, height 172 cm, born 1990-05-17"
      ),
      (
        ["preferences", "--allergy", "nuts", "--allergy", "milk", "--restriction", "vegan"],
        #"{"allergies":["nuts","milk"],"dietary_restrictions":["vegan"]}"#,
        "preferences: allergies none → nuts, milk; restrictions none → vegan"
      ),
      (
        [
          "preferences", "--dislike", "okra, rye", "--clear", "allergies", "--clear",
          "restrictions",
        ],
        #"{"allergies":[],"dietary_restrictions":[],"food_dislikes":["okra","rye"]}"#,
        "preferences: allergies none; restrictions none; dislikes none → okra, rye"
      ),
    ] as [([String], String, String)])
  func appends(_ words: [String], _ data: String, _ told: String) throws {
    let result = try Executable.ledger.run(["append"] + words, in: ledger.folder.path)
    #expect(result.output == "✓ \(told) (event 2)\n")
    #expect(try ledger.last().serialized == data)
    #expect(try ledger.log().lines.last?.type == "\(words[0]).updated")
  }

  @Test("A field that stays as it was says so")
  func unchanged() throws {
    try ledger.must("append", "profile", "--bio", "runs")
    #expect(try ledger.must("append", "profile", "--bio", "runs").contains("“runs”, as before"))
  }

  @Test("Centimetres that an imperial person may mean as inches are asked about")
  func inches() throws {
    try ledger.must("append", "profile", "--unit-system", "imperial")
    let refused = try ledger.run("append", "physical", "--height-cm", "70")
    #expect(refused.code == 2 && refused.error.contains("70in"), "\(refused.error)")
    try ledger.must("append", "physical", "--height-cm", "70in")
    try ledger.must("append", "physical", "--height-cm", "170")
    try ledger.must("append", "physical", "--height-cm", "70", "--yes")
  }

  @Test("A language, which the backend cannot clear, is cleared by an event of its own")
  func clearedLanguage() throws {
    let ledger = try TestLedger()
    try ledger.must("append", "profile", "--name", "Ada", "--bio", "runs", "--language", "de")
    try ledger.must("append", "profile", "--clear", "bio", "--clear", "language")
    let lines = try ledger.must("log", "--json").split(separator: "\n").suffix(2)
    #expect(lines.first?.contains(#""data":{"bio":null}"#) == true)
    #expect(lines.last?.contains(#""data":{"language_code":null}"#) == true)
  }

  @Test("Items are added to a list and removed from it, and the others stay")
  func listsKeepTheirItems() throws {
    func change(_ words: String...) throws -> String {
      let run = ["append", "preferences"] + words
      return try Executable.ledger.run(run, in: ledger.folder.path).output
    }
    _ = try change("--allergy", "nuts")
    let told = try change("--allergy", "milk", "--dislike", "okra")
    #expect(told.contains("allergies nuts → nuts, milk"))
    #expect(
      try ledger.last().serialized == #"{"allergies":["nuts","milk"],"food_dislikes":["okra"]}"#)
    _ = try change("--no-allergy", "Nuts", "--allergy", "eggs")
    #expect(try ledger.last().serialized == #"{"allergies":["milk","eggs"]}"#)
    _ = try change("--only-allergies", "rye, fish")
    #expect(try ledger.last().serialized == #"{"allergies":["rye","fish"]}"#)
    let count = try ledger.log().lines.count
    let same = try ledger.run("append", "preferences", "--allergy", "Fish")
    #expect(same.code == 0 && same.output.isEmpty && same.error.contains("nothing to change"))
    #expect(try ledger.log().lines.count == count)
    try ledger.expectRefusal(
      ["append", "preferences", "--no-allergy", "fisch"], 2,
      "'fisch' is not among the allergies; did you mean 'fish'?")
    try ledger.expectRefusal(
      ["append", "preferences", "--no-restriction", "vegan"], 2,
      "'vegan' is not among the restrictions; there are none")
  }

  @Test("Items that several processes add at once are all kept")
  func concurrentAdditions() throws {
    let runs = try (1...6).map { number in
      try Executable.ledger.start(
        ["append", "preferences", "--allergy", "food \(number)"], in: ledger.folder.path)
    }
    for run in runs { #expect(try run.wait().code == 0) }
    let list = try #require(ledger.last()["allergies"]?.array).compactMap(\.string)
    #expect(list.sorted() == (1...6).map { "food \($0)" })
  }

  @Test(
    "An invalid field is refused and changes no byte",
    arguments: [
      (
        ["profile"],
        "'append profile' needs '--name', '--bio', '--unit-system', '--language' or '--clear'; "
          + "see 'ledger append profile --help'"
      ),
      (["profile", "--clear", "name"], "'--clear' takes 'bio' or 'language', not 'name'"),
      (
        ["profile", "--bio", "x", "--clear", "bio"],
        "'--bio' and '--clear bio' exclude each other; give one of them"
      ),
      (
        ["profile", "--born", "1990-05-17"],
        "'append profile' has no option '--born'; did you mean 'append physical --born'?"
      ),
      (["profile", "--name", ""], "name is empty; it needs at least one character"),
      (
        ["profile", "--language", "de_AT"],
        #"language_code is "de_AT"; it must be a BCP 47 tag such as en or de-AT"#
      ),
      (
        ["physical", "--height-cm", "tall"],
        "'--height-cm' takes a height such as 172, 1.72m, 68in or 5ft8in, not 'tall'"
      ),
      (
        ["physical", "--height-cm", "300"],
        "height_cm is 300; it must be more than 0 and less than 300"
      ),
      (
        ["physical", "--sex", "femal"],
        "'--sex' takes 'male', 'female' or 'other', not 'femal'; did you mean 'female'?"
      ),
      (
        ["physical", "--born", "17.5.1990"],
        "'--born' does not take '17.5.1990'; did you mean '1990-05-17'?"
      ),
      (
        ["preferences", "--clear", "bio"],
        "'--clear' takes 'allergies', 'restrictions' or 'dislikes', not 'bio'"
      ),
      (
        ["preferences", "--allergy", "nuts", "--clear", "allergies"],
        "'--allergy' and '--clear allergies' exclude each other; give one of them"
      ),
      (
        ["preferences", "--no-dislike", "okra", "--only-dislikes", "rye"],
        "'--no-dislike' and '--only-dislikes' exclude each other; give one of them"
      ),
    ] as [([String], String)])
  func refuses(_ words: [String], _ sentence: String) throws {
    try ledger.expectRefusal(["append"] + words, 2, sentence)
  }
}
