public import LedgerJSON
public import LedgerModel

/// A progress row as the backend lists it (backend.md, `GET /api/v1/progress`).
public struct ListedRow: Hashable, Sendable {
  /// What the backend calls it.
  public var id: BackendID
  /// What it says.
  public var key: RowKey
  /// To the second; midnight stands for a day without a time.
  public var moment: Timestamp

  /// A row as the backend would list it.
  public init(
    id: BackendID, metric: Metric, moment: Timestamp, quantity: Double, notes: String = ""
  ) {
    self.id = id
    self.moment = moment
    key = RowKey(metric: metric, moment: moment, quantity: quantity, notes: notes)
  }

  /// - Returns: `nil` for a row that this ledger has no words for: an unknown type, a moment or a
  ///   quantity that cannot be read.
  public init?(json: JSONValue) {
    guard let members = json.object, let id = members["id"].flatMap({ BackendID(answered: $0) }),
      let metric = members["type"]?.string.flatMap({ Metric(name: $0) }),
      let quantity = members["quantity"]?.number, quantity.isFinite,
      let moment = Self.moment(members)
    else { return nil }
    self.init(
      id: id, metric: metric, moment: moment, quantity: quantity,
      notes: members["notes"]?.string ?? "")
  }

  /// One instant, in either dialect; a bare date is that day's midnight.
  private static func moment(_ members: JSONObject) -> Timestamp? {
    guard let text = members["date"]?.string ?? members["logged_at"]?.string else { return nil }
    if let date = CalendarDate(text) {
      if let time = members["time"]?.string.flatMap({ ClockTime($0) }) {
        return ZonedTime(time: time, zone: .utc).instant(on: date)
      }
      return ZonedTime(time: .midnight, zone: .utc).instant(on: date)
    }
    return Timestamp(rfc3339: text)
  }
}

/// What makes two rows the same to those who look for a lost one: metric, moment, quantity and
/// notes (backend.md, Settling doubt). Never the backend's id.
public struct RowKey: Hashable, Sendable {
  /// What was measured.
  public var metric: Metric
  /// Seconds since 1970 in UTC. One second past midnight counts as midnight: an entry timed at
  /// exactly 00:00:00Z goes out as 00:00:01Z.
  public var second: Int64
  /// In the metric's own unit.
  public var quantity: Double
  /// Empty for none.
  public var notes: String

  /// The key of a row that says this.
  public init(metric: Metric, moment: Timestamp, quantity: Double, notes: String) {
    self.metric = metric
    var second = moment.millisecondsSince1970 / 1000
    if moment.millisecondsSince1970 % 1000 < 0 { second -= 1 }
    if ((second % 86_400) + 86_400) % 86_400 == 1 { second -= 1 }
    self.second = second
    self.quantity = quantity
    self.notes = notes
  }

  /// The day in UTC, by which the backend lists.
  public var day: CalendarDate {
    Timestamp(millisecondsSince1970: second * 1000).utc?.date ?? .first
  }
}
