import LedgerJSON
import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// The calls for edits of the profile, each rule with both its sides (docs/sync.md, What is sent).
@Suite struct ProfileRowsTests {
  static let born = CalendarDate(year: 1990, month: 7, day: 20)

  @Test(
    "Profile, then physical, then preferences, then progress",
    arguments: [UInt64](1...TestSize.of(2, full: 8)))
  func order(_ seed: UInt64) throws {
    let journey = try Journey(seed: seed)
    _ = try journey.fixture.log(70)
    try journey.fixture.edit(
      .updatePreferences(PreferencesUpdated(allergies: ["nuts"])),
      .updatePhysical(PhysicalUpdated(heightCM: 168)), .updateProfile(Journey.me))
    let report = try journey.sync()
    #expect(
      journey.calls == [Journey.create, Journey.physical, Journey.preferences, Journey.post])
    #expect(try journey.attempts().map(\.path) == journey.backend.requests.mutating.map(\.path))
    #expect(report.acknowledged == 4 && report.pending == 0)
    #expect(journey.backend.account?.heightCM == 168)
    #expect(journey.backend.account?.preferences?.allergies == ["nuts"])
  }

  @Test("Many edits of the profile are one PUT with all that is known, and one acknowledgement")
  func onePut() throws {
    let journey = try Journey.settledPerson()
    let edits = try journey.fixture.edit(
      .updateProfile(ProfileUpdated(name: "Bea")),
      .updateProfile(ProfileUpdated(bio: .set("runs"))),
      .updateProfile(ProfileUpdated(name: "Cleo", languageCode: .set("pt-BR"))))
    try journey.sync()
    #expect(journey.count(Journey.put) == 1)
    #expect(
      try journey.bodies(Journey.put) == [
        [
          "name": "Cleo", "preferred_unit_system": "metric", "bio": "runs",
          "language_code": "pt-BR",
        ]
      ])
    #expect(try journey.acknowledgements().last?.events == edits)
    #expect(journey.backend.account?.profile?.name == "Cleo")
    #expect(journey.backend.account?.profile?.bio == "runs")
  }

  @Test("A profile is made by POST only where a GET says that there is none")
  func create() throws {
    let journey = try Journey(seed: 2)
    try journey.fixture.edit(.updateProfile(Journey.me))
    try journey.sync()
    #expect(journey.backend.requests.first?.method == .get)
    #expect(journey.calls == [Journey.create])
    // Another ledger of the same person finds it there.
    let other = try Journey(seed: 3)
    other.backend = journey.backend
    try other.fixture.edit(
      .updateProfile(ProfileUpdated(name: "Bea", preferredUnitSystem: .imperial)))
    try other.sync()
    #expect(other.calls == [Journey.create, Journey.put])
    #expect(other.backend.account?.profile?.name == "Bea")
    #expect(other.backend.account?.profile?.preferredUnitSystem == "imperial")
  }

  @Test(
    "A profile without a name is held, once on record, and goes out with a name",
    arguments: [
      ProfileUpdated(preferredUnitSystem: .metric), ProfileUpdated(bio: .set("runs")),
    ])
  func incomplete(_ edit: ProfileUpdated) throws {
    let journey = try Journey(seed: 1)
    let seqs = try journey.fixture.edit(.updateProfile(edit))
    for _ in 1...2 {
      let report = try journey.sync()
      #expect(report.held == 1 && report.sent == 0)
    }
    #expect(journey.calls.isEmpty)
    #expect(try journey.holds().map(\.reason) == ["profile-needs-name"])
    #expect(try journey.state(of: seqs[0]) == .held)
    try journey.fixture.edit(.updateProfile(Journey.me))
    try journey.sync()
    #expect(try journey.state(of: seqs[0]) == .acknowledged)
    #expect(journey.backend.account?.profile?.name == "Ada")
  }

  @Test("A cleared bio goes as an empty text, reads back as absent, and the next run has no work")
  func clearedBio() throws {
    let journey = try Journey.settledPerson()
    try journey.fixture.edit(.updateProfile(ProfileUpdated(bio: .set("runs"))))
    try journey.sync()
    #expect(journey.backend.account?.profile?.bio == "runs")
    let cleared = try journey.fixture.edit(.updateProfile(ProfileUpdated(bio: .clear)))
    try journey.sync()
    #expect(try journey.bodies(Journey.put).last?["bio"] == "")
    #expect(journey.backend.account?.profile?.bio == nil)
    #expect(try journey.state(of: cleared[0]) == .acknowledged)
    let sent = journey.sent
    let events = try journey.payloads().count
    let report = try journey.sync()
    #expect(journey.sent == sent && report.pulled == 0 && report.conflicts == 0)
    #expect(try journey.payloads().count == events)
  }

  @Test("A cleared language is held; what else was edited goes")
  func clearedLanguage() throws {
    let journey = try Journey.settledPerson()
    try journey.fixture.edit(.updateProfile(ProfileUpdated(languageCode: .set("en"))))
    try journey.sync()
    let edits = try journey.fixture.edit(
      .updateProfile(ProfileUpdated(languageCode: .clear)),
      .updateProfile(ProfileUpdated(name: "Bea")))
    try journey.sync()
    #expect(try journey.state(of: edits[0]) == .held)
    #expect(try journey.state(of: edits[1]) == .acknowledged)
    #expect(try journey.holds().map(\.reason) == ["cannot-clear"])
    #expect(journey.backend.account?.profile?.name == "Bea")
    #expect(journey.backend.account?.profile?.languageCode == "en")
    let sent = journey.sent
    try journey.sync()
    #expect(journey.sent == sent, "a held edit is no reason for another PUT")
  }

  @Test("While a field's conflict is open the PUT waits; the body does not")
  func openConflict() throws {
    let journey = try Journey.settledPerson()
    journey.configuration.conflicts = .open
    try journey.fixture.edit(
      .updateProfile(ProfileUpdated(name: "Bea")), .updatePhysical(PhysicalUpdated(heightCM: 170)))
    journey.backend.change { $0.profile?.name = "Cleo" }
    for _ in 1...2 {
      let report = try journey.sync()
      #expect(report.conflicts == 1 && report.needsUser && report.stop == nil)
    }
    #expect(journey.count(Journey.put) == 0)
    #expect(journey.backend.account?.profile?.name == "Cleo")
    #expect(journey.backend.account?.heightCM == 170)
    #expect(try journey.conflicts().map(\.decision) == [.open], "it is recorded once")
  }

  @Test(
    "A resolved conflict stays resolved, and the side that was taken is the one both have",
    arguments: [ConflictDecision.local, .remote])
  func resolvedConflict(_ decision: ConflictDecision) throws {
    let journey = try Journey.settledPerson()
    journey.configuration.conflicts = .open
    try journey.fixture.edit(.updateProfile(ProfileUpdated(name: "Bea")))
    journey.backend.change { $0.profile?.name = "Cleo" }
    try journey.sync()
    let found = try #require(journey.fixture.ledger.state().conflicts().last { $0.isOpen }?.seq)
    let name = decision == .local ? "Bea" : "Cleo"
    try journey.fixture.ledger.record(
      [
        .conflictResolved(
          ConflictResolved(conflict: found, decision: decision, value: .string(name)))
      ], at: journey.now, using: &journey.generator)
    for _ in 1...2 {
      let report = try journey.sync()
      #expect(report.conflicts == 0 && report.pending == 0)
    }
    #expect(journey.backend.account?.profile?.name == name)
    #expect(try journey.fixture.ledger.state().fields(of: .profile)["name"]?.string == name)
    #expect(try journey.conflicts().count == 1)
    #expect(journey.count(Journey.put) == (decision == .local ? 1 : 0))
  }

  @Test(
    "Only a birth date known is held, and goes in one PATCH with what comes later",
    arguments: [PhysicalUpdated(heightCM: 168), PhysicalUpdated(biologicalSex: .female)])
  func birthDate(_ later: PhysicalUpdated) throws {
    let journey = try Journey.settledPerson()
    let born = CalendarDate(year: 1985, month: 3, day: 4)
    let edits = try journey.fixture.edit(.updatePhysical(PhysicalUpdated(dateOfBirth: born)))
    for _ in 1...2 { try journey.sync() }
    #expect(journey.count(Journey.physical) == 0)
    #expect(try journey.holds().map(\.reason) == ["physical-needs-height-or-sex"])
    #expect(journey.backend.account?.dateOfBirth == Self.born)
    let more = try journey.fixture.edit(.updatePhysical(later))
    try journey.sync()
    #expect(journey.count(Journey.physical) == 1)
    #expect(try journey.bodies(Journey.physical)[0]["date_of_birth"] == "1985-03-04")
    #expect(journey.backend.account?.dateOfBirth == born)
    #expect(try journey.state(of: edits[0]) == .acknowledged)
    #expect(try journey.state(of: more[0]) == .acknowledged)
  }

  @Test("A birth date that changes after the height was accepted goes with that height")
  func birthDateLater() throws {
    let journey = try Journey.settledPerson()
    try journey.fixture.edit(.updatePhysical(PhysicalUpdated(heightCM: 168)))
    try journey.sync()
    let born = CalendarDate(year: 1985, month: 3, day: 4)
    try journey.fixture.edit(.updatePhysical(PhysicalUpdated(dateOfBirth: born)))
    try journey.sync()
    #expect(
      try journey.bodies(Journey.physical).last
        == ["height_cm": 168, "date_of_birth": "1985-03-04"])
    #expect(journey.backend.account?.dateOfBirth == born)
  }

  @Test("A body without a profile is held, and goes once there is one")
  func physicalWithoutProfile() throws {
    let journey = try Journey(seed: 1)
    let edits = try journey.fixture.edit(.updatePhysical(PhysicalUpdated(heightCM: 168)))
    for _ in 1...2 { try journey.sync() }
    #expect(journey.calls.isEmpty)
    #expect(try journey.holds().map(\.reason) == ["physical-needs-profile"])
    try journey.fixture.edit(.updateProfile(Journey.me))
    try journey.sync()
    #expect(journey.calls == [Journey.create, Journey.physical])
    #expect(try journey.state(of: edits[0]) == .acknowledged)
    #expect(journey.backend.account?.heightCM == 168)
  }

  @Test("Many edits of the preferences are one PATCH with the lists as they are")
  func preferences() throws {
    let journey = try Journey(seed: 1)
    let edits = try journey.fixture.edit(
      .updatePreferences(PreferencesUpdated(allergies: ["nuts"])),
      .updatePreferences(PreferencesUpdated(allergies: ["milk"], foodDislikes: ["okra"])))
    try journey.sync()
    #expect(journey.calls == [Journey.preferences])
    #expect(
      try journey.bodies(Journey.preferences) == [
        ["allergies": ["milk"], "food_dislikes": ["okra"]]
      ]
    )
    #expect(try journey.acknowledgements().map(\.events) == [edits])
    #expect(journey.backend.account?.preferences?.allergies == ["milk"])
    #expect(journey.backend.account?.preferences?.foodDislikes == ["okra"])
  }

  @Test("An edit of the profile made while a PUT is under way goes with the next one")
  func whileUnderWay() throws {
    let journey = try Journey.settledPerson()
    let first = try journey.fixture.edit(.updateProfile(ProfileUpdated(name: "Bea")))
    var late: [Seq] = []
    journey.meanwhile = { request in
      guard request.method == .put, late.isEmpty else { return }
      late = try journey.fixture.edit(.updateProfile(ProfileUpdated(name: "Cleo")))
    }
    let report = try journey.sync()
    #expect(report.pending == 1)
    #expect(try journey.state(of: first[0]) == .acknowledged)
    #expect(try journey.state(of: late[0]) == .pending)
    #expect(journey.backend.account?.profile?.name == "Bea")
    try journey.sync()
    #expect(journey.backend.account?.profile?.name == "Cleo")
    #expect(try journey.state(of: late[0]) == .acknowledged)
    #expect(journey.count(Journey.put) == 2)
    journey.meanwhile = nil
  }
}

extension [WireRequest] {
  var mutating: [WireRequest] { filter(\.method.mutates) }
}
