import LedgerJSON
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerSync

@Suite struct PlanProfileTests {
  let fixture: LedgerFixture

  init() throws { fixture = try LedgerFixture() }

  static let me = ProfileUpdated(name: "Ada", preferredUnitSystem: .metric)

  @Test("Many edits of the profile are one call with the state they come to")
  func oneProfileCall() throws {
    let events = try fixture.edit(
      .updateProfile(Self.me), .updateProfile(ProfileUpdated(name: "Bea")),
      .updateProfile(ProfileUpdated(bio: .set("runs"))),
      .updateProfile(ProfileUpdated(languageCode: .set("pt-BR"))))
    for (remote, line) in [
      (ProfilePresence.present, "PUT /api/v1/users/me"), (.absent, "POST /api/v1/users/me"),
    ] {
      let call = try #require(fixture.plan(remote).calls.first)
      #expect(try fixture.plan(remote).calls.count == 1)
      #expect(call.line == line)
      #expect(call.events == events)
      #expect(
        try call.body() == [
          "name": "Bea", "preferred_unit_system": "metric", "bio": "runs",
          "language_code": "pt-BR",
        ])
    }
  }

  @Test("More edits of the profile than a line of the log can name go out, the newest first")
  func veryManyEdits() throws {
    let journey = try Journey(seed: 1)
    var random = SplitMix(1)
    try journey.fixture.edit(.updateProfile(Self.me))
    let edits = (0..<12_000).map {
      Edit(change: .updateProfile(ProfileUpdated(name: "Ada \($0)")))
    }
    _ = try journey.fixture.ledger.append(
      edits, at: LedgerFixture.now, today: LedgerFixture.today, using: &random)
    for _ in 0..<3 { try journey.sync() }
    #expect(try journey.fixture.ledger.state().syncCounts().pending == 0)
    #expect(journey.backend.requests.count { $0.method != .get } == 1)
  }

  @Test("A profile without a name is held")
  func namelessProfile() throws {
    try fixture.edit(.updateProfile(ProfileUpdated(preferredUnitSystem: .metric)))
    let plan = try fixture.plan(.present)
    #expect(plan.calls.isEmpty)
    #expect(plan.holds.map(\.reason) == [.profileNeedsName])
  }

  @Test("A unit system that was never set goes out as metric, and the plan says so")
  func defaultUnitSystem() throws {
    try fixture.edit(.updateProfile(ProfileUpdated(name: "Ada")))
    let call = try #require(fixture.plan(.absent).calls.first)
    #expect(try call.body() == ["name": "Ada", "preferred_unit_system": "metric"])
    #expect(call.why.contains("metric"))
  }

  @Test("A date of birth alone is held, and goes out with a height")
  func birthDateAlone() throws {
    try fixture.edit(
      .updateProfile(Self.me),
      .updatePhysical(PhysicalUpdated(dateOfBirth: CalendarDate(year: 1990, month: 7, day: 20))))
    #expect(try fixture.plan(.present).calls.map(\.line) == ["PUT /api/v1/users/me"])
    #expect(try fixture.plan(.present).holds.map(\.reason) == [.physicalNeedsHeightOrSex])
    try fixture.edit(.updatePhysical(PhysicalUpdated(heightCM: 168)))
    let call = try #require(fixture.plan(.present).calls.last)
    #expect(call.line == "PATCH /api/v1/users/me/physical")
    #expect(try call.body() == ["height_cm": 168, "date_of_birth": "1990-07-20"])
    #expect(call.events.count == 2)
    #expect(try fixture.plan(.present).holds.isEmpty)
  }

  @Test(
    "A body is held where the backend has no profile",
    arguments: [ProfilePresence.absent, .unknown])
  func physicalWithoutProfile(_ remote: ProfilePresence) throws {
    try fixture.edit(.updatePhysical(PhysicalUpdated(heightCM: 168)))
    #expect(try fixture.plan(remote).calls.isEmpty)
    #expect(try fixture.plan(remote).holds.map(\.reason) == [.physicalNeedsProfile])
    #expect(try fixture.plan(.present).calls.count == 1)
  }

  @Test("A cleared bio goes out as an empty text, and nothing is due after it")
  func clearedBio() throws {
    try fixture.edit(
      .updateProfile(Self.me), .updateProfile(ProfileUpdated(bio: .set("runs"))))
    try fixture.accept(.absent)
    #expect(try fixture.plan().calls.isEmpty)
    try fixture.edit(.updateProfile(ProfileUpdated(bio: .clear)))
    let plan = try fixture.plan()
    #expect(plan.calls.map(\.line) == ["PUT /api/v1/users/me"])
    #expect(
      try plan.calls[0].body()
        == ["name": "Ada", "preferred_unit_system": "metric", "bio": ""])
    try fixture.accept()
    #expect(try fixture.plan() == Plan())
  }

  @Test("A language that the backend has cannot be cleared: held")
  func clearedLanguage() throws {
    try fixture.edit(
      .updateProfile(Self.me), .updateProfile(ProfileUpdated(languageCode: .set("pt"))))
    try fixture.accept(.absent)
    try fixture.edit(.updateProfile(ProfileUpdated(languageCode: .clear)))
    #expect(try fixture.plan().calls.isEmpty)
    #expect(try fixture.plan().holds.map(\.reason) == [.cannotClear])
  }

  @Test("No body has a null, whatever was cleared, and the order is as told")
  func noNulls() throws {
    try fixture.edit(
      .updatePreferences(PreferencesUpdated(allergies: [])),
      .updatePhysical(PhysicalUpdated(biologicalSex: .female)),
      .updateProfile(Self.me),
      .updateProfile(ProfileUpdated(bio: .set("x"), languageCode: .set("pt"))),
      .updateProfile(ProfileUpdated(bio: .clear, languageCode: .clear)))
    let entry = try fixture.log(notes: "x")
    try fixture.edit(.correctProgress(ProgressCorrected(entry: entry, notes: .clear)))
    for remote in [ProfilePresence.absent, .present, .unknown] {
      let calls = try fixture.plan(remote).calls
      #expect(
        calls.map(\.request.path) == [
          "/api/v1/users/me", "/api/v1/users/me/physical", "/api/v1/users/me/preferences",
          "/api/v1/progress",
        ])
      for call in calls {
        for member in try call.body().members { #expect(member.value != .null, "\(member.name)") }
      }
    }
  }

  @Test("After everything is acknowledged nothing is planned")
  func nothingAfterAcks() throws {
    try fixture.edit(
      .updateProfile(Self.me), .updatePhysical(PhysicalUpdated(heightCM: 168)),
      .updatePreferences(PreferencesUpdated(foodDislikes: ["liver"])))
    _ = try fixture.log()
    _ = try fixture.log(76, notes: "late")
    #expect(try fixture.plan(.absent).calls.count == 5)
    try fixture.accept(.absent)
    for dialect in Dialect.allCases { #expect(try fixture.plan(.unknown, dialect) == Plan()) }
  }
}
