import Foundation
import LedgerModel
import LedgerTestSupport
import Testing

@Suite struct TimestampTests {
  @Test(
    "Known instants have known texts",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (1_784_541_600_123, "2026-07-20T10:00:00.123Z"), (-86_400_000, "1969-12-31T00:00:00.000Z"),
      (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
      (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (7, "1970-01-01T00:00:00.007Z"),
    ] as [(Int64, String)])
  func knownTexts(milliseconds: Int64, text: String) {
    let instant = Timestamp(millisecondsSince1970: milliseconds)
    #expect(instant.description == text)
    #expect(Timestamp(text) == instant)
    #expect(Timestamp(rfc3339: text) == instant)
  }

  @Test("An instant outside of the calendar has no local time", arguments: [Int64.min, .max])
  func outsideOfTheCalendar(_ milliseconds: Int64) throws {
    let instant = Timestamp(millisecondsSince1970: milliseconds)
    for minutes in [-720, 0, 840] {
      #expect(instant.localTime(at: try #require(ZoneOffset(minutes: minutes))) == nil)
    }
    #expect(LocalZone.current.localTime(at: instant) == nil)
  }

  @Test(
    "Instants round-trip through text and agree with Foundation", arguments: [91, 92] as [UInt64])
  func randomInstantsRoundTripAndAgreeWithFoundation(seed: UInt64) throws {
    var generator = SplitMix(seed)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    for _ in 0..<2_000 {
      // Seconds of 1600 to 2400, for which Foundation's calendar is the same.
      let seconds = Int64.random(in: -11_676_096_000...13_569_465_599, using: &generator)
      let instant = Timestamp(
        millisecondsSince1970: seconds * 1000 + Int64.random(in: 0...999, using: &generator))
      let utc = try #require(instant.utc)
      let theirs = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second],
        from: Date(timeIntervalSince1970: Double(seconds)))
      let day = utc.date.components
      let time = ClockTime(hour: theirs.hour!, minute: theirs.minute!, second: theirs.second!)
      guard Timestamp(instant.description) == instant, utc.time == time,
        day == (theirs.year!, theirs.month!, theirs.day!)
      else {
        Issue.record("seed \(seed): \(instant) is \(theirs)")
        return
      }
    }
  }

  @Test(
    "RFC 3339 is read with any offset and fraction",
    arguments: [
      ("2026-07-20T12:00:00Z", "2026-07-20T12:00:00.000Z"),
      ("2026-07-20T12:00:00+02:00", "2026-07-20T10:00:00.000Z"),
      ("2026-07-20T00:30:00+14:00", "2026-07-19T10:30:00.000Z"),
      ("2026-07-19T22:30:00.5-03:30", "2026-07-20T02:00:00.500Z"),
      ("2026-07-20T12:00:00.12Z", "2026-07-20T12:00:00.120Z"),
      ("2026-07-20T12:00:00.123456789Z", "2026-07-20T12:00:00.123Z"),
      ("2026-07-20T12:00:00.9999999999999999999999Z", "2026-07-20T12:00:00.999Z"),
      ("1969-12-31T23:59:59.001Z", "1969-12-31T23:59:59.001Z"),
      ("2026-07-20T12:00:00-00:00", "2026-07-20T12:00:00.000Z"),
    ])
  func rfc3339(text: String, expected: String) {
    #expect(Timestamp(rfc3339: text)?.description == expected)
  }

  @Test(
    "Other forms than RFC 3339 are refused",
    arguments: [
      "", "2026-07-20", "2026-07-20T12:00Z", "2026-07-20T12:00:00", "2026-07-20 12:00:00Z",
      "2026-07-20t12:00:00Z", "2026-07-20T12:00:00z", "2026-07-20T24:00:00Z",
      "2016-12-31T23:59:60Z", "2026-02-30T12:00:00Z", "2026-07-20T12:00:00.Z",
      "2026-07-20T12:00:00,5Z", "2026-07-20T12:00:00.5", "2026-07-20T12:00:00+2:00",
      "2026-07-20T12:00:00+0200", "2026-07-20T12:00:00ZZ", "2026-07-20T12:00:00Z ",
      "2026-07-20T12:00:00.-1Z", "2026-07-20T12:00:00.１Z", "2026-07-20T12:00:00+16:00",
      "20260720T120000Z", "2026-07-20T12:00:00 Z",
    ])
  func refusesWhatIsNotRFC3339(text: String) {
    #expect(Timestamp(rfc3339: text) == nil)
  }

  /// Valid RFC 3339, but not the 24 characters of the log.
  @Test(
    "The log accepts only its own form",
    arguments: [
      "2026-07-20T12:00:00Z", "2026-07-20T12:00:00.1Z", "2026-07-20T12:00:00.1234Z",
      "2026-07-20T12:00:00+02:00", "2026-07-20T12:00:00.000+00:00",
    ])
  func theLogHasOneForm(text: String) {
    #expect(Timestamp(rfc3339: text) != nil)
    #expect(Timestamp(text) == nil)
  }

  @Test("Times on the wire have no fraction")
  func wireFormHasNoFraction() {
    #expect(
      Timestamp(millisecondsSince1970: 1_784_541_600_999).rfc3339Seconds == "2026-07-20T10:00:00Z")
  }

  @Test("Text is clamped to the years 1 to 9999")
  func isClampedToTheCalendar() {
    #expect(Timestamp(millisecondsSince1970: .min).description == "0001-01-01T00:00:00.000Z")
    #expect(Timestamp(millisecondsSince1970: .max).description.hasPrefix("9999-12-31T"))
    #expect(Timestamp(millisecondsSince1970: .max).utc == nil)
  }

  @Test("Local times and instants convert both ways")
  func wallTimesAndInstantsAreInverse() throws {
    let zone = try #require(ZoneOffset("-03:30"))
    let instant = try #require(Timestamp("2026-01-01T02:15:00.000Z"))
    let wall = try #require(instant.localTime(at: zone))
    #expect("\(wall.date) \(wall.time)" == "2025-12-31 22:45:00")
    #expect(ZonedTime(time: wall.time, zone: zone).instant(on: wall.date) == instant)
  }
}
