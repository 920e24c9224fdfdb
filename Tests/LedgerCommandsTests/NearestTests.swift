import Testing

@testable import LedgerCommands

@Suite struct NearestTests {
  static let metrics = ["weight", "height_cm", "steps", "sleep_hours", "mood_score", "energy"]

  @Test(arguments: [
    ("wieght", ["weight"]), ("Weight", ["weight"]), ("weigth", ["weight"]),
    ("mood-scor", ["mood_score"]), ("sleep", ["sleep_hours"]), ("step", ["steps"]),
    ("stpes", ["steps"]), ("w", []), ("", []), ("banana", []), ("enrgyy", ["energy"]),
    ("体重", []),
  ])
  func findsWhatWasMeant(_ word: String, _ expected: [String]) {
    #expect(nearest(to: word, among: Self.metrics) == expected)
  }

  @Test func offersAtMostThreeEquals() {
    #expect(nearest(to: "aa", among: ["ab", "ac", "ad", "ae"]) == ["ab", "ac", "ad"])
    #expect(nearest(to: "aa", among: ["ab", "ab"]) == ["ab"])
    #expect(nearest(to: "ab", among: ["ac", "ab"]) == ["ab"])
    #expect(nearest(to: "abc", among: []) == [])
  }

  @Test(arguments: [
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
