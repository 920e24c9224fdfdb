import LedgerModel
import Testing

@testable import LedgerCLI

@Suite struct NearestTests {
  static let metrics = ["weight", "height_cm", "steps", "sleep_hours", "mood_score", "energy"]

  @Test(
    "The nearest word is suggested for a misspelling",
    arguments: [
      ("wieght", ["weight"]), ("Weight", ["weight"]), ("weigth", ["weight"]),
      ("mood-scor", ["mood_score"]), ("sleep", ["sleep_hours"]), ("step", ["steps"]),
      ("stpes", ["steps"]), ("w", []), ("", []), ("banana", []), ("enrgyy", ["energy"]),
      ("体重", []), ("hours", ["sleep_hours"]), ("scoer", []), ("blood", []),
      ("sleephours", ["sleep_hours"]),
    ])
  func findsWhatWasMeant(_ word: String, _ expected: [String]) {
    #expect(nearest(to: word, among: Self.metrics) == expected)
  }

  @Test("At most three equally near words are suggested")
  func offersAtMostThreeEquals() {
    #expect(nearest(to: "aa", among: ["ab", "ac", "ad", "ae"]) == ["ab", "ac", "ad"])
    #expect(nearest(to: "aa", among: ["ab", "ab"]) == ["ab"])
    #expect(nearest(to: "ab", among: ["ac", "ab"]) == ["ab"])
    #expect(nearest(to: "abc", among: []) == [])
  }

  @Test(
    "The distance counts insertions, deletions, replacements and swaps",
    arguments: [
      ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "acb", 1),
      ("kitten", "sitting", 3), ("ca", "abc", 3), ("abcd", "badc", 2), ("é", "e", 1),
    ])
  func countsSlips(_ first: String, _ second: String, _ distance: Int) {
    let one = Array(first.unicodeScalars)
    let other = Array(second.unicodeScalars)
    #expect(editDistance(one, other) == distance)
    #expect(editDistance(other, one) == distance)
  }
}

@Suite struct MeantDayTests {
  @Test(
    "Misspelled days are suggested",
    arguments: [
      ("yesteday", ["yesterday"]), ("Tody", ["today"]), ("monday", ["last monday"]),
      ("wenesday", ["last wednesday"]),
      ("last munday", ["last monday", "last sunday"]), ("lst friday", ["last friday"]),
      ("3 dyas ago", ["3 days ago"]), ("2 weeks agoo", ["2 weeks ago"]), ("3 days", ["3 days ago"]),
      ("3d", ["-3d"]), ("21.11.2026", ["2026-11-21"]), ("2026/11/21", ["2026-11-21"]),
      ("2026-1-5", ["2026-01-05"]), ("11/21/2026", ["2026-11-21"]),
      ("3/4/2026", ["2026-03-04", "2026-04-03"]), ("5/5/2026", ["2026-05-05"]),
      ("18.11.26", ["2026-11-18"]), ("3/4/26", ["2026-03-04", "2026-04-03"]),
      ("20261127", ["2026-11-27"]), ("-2 days", ["2 days ago"]), ("2d ago", ["-2d"]),
      ("now", ["today"]),
      ("31.2.2026", []), ("soon", []), ("", []), ("1.2.3", []), ("٣.١.2026", []), ("last", []),
    ])
  func days(_ text: String, _ meant: [String]) {
    #expect(NamedDay.nearest(to: text) == meant)
    for day in meant { #expect(NamedDay(day) != nil, "\(day) is no day") }
  }

  @Test(
    "Misspelled zones are suggested",
    arguments: [
      ("Europe/Vienn", ["Europe/Vienna"]), ("europe/vienna", ["Europe/Vienna"]),
      ("Vienna", ["Europe/Vienna"]), ("new york", ["America/New_York"]),
      ("Europe/Berlinn", ["Europe/Berlin"]), ("Tokio", ["Asia/Tokyo"]),
      ("PST", ["America/Los_Angeles"]), ("est", ["America/New_York"]),
      ("America/Vienna", ["Europe/Vienna"]), ("", []), ("Europe/Wien", []),
      ("CEST", ["Europe/Paris", "Europe/Berlin", "Europe/Vienna"]), ("XYZ", []),
      ("Xyzzy/Nowhere", []), ("Foo/Bar", []),
    ])
  func zones(_ text: String, _ meant: [String]) {
    #expect(nearestZones(to: text) == meant)
  }
}

@Suite struct MeantWordTests {
  private func refusal(_ words: String...) -> String {
    guard case .refuse(let failure) = LocalCommands.catalog.plan(words) else { return "" }
    return failure.sentence
  }

  @Test("An option that another command has names that command, before spellings are compared")
  func anOptionOfAMisspeltCommandIsNotBlamed() {
    #expect(
      refusal("append", "profil", "--name", "Anna")
        == "'append' has no option '--name', which is of 'append profile'")
    #expect(
      refusal("import", "scale.csv", "--metric", "x")
        == "'import' has no option '--metric', which is of 'import csv'")
    #expect(
      refusal("append", "weight", "75", "--bogus", "Anna")
        == "'append' has no option '--bogus'; see 'ledger append --help'")
    #expect(
      refusal("append", "profil", "--nots", "x")
        == "'append' has no option '--nots'; did you mean '--notes'?")
  }

  @Test("A suggestion replaces a long list of choices")
  func aLongListDoesNotHideWhatWasMeant() {
    #expect(
      refusal("show", "days", "--type", "stepps")
        == "'--type' does not take 'stepps'; did you mean 'steps'?")
    #expect(refusal("show", "days", "--type", "xyzzy").contains("'weight', 'height'"))
    #expect(
      refusal("resolve", "4", "--take", "remot")
        == "'--take' takes 'local', 'remote', 'one' or 'both', not 'remot'; did you mean 'remote'?")
  }

  @Test("Every name of a metric is accepted, and means that metric alone")
  func metricNames() {
    let names = Metric.allCases.flatMap { metric in metric.spokenNames.map { ($0, metric) } }
    for (name, metric) in names {
      #expect(Metric(spoken: name) == metric)
      #expect(Metric(spoken: name.uppercased()) == metric)
    }
    #expect(Metric(spoken: "Resting-Heart Rate") == .restingHeartRate)
    #expect(Metric(spoken: "calories") == nil)
  }

  @Test("An option's former name is accepted, and its name today is hinted at")
  func formerNames() throws {
    let words = ["--since", "3", "--until", "9", "--count", "2"]
    let old = try LogCommand.spec.parse(words)
    #expect(old.option("from") == "3" && old.option("to") == "9" && old.option("limit") == "2")
    #expect(
      old.spellingHints == [
        "--since is now --from", "--until is now --to", "--count is now --limit",
      ])
    #expect(try LogCommand.spec.parse(["--from", "3"]).spellingHints.isEmpty)
    let days = try ShowDaysCommand.spec.parse(["--type", "Water"])
    #expect(days.options("metric") == ["water_liters"])
  }

  @Test("A family of event types is suggested before its types")
  func aFamilyOfTypesComesBeforeItsTypes() {
    var filter = LogFilter()
    filter.type = "progres"
    #expect(
      filter.hint
        == "no event type is known as 'progres'; "
        + "did you mean 'progress', 'progress.logged' or 'progress.corrected'?")
  }
}
