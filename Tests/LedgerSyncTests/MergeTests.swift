import LedgerJSON
import LedgerModel
import LedgerProjections
import LedgerStore
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// The backend's profile is merged field by field, against the last value both sides agreed on
/// (docs/sync.md, Pulling).
@Suite struct MergeTests {
  static let policies: [ConflictDecision] = [.local, .remote, .open]

  /// A name that both sides agreed on, and what each has made of it since.
  private func scene(
    local: String?, remote: String?, _ policy: ConflictDecision
  ) throws -> (journey: Journey, report: SyncReport) {
    let journey = try Journey.settledPerson()
    journey.configuration.conflicts = policy
    if let local { try journey.fixture.edit(.updateProfile(ProfileUpdated(name: local))) }
    if let remote { journey.backend.change { $0.profile?.name = remote } }
    return (journey, try journey.sync())
  }

  private func expectName(_ name: String, _ journey: Journey) throws {
    #expect(journey.backend.account?.profile?.name == name)
    #expect(try journey.fixture.ledger.state().fields(of: .profile)["name"]?.string == name)
  }

  /// Another run finds nothing to say or do.
  private func expectQuiet(_ journey: Journey) throws {
    let events = try journey.payloads().count
    let sent = journey.sent
    try journey.sync()
    #expect(try journey.payloads().count == events && journey.sent == sent)
  }

  @Test("Only the backend changed it: taken, and nothing is sent", arguments: policies)
  func onlyRemote(_ policy: ConflictDecision) throws {
    let (journey, report) = try scene(local: nil, remote: "Cleo", policy)
    #expect(report.pulled == 1 && report.conflicts == 0 && report.sent == 0)
    try expectName("Cleo", journey)
    try expectQuiet(journey)
  }

  @Test("Only this side changed it: sent", arguments: policies)
  func onlyLocal(_ policy: ConflictDecision) throws {
    let (journey, report) = try scene(local: "Bea", remote: nil, policy)
    #expect(report.pulled == 0 && report.conflicts == 0 && report.sent == 1)
    try expectName("Bea", journey)
    try expectQuiet(journey)
  }

  @Test(
    "A name or unit system that the backend no longer has is named in every run, and stays here",
    arguments: [
      (#"{"id":"p","name":null,"preferred_unit_system":"metric"}"#, "name cannot be read"),
      (#"{"id":"p","preferred_unit_system":"metric"}"#, "name cannot be read"),
      (#"{"id":"p","name":"Ada"}"#, "preferred_unit_system cannot be read"),
    ])
  func clearedName(_ profile: String, _ remark: String) throws {
    let journey = try Journey.settledPerson()
    for _ in 1...2 {
      journey.answerFirst("GET /api/v1/users/me", with: .answer(200, profile))
      let report = try journey.sync()
      #expect(report.remarks.contains { $0.contains(remark) } && report.needsUser)
    }
    try expectName("Ada", journey)
  }

  @Test("A run without concurrency sends one request at a time")
  func noConcurrency() throws {
    let journey = try Journey.settledPerson()
    journey.configuration.concurrency = 0
    try journey.fixture.edit(.updateProfile(ProfileUpdated(name: "Bea")))
    #expect(try journey.sync().acknowledged == 1)
  }

  @Test("A profile that is older than the answer to its PUT takes nothing back")
  func staleProfile() throws {
    let journey = try Journey.settledPerson()
    let stale = try journey.backend.answer(WireRequest(.get, "/api/v1/users/me"))
    try journey.fixture.edit(.updateProfile(ProfileUpdated(name: "Bea")))
    try journey.sync()
    try journey.fixture.edit(.updateProfile(ProfileUpdated(bio: .set("runs"))))
    journey.answerFirst("GET /api/v1/users/me", with: stale)
    let report = try journey.sync()
    #expect(report.pulled == 0 && report.acknowledged == 1 && report.conflicts == 0)
    try expectName("Bea", journey)
  }

  @Test("A name that another device gives back at once is taken by the second answer")
  func changedBackAtOnce() throws {
    let journey = try Journey.settledPerson()
    let before = try #require(journey.backend.account?.profile?.name)
    try journey.fixture.edit(.updateProfile(ProfileUpdated(name: "Bea")))
    try journey.sync()
    journey.backend.change { $0.profile?.name = before }
    #expect(try journey.sync().pulled == 1)
    try expectName(before, journey)
  }

  @Test("A profile value that no event can hold is skipped and reported, and others are pulled")
  func tooLongForAnEvent() throws {
    let (journey, report) = try scene(
      local: nil, remote: String(repeating: "\u{1}", count: 12_000), .local)
    #expect(report.pulled == 0 && report.stop == nil)
    #expect(report.remarks.contains { $0.contains("name cannot be read, is missing, or is") })
    try journey.fixture.edit(.updateProfile(ProfileUpdated(bio: .set("runs"))))
    #expect(try journey.sync().acknowledged == 1)
    #expect(journey.backend.account?.profile?.bio == "runs")
  }

  @Test("Both changed it to the same: agreed, and nothing is sent", arguments: policies)
  func bothSame(_ policy: ConflictDecision) throws {
    let (journey, report) = try scene(local: "Bea", remote: "Bea", policy)
    #expect(report.conflicts == 0 && report.sent == 0 && report.elided == 1)
    #expect(report.pending == 0)
    try expectName("Bea", journey)
    try expectQuiet(journey)
  }

  @Test("Both changed it, differently: a conflict once, and the policy", arguments: policies)
  func bothDifferent(_ policy: ConflictDecision) throws {
    let (journey, report) = try scene(local: "Bea", remote: "Cleo", policy)
    #expect(report.conflicts == 1 && report.needsUser == (policy == .open))
    #expect(
      try journey.conflicts() == [
        ConflictDetected(
          subject: "profile", field: "name", base: "Ada", local: "Bea", remote: "Cleo",
          decision: policy)
      ])
    switch policy {
    case .local: try expectName("Bea", journey)
    case .remote:
      try expectName("Cleo", journey)
      #expect(report.sent == 0 && report.elided == 1, "there is nothing left to send")
    case .open:
      #expect(journey.backend.account?.profile?.name == "Cleo")
      #expect(try journey.fixture.ledger.state().fields(of: .profile)["name"]?.string == "Bea")
    }
    try expectQuiet(journey)
  }

  @Test("An edit of two fields, one of which was overtaken, still sends the other")
  func halfOvertaken() throws {
    let journey = try Journey.settledPerson()
    journey.configuration.conflicts = .remote
    try journey.fixture.edit(.updateProfile(ProfileUpdated(name: "Bea", bio: .set("runs"))))
    journey.backend.change { $0.profile?.name = "Cleo" }
    let report = try journey.sync()
    #expect(report.sent == 1 && report.pending == 0)
    try expectName("Cleo", journey)
    #expect(journey.backend.account?.profile?.bio == "runs")
    try expectQuiet(journey)
  }

  @Test("A first meeting: what only one side has is given to the other", arguments: policies)
  func firstMeeting(_ policy: ConflictDecision) throws {
    let first = try Journey.settledPerson()
    try first.fixture.edit(
      .updateProfile(ProfileUpdated(bio: .set("runs"))),
      .updatePreferences(PreferencesUpdated(allergies: ["nuts"])))
    try first.sync()
    let second = try Journey(seed: 2)
    second.backend = first.backend
    second.configuration.conflicts = policy
    try second.fixture.edit(
      .updateProfile(ProfileUpdated(name: "Ada", languageCode: .set("en"))),
      .updatePreferences(PreferencesUpdated(foodDislikes: ["okra"])))
    let report = try second.sync()
    #expect(report.conflicts == 0 && report.pending == 0)
    let state = try second.fixture.ledger.state()
    #expect(
      state.fields(of: .profile) == [
        "name": "Ada", "bio": "runs", "preferred_unit_system": "metric", "language_code": "en",
      ])
    #expect(state.fields(of: .physical)["date_of_birth"] == "1990-07-20")
    let account = second.backend.account
    #expect(account?.profile?.languageCode == "en" && account?.profile?.bio == "runs")
    #expect(account?.preferences?.allergies == ["nuts"])
    #expect(account?.preferences?.foodDislikes == ["okra"])
    try expectQuiet(second)
  }

  @Test("A member that an answer to a change does not have clears nothing")
  func answerWithoutBio() throws {
    let journey = try Journey.settledPerson()
    try journey.fixture.edit(.updateProfile(ProfileUpdated(bio: .set("runs"))))
    try journey.sync()
    journey.backend.instead = { request in
      request.method == .put
        ? .answer(200, #"{"data":{"name":"Bea","preferred_unit_system":"metric"}}"#) : nil
    }
    journey.configuration.pulls = false
    try journey.fixture.edit(.updateProfile(ProfileUpdated(name: "Bea")))
    #expect(try journey.sync().pulled == 0)
    #expect(try journey.fixture.ledger.state().fields(of: .profile)["bio"] == "runs")
    try journey.fixture.edit(.updateProfile(ProfileUpdated(languageCode: .set("en"))))
    try journey.sync()
    #expect(try journey.bodies(Journey.put).last?["bio"] == "runs")
  }

  @Test("A run that only pushes sends no profile that another device has changed since")
  func changedProfileBeforePush() throws {
    let journey = try Journey.settledPerson()
    journey.backend.change { $0.profile?.name = "Bob" }
    try journey.fixture.edit(.updateProfile(ProfileUpdated(bio: .set("runs"))))
    journey.configuration.pulls = false
    #expect(try journey.sync().pull == .skipped)
    #expect(journey.backend.account?.profile?.name == "Bob")
    #expect(journey.backend.account?.profile?.bio == "runs")
  }

  @Test("A list of preferences that did not change here is not sent")
  func unchangedList() throws {
    let journey = try Journey.settledPerson()
    try journey.fixture.edit(.updatePreferences(PreferencesUpdated(allergies: ["nuts"])))
    try journey.sync()
    try journey.fixture.edit(.updatePreferences(PreferencesUpdated(foodDislikes: ["okra"])))
    journey.meanwhile = { request in
      guard request.method == .patch else { return }
      journey.meanwhile = nil
      journey.backend.change { $0.preferences?.allergies = ["nuts", "milk"] }
    }
    try journey.sync()
    #expect(try journey.bodies(Journey.preferences).last == ["food_dislikes": ["okra"]])
    #expect(journey.backend.account?.preferences?.allergies == ["nuts", "milk"])
    try journey.sync()
    let lists = try journey.fixture.ledger.state().fields(of: .preferences)
    #expect(lists == ["allergies": ["nuts", "milk"], "food_dislikes": ["okra"]])
  }

  @Test(
    "A success that says in its body that it failed is no answer",
    arguments: ["users/me", "users/me/preferences", "progress"])
  func successThatFailed(_ path: String) throws {
    let journey = try Journey.settledPerson()
    try journey.fixture.edit(.updatePreferences(PreferencesUpdated(allergies: ["nuts"])))
    _ = try journey.fixture.log(70, at: MultiJourney.morning)
    try journey.sync()
    let before = try journey.fixture.ledger.state()
    journey.backend.instead = { request in
      guard ScriptedBackend.kind(of: request) == "GET /api/v1/\(path)" else { return nil }
      return .answer(
        200,
        #"{"success":false,"message":"down","entries":[],"total":0,"name":"Eve","allergies":[]}"#)
    }
    let report = try journey.sync()
    #expect(report.pull == .failed)
    #expect(report.remarks.contains { $0.contains("and that it failed: down") })
    let after = try journey.fixture.ledger.state()
    #expect(after.fields(of: .profile) == before.fields(of: .profile))
    #expect(after.fields(of: .preferences) == before.fields(of: .preferences))
    #expect(after.rows.count == before.rows.count && !after.entry(at: 0).isDeleted)
  }

  @Test(
    "A profile value that cannot be read is named, and the backend does not have everything",
    arguments: ["preferred_unit_system", "language_code", "bio"])
  func unreadableField(_ name: String) throws {
    let journey = try Journey.settledPerson()
    try journey.sync()
    var profile: JSONObject = ["name": "Ada", "preferred_unit_system": "metric"]
    profile[name] = 5
    journey.backend.instead = { request in
      ScriptedBackend.kind(of: request) == "GET /api/v1/users/me"
        ? .answer(200, profile.serialized) : nil
    }
    let report = try journey.sync()
    #expect(report.needsUser && !report.hasEverything)
    #expect(report.remarks.contains { $0.contains("cannot be read") })
  }

  @Test(
    "A PUT or PATCH whose answer has no member of a profile is not acknowledged",
    arguments: ["{}", #"{"message":"ok"}"#, #"{"data":{}}"#])
  func answerWithoutFields(_ body: String) throws {
    let journey = try Journey.settledPerson()
    journey.backend.instead = {
      $0.method == .put || $0.method == .patch ? .answer(200, body) : nil
    }
    try journey.fixture.edit(
      .updateProfile(ProfileUpdated(bio: .set("runs"))),
      .updatePreferences(PreferencesUpdated(allergies: ["nuts"])))
    let report = try journey.sync()
    #expect(report.acknowledged == 0 && report.pending == 2)
    journey.backend.instead = nil
    journey.pass(seconds: 60)
    #expect(try journey.sync().acknowledged == 2)
  }

  @Test(
    "Preferences without any of their members leave the lists as they are",
    arguments: ["{}", #"{"message":"ok"}"#, #"{"error":{"message":"down"}}"#])
  func emptyPreferences(_ body: String) throws {
    let journey = try Journey.settledPerson()
    try journey.fixture.edit(.updatePreferences(PreferencesUpdated(allergies: ["nuts"])))
    try journey.sync()
    journey.backend.instead = { request in
      ScriptedBackend.kind(of: request) == "GET /api/v1/users/me/preferences"
        ? .answer(200, body) : nil
    }
    let report = try journey.sync()
    #expect(report.pull == .failed && report.pulled == 0)
    let lists = try journey.fixture.ledger.state().fields(of: .preferences)
    #expect(lists["allergies"] == .array(["nuts"]))
  }

  @Test("A bio that the backend cleared is cleared here")
  func bioCleared() throws {
    let journey = try Journey.settledPerson()
    try journey.fixture.edit(.updateProfile(ProfileUpdated(bio: .set("runs"))))
    try journey.sync()
    journey.backend.change { $0.profile?.bio = nil }
    #expect(try journey.sync().pulled == 1)
    #expect(try journey.fixture.ledger.state().fields(of: .profile)["bio"] == nil)
    try expectQuiet(journey)
  }

  @Test(
    "A birth date with a time behind it is a date", arguments: ["T00:00:00Z", "T23:00:00+02:00"])
  func birthDate(_ tail: String) throws {
    let journey = try Journey.settledPerson()
    journey.backend.instead = { request in
      guard ScriptedBackend.kind(of: request) == "GET /api/v1/users/me" else { return nil }
      return .answer(
        200,
        #"{"data":{"name":"Ada","preferred_unit_system":"metric","date_of_birth":"1985-03-04\#(tail)"}}"#
      )
    }
    try journey.sync()
    #expect(
      try journey.fixture.ledger.state().fields(of: .physical)["date_of_birth"] == "1985-03-04")
    try expectQuiet(journey)
  }

  @Test(
    "Preferences: the backend's lists are taken, and a conflict is decided", arguments: policies)
  func preferences(_ policy: ConflictDecision) throws {
    let journey = try Journey(seed: 1)
    journey.configuration.conflicts = policy
    try journey.fixture.edit(.updatePreferences(PreferencesUpdated(allergies: ["nuts"])))
    try journey.sync()
    journey.backend.change {
      $0.preferences?.dietaryRestrictions = ["vegan"]
      $0.preferences?.allergies = ["milk"]
    }
    try journey.fixture.edit(.updatePreferences(PreferencesUpdated(allergies: ["soy"])))
    try journey.sync()
    let lists = try journey.fixture.ledger.state().fields(of: .preferences)
    #expect(lists["dietary_restrictions"] == ["vegan"])
    #expect(lists["allergies"] == (policy == .remote ? ["milk"] : ["soy"]))
    #expect(try journey.conflicts().map(\.field) == ["allergies"])
    let there = journey.backend.account?.preferences?.allergies
    #expect(there == (policy == .local ? ["soy"] : ["milk"]))
    try expectQuiet(journey)
  }

  @Test(
    "Preferences that are gone at the backend are in conflict, whatever the policy",
    arguments: policies, ConflictSide.allCases)
  func lostPreferences(_ policy: ConflictDecision, _ side: ConflictSide) throws {
    let journey = try Journey(seed: 1)
    journey.configuration.conflicts = policy
    try journey.fixture.edit(.updatePreferences(PreferencesUpdated(allergies: ["nuts"])))
    try journey.sync()
    journey.backend.change { $0.preferences = nil }
    let report = try journey.sync()
    #expect(report.needsUser && !report.hasEverything)
    #expect(try journey.conflicts().map(\.field) == ["allergies"])
    try expectQuiet(journey)
    try journey.decide(["allergies": side])
    try journey.sync()
    let lists = try journey.fixture.ledger.state().fields(of: .preferences)
    #expect(lists["allergies"] == (side == .local ? ["nuts"] : []))
    #expect(journey.backend.account?.preferences?.allergies == (side == .local ? ["nuts"] : nil))
    try expectQuiet(journey)
  }

  @Test(
    "An answer that is no profile fails the run",
    arguments: [#"{"message":"welcome"}"#, #"{"data":{}}"#])
  func noProfile(_ body: String) throws {
    let journey = try Journey.settledPerson()
    journey.backend.instead = { request in
      request.method == .get && request.path == "/api/v1/users/me" ? .answer(200, body) : nil
    }
    let report = try journey.sync()
    #expect(report.pull == .failed && !report.hasEverything)
  }

  @Test("Two ledgers of one person converge, and each entry is there once")
  func twoDevices() throws {
    let (one, two) = (try Journey(seed: 1), try Journey(seed: 2))
    try one.fixture.edit(.updateProfile(Journey.me))
    let entries = try (0..<5).map { try one.fixture.log(70 + Double($0)) }
    _ = try two.fixture.log(90)
    try two.fixture.edit(.updatePhysical(PhysicalUpdated(heightCM: 168)))
    func turn(_ journey: Journey, after other: Journey) throws {
      journey.backend = other.backend
      journey.pass(seconds: 60)
      try journey.sync()
    }
    try one.sync()
    try turn(two, after: one)
    // Each changes what the other made.
    let pulled = two.fixture.entries(try two.fixture.ledger.state()).first { $0.quantity == 70 }
    try two.fixture.edit(.deleteProgress(ProgressDeleted(entry: #require(pulled).id)))
    try one.fixture.edit(
      .correctProgress(ProgressCorrected(entry: entries[1], quantity: 81)),
      .updateProfile(ProfileUpdated(name: "Bea")))
    for _ in 1...3 {
      try turn(one, after: two)
      try turn(two, after: one)
    }
    for journey in [one, two] {
      let live = journey.fixture.entries(try journey.fixture.ledger.state()).filter {
        !$0.isDeleted
      }
      #expect(live.map(\.quantity).sorted() == [72, 73, 74, 81, 90])
      #expect(live.allSatisfy { $0.status == .synced })
      try expectName("Bea", journey)
    }
    #expect(two.backend.rows.map(\.quantity).sorted() == [72, 73, 74, 81, 90])
    #expect(two.backend.account?.heightCM == 168)
    try two.expectAtRest("two")
  }
}
