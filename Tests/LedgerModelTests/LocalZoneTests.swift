import Foundation
import LedgerModel
import Testing

/// The time zone is per process, so each test runs in its own process.
@Suite struct LocalZoneTests {
  @Test("A skipped day has the offset from before the change")
  func aSkippedDay() async {
    await #expect(processExitsWith: .success) {
      // Samoa went from UTC-10 to UTC+14 at the end of 29 December 2011: there was no 30th.
      expectOffsets(
        in: "Pacific/Apia",
        [
          ("2011-12-29", "05:00:00", "-10:00"), ("2011-12-29", "23:59:59", "-10:00"),
          ("2011-12-30", "00:00:00", "-10:00"), ("2011-12-30", "12:00:00", "-10:00"),
          ("2011-12-30", "23:59:59", "-10:00"), ("2011-12-31", "00:00:00", "+14:00"),
          ("2011-12-31", "23:00:00", "+14:00"), ("2026-07-20", "12:00:00", "+13:00"),
        ])
      expectWall("2011-12-30T09:59:59.000Z", "2011-12-29 23:59:59 -10:00")
      expectWall("2011-12-30T10:00:00.000Z", "2011-12-31 00:00:00 +14:00")
    }
  }

  @Test("A skipped hour has the earlier offset and a repeated hour is the first")
  func anHourSkippedAndAnHourTwice() async {
    await #expect(processExitsWith: .success) {
      expectOffsets(
        in: "Europe/Berlin",
        [
          ("2026-03-29", "01:59:59", "+01:00"), ("2026-03-29", "02:00:00", "+01:00"),
          ("2026-03-29", "02:59:59", "+01:00"), ("2026-03-29", "03:00:00", "+02:00"),
          ("2026-10-25", "01:59:59", "+02:00"), ("2026-10-25", "02:00:00", "+02:00"),
          ("2026-10-25", "02:59:59", "+02:00"), ("2026-10-25", "03:00:00", "+01:00"),
        ])
      expectWall("2026-10-25T00:59:59.999Z", "2026-10-25 02:59:59 +02:00")
      expectWall("2026-10-25T01:00:00.000Z", "2026-10-25 02:00:00 +01:00")
      expectWall("1969-12-31T23:59:59.999Z", "1970-01-01 00:59:59 +01:00")
    }
  }

  @Test("Times that a clock change skips or repeats are recognized")
  func clockChanges() async {
    await #expect(processExitsWith: .success) {
      #expect(LocalZone.use(named: "America/New_York"))
      func change(_ date: String, _ time: String) -> LocalZone.ClockChange? {
        LocalZone.current.clockChange(at: ClockTime(time)!, on: CalendarDate(date)!)
      }
      #expect(change("2026-03-08", "01:59:59") == nil)
      #expect(change("2026-03-08", "02:00:00") == .skipped)
      #expect(change("2026-03-08", "02:59:59") == .skipped)
      #expect(change("2026-03-08", "03:00:00") == nil)
      #expect(change("2026-11-01", "00:59:59") == nil)
      #expect(change("2026-11-01", "01:30:00") == .repeated(later: ZoneOffset("-05:00")!))
      #expect(change("2026-11-01", "02:00:00") == nil)
      #expect(change("2026-07-01", "02:30:00") == nil)
    }
  }

  @Test("A clock change of half an hour is followed")
  func halfAnHourOnLordHowe() async {
    await #expect(processExitsWith: .success) {
      expectOffsets(
        in: "Australia/Lord_Howe",
        [
          ("2026-04-05", "01:29:59", "+11:00"), ("2026-04-05", "01:30:00", "+11:00"),
          ("2026-04-05", "01:59:59", "+11:00"), ("2026-04-05", "02:00:00", "+10:30"),
          ("2026-10-04", "01:59:59", "+10:30"), ("2026-10-04", "02:00:00", "+10:30"),
          ("2026-10-04", "02:29:59", "+10:30"), ("2026-10-04", "02:30:00", "+11:00"),
        ])
    }
  }

  @Test("Offsets need not be whole hours")
  func offsetsOfPartsOfAnHour() async {
    await #expect(processExitsWith: .success) {
      expectOffsets(
        in: "America/St_Johns",
        [
          ("2026-01-15", "12:00:00", "-03:30"), ("2026-07-15", "12:00:00", "-02:30"),
          ("2026-03-08", "02:30:00", "-03:30"), ("2026-11-01", "01:30:00", "-02:30"),
        ])
    }
  }

  @Test("The earliest and the latest zone are supported")
  func theEarliestAndTheLatestZone() async {
    await #expect(processExitsWith: .success) {
      expectOffsets(in: "Pacific/Kiritimati", [("2026-01-01", "00:00:00", "+14:00")])
      expectWall("2025-12-31T10:00:00.000Z", "2026-01-01 00:00:00 +14:00")
    }
    await #expect(processExitsWith: .success) {
      expectOffsets(in: "Etc/GMT+12", [("2026-01-01", "00:00:00", "-12:00")])
      expectWall("2026-01-01T11:59:59.000Z", "2025-12-31 23:59:59 -12:00")
      #expect(LocalZone.current.today(at: Timestamp("2026-01-01T11:59:59.000Z")!) == newYearsEve)
    }
  }

  /// Local mean time has seconds, here 9:18:59 and -7:52:58; the log's form has none.
  @Test("Offsets are rounded to the minute")
  func secondsAreRounded() async {
    await #expect(processExitsWith: .success) {
      expectOffsets(in: "Asia/Tokyo", [("1880-01-01", "12:00:00", "+09:19")])
    }
    await #expect(processExitsWith: .success) {
      expectOffsets(in: "America/Los_Angeles", [("1880-01-01", "12:00:00", "-07:53")])
    }
  }

  @Test("POSIX rules in TZ are followed")
  func posixRules() async {
    await #expect(processExitsWith: .success) {
      setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
      tzset()
      #expect(LocalZone.environmentIsKnown.known)
      expectOffsets(
        in: nil,
        [("2026-01-15", "12:00:00", "+01:00"), ("2026-07-15", "12:00:00", "+02:00")])
    }
  }
}

private let newYearsEve = CalendarDate("2025-12-31")!

/// Runs in the child process: sets the zone and checks the offset of each local time.
///
/// - Parameter zone: `nil` for that of `TZ`.
private func expectOffsets(
  in zone: String?, _ cases: [(day: String, time: String, zone: String)]
) {
  if let zone { #expect(LocalZone.use(named: zone)) }
  for (day, time, expected) in cases {
    let offset = LocalZone.current.offset(of: ClockTime(time)!, on: CalendarDate(day)!)
    #expect("\(offset)" == expected, "\(zone ?? "TZ") \(day) \(time)")
  }
}

private func expectWall(_ instant: String, _ expected: String) {
  let wall = LocalZone.current.localTime(at: Timestamp(instant)!)
  #expect(wall.map { "\($0.date) \($0.time) \($0.zone)" } == expected, "\(instant)")
}
