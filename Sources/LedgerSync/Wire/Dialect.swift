package import LedgerJSON
package import LedgerModel

/// How the backend expects the moment of a measurement (docs/api, `POST /api/v1/progress`).
public enum Dialect: String, CaseIterable, Sendable {
  /// `date` and optionally `time`, in UTC.
  case dateTime = "date-time"
  /// An instant, `logged_at`.
  case loggedAt = "logged-at"

  /// The members for a moment.
  ///
  /// A day without a time is sent as that day in every zone. A time is sent as its instant in UTC;
  /// midnight UTC is sent one second later, because a pulled `T00:00:00Z` means a day without a time
  /// (docs/sync.md, What is sent).
  package func moment(date: CalendarDate, time: ZonedTime?) -> [JSONObject.Member] {
    guard let time else {
      switch self {
      case .dateTime: return [member("date", "\(date)")]
      case .loggedAt: return [member("logged_at", "\(date)T00:00:00Z")]
      }
    }
    var instant = time.instant(on: date)
    if instant.millisecondsSince1970 % 86_400_000 == 0 { instant.millisecondsSince1970 += 1000 }
    switch self {
    case .loggedAt: return [member("logged_at", instant.rfc3339Seconds)]
    case .dateTime:
      let text = instant.rfc3339Seconds
      return [
        member("date", String(text.prefix(10))),
        member("time", String(text.dropFirst(11).prefix(8))),
      ]
    }
  }

  private func member(_ name: String, _ value: String) -> JSONObject.Member {
    .init(name: name, value: .string(value))
  }
}

/// The moment of a row, in either dialect.
enum WireMoment {
  /// - Returns: midnight UTC for a bare date; `nil` if it is no moment.
  static func read(_ members: JSONObject) -> Timestamp? {
    guard let text = members["date"]?.string ?? members["logged_at"]?.string else { return nil }
    if let date = CalendarDate(text) {
      guard let time = members["time"]?.string else {
        return ZonedTime(time: .midnight, zone: .utc).instant(on: date)
      }
      return ClockTime(time).map { ZonedTime(time: $0, zone: .utc).instant(on: date) }
    }
    return Timestamp(answered: text)
  }
}

extension Timestamp {
  /// RFC 3339, section 5.6, allows lower-case letters, too.
  init?(answered text: String) { self.init(rfc3339: text.uppercased()) }
}
