import LedgerJSON
import LedgerModel

extension World {
  /// `POST /sleep`. A `source_id` that the user has already gives the existing session.
  mutating func createSleep(_ body: [UInt8], of account: Account) throws(APIError) -> Reply {
    let members = try BodyMembers(
      body, allowed: ["start_time", "end_time", "stages", "source", "source_id", "notes"])
    let period = try members.period()
    let stages = try members.stages(inside: period)
    let notes = try members.text("notes", lengths: 0...500)
    let source = try members.text("source")
    let sourceID = try members.text("source_id")
    let known = sleep[account.userID]?.first { $0.sourceID == sourceID && sourceID != nil }
    if let known { return .ok(known.json) }
    let session = altered(
      SleepSession(
        id: ids.uuid(), userID: account.userID, start: period.start, end: period.end,
        durations: stages, source: source, sourceID: sourceID, notes: notes, createdAt: now))
    sleep[account.userID, default: []].append(session)
    return .created(session.json)
  }

  /// `GET /sleep`, newest first, without stages.
  func listSleep(
    _ items: [RequestTarget.QueryItem], of account: Account
  ) throws(APIError) -> Reply {
    let query = try HistoryQuery(items, today: today, limit: 30, hasType: false)
    let found = (sleep[account.userID] ?? []).filter { query.selects($0.start) }
      .sorted { $0.start > $1.start }
    let page = found.dropFirst(query.offset).prefix(query.limit)
    return .ok([
      "sessions": .array(page.map { altered($0).json }), "averages": SleepSession.averages(found),
      "total": .number(Double(found.count)), "limit": .number(Double(query.limit)),
      "offset": .number(Double(query.offset)),
    ])
  }
}

/// An accepted sleep POST.
struct SleepSession: Sendable {
  let id: String
  let userID: UserID
  /// To the second.
  var start: Timestamp
  let end: Timestamp
  /// Without stages the whole session is sleep.
  let durations: SleepDurations
  let source: String?
  let sourceID: String?
  var notes: String?
  let createdAt: Timestamp

  var json: JSONValue {
    func minutes(_ seconds: Int) -> Double { Double(seconds) / 60 }
    let efficiency = 100 * Double(durations.totalSleep) / Double(durations.timeInBed)
    return .object(
      JSONObject([
        "id": id, "user_id": userID.text, "start_time": start.rfc3339Seconds,
        "end_time": end.rfc3339Seconds, "time_in_bed_minutes": minutes(durations.timeInBed),
        "total_sleep_minutes": minutes(durations.totalSleep),
        "sleep_efficiency_percentage": JSONValue.number((efficiency * 100).rounded() / 100),
        "awake_minutes": minutes(durations.awake), "rem_minutes": minutes(durations.rem),
        "core_minutes": minutes(durations.core), "deep_minutes": minutes(durations.deep),
        "source": source, "source_id": sourceID, "notes": notes,
        "created_at": createdAt.rfc3339Seconds, "updated_at": createdAt.rfc3339Seconds,
      ]))
  }

  static func averages(_ sessions: [SleepSession]) -> JSONValue {
    func mean(_ seconds: (SleepDurations) -> Int) -> JSONValue {
      let sum = sessions.reduce(0) { $0 + seconds($1.durations) }
      return .number(sessions.isEmpty ? 0 : Double(sum) / 60 / Double(sessions.count))
    }
    return [
      "time_in_bed_minutes": mean(\.timeInBed), "total_sleep_minutes": mean(\.totalSleep),
    ]
  }
}

extension BodyMembers {
  fileprivate func period() throws(APIError) -> (start: Timestamp, end: Timestamp) {
    let start = try Self.moment(requiredText("start_time"), "start_time")
    let end = try Self.moment(requiredText("end_time"), "end_time")
    guard start < end else { throw .invalid("end_time must be after start_time") }
    return (start, end)
  }

  /// The sums of the stages, which may come in any order.
  fileprivate func stages(
    inside period: (start: Timestamp, end: Timestamp)
  ) throws(APIError) -> SleepDurations {
    let length =
      Int(period.end.millisecondsSince1970 - period.start.millisecondsSince1970) / 1000
    guard let values = try objects("stages"), !values.isEmpty else {
      return SleepDurations(timeInBed: length, totalSleep: length)
    }
    var durations = SleepDurations(timeInBed: length, totalSleep: 0)
    var parts: [(start: Timestamp, end: Timestamp)] = []
    for value in values {
      guard let name = value["stage"]?.string, let stage = SleepStageKind(rawValue: name) else {
        throw .invalid("stage must be one of awake, asleep, core, deep, rem, in_bed")
      }
      let start = try Self.moment(value["start_time"]?.string ?? "", "start_time of a stage")
      let end = try Self.moment(value["end_time"]?.string ?? "", "end_time of a stage")
      guard period.start <= start, start < end, end <= period.end else {
        throw .invalid("stages must lie within the session")
      }
      parts.append((start, end))
      durations.add(stage, Int(end.millisecondsSince1970 - start.millisecondsSince1970) / 1000)
    }
    parts.sort { $0.start < $1.start }
    for (part, next) in zip(parts, parts.dropFirst()) where next.start < part.end {
      throw .invalid("stages must not overlap")
    }
    return durations
  }

  private static func moment(_ text: String, _ name: String) throws(APIError) -> Timestamp {
    guard let moment = Timestamp(rfc3339: text), moment.utc != nil else {
      throw .invalid("\(name) must be a time in the form of RFC 3339")
    }
    return moment.wholeSeconds
  }
}
