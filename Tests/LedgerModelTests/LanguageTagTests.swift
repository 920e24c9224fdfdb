import LedgerModel
import Testing

/// The examples of RFC 5646, appendix A, and edge cases of each subtag.
@Suite struct LanguageTagTests {
  private func isAccepted(_ tag: String) -> Bool {
    let change = Edit.Change.updateProfile(.init(languageCode: .set(tag)))
    return (try? decide(change, given: NoFacts(), today: .last)) != nil
  }

  @Test(
    "The examples of RFC 5646 are accepted in any case",
    arguments: [
      "de", "fr", "ja", "zh-Hant", "zh-Hans", "sr-Cyrl", "sr-Latn", "zh-cmn-Hans-CN", "cmn-Hans-CN",
      "zh-yue-HK", "yue-HK", "zh-Hans-CN", "sr-Latn-RS", "sl-rozaj", "sl-rozaj-biske", "sl-nedis",
      "de-CH-1901", "sl-IT-nedis", "hy-Latn-IT-arevela", "de-DE", "en-US", "es-419",
      "de-CH-x-phonebk", "az-Arab-x-AZE-derbend", "x-whatever", "qaa-Qaaa-QM-x-southern", "de-Qaaa",
      "sr-Latn-QM", "sr-Qaaa-RS", "en-US-u-islamcal", "zh-CN-a-myext-x-private",
      "en-a-myext-b-another",
    ])
  func acceptsTheExamples(tag: String) {
    #expect(isAccepted(tag))
    #expect(isAccepted(tag.uppercased()) && isAccepted(tag.lowercased()))
  }

  @Test(
    "Edge cases of the grammar are accepted",
    arguments: [
      "abcd", "abcdefgh", "aa-bbb-ccc-ddd", "en-1abc", "en-abcde", "en-a-bb", "en-a-bbbbbbbb-cc",
      "en-0-ab", "en-x-1", "x-a-b-c", "de-1996-1901x", "art-lojban", "zh-min-nan",
      // Repeated singletons and variants are well formed, but not valid.
      "ar-a-aaa-b-bbb-a-ccc", "de-DE-1901-1901",
    ])
  func acceptsTheEdges(tag: String) {
    #expect(isAccepted(tag))
  }

  @Test(
    "Malformed tags are refused",
    arguments: [
      "", "-", "e", "a-DE", "de-419-DE", "de-", "-de", "de--AT", "de_AT", "de AT", "abcdefghi",
      "en-abcdefghi", "d3", "deu1", "aa-bbb-ccc-ddd-eee", "abcd-bbb", "en-a", "en-a-b",
      "en-a-x-b", "x", "en-x", "x-", "x-abcdefghi", "en-Latn-Latn", "en-US-GB", "en-US-Latn",
      "en-12", "en-1234-US", "dé", "en-Ünder", "ｅｎ", "en\n", "en.UTF-8", "i", "en-u",
      // Grandfathered, irregular tags are not supported.
      "i-klingon", "en-GB-oed", "sgn-BE-FR",
    ])
  func refusesTheRest(tag: String) {
    #expect(!isAccepted(tag))
  }

  @Test("A tag has at most 100 characters")
  func isAsLongAsAHundredCharacters() {
    let parts = String(repeating: "-abcdefgh", count: 10)
    #expect(isAccepted("de-x" + parts))
    #expect(isAccepted("de-x" + parts + "-abcde"))
    #expect(!isAccepted("de-x" + parts + "-abcdef"))
  }
}
