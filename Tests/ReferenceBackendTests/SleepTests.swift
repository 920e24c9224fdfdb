import LedgerJSON
import LedgerTestSupport
import ReferenceBackend
import Testing

@Suite(.blocks) struct SleepTests {
  private static let night: JSONObject = [
    "start_time": "2026-01-22T23:00:00Z", "end_time": "2026-01-23T07:00:00Z",
    "source_id": "night-1",
  ]

  private func night(_ more: JSONObject) -> JSONValue {
    var body = Self.night
    for member in more.members { body[member.name] = member.value }
    return .object(body)
  }

  private func stage(_ name: String, _ start: String, _ end: String) -> JSONValue {
    [
      "stage": .string(name), "start_time": .string("2026-01-23T\(start):00Z"),
      "end_time": .string("2026-01-23T\(end):00Z"),
    ]
  }

  @Test("A session is answered with its minutes by stage, in any order")
  func minutes() async throws {
    try await withAda { api in
      let stages: JSONValue = [
        stage("rem", "03:00", "04:00"), stage("deep", "01:00", "03:00"),
        stage("awake", "04:00", "04:30"), stage("in_bed", "04:30", "05:00"),
      ]
      let answer = try await api.call("POST", "/sleep", night(["stages": stages, "notes": "calm"]))
      #expect(answer.status == 201)
      #expect(answer.data["time_in_bed_minutes"] == 480)
      #expect(answer.data["total_sleep_minutes"] == 180)
      #expect(answer.data["sleep_efficiency_percentage"] == 37.5)
      #expect(answer.data["deep_minutes"] == 120 && answer.data["rem_minutes"] == 60)
      #expect(answer.data["awake_minutes"] == 30 && answer.data["core_minutes"] == 0)
      #expect(answer.data["notes"] == "calm" && answer.data["source_id"] == "night-1")
    }
  }

  @Test("A source_id that is known gives the existing session")
  func isIdempotent() async throws {
    try await withAda { api in
      let first = try await api.call("POST", "/sleep", night([:]))
      let again = try await api.call("POST", "/sleep", night(["notes": "other"]))
      #expect(first.status == 201 && again.status == 200)
      #expect(first.data == again.data)
      let other = try await api.call("POST", "/sleep", night(["source_id": "night-2"]))
      #expect(other.status == 201)
    }
  }

  @Test("A session with wrong times or stages is refused")
  func refuses() async throws {
    try await withAda { api in
      let bodies = [
        night(["end_time": "2026-01-22T23:00:00Z"]), night(["start_time": "yesterday"]),
        night(["stages": [stage("dream", "01:00", "02:00")]]),
        night(["stages": [stage("deep", "06:00", "07:30")]]),
        night(["stages": [stage("deep", "01:00", "03:00"), stage("rem", "02:00", "04:00")]]),
      ]
      for body in bodies {
        let refused = try await api.call("POST", "/sleep", body)
        #expect(refused.status == 400, "\(body.serialized)")
      }
      let deletion = try await api.call("DELETE", "/sleep")
      #expect(deletion.status == 405)
    }
  }

  @Test("A listing has the days asked for, newest first, without stages")
  func lists() async throws {
    try await withAda { api in
      for day in 1...3 {
        let body: JSONValue = [
          "start_time": .string("2025-01-0\(day)T22:00:00Z"),
          "end_time": .string("2025-01-0\(day)T23:00:00Z"), "source_id": .string("\(day)"),
        ]
        let made = try await api.call("POST", "/sleep", body)
        #expect(made.status == 201)
      }
      let all = try await api.call("GET", "/sleep?from=2025-01-01&to=2025-01-02")
      let sessions = (all.data["sessions"]?.array ?? []).compactMap(\.object)
      #expect(sessions.map { $0["source_id"] } == ["2", "1"])
      #expect(all.data["total"] == 2 && all.data["limit"] == 30)
      #expect(sessions.allSatisfy { $0["stages"] == nil })
      let recent = try await api.call("GET", "/sleep")
      #expect(recent.data["total"] == 0)
      let tooMany = try await api.call("GET", "/sleep?limit=101")
      #expect(tooMany.status == 400)
    }
  }
}
