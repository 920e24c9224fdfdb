package import LedgerModel

package struct TimeText {
  let zone: LocalZone

  package init(zone: LocalZone) { self.zone = zone }

  /// `2025-01-31 08:00`
  func minute(_ instant: Timestamp) -> String {
    zone.localTime(at: instant).map { "\($0.date) \($0.time.description.prefix(5))" }
      ?? instant.description
  }

  /// `2025-01-31 08:00:12`
  package func second(_ instant: Timestamp) -> String {
    zone.localTime(at: instant).map { "\($0.date) \($0.time)" } ?? instant.description
  }

  /// `2025-01-31 08:00:12 +01:00`
  func exact(_ instant: Timestamp) -> String {
    zone.localTime(at: instant).map { "\($0.date) \($0.time) \($0.zone)" }
      ?? instant.description
  }
}

extension ZonedTime {
  /// `08:00`
  var minuteText: String { String(time.description.prefix(5)) }

  /// `08:00`, with seconds unless they are 0.
  var shortText: String {
    let text = time.description
    return text.hasSuffix(":00") ? String(text.prefix(5)) : text
  }

  /// ` +01:00` if that is not the offset of `home` then, or if the time comes twice there on that
  /// day; else empty.
  func offsetIfNeeded(on date: CalendarDate, home: LocalZone) -> String {
    home.offset(at: instant(on: date)) == zone && !home.repeats(time, on: date) ? "" : " \(zone)"
  }
}
