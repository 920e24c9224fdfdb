import LedgerJSON
import LedgerModel
import LedgerProjections
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// Every row of the table (docs/sync.md, What an answer means) for every kind of call, through a whole
/// run against a ledger on disk.
@Suite struct AnswerTableTests {
  /// One kind of call, and a ledger in which it is the only one that is due.
  enum Call: String, CaseIterable, Sendable {
    case create, put, physical, preferences, post, delete

    var kind: String {
      switch self {
      case .create: Journey.create
      case .put: Journey.put
      case .physical: Journey.physical
      case .preferences: Journey.preferences
      case .post: Journey.post
      case .delete: Journey.delete
      }
    }

    var isPost: Bool { self == .create || self == .post }

    /// The ledger, and the edit that is due.
    func scene() throws -> (journey: Journey, edit: Seq) {
      if self == .create {
        let journey = try Journey(seed: 1)
        return (journey, try journey.fixture.edit(.updateProfile(Journey.me))[0])
      }
      let journey = try Journey.settledPerson()
      switch self {
      case .create, .put:
        return (journey, try journey.fixture.edit(.updateProfile(ProfileUpdated(name: "Bea")))[0])
      case .physical:
        return (
          journey, try journey.fixture.edit(.updatePhysical(PhysicalUpdated(heightCM: 170)))[0]
        )
      case .preferences:
        let lists = PreferencesUpdated(allergies: ["nuts"])
        return (journey, try journey.fixture.edit(.updatePreferences(lists))[0])
      case .post:
        let entry = try journey.fixture.log(70)
        return (journey, try journey.entry(entry).seq)
      case .delete:
        let entry = try journey.fixture.log(70)
        try journey.sync()
        return (
          journey, try journey.fixture.edit(.deleteProgress(ProgressDeleted(entry: entry)))[0]
        )
      }
    }

    /// Whether the backend has what the edit says.
    func isThere(_ journey: Journey) -> Bool {
      let account = journey.backend.account
      return switch self {
      case .create: account?.profile?.name == "Ada"
      case .put: account?.profile?.name == "Bea"
      case .physical: account?.heightCM == 170
      case .preferences: account?.preferences?.allergies == ["nuts"]
      case .post: journey.backend.rows.map(\.quantity) == [70]
      case .delete: journey.backend.rows.isEmpty
      }
    }
  }

  /// One run in which every call of a kind is answered so, without effect.
  static func run(
    _ call: Call, _ answer: WireAnswer
  ) throws -> (journey: Journey, edit: Seq, report: SyncReport) {
    let (journey, edit) = try call.scene()
    let before = journey.count(call.kind)
    journey.backend.instead = { ScriptedBackend.kind(of: $0) == call.kind ? answer : nil }
    let report = try journey.sync()
    #expect(journey.count(call.kind) > before, "the call was made")
    journey.backend.instead = nil
    return (journey, edit, report)
  }

  /// Later it is there, once, and acknowledged.
  static func expectArrival(_ call: Call, _ journey: Journey, _ edit: Seq) throws {
    try journey.expectAtRest("\(call)")
    #expect(try journey.state(of: edit) == .acknowledged)
    #expect(call.isThere(journey))
  }

  @Test("Nothing left: pending, offline, and the run ends", arguments: Call.allCases)
  func notSent(_ call: Call) throws {
    let (journey, edit, report) = try Self.run(call, .notSent(reason: "refused"))
    #expect(report.stop == .offline("refused") && report.pending == 1 && report.inDoubt == 0)
    #expect(try journey.state(of: edit) == .pending)
    let said = try #require(journey.deferrals().last)
    #expect(said.reason == .offline && said.status == nil && said.notBefore == nil)
    try Self.expectArrival(call, journey, edit)
  }

  /// Each call with each of the others; by default a third of the pairs, or half of them with two
  /// calls, so that each of the others is in one.
  private static func pairs<Other>(_ calls: [Call], _ others: [Other]) -> [(Call, Other)] {
    let step = min(calls.count, TestSize.of(3, full: 1))
    return calls.enumerated().flatMap { number, call in
      others.enumerated().compactMap { place, other in
        (number + place).isMultiple(of: step) ? (call, other) : nil
      }
    }
  }

  static let unwhole: [WireAnswer] =
    [
      .lost(reason: "timed out"), .error(500), .error(599), .answer(200, "<html>"),
      .answer(201, #"{"data":"#), .answer(200), .answer(199), .error(408), .error(425),
    ] + TestSize.of([], full: [.error(502), .error(503)])

  @Test(
    "No whole answer: a POST is in doubt and is not sent again in the run",
    arguments: pairs([.create, .post], unwhole))
  func doubt(_ call: Call, _ answer: WireAnswer) throws {
    let (journey, edit, report) = try Self.run(call, answer)
    #expect(journey.count(call.kind) == 1)
    #expect(report.inDoubt == 1 && report.pending == 1 && report.stop == nil)
    #expect(try journey.state(of: edit) == .inDoubt)
    #expect(try journey.attempts().last?.events == [edit])
    #expect(try journey.deferrals().isEmpty && journey.rejections().isEmpty)
    try Self.expectArrival(call, journey, edit)
    #expect(try journey.attempts().filter { $0.events == [edit] }.map(\.attempt) == [1, 2])
  }

  @Test(
    "A progress POST whose 2xx names no id is in doubt",
    arguments: [
      "{}", #"{"data":{}}"#, #"{"data":{"id":null}}"#, #"{"data":{"id":""}}"#, #"{"data":[]}"#,
      "[]", "7",
    ])
  func noID(_ body: String) throws {
    let (journey, edit, report) = try Self.run(.post, .answer(201, body))
    #expect(report.inDoubt == 1)
    #expect(try journey.state(of: edit) == .inDoubt)
    try Self.expectArrival(.post, journey, edit)
  }

  @Test(
    "No whole answer to what replaces or deletes: sent again, three times in a run",
    arguments: pairs([.put, .physical, .preferences, .delete], unwhole))
  func again(_ call: Call, _ answer: WireAnswer) throws {
    let (journey, edit, report) = try Self.run(call, answer)
    let tries = try journey.attempts().filter { $0.events == [edit] }
    #expect(tries.map(\.attempt) == [1, 2, 3])
    #expect(Set(tries.map(\.fingerprint)).count == 1 && Set(tries.map(\.call)).count == 3)
    #expect(try journey.state(of: edit) == .pending)
    #expect(report.inDoubt == 0 && report.pending == 1)
    try Self.expectArrival(call, journey, edit)
  }

  @Test(
    "429: pending until the moment it names, and nothing is asked before",
    arguments: pairs(Call.allCases, [nil, 7, 3600]))
  func patience(_ call: Call, _ seconds: Int?) throws {
    let (journey, edit, report) = try Self.run(call, .answer(429, retryAfter: seconds))
    let wait = seconds ?? 60
    #expect(report.stop == .rateLimited(seconds: wait) && report.pending == 1)
    #expect(try journey.state(of: edit) == .pending)
    let said = try #require(journey.deferrals().last)
    #expect(said.reason == .rateLimited && said.status == 429)
    #expect(
      said.notBefore?.millisecondsSince1970
        == journey.now.millisecondsSince1970 + Int64(wait) * 1000)
    let asked = journey.backend.requests.count
    journey.pass(seconds: Int64(wait) - 1)
    #expect(try journey.sync().stop == .rateLimited(seconds: 1))
    #expect(journey.backend.requests.count == asked)
    journey.pass(seconds: 1)
    #expect(try journey.sync().stop == nil)
    try Self.expectArrival(call, journey, edit)
  }

  @Test(
    "A 401 after a failed refresh leaves the edit pending and the session signed in",
    arguments: Call.allCases)
  func unauthorized(_ call: Call) throws {
    for answer in [WireAnswer.error(401), .refreshFailed(reason: "no")] {
      let (journey, edit, report) = try Self.run(call, answer)
      #expect(report.stop == .refreshFailed("no"))
      #expect(try journey.state(of: edit) == .pending)
      // Tried alone, in case other calls had used up its tokens.
      #expect(try journey.deferrals().map(\.reason) == .init(repeating: .unauthorized, count: 3))
      #expect(try !journey.payloads().contains { $0.kind == .accountSignedOut })
      try Self.expectArrival(call, journey, edit)
    }
  }

  @Test("Signed out: pending, never rejected, and on record once", arguments: Call.allCases)
  func signedOut(_ call: Call) throws {
    let (journey, edit, report) = try Self.run(call, .signedOut(reason: "sign in again"))
    #expect(report.stop == .signedOut("sign in again"))
    #expect(try journey.state(of: edit) == .pending)
    #expect(try journey.rejections().isEmpty)
    #expect(try journey.payloads().count { $0.kind == .accountSignedOut } == 1)
    try Self.expectArrival(call, journey, edit)
  }

  @Test(
    "A refusal is recorded with its message, and the others go on",
    arguments: pairs(Call.allCases, [400, 403, 404, 409, 422]))
  func rejected(_ call: Call, _ status: Int) throws {
    guard call != .delete || status != 404 else { return }
    let (journey, edit) = try call.scene()
    let other = try journey.fixture.log(99)
    var isRefused = false
    journey.backend.instead = { request in
      let isOther = String(decoding: request.body ?? [], as: UTF8.self).contains(":99")
      guard ScriptedBackend.kind(of: request) == call.kind, !isOther, !isRefused else {
        return nil
      }
      isRefused = true
      return .answer(status, #"{"error":{"message":"because","code":"x"}}"#)
    }
    let report = try journey.sync()
    let said = try #require(journey.rejections().first)
    #expect(said.events == [edit] && said.status == status && said.message == "because")
    #expect(report.rejected == 1 && report.needsUser && report.stop == nil)
    #expect(try journey.state(of: edit) == .rejected)
    #expect(try journey.entry(other).status == .synced)
    #expect(journey.backend.rows.contains { $0.quantity == 99 })
    // It stays refused: nothing is sent again by itself.
    journey.backend.instead = nil
    let sent = journey.sent
    try journey.sync()
    #expect(journey.sent == sent)
    #expect(try journey.state(of: edit) == .rejected)
  }

  @Test("A redirection is not followed: pending, and the others go on", arguments: Call.allCases)
  func redirected(_ call: Call) throws {
    let statuses = [301, 302, 307, 308, 303]
    // By default one of them, another for each call.
    let place = (Call.allCases.firstIndex(of: call) ?? 0) % statuses.count
    for status in TestSize.of([statuses[place]], full: statuses) {
      let (journey, edit, report) = try Self.run(call, .answer(status))
      #expect(report.stop == nil)
      if status == 303, call == .post {
        #expect(try journey.state(of: edit) == .inDoubt, "the POST was carried out")
      } else {
        #expect(try journey.state(of: edit) == .pending && report.pending == 1)
        #expect(try journey.deferrals().map(\.status) == [status])
      }
      try Self.expectArrival(call, journey, edit)
    }
  }
}
