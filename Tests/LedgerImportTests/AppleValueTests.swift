import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerImport

@Suite struct AppleValueTests {
  @Test(
    "A date is read in every form that exports have",
    arguments: [
      ("2016-04-12 07:30:15 +0200", "2016-04-12T05:30:15Z"),
      ("2016-04-12 07:30:15 -0330", "2016-04-12T11:00:15Z"),
      ("2016-04-12 00:30:00 +1400", "2016-04-11T10:30:00Z"),
      ("2016-04-12T07:30:15Z", "2016-04-12T07:30:15Z"),
      ("2016-04-12T07:30:15.250+02:00", "2016-04-12T05:30:15Z"),
      ("20150616071916-0700", "2015-06-16T14:19:16Z"),
      ("2016-04-12 7:30:15 AM +0200", "2016-04-12T05:30:15Z"),
      ("2016-04-12 12:00:00 am +0000", "2016-04-12T00:00:00Z"),
      ("2016-04-12 07:30:15\u{202F}PM +0200", "2016-04-12T17:30:15Z"),
    ])
  func datesAreRead(_ text: String, _ utc: String) throws {
    let date = try #require(AppleDate(Array(text.utf8)[...]))
    let seconds = date.wallSeconds - (date.offsetMinutes ?? 0) * 60
    #expect(Timestamp(millisecondsSince1970: Int64(seconds) * 1000).rfc3339Seconds == utc)
  }

  @Test("A date without an offset has none")
  func datesWithoutAnOffsetSaySo() throws {
    let date = try #require(AppleDate(Array("2016-04-12 07:30:15".utf8)[...]))
    #expect(date.offsetMinutes == nil)
  }

  @Test(
    "A date that is incomplete, impossible or followed by text is refused",
    arguments: [
      "", "2016-04-12", "2016-02-30 07:30:15 +0200", "2016-04-12 24:00:00 +0200",
      "12.04.2016 07:30:15 +0200", "2016-04-12 07:30:15 +02", "2016-04-12 07:30:15 +9900",
      "2016-04-12 07:30:15 CEST", "2016-04-12 13:30:15 PM +0200", "2016-04-12 07:30 +0200",
      "2016-04-12 07:30:15 +0200x",
    ])
  func datesAreRefused(_ text: String) {
    #expect(AppleDate(Array(text.utf8)[...]) == nil)
  }

  @Test(
    "A number is read with a decimal point or an unambiguous comma",
    arguments: [
      ("72.5", 72.5), ("0", 0), ("0.30000000000000004", 0.30000000000000004), ("1e-05", 1e-5),
      ("-3", -3), ("75,3", 75.3), ("0,512", 0.512), ("1234,567", 1234.567), (".5", 0.5),
      ("999999999999999", 999_999_999_999_999),
    ])
  func numbersAreRead(_ text: String, _ value: Double) throws {
    #expect(try AppleNumber.read(Array(text.utf8)[...]) == value)
  }

  @Test(
    "Other text is not a number",
    arguments: ["", "abc", "nan", "inf", "0x10", "1.2.3", "1e999", "--1", " 1"])
  func otherTextIsNoNumber(_ text: String) {
    #expect(throws: AppleNumber.ReadError.noNumber) { try AppleNumber.read(Array(text.utf8)[...]) }
  }

  @Test(
    "A comma that can mark decimals or thousands is refused",
    arguments: ["1,234", "1,2,3", "1.234,5"])
  func someCommasCanMeanTwoThings(_ text: String) {
    #expect(throws: AppleNumber.ReadError.ambiguousComma) {
      try AppleNumber.read(Array(text.utf8)[...])
    }
  }

  /// Against a line of seconds.
  @Test("Time spans cover the seconds that a set of seconds covers")
  func spansCoverWhatTheirSecondsDo() {
    var generator = SplitMix(5)
    for _ in 0..<2000 {
      var spans = TimeSpans()
      var seconds: Set<Int64> = []
      for _ in 0..<Int.random(in: 0..<8, using: &generator) {
        let start = Int64.random(in: 0..<40, using: &generator)
        let end = start + Int64.random(in: 0..<12, using: &generator)
        spans.add(start, end)
        seconds.formUnion(start..<end)
      }
      let start = Int64.random(in: 0..<50, using: &generator)
      let end = start + Int64.random(in: 0..<20, using: &generator)
      #expect(spans.covered(start, end) == Int64((start..<end).count { seconds.contains($0) }))
      #expect(spans.contains(start) == seconds.contains(start))
    }
  }

  @Test("An external sort gives the same order for every size of memory")
  func whatDoesNotFitIntoMemoryIsSortedAllTheSame() throws {
    var generator = SplitMix(9)
    let samples = (0..<3000).map { line in
      AppleSample(
        value: Double.random(in: 0..<9, using: &generator).rounded(),
        start: Int64.random(in: 0..<500, using: &generator), durationSeconds: 60,
        line: UInt32(line), offsetMinutes: 60, source: UInt16(line % 3),
        metric: UInt8(line % 2), isLocal: false)
    }
    func sorted(capacity: Int) throws -> [AppleSample] {
      let store = ExternalSorter<AppleSample>(capacity: capacity)
      for sample in samples { try store.append(sample) }
      var found: [AppleSample] = []
      try store.visit { found.append($0) }
      return found
    }
    let expected = samples.sorted(by: AppleSample.isBefore)
    for capacity in [1, 7, 1000, 3000, 10_000] {
      #expect(try sorted(capacity: capacity) == expected, "\(capacity)")
    }
  }
}
