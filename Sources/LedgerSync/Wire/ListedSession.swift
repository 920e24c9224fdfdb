import LedgerJSON
import LedgerModel

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
      guard text?.utf8.count ?? 0 <= Self.longestTextBytes else {
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

  /// Leaves room in a line of the log for the rest of the event.
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
