import LedgerModel
import Testing

@Suite struct ClockTimeTests {
  @Test("Every second of a day round-trips through text")
  func everySecondRoundTrips() throws {
    for second in 0..<86_400 {
      let time = try #require(ClockTime(secondsSinceMidnight: second))
      let same = ClockTime(hour: second / 3600, minute: second / 60 % 60, second: second % 60)
      guard same == time, ClockTime(time.description) == time, time.description.utf8.count == 8
      else {
        Issue.record("\(second) is \(time)")
        return
      }
    }
    #expect("\(ClockTime.midnight)" == "00:00:00")
    #expect(ClockTime("07:05:09")?.secondsSinceMidnight == 25_509)
    #expect(ClockTime("23:59:59")?.secondsSinceMidnight == 86_399)
  }

  @Test(
    "Invalid times are refused",
    arguments: [
      "24:00:00", "23:59:60", "23:60:00", "25:00:00", "7:05:09", "07:05", "07:05:9", "07.05.09",
      "070509", " 07:05:0", "07:05:09 ", "+7:05:09", "-7:05:09", "０7:05:09", "07:05:09Z", "",
      "07:05:0９", "12:00:00.0", "12:00 PM",
    ])
  func refusesInvalidTimes(text: String) {
    #expect(ClockTime(text) == nil)
  }

  @Test("Components out of range are refused")
  func refusesNumbersOutOfRange() {
    #expect(ClockTime(secondsSinceMidnight: 86_400) == nil)
    #expect(ClockTime(secondsSinceMidnight: -1) == nil)
    #expect(ClockTime(hour: 24, minute: 0) == nil)
    #expect(ClockTime(hour: 0, minute: 60) == nil)
    #expect(ClockTime(hour: 0, minute: 0, second: 60) == nil)
    #expect(ClockTime(hour: -1, minute: 0) == nil)
  }

  @Test("Every offset round-trips through text")
  func offsetsRoundTrip() throws {
    for minutes in -959...959 {
      let zone = try #require(ZoneOffset(minutes: minutes))
      #expect(ZoneOffset(zone.description) == zone)
      #expect(zone.seconds == minutes * 60)
    }
    #expect(ZoneOffset(minutes: 960) == nil && ZoneOffset(minutes: -960) == nil)
  }

  @Test(
    "Offsets are minutes east of UTC",
    arguments: [
      ("+00:00", 0), ("+02:00", 120), ("-03:30", -210), ("+05:45", 345), ("+14:00", 840),
      ("-12:00", -720), ("+15:59", 959), ("-15:59", -959), ("-00:01", -1),
    ])
  func offsetTexts(text: String, minutes: Int) {
    #expect(ZoneOffset(text).map { Int($0.minutes) } == minutes)
    #expect(ZoneOffset(minutes: minutes)?.description == text)
  }

  /// In RFC 3339, `-00:00` means an unknown offset; here it is UTC.
  @Test("-00:00 is UTC")
  func minusZeroIsUTC() {
    #expect(ZoneOffset("-00:00") == .utc)
    #expect("\(ZoneOffset.utc)" == "+00:00")
  }

  @Test(
    "Invalid offsets are refused",
    arguments: [
      "", "Z", "02:00", "+2:00", "+0200", "+02", "+02:60", "+16:00", "-16:00", "+24:00", "+99:59",
      " +02:00", "+02:00 ", "−02:00", "+02.00", "++2:00", "+-2:00", "+02:0０", "UTC",
    ])
  func refusesWhatIsNoOffset(text: String) {
    #expect(ZoneOffset(text) == nil)
  }
}
