import LedgerKit
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

/// What a ledger keeps of what a registration asked for.
@Suite struct RegistrationTests {
  private static let born = CalendarDate(year: 1990, month: 7, day: 20)!

  private let sandbox: LedgerSandbox
  private let ledger: Ledger

  init() throws {
    sandbox = try LedgerSandbox()
    ledger = try sandbox.openLedger()
  }

  private func register(name: String = "Ada", born: CalendarDate = born) async throws {
    try await ledger.register(
      at: BackendAddress(LedgerSandbox.url), apiKey: Secret(LedgerSandbox.apiKey),
      email: LedgerSandbox.email, password: LedgerSandbox.password, name: name, dateOfBirth: born)
  }

  private func types() async throws -> [String] {
    var types: [String] = []
    try LogView.open(ledger.directory).forEachEvent { event, _ in
      types.append(event.event.payload.type)
      return true
    }
    return types
  }

  @Test("The name waits for the next sync, the birth date is acknowledged")
  func asked() async throws {
    try await register()
    let person = try await ledger.profile()
    #expect(person.name == "Ada")
    #expect(person.status(of: .name) == .pending)
    #expect(person.dateOfBirth == Self.born)
    #expect(person.status(of: .dateOfBirth) == .synced)
    #expect(try await ledger.syncCounts().pending == 1)
    #expect(
      try await types() == [
        "ledger.created", "account.signed_in", "profile.updated", "physical.updated",
        "sync.acknowledged",
      ])
    let line = try LogView.open(ledger.directory).line(Seq(5)).event().event
    guard case .syncAcknowledged(let acknowledged) = line.payload else {
      Issue.record("\(line)")
      return
    }
    #expect(line.by == .sync)
    #expect(acknowledged.events == [Seq(4)])
    #expect(acknowledged.via == .response && acknowledged.status == 201)
    #expect(acknowledged.call != nil)
    #expect(acknowledged.remote == ["date_of_birth": "1990-07-20"])
  }

  @Test("What the ledger has already is not recorded again; its birth date is acknowledged")
  func known() async throws {
    try await ledger.append(.updateProfile(ProfileUpdated(name: "Ada")))
    try await ledger.append(.updatePhysical(PhysicalUpdated(dateOfBirth: Self.born)))
    try await register()
    #expect(
      try await types() == [
        "ledger.created", "profile.updated", "physical.updated", "account.signed_in",
        "sync.acknowledged",
      ])
    #expect(try await ledger.profile().status(of: .dateOfBirth) == .synced)
    #expect(try await ledger.profile().status(of: .name) == .pending)
  }

  @Test("An edit that sets the height as well is not acknowledged; another name is an edit")
  func others() async throws {
    try await ledger.append(.updateProfile(ProfileUpdated(name: "Augusta")))
    try await ledger.append(
      .updatePhysical(PhysicalUpdated(heightCM: 165, dateOfBirth: Self.born)))
    try await register()
    let person = try await ledger.profile()
    #expect(person.name == "Ada")
    #expect(person.status(of: .heightCM) == .pending)
    #expect(try await types().suffix(2) == ["account.signed_in", "profile.updated"])
  }

  @Test("Who is too young, or has a name that no edit may have, is refused before anything is sent")
  func refused() async throws {
    let birthday = CalendarDate(year: 2013, month: 1, day: 5)!
    await #expect(throws: ClientError.self) {
      try await register(born: CalendarDate(year: 2013, month: 1, day: 6)!)
    }
    await #expect(throws: Refusal.self) {
      try await register(name: String(repeating: "a", count: 101))
    }
    await #expect(throws: Refusal.self) {
      try await register(born: CalendarDate(year: 2026, month: 1, day: 6)!)
    }
    #expect(sandbox.backend.requests.isEmpty)
    #expect(try await types() == ["ledger.created"])
    try await register(born: birthday)
  }

  @Test("A registration that the backend refuses records nothing")
  func taken() async throws {
    try await sandbox.signIn(sandbox.openLedger(on: "other"))
    await #expect(throws: ClientError.self) { try await register() }
    #expect(try await types() == ["ledger.created"])
  }
}
