public import LedgerJSON
public import LedgerModel

/// How the backend wants to be told when something was measured (docs/api, `POST /api/v1/progress`).
public enum Dialect: String, CaseIterable, Sendable {
  /// `date` and maybe `time`, read as UTC.
  case dateTime = "date-time"
  /// One instant, `logged_at`.
  case loggedAt = "logged-at"

  /// The members that say when.
  ///
  /// A day without a time goes out as that same day in every zone. A time goes out as its instant in
  /// UTC; one that falls on exactly midnight UTC goes a second later, because a pulled `T00:00:00Z`
  /// means a day without a time (docs/sync.md, What is sent).
  public func moment(date: CalendarDate, time: ZonedTime?) -> [JSONObject.Member] {
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
