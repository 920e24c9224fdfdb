import LedgerJSON
import LedgerModel

/// An event of each type with every member of the contract's table, in its order.
struct EventExample: Sendable, CustomStringConvertible {
  var type: String
  /// The required members.
  var required: [String]
  /// The members that may be `null`.
  var nullable: [String] = []
  var data: String

  var description: String { type }
  var object: JSONObject { get throws { try parsedObject(data) } }
}

func parsedObject(_ text: String) throws -> JSONObject {
  guard let object = try JSONValue(parsing: text, rules: .log).object else {
    throw EventError(type: "test", problem: "\(text) is not an object")
  }
  return object
}

private let entry = #""entry":"0198c1a0-7c1e-7def-8abc-0123456789ab""#
private let call = #""call":"0198c1a0-7c1e-7def-9abc-0123456789ab""#
private let period = #""start":"2026-07-19T23:10:00+02:00","end":"2026-07-20T07:02:30+02:00""#
private let stages =
  #""stages":[{"stage":"rem","start":"2026-07-20T01:00:00+02:00","#
  + #""end":"2026-07-20T01:30:00+02:00"}]"#
private let moment = #""date":"2026-07-20","time":"07:05:09","zone":"+02:00""#

let eventExamples: [EventExample] = [
  .init(
    type: "ledger.created", required: ["ledger", "device", "format"],
    data: #"{"ledger":"0198c1a0-7c1e-7def-aabc-0123456789ab","device":"phone","format":1}"#),
  .init(
    type: "profile.updated", required: [], nullable: ["bio", "language_code"],
    data: #"{"name":"Zoë","bio":"b","preferred_unit_system":"metric","language_code":"de-AT"}"#),
  .init(
    type: "physical.updated", required: [],
    data: #"{"biological_sex":"female","height_cm":170.5,"date_of_birth":"1990-02-28"}"#),
  .init(
    type: "preferences.updated", required: [],
    data: #"{"allergies":["nuts","ß"],"dietary_restrictions":[],"food_dislikes":["kale"]}"#),
  .init(
    type: "progress.logged", required: ["entry", "metric", "quantity", "date"],
    data: #"{\#(entry),"metric":"weight","quantity":72.4,\#(moment),"notes":"n","source":"csv","#
      + #""source_id":"row 7","claimed_backend_id":"42"}"#),
  .init(
    type: "progress.corrected", required: ["entry"], nullable: ["notes"],
    data: #"{\#(entry),"quantity":72.5,\#(moment),"notes":"n","backend_id":"42"}"#),
  .init(
    type: "progress.deleted", required: ["entry"], data: #"{\#(entry),"reason":"double"}"#),
  .init(
    type: "sleep.logged", required: ["entry", "start", "end"],
    data: #"{\#(entry),\#(period),\#(stages),"notes":"n","source":"watch","source_id":"s1"}"#),
  .init(
    type: "sleep.corrected", required: ["entry"], nullable: ["notes"],
    data: #"{\#(entry),\#(period),\#(stages),"notes":"n"}"#),
  .init(
    type: "sleep.deleted", required: ["entry"], data: #"{\#(entry),"reason":"double"}"#),
  .init(
    type: "sleep.pulled", required: ["entry", "backend_id", "start", "end"],
    data: #"{\#(entry),"backend_id":"42",\#(period),"time_in_bed_minutes":472.5,"#
      + #""total_sleep_minutes":430,"awake_minutes":42.5,"rem_minutes":90,"core_minutes":240,"#
      + #""deep_minutes":100,"source":"watch","source_id":"s1","notes":"n"}"#),
  .init(
    type: "sync.attempted",
    required: ["call", "method", "path", "events", "fingerprint", "attempt"],
    data: #"{\#(call),"method":"POST","path":"/api/v1/progress","events":[3,4],"#
      + #""fingerprint":"ab12","attempt":1}"#),
  .init(
    type: "sync.deferred", required: ["call", "events", "reason"],
    data: #"{\#(call),"events":[3],"reason":"rate-limited","status":429,"#
      + #""not_before":"2026-07-20T10:00:00.123Z"}"#),
  .init(
    type: "sync.acknowledged", required: ["events", "via"],
    data: #"{"events":[3,4],"via":"response",\#(call),"status":201,\#(entry),"backend_id":"42","#
      + #""remote":{"name":"Zoë","bio":null}}"#),
  .init(
    type: "sync.rejected", required: ["call", "events", "status", "message"],
    data: #"{\#(call),"events":[3],"status":422,"message":"no"}"#),
  .init(
    type: "sync.held", required: ["events", "reason"],
    data: #"{"events":[3],"reason":"physical-needs-height-or-sex"}"#),
  .init(
    type: "sync.differed", required: ["events", "via", "remote"],
    data: #"{"events":[3],"via":"response",\#(call),"status":201,\#(entry),"backend_id":"42","#
      + #""remote":{"quantity":75}}"#),
  .init(
    type: "row.skipped", required: ["field", "reason"], nullable: ["value"],
    data: #"{"backend_id":"42","field":"type","value":"mass","reason":"unknown type"}"#),
  .init(
    type: "profile.pulled", required: ["fields"],
    data: #"{"fields":{"name":"Zoë","bio":null},"updated_at":"2026-07-20T10:00:00Z"}"#),
  .init(
    type: "progress.pulled", required: ["entry", "backend_id", "metric", "quantity", "date"],
    data: #"{\#(entry),"backend_id":"42","metric":"steps","quantity":9000,\#(moment),"notes":"n"}"#),
  .init(
    type: "conflict.detected", required: ["subject", "field", "decision"],
    nullable: ["base", "local", "remote"],
    data: #"{"subject":"profile","field":"bio","base":"a","local":"b","remote":["c"],"#
      + #""decision":"open","backend_id":"42"}"#),
  .init(
    type: "conflict.resolved", required: ["conflict", "decision"], nullable: ["value"],
    data: #"{"conflict":9,"decision":"local","value":"b"}"#),
  .init(
    type: "duplicate.suspected", required: ["entry", "backend_ids"],
    data: #"{\#(entry),"backend_ids":["42","43"]}"#),
  .init(
    type: "duplicate.resolved", required: ["suspicion", "decision"],
    data: #"{"suspicion":9,"decision":"one"}"#),
  .init(
    type: "goal.set", required: ["metric", "quantity"],
    data: #"{"metric":"weight","quantity":72,"by":"2027-03-01","start":75.5,"since":"2026-11-20"}"#),
  .init(type: "goal.removed", required: ["metric"], data: #"{"metric":"steps"}"#),
  .init(type: "edit.undone", required: ["event"], data: #"{"event":3}"#),
  .init(
    type: "account.signed_in", required: ["account", "origin"],
    data: #"{"account":"zoe@example.org","origin":"https://api.example.org","user_id":"u1"}"#),
  .init(
    type: "account.signed_out", required: [],
    data: #"{"account":"zoe@example.org","origin":"https://api.example.org","reason":"asked"}"#),
  .init(
    type: "account.replaced", required: ["reason"],
    data: #"{"from":"u1","to":"u2","reason":"the profile is gone"}"#),
  .init(
    type: "event.erased", required: ["event", "reason"],
    data: #"{"event":3,"reason":"asked",\#(entry),"fields":["name"]}"#),
  .init(
    type: "log.repaired", required: ["bytes", "quarantined"],
    data: #"{"bytes":120,"quarantined":"tail-1"}"#),
]
