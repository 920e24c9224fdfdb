import LedgerJSON
import ReferenceBackend
import Testing

@Suite struct PhysicalTests {
  @Test func aPatchNeedsAProfileAndKeepsWhatItDoesNotName() async throws {
    try await withAda { api in
      let height: JSONValue = ["height_cm": 171.5]
      #expect(try await api.call("PATCH", "/users/me/physical", height).status == 404)
      _ = try await api.call("POST", "/users/me", metricProfile)
      let first = try await api.call("PATCH", "/users/me/physical", height)
      #expect(first.status == 200)
      #expect(first.data["height_cm"] == 171.5)
      let second = try await api.call(
        "PATCH", "/users/me/physical",
        ["biological_sex": "female", "date_of_birth": "1990-12-11"])
      #expect(second.status == 200)
      let expected: JSONObject = [
        "biological_sex": "female", "height_cm": 171.5, "date_of_birth": "1990-12-11",
      ]
      #expect(second.data == expected)
      let profile = try await api.call("GET", "/users/me").data
      #expect(profile["date_of_birth"] == "1990-12-11")
      #expect(!profile.names.contains("height_cm"))
    }
  }

  @Test(arguments: [
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

@Suite struct PreferencesTests {
  @Test func eachListIsReplacedWhole() async throws {
    try await withAda { api in
      let path = "/users/me/preferences"
      #expect(try await api.call("GET", path).status == 404)
      #expect(try await api.call("DELETE", path).status == 404)
      let first = try await api.call("PATCH", path, ["allergies": ["nuts", "milk"]])
      #expect(first.status == 200)
      let expected: JSONObject = [
        "allergies": ["nuts", "milk"], "dietary_restrictions": [], "food_dislikes": [],
      ]
      #expect(first.data == expected)
      let second = try await api.call(
        "PATCH", path, ["allergies": ["eggs"], "food_dislikes": ["okra"]])
      #expect(second.data["allergies"] == ["eggs"])
      #expect(second.data["food_dislikes"] == ["okra"])
      #expect(try await api.call("GET", path).data == second.data)
      #expect(try await api.call("DELETE", path).status == 204)
      #expect(try await api.call("GET", path).status == 404)
    }
  }

  @Test(arguments: [
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
