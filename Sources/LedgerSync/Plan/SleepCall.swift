import LedgerJSON
import LedgerLog
import LedgerModel
import LedgerProjections

/// A sleep session as a POST sends it, and as answers repeat it.
package struct SleepValues: Hashable, Sendable {
  var start: Timestamp
  var end: Timestamp
  var stages: [SleepStage]
  var notes: String
  var source: String?
  /// The backend's idempotency key: a session that it has already is not made again.
  var sourceID: String

  /// - Parameter logged: the session as it was logged; its key stays the same after a correction.
  init(_ session: SleepView, _ texts: SleepTexts, logged: SleepView) {
    (start, end) = (session.start.timestamp, session.end.timestamp)
    stages = texts.stages
    notes = (texts.notes ?? "").trimmed
    source = texts.source
    sourceID = texts.sourceID ?? Self.key(of: logged, from: texts.source)
  }

  /// The entry id; of an import without ids the same text on every device that imports the file.
  private static func key(of logged: SleepView, from source: String?) -> String {
    guard let source else { return logged.id.description }
    let period = "\(logged.start.secondsSince1970)-\(logged.end.secondsSince1970)"
    return String(Digest.hex(of: Array("\(source)\n\(period)".utf8)).prefix(32))
  }

  /// The members of an answer by which it is compared, as an event records them.
  static func recordable(_ answer: JSONObject) -> JSONObject {
    let names = ["id", "start_time", "end_time", "source_id", "notes"]
    let members = answer.members.filter { names.contains($0.name) && !$0.value.isNull }
    return JSONObject(members: members).recordable ?? JSONObject()
  }

  var body: JSONObject {
    var body: JSONObject = [
      "start_time": .string(start.rfc3339Seconds), "end_time": .string(end.rfc3339Seconds),
    ]
    if !stages.isEmpty {
      body["stages"] = .array(
        stages.map { stage in
          [
            "stage": .string(stage.stage.rawValue),
            "start_time": .string(stage.start.timestamp.rfc3339Seconds),
            "end_time": .string(stage.end.timestamp.rfc3339Seconds),
          ]
        })
    }
    if let source { body["source"] = .string(source) }
    body["source_id"] = .string(sourceID)
    if !notes.isEmpty { body["notes"] = .string(notes) }
    return body
  }

  /// The fields that have another value in an answer; members that it lacks are not compared.
  func differences(from answer: JSONObject) -> [ValueDifference] {
    var found = ValueComparison()
    for (field, name, moment) in [("start", "start_time", start), ("end", "end_time", end)] {
      guard let value = answer[name], !value.isNull else { continue }
      let answered = value.string.flatMap(Timestamp.init(answered:))?.millisecondsSince1970
      guard answered.map({ $0 / 1000 }) != moment.millisecondsSince1970 / 1000 else { continue }
      found.add(field, .string(moment.rfc3339Seconds), value)
    }
    if let value = answer["source_id"], !value.isNull, value.string != sourceID {
      found.add("source_id", .string(sourceID), value)
    }
    if let value = answer["notes"], (value.string ?? "").trimmed != notes {
      found.add("notes", notes.isEmpty ? .null : .string(notes), value)
    }
    return found.differences
  }
}

extension LedgerState {
  /// - Parameter session: of this index, with all its edits or some of them.
  func sleepValues(
    _ session: SleepView, at index: Int, _ texts: some LedgerTexts
  ) throws(LogError) -> SleepValues {
    let found = try SleepTexts(of: session) { seq throws(LogError) in
      try texts.event(seq).event.payload
    }
    return SleepValues(session, found, logged: self.session(at: index, upTo: session.seq))
  }
}

/// What a sleep POST may find at the backend: the session that it sends, or an earlier version whose
/// answer was lost.
package struct SleepCall: Hashable, Sendable {
  package struct Version: Hashable, Sendable {
    var values: SleepValues
    /// The edits that it contains, oldest first.
    var events: [Seq]
  }

  var sent: SleepValues
  /// Sent before, newest first.
  var earlier: [Version]

  /// The edits that an answer shows to be at the backend; `nil` if it has other values.
  func events(in answer: JSONObject, of call: PlannedCall) -> [Seq]? {
    if sent.differences(from: answer).isEmpty { return call.events }
    return earlier.first { $0.values.differences(from: answer).isEmpty }?.events
  }
}
