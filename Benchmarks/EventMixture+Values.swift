import LedgerModel

/// The values in drawn events: always ones that the metric and the calendar accept.
extension EventMixture {
  mutating func quantity(_ metric: Metric) -> Double {
    let range = metric.range
    let part = Double(1 + generator.below(999)) / 1000
    return ((range.lowest + part * (range.highest - range.lowest)) * 10).rounded() / 10
  }

  /// Today by the drawn clock, or one of the days before it.
  mutating func date() -> CalendarDate {
    let today = now.utc?.date ?? .first
    return generator.oneIn(5) ? today.adding(days: -generator.below(7)) : today
  }

  mutating func moment() -> ZonedTime {
    ZonedTime(
      time: ClockTime(secondsSinceMidnight: generator.below(86_400)) ?? .midnight,
      zone: ZoneOffset(minutes: generator.oneIn(2) ? 60 : 120) ?? .utc)
  }

  mutating func editProfile() -> Event.Payload {
    switch generator.below(3) {
    case 0:
      .profileUpdated(
        ProfileUpdated(name: "Name \(generator.below(100))", bio: .set("Walks to work.")))
    case 1:
      .physicalUpdated(PhysicalUpdated(heightCM: Double(150 + generator.below(50))))
    default:
      .preferencesUpdated(
        PreferencesUpdated(allergies: ["peanuts", "soy"], foodDislikes: ["dill"]))
    }
  }
}
