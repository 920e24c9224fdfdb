import LedgerJSON
import LedgerTestSupport
import ReferenceBackend
import Testing

@Suite(.blocks) struct PhysicalTests {
  typealias Physical = BackendConfiguration.Physical

  private let path = "/users/me/physical"

  private func withProfile(
    _ physical: BackendConfiguration.Physical = .strict, _ body: (APIClient) async throws -> Void
  ) async throws {
    try await withAda(.with { $0.physical = physical }) { api in
      _ = try await api.call("POST", "/users/me", metricProfile)
      try await body(api)
    }
  }

  @Test("A PATCH without a profile is answered 404", arguments: Physical.allCases)
  func needsProfile(mode: Physical) async throws {
    try await withAda(.with { $0.physical = mode }) { api in
      let answer = try await api.call("PATCH", path, ["height_cm": 171.5])
      #expect(answer.status == 404)
    }
  }

  @Test(
    "The answer is the profile as GET shows it, without height and sex",
    arguments: [Physical.strict, .published])
  func answersProfile(mode: Physical) async throws {
    try await withProfile(mode) { api in
      let answer = try await api.call(
        "PATCH", path,
        ["biological_sex": "female", "height_cm": 171.5, "date_of_birth": "1990-12-11"])
      #expect(answer.status == 200)
      #expect(answer.data["date_of_birth"] == "1990-12-11")
      #expect(answer.data.names.isDisjoint(with: ["biological_sex", "height_cm"]))
      #expect(try await api.call("GET", "/users/me").data == answer.data)
    }
  }

  @Test("An older server answers the three fields and keeps those that a PATCH does not name")
  func answersThreeFields() async throws {
    try await withProfile(.threeFields) { api in
      let first = try await api.call("PATCH", path, ["height_cm": 171.5])
      #expect(first.data == ["height_cm": 171.5, "date_of_birth": "1990-12-10"])
      let second = try await api.call(
        "PATCH", path, ["biological_sex": "female", "date_of_birth": "1990-12-11"])
      let expected: JSONObject = [
        "biological_sex": "female", "height_cm": 171.5, "date_of_birth": "1990-12-11",
      ]
      #expect(second.data == expected)
    }
  }

  @Test(
    "A birth date alone is accepted only as published",
    arguments: [(Physical.strict, 400), (.published, 200), (.threeFields, 400)])
  func dateOfBirthAlone(mode: Physical, status: Int) async throws {
    try await withProfile(mode) { api in
      let answer = try await api.call("PATCH", path, ["date_of_birth": "1990-12-11"])
      #expect(answer.status == status)
    }
  }

  @Test("Sex alone and height alone are accepted in every mode", arguments: Physical.allCases)
  func sexOrHeightAlone(mode: Physical) async throws {
    try await withProfile(mode) { api in
      let sex = try await api.call("PATCH", path, ["biological_sex": "other"])
      let height = try await api.call("PATCH", path, ["height_cm": 170])
      #expect([sex.status, height.status] == [200, 200])
    }
  }

  @Test("A null and an empty body are refused in every mode", arguments: Physical.allCases)
  func nulls(mode: Physical) async throws {
    try await withProfile(mode) { api in
      for body in [#"{"height_cm":170,"biological_sex":null}"#, "{}"] {
        let answer = try await api.call("PATCH", path, text: body)
        #expect(answer.status == 400)
      }
    }
  }

  @Test(
    "A birth date may be an RFC 3339 time: the day as it is written counts",
    arguments: [
      "1990-12-11T00:00:00Z", "1990-12-11T00:00:00+14:00", "1990-12-11T23:59:59.999-12:00",
    ])
  func dateOfBirthAsMoment(text: String) async throws {
    try await withProfile { api in
      let answer = try await api.call(
        "PATCH", path, ["height_cm": 170, "date_of_birth": .string(text)])
      #expect(answer.status == 200)
      #expect(answer.data["date_of_birth"] == "1990-12-11")
    }
  }

  @Test("There is no GET: height and sex cannot be read back")
  func noReading() async throws {
    try await withProfile { api in
      let answer = try await api.call("GET", path)
      #expect(answer.status == 405)
    }
  }

  @Test(
    "An invalid physical body is refused",
    arguments: [
      #"{"height_cm":171,"date_of_birth":"1990-12-10T24:00:00Z"}"#,
      #"{"height_cm":171,"date_of_birth":"1990-12-10T10:00:00"}"#,
      #"{"height_cm":171,"date_of_birth":"1990-12-10 "}"#,
      #"{"date_of_birth":"1990-12-10"}"#, "{}", #"{"height_cm":null}"#,
      #"{"biological_sex":"female","date_of_birth":null}"#, #"{"biological_sex":"Female"}"#,
      #"{"height_cm":0}"#, #"{"height_cm":300}"#, #"{"height_cm":"171"}"#,
      #"{"height_cm":171,"date_of_birth":"1990-02-30"}"#,
      #"{"height_cm":171,"date_of_birth":"2999-01-01"}"#, #"{"height_cm":171,"weight":70}"#,
    ])
  func physicalBodiesAreReadStrictly(body: String) async throws {
    try await withAda { api in
      _ = try await api.call("POST", "/users/me", metricProfile)
      #expect(try await api.call("PATCH", "/users/me/physical", text: body).status == 400)
    }
  }
}

@Suite(.blocks) struct PreferencesTests {
  private let path = "/users/me/preferences"

  @Test("Each given list is replaced")
  func eachListIsReplacedWhole() async throws {
    try await withAda { api in
      #expect(try await api.call("GET", path).status == 404)
      #expect(try await api.call("DELETE", path).status == 404)
      let first = try await api.call("PATCH", path, ["allergies": ["nuts", "milk"]])
      #expect(first.status == 200)
      #expect(first.data["allergies"] == ["nuts", "milk"])
      #expect(first.data["dietary_restrictions"] == [])
      #expect(first.data["food_dislikes"] == [])
      let second = try await api.call(
        "PATCH", path, ["allergies": ["eggs"], "food_dislikes": ["okra"]])
      #expect(second.data["allergies"] == ["eggs"])
      #expect(second.data["food_dislikes"] == ["okra"])
      #expect(try await api.call("GET", path).data == second.data)
      #expect(try await api.call("DELETE", path).status == 204)
      #expect(try await api.call("GET", path).status == 404)
    }
  }

  @Test("An answer has an id, the profile's id and both timestamps")
  func answerShape() async throws {
    let clock = try TestClock("2026-03-01T10:00:00Z")
    try await withAda(.with { $0.now = { clock.now } }) { api in
      let profile = try await api.call("POST", "/users/me", metricProfile).data
      let made = try await api.call("PATCH", path, ["allergies": ["nuts"]]).data
      #expect(
        made.members.map(\.name) == [
          "id", "user_profile_id", "allergies", "dietary_restrictions", "food_dislikes",
          "created_at", "updated_at",
        ])
      #expect(made["user_profile_id"] == profile["id"])
      #expect(made["id"] != profile["id"])
      #expect(made["created_at"] == "2026-03-01T10:00:00Z")
      clock.advance(by: .seconds(5))
      let changed = try await api.call("PATCH", path, ["allergies": []]).data
      #expect(changed["id"] == made["id"])
      #expect(changed["created_at"] == made["created_at"])
      #expect(changed["updated_at"] == "2026-03-01T10:00:05Z")
      #expect(try await api.call("GET", path).data == changed)
    }
  }

  @Test("Preferences that were set before the profile name the profile that follows")
  func beforeTheProfile() async throws {
    try await withAda { api in
      let preferences = try await api.call("PATCH", path, ["allergies": ["nuts"]]).data
      let profile = try await api.call("POST", "/users/me", metricProfile).data
      #expect(preferences["user_profile_id"] == profile["id"])
    }
  }

  @Test("Preferences that were deleted and set again have another id")
  func setAgain() async throws {
    try await withAda { api in
      let first = try await api.call("PATCH", path, ["allergies": ["nuts"]]).data
      #expect(try await api.call("DELETE", path).status == 204)
      let second = try await api.call("PATCH", path, ["allergies": ["nuts"]]).data
      #expect(second["id"] != first["id"])
    }
  }

  @Test(
    "An invalid preferences body is refused",
    arguments: [
      "{}", #"{"allergies":null}"#, #"{"allergies":"nuts"}"#, #"{"allergies":[1]}"#,
      #"{"allergies":[null]}"#, #"{"likes":["tea"]}"#,
    ])
  func preferenceBodiesAreReadStrictly(body: String) async throws {
    try await withAda { api in
      let patched = try await api.call("PATCH", "/users/me/preferences", text: body)
      #expect(patched.status == 400)
      let read = try await api.call("GET", "/users/me/preferences")
      #expect(read.status == 404)
    }
  }
}
