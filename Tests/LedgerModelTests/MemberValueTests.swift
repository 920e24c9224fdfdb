import LedgerJSON
import LedgerModel
import Testing

/// Invalid values and the description of the expected ones.
@Suite struct MemberValueTests {
  private static let uuid = "a UUID in lower case"
  static let wrong: [(type: String, member: String, value: String, expectation: String)] = [
    ("progress.logged", "entry", #""0198C1A0-7C1E-7DEF-8ABC-0123456789AB""#, uuid),
    ("progress.logged", "entry", #""""#, uuid),
    ("progress.logged", "quantity", #""72.4""#, "a number"),
    ("progress.logged", "quantity", "true", "a number"),
    ("progress.logged", "date", #""2026-02-30""#, "a calendar date, YYYY-MM-DD"),
    ("progress.logged", "date", #""2026-07-20T07:05:09Z""#, "a calendar date, YYYY-MM-DD"),
    ("progress.logged", "time", #""24:00:00""#, "a time, HH:MM:SS"),
    ("progress.logged", "time", #""07:05""#, "a time, HH:MM:SS"),
    ("progress.logged", "zone", #""Z""#, "an offset from UTC, such as +02:00"),
    ("progress.logged", "zone", "120", "an offset from UTC, such as +02:00"),
    ("profile.updated", "preferred_unit_system", #""Metric""#, #"one of "metric", "imperial""#),
    ("physical.updated", "biological_sex", #""f""#, #"one of "male", "female", "other""#),
    ("physical.updated", "height_cm", "[170]", "a number"),
    ("preferences.updated", "allergies", #"["nuts",1]"#, "a list whose every item is a string"),
    ("preferences.updated", "allergies", #"[null]"#, "a list whose every item is a string"),
    (
      "sync.attempted", "events", "[0]",
      "a list whose every item is a seq, a whole number from 1"
    ),
    (
      "sync.attempted", "events", "[1.5]",
      "a list whose every item is a seq, a whole number from 1"
    ),
    ("sync.attempted", "attempt", "1.5", "a whole number"),
    ("sync.deferred", "not_before", #""soon""#, "an instant, YYYY-MM-DDTHH:MM:SS.mmmZ"),
    (
      "sync.deferred", "reason", #""rate_limited""#,
      #"one of "offline", "rate-limited", "unauthorized", "server-error""#
    ),
    ("sync.acknowledged", "backend_id", "42", "the backend's id, a string that is not empty"),
    ("sync.acknowledged", "backend_id", #""""#, "the backend's id, a string that is not empty"),
    ("sync.acknowledged", "remote", "[]", "an object"),
    ("edit.undone", "event", "-3", "a seq, a whole number from 1"),
    ("event.erased", "event", "1e15", ""),
  ]

  @Test("An error describes the expected value", arguments: wrong.indices)
  func saysWhatWasExpected(index: Int) throws {
    let (type, member, value, expectation) = Self.wrong[index]
    let example = try #require(eventExamples.first { $0.type == type })
    var data = try example.object
    data[member] = try JSONValue(parsing: value, rules: .log)
    let message = refusalText(type: type, data: data)
    let expected = "\(type): '\(member)' is \(value); it must be \(expectation)"
    #expect(message == (expectation.isEmpty ? nil : expected))
  }

  @Test("An unknown metric is answered with all names")
  func namesTheMetrics() throws {
    var data = try #require(eventExamples.first { $0.type == "progress.logged" }).object
    data["metric"] = "Weight"
    let message = refusalText(type: "progress.logged", data: data)
    let start = "progress.logged: 'metric' is \"Weight\"; it must be one of weight, "
    #expect(message?.hasPrefix(start) == true)
    for metric in Metric.allCases { #expect(message?.contains(metric.name) == true) }
  }

  @Test("A long value is shortened in an error")
  func shortensALongValue() throws {
    let data: JSONObject = ["event": .string(String(repeating: "é", count: 5_000))]
    let message = try #require(refusalText(type: "edit.undone", data: data))
    #expect(message.count < 130)
    #expect(message.contains("é…; it must be "))
  }

  @Test("A change is absent, null or a value")
  func changesDistinguishAbsentNullAndSet() throws {
    #expect(try ProfileUpdated(data: [:]).bio == nil)
    #expect(try ProfileUpdated(data: ["bio": nil]).bio == .clear)
    #expect(try ProfileUpdated(data: ["bio": ""]).bio == .set(""))
    let conflict = try ConflictDetected(
      data: parsedObject(#"{"subject":"s","field":"f","local":null,"decision":"open"}"#))
    #expect(conflict.local == .some(.null) && conflict.remote == nil)
  }
}
