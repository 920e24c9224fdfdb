public import LedgerJSON
public import LedgerModel

/// A progress row as the backend lists it (docs/api, `GET /api/v1/progress`).
public struct ListedRow: Hashable, Sendable {
  /// The backend's id.
  public var id: BackendID
  /// Its values in comparable form.
  package var key: RowKey
  /// To the second; midnight is a day without a time.
  public var moment: Timestamp

  /// A row with these values.
  public init(
    id: BackendID, metric: Metric, moment: Timestamp, quantity: Double, notes: String = ""
  ) {
    self.id = id
    self.moment = moment
    key = RowKey(metric: metric, moment: moment, quantity: quantity, notes: notes)
  }

  /// - Returns: `nil` for an unreadable row.
  package init?(json: JSONValue) {
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
    guard let id else { return unreadable("id", "missing, too long or too large") }
    guard let metric = members["type"]?.string.flatMap({ Metric(name: $0) }) else {
      return unreadable("type", "unknown type")
    }
    let value = members["quantity"]
    guard let quantity = value?.number ?? value?.string.flatMap({ Double($0) }), quantity.isFinite
    else {
      return unreadable("quantity", "not a number")
    }
    guard let moment = WireMoment.read(members) else {
      return unreadable(members["date"] == nil ? "logged_at" : "date", "not a date")
    }
    guard JSONNumber.writable(quantity) != nil else {
      return unreadable("quantity", "out of range")
    }
    guard quantity >= 0 else { return unreadable("quantity", "negative") }
    guard let notes = (members["notes"] ?? .null).isNull ? "" : members["notes"]?.string else {
      return unreadable("notes", "not a text")
    }
    guard notes.utf8.count <= longestNotesBytes else { return unreadable("notes", "too long") }
    return .success(
      ListedRow(id: id, metric: metric, moment: moment, quantity: quantity, notes: notes))
  }

  /// Leaves room in a line of the log for the rest of the event.
  private static let longestNotesBytes = 8_192

  /// Whether it has a time of day: midnight UTC means none.
  package var hasTime: Bool { moment.millisecondsSince1970 % 86_400_000 != 0 }

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

/// A listed row that cannot be read, such as one with an unknown type or a bad date.
public struct UnreadableRow: Error, Hashable, Sendable {
  /// The backend's id; `nil` if unreadable.
  public var id: BackendID?
  /// The unreadable member.
  public var field: String
  /// Its value; `nil` if missing.
  public var value: JSONValue?
  /// A description for people.
  public var reason: String

  init(id: BackendID?, field: String, value: JSONValue?, reason: String) {
    self.id = id
    self.field = field
    self.reason = reason
    self.value = value.map { value in
      let text = value.serialized
      let isShort =
        text.utf8.count <= 200
        && JSONObject(members: [.init(name: "v", value: value)]).recordable?["v"] == value
      if isShort { return value }
      // Only enough to recognize it: long ids may begin alike.
      let hash = String(RowIndex.hash(text), radix: 16)
      let start = String(text.unicodeScalars.prefix(180))
      return .string("\(start)… (\(hash))")
    }
  }

  package init?(json: JSONValue) {
    guard let object = json.object, let field = object["field"]?.string,
      let reason = object["reason"]?.string
    else { return nil }
    // The value is as ``init(id:field:value:reason:)`` made it.
    (id, value) = (object["id"].flatMap { BackendID(answered: $0) }, object["value"])
    (self.field, self.reason) = (field, reason)
  }

  package var json: JSONObject {
    JSONObject(["id": id, "field": field, "value": value, "reason": reason])
  }

  var identity: String { Self.identity(id, field, value) }

  /// Recognizes a row in later listings: its id, or else the unreadable member.
  static func identity(_ id: BackendID?, _ field: String, _ value: JSONValue?) -> String {
    id?.text ?? "\(field)=\(value?.serialized ?? "")"
  }
}

/// The values by which rows are compared, without the backend's id (docs/sync.md, What an answer
/// means).
package struct RowKey: Hashable, Sendable {
  /// What was measured.
  package var metric: Metric
  /// Seconds since 1970 in UTC. One second past midnight counts as midnight: an entry timed at
  /// 00:00:00Z is sent as 00:00:01Z.
  package var second: Int64
  /// In the metric's own unit.
  package var quantity: Double
  /// Trimmed; empty for none.
  package var notes: String

  /// The key of a row with these values.
  package init(metric: Metric, moment: Timestamp, quantity: Double, notes: String) {
    self.metric = metric
    second = Self.second(of: moment)
    self.quantity = quantity
    self.notes = notes.trimmed
  }

  /// Ignores fractions of seconds.
  static func second(of moment: Timestamp) -> Int64 {
    var second = moment.millisecondsSince1970 / 1000
    if moment.millisecondsSince1970 % 1000 < 0 { second -= 1 }
    if ((second % 86_400) + 86_400) % 86_400 == 1 { second -= 1 }
    return second
  }

  /// The day in UTC, by which the backend lists.
  package var day: CalendarDate {
    Timestamp(millisecondsSince1970: second * 1000).utc?.date ?? .first
  }

  /// Rows that a rounding backend may treat as equal: only the quantity differs, by less than two
  /// hundredths. Two such calls are never in flight together.
  var group: RowGroup {
    RowGroup(
      metric: metric, second: second, notes: notes,
      hundredths: Int64((quantity * 100).rounded().clamped))
  }

  /// Whether a call with these values may have created `row`.
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

  /// The group and its neighbors: a quantity between two hundredths may be rounded either way.
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
  /// Without leading and trailing white space.
  var trimmed: String {
    guard first?.isWhitespace == true || last?.isWhitespace == true else { return self }
    let front = drop(while: \.isWhitespace)
    guard let end = front.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(front[...end])
  }
}

/// A sleep session as the backend lists it (docs/api, `GET /api/v1/sleep`).
struct ListedSession: Hashable, Sendable {
  var id: BackendID
  var start: Timestamp
  var end: Timestamp
  var source: String?
  var sourceID: String?
  var notes: String?
  /// All members.
  var json: JSONObject

  init(json value: JSONValue) throws(UnreadableRow) {
    guard let object = value.object else {
      throw UnreadableRow(id: nil, field: "sessions", value: value, reason: "not a JSON object")
    }
    let answered = object["id"].flatMap { BackendID(answered: $0) }
    func unreadable(_ field: String, _ reason: String) -> UnreadableRow {
      UnreadableRow(id: answered, field: field, value: object[field], reason: reason)
    }
    func moment(_ field: String) throws(UnreadableRow) -> Timestamp {
      guard let moment = object[field]?.string.flatMap(Timestamp.init(answered:)),
        moment.utc != nil
      else { throw unreadable(field, "not a moment") }
      return moment.wholeSeconds
    }
    func text(_ field: String) throws(UnreadableRow) -> String? {
      let text = object[field]?.string.flatMap { $0.isEmpty ? nil : $0 }
      let json = text.map { JSONValue.string($0).serialized }
      guard json?.utf8.count ?? 0 <= Self.longestTextBytes else {
        throw unreadable(field, "too long")
      }
      return text
    }
    guard let answered else { throw unreadable("id", "missing, too long or too large") }
    id = answered
    (start, end) = (try moment("start_time"), try moment("end_time"))
    guard start < end else { throw unreadable("end_time", "not after the start") }
    source = try text("source")
    sourceID = try text("source_id")
    notes = try text("notes").flatMap { $0.trimmed.isEmpty ? nil : $0.trimmed }
    self.json = object
  }

  /// As JSON. Leaves room in a line of the log for the rest of the event.
  private static let longestTextBytes = 8_192

  /// The event that makes it a session here; `nil` for moments that a ledger cannot have.
  func pulled(as entry: EntryID, in zone: LocalZone) -> SleepPulled? {
    guard let start = ZonedTimestamp(start, in: zone), let end = ZonedTimestamp(end, in: zone)
    else { return nil }
    var pulled = SleepPulled(
      entry: entry, backendID: id, start: start, end: end, source: source, sourceID: sourceID,
      notes: notes)
    pulled.timeInBedMinutes = minutes("time_in_bed_minutes")
    pulled.totalSleepMinutes = minutes("total_sleep_minutes")
    pulled.awakeMinutes = minutes("awake_minutes")
    pulled.remMinutes = minutes("rem_minutes")
    pulled.coreMinutes = minutes("core_minutes")
    pulled.deepMinutes = minutes("deep_minutes")
    return pulled
  }

  private func minutes(_ name: String) -> Double? {
    guard let minutes = json[name]?.number, minutes >= 0, minutes < 100_000 else { return nil }
    return JSONNumber.writable(minutes)
  }
}
