import Foundation
import LedgerJSON
import Testing

/// What a person in one zone logs, and what the backend and a second ledger in another make of it.
@Suite(.blocks) struct ZoneSyncTests {
  /// A wall time and the instant it is, looked up by hand.
  struct Moment: Sendable {
    var date: String
    var time: String
    var instant: String

    init(_ date: String, _ time: String, _ instant: String) {
      (self.date, self.time, self.instant) = (date, time, instant)
    }
  }

  struct Place: Sendable, CustomTestStringConvertible {
    var zone: String
    /// The other ledger's.
    var other: String
    var moments: [Moment]
    var testDescription: String { "\(zone) and \(other)" }
  }

  static let places = [
    Place(
      zone: "Pacific/Kiritimati", other: "Etc/GMT+12",
      moments: [
        Moment("2026-03-01", "00:00:00", "2026-02-28T10:00:00Z"),
        Moment("2026-03-01", "23:59:59", "2026-03-01T09:59:59Z"),
        // On the wire this would be a day without a time, so it leaves a second later.
        Moment("2026-03-01", "14:00:00", "2026-03-01T00:00:01Z"),
      ]),
    Place(
      zone: "America/St_Johns", other: "Asia/Kolkata",
      moments: [
        Moment("2026-03-08", "01:59:59", "2026-03-08T05:29:59Z"),
        // Skipped: read with the offset from before.
        Moment("2026-03-08", "02:30:00", "2026-03-08T06:00:00Z"),
        Moment("2026-03-08", "03:00:00", "2026-03-08T05:30:00Z"),
        // Twice: the first one.
        Moment("2026-11-01", "01:30:00", "2026-11-01T04:00:00Z"),
        Moment("2026-11-01", "02:00:00", "2026-11-01T05:30:00Z"),
        Moment("2026-12-31", "20:30:00", "2027-01-01T00:00:01Z"),
        Moment("2026-12-31", "23:59:59", "2027-01-01T03:29:59Z"),
      ]),
    Place(
      zone: "Etc/GMT+12", other: "Pacific/Kiritimati",
      moments: [
        Moment("2026-03-01", "00:00:00", "2026-03-01T12:00:00Z"),
        Moment("2026-03-01", "12:00:00", "2026-03-02T00:00:01Z"),
        Moment("2026-03-01", "23:59:59", "2026-03-02T11:59:59Z"),
      ]),
    Place(
      zone: "Asia/Kolkata", other: "America/St_Johns",
      moments: [
        Moment("2026-03-01", "00:00:00", "2026-02-28T18:30:00Z"),
        Moment("2026-03-01", "05:30:00", "2026-03-01T00:00:01Z"),
        Moment("2026-03-01", "05:29:59", "2026-02-28T23:59:59Z"),
      ]),
  ]

  static let days = ["2026-03-01", "2026-03-08", "2024-02-29", "2025-12-31"]

  @Test(
    "Days and instants survive a sync, in every zone and dialect", arguments: places,
    ["date-time", "logged-at"])
  func daysAndInstants(_ place: Place, _ dialect: String) async throws {
    try await withBackend(["--dialect", dialect]) { backend in
      let ledger = try TestLedger.registered(at: backend, zone: place.zone)
      try ledger.settings("backend.dialect", dialect)
      for (number, day) in Self.days.enumerated() {
        try ledger.must("append", "steps", "\(number)", "--date", day, zone: place.zone)
      }
      for (number, moment) in place.moments.enumerated() {
        try ledger.must(
          "append", "steps", "\(100 + number)", "--date", moment.date, "--time", moment.time,
          "--yes", zone: place.zone)
      }
      try await ledger.syncUntilQuiet(zone: place.zone)
      try ledger.expectAllHeard()

      var expected: [Double: String] = [:]
      for (number, day) in Self.days.enumerated() { expected[Double(number)] = day + "T00:00:00Z" }
      for (number, moment) in place.moments.enumerated() {
        expected[Double(100 + number)] = moment.instant
      }
      let rows = try await backend.rows()
      #expect(rows.count == expected.count)
      for row in rows { #expect(row.date == expected[row.quantity], "\(row)") }

      let other = try await TestLedger.another(at: backend, zone: place.other)
      let entries = try other.entries(zone: place.other)
      #expect(entries.count == expected.count)
      for entry in entries {
        let quantity = try #require(entry["quantity"]?.number)
        let day = try #require(entry["date"]?.string)
        if quantity < 100 {
          #expect(day == Self.days[Int(quantity)])
          #expect(entry["time"] == nil)
        } else {
          let text = try #require(entry["time"]?.string) + #require(entry["zone"]?.string)
          let there = try Date.ISO8601FormatStyle().parse("\(day)T\(text)")
          let instant = try Date.ISO8601FormatStyle().parse(#require(expected[quantity]))
          #expect(there == instant, "\(entry.serialized)")
        }
      }
    }
  }
}
