public import LedgerJSON
public import LedgerModel

/// A progress row as the backend lists it (docs/api, `GET /api/v1/progress`).
public struct ListedRow: Hashable, Sendable {
  /// The backend's id.
  public var id: BackendID
  /// Its values, in the form in which rows are compared.
  public var key: RowKey
  /// To the second; midnight is a day without a time.
  public var moment: Timestamp

  /// A row as the backend would list it.
  public init(
    id: BackendID, metric: Metric, moment: Timestamp, quantity: Double, notes: String = ""
  ) {
    self.id = id
    self.moment = moment
    key = RowKey(metric: metric, moment: moment, quantity: quantity, notes: notes)
  }

  /// - Returns: `nil` for a row that this ledger cannot read.
  public init?(json: JSONValue) {
    guard case .success(let row) = Self.read(json) else { return nil }
    self = row
  }

  /// Reads a row of a listing.
  static func read(_ json: JSONValue) -> Result<ListedRow, UnreadableRow> {
    let members = json.object ?? JSONObject()
    let id = members["id"].flatMap { BackendID(answered: $0) }
    func unreadable(_ field: String, _ reason: String) -> Result<ListedRow, UnreadableRow> {
      .failure(UnreadableRow(id: id, field: field, value: members[field], reason: reason))
    }
    guard json.object != nil else {
      return .failure(
        UnreadableRow(id: nil, field: "entries", value: json, reason: "not a JSON object"))
    }
    guard let id else { return unreadable("id", "missing or too long") }
    guard let metric = members["type"]?.string.flatMap({ Metric(name: $0) }) else {
      return unreadable("type", "unknown type")
    }
    guard let quantity = members["quantity"]?.number, quantity.isFinite else {
      return unreadable("quantity", "not a number")
    }
    guard let moment = WireMoment.read(members) else {
      return unreadable(members["date"] == nil ? "logged_at" : "date", "not a date")
    }
    let notes = members["notes"]?.string ?? ""
    guard JSONNumber.writable(quantity) != nil else {
      return unreadable("quantity", "out of range")
    }
    guard notes.utf8.count <= longestNotesBytes else { return unreadable("notes", "too long") }
    return .success(
      ListedRow(id: id, metric: metric, moment: moment, quantity: quantity, notes: notes))
  }

  /// What a line of the log can hold beside the rest of an event.
  private static let longestNotesBytes = 8_192

  /// Whether it has a time of day: midnight UTC is a day without one.
  var hasTime: Bool { moment.millisecondsSince1970 % 86_400_000 != 0 }

  /// The row as an event records it.
  var json: JSONObject {
    var object: JSONObject = [
      "id": .string(id.text), "type": .string(key.metric.name),
      "quantity": .number(JSONNumber.writable(key.quantity) ?? 0),
      "date": .string(moment.rfc3339Seconds),
    ]
    if !key.notes.isEmpty { object["notes"] = .string(key.notes) }
    return object
  }
}

/// A row of a listing that this ledger cannot read: an unknown type, a bad date.
public struct UnreadableRow: Error, Hashable, Sendable {
  /// The backend's id; `nil` where that cannot be read either.
  public var id: BackendID?
  /// The member that cannot be read.
  public var field: String
  /// Its value; `nil` where it is missing.
  public var value: JSONValue?
  /// In words.
  public var reason: String

  init(id: BackendID?, field: String, value: JSONValue?, reason: String) {
    self.id = id
    self.field = field
    self.reason = reason
    // Only as much as tells a person what it is.
    self.value = value.map { value in
      let text = value.serialized
      return text.utf8.count <= 200
        && JSONObject(members: [.init(name: "v", value: value)])
          .recordable?["v"] == value
        ? value : .string(String(text.unicodeScalars.prefix(200)))
    }
  }

  /// By what it is recognized in later listings: its id, else what cannot be read of it.
  var identity: String { id?.text ?? "\(field)=\(value?.serialized ?? "")" }
}

/// The moment of a row, in either dialect.
enum WireMoment {
  /// - Returns: a bare date is that day's midnight in UTC; `nil` for what is no moment.
  static func read(_ members: JSONObject) -> Timestamp? {
    guard let text = members["date"]?.string ?? members["logged_at"]?.string else { return nil }
    if let date = CalendarDate(text) {
      guard let time = members["time"]?.string else {
        return ZonedTime(time: .midnight, zone: .utc).instant(on: date)
      }
      return ClockTime(time).map { ZonedTime(time: $0, zone: .utc).instant(on: date) }
    }
    return Timestamp(rfc3339: text)
  }
}

/// The values by which rows are compared: metric, moment, quantity and notes, never the backend's id
/// (docs/sync.md, What an answer means).
public struct RowKey: Hashable, Sendable {
  /// What was measured.
  public var metric: Metric
  /// Seconds since 1970 in UTC. One second past midnight counts as midnight: an entry timed at
  /// exactly 00:00:00Z goes out as 00:00:01Z.
  public var second: Int64
  /// In the metric's own unit.
  public var quantity: Double
  /// Trimmed; empty for none.
  public var notes: String

  /// The key of a row with these values.
  public init(metric: Metric, moment: Timestamp, quantity: Double, notes: String) {
    self.metric = metric
    second = Self.second(of: moment)
    self.quantity = quantity
    self.notes = notes.trimmed
  }

  /// Fractions of seconds do not count.
  static func second(of moment: Timestamp) -> Int64 {
    var second = moment.millisecondsSince1970 / 1000
    if moment.millisecondsSince1970 % 1000 < 0 { second -= 1 }
    if ((second % 86_400) + 86_400) % 86_400 == 1 { second -= 1 }
    return second
  }

  /// The day in UTC, by which the backend lists.
  public var day: CalendarDate {
    Timestamp(millisecondsSince1970: second * 1000).utc?.date ?? .first
  }

  /// Rows that may be the same for a backend that rounds: at most the quantity differs, by less than
  /// two hundredths. Two such calls are never in flight together.
  var group: RowGroup {
    RowGroup(
      metric: metric, second: second, notes: notes,
      hundredths: Int64((quantity * 100).rounded().clamped))
  }

  /// Whether a row with the values `row` is the one that a call with these values made.
  func matches(_ row: RowKey) -> Bool {
    metric == row.metric && second == row.second && notes == row.notes
      && QuantityMatch(sent: quantity, got: row.quantity) != .different
  }
}

/// See ``RowKey/group``.
struct RowGroup: Hashable, Sendable {
  var metric: Metric
  var second: Int64
  var notes: String
  var hundredths: Int64

  /// The group and its neighbors: a quantity between two hundredths is rounded to either.
  var withNeighbors: [RowGroup] {
    (-1...1).map { step in
      var group = self
      group.hundredths += Int64(step)
      return group
    }
  }
}

extension Double {
  fileprivate var clamped: Double { Swift.min(Swift.max(self, -1e17), 1e17) }
}

extension String {
  /// Without white space at either end.
  var trimmed: String {
    guard first?.isWhitespace == true || last?.isWhitespace == true else { return self }
    let front = drop(while: \.isWhitespace)
    guard let end = front.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(front[...end])
  }
}
