import LedgerJSON
import LedgerModel
import Testing

@testable import LedgerSync

@Suite struct SyncMachineStopTests {
  @Test("A row that is gone already is as good as deleted", arguments: [204, 404])
  func deleted(_ status: Int) throws {
    let drive = try Drive.run([.delete], status == 204 ? .answer(204, "") : .error(404))
    guard case .syncAcknowledged(let data) = try #require(drive.outcomes.first) else {
      Issue.record("not acknowledged: \(drive.outcomes)")
      return
    }
    #expect(data.status == status)
    #expect(data.backendID == PlannedCall.row)
    #expect(data.entry == PlannedCall.entry)
  }

  @Test("A 404 on anything else is a refusal", arguments: [0, 1, 2, 3, 4])
  func notFound(_ index: Int) throws {
    let drive = try Drive.run([PlannedCall.all[index]], .error(404))
    #expect(drive.outcomes.map(\.kind) == [.syncRejected])
  }

  @Test("Signed out: the edits stay pending, the log says so, nothing more leaves")
  func signedOut() throws {
    let drive = try Drive.run([.post, .lists], .signedOut(reason: "sign in again"))
    #expect(
      drive.outcomes == [
        .syncDeferred(
          SyncDeferred(call: drive.attempts[0].call, events: [Seq(2)], reason: .unauthorized)),
        .accountSignedOut(AccountSignedOut(reason: "session-expired")),
      ])
    #expect(drive.sent.count == 1)
    #expect(try drive.report().stop == .signedOut("sign in again"))
    #expect(try drive.report().rejected == 0)
  }

  @Test("A refresh that fails is tried again, the call alone; then the run stops, signed in")
  func refreshFailed() throws {
    let busy = WireAnswer.refreshFailed(reason: "busy")
    let drive = try Drive.run([.post], busy, busy, busy)
    #expect(drive.outcomes.map(\.kind) == [.syncDeferred, .syncDeferred, .syncDeferred])
    #expect(try drive.report().stop == .refreshFailed("busy"))
    let other = try Drive.run(
      [.post, .lists], busy, .answer(200, #"{"id":"me"}"#), .answer(201, #"{"id":"a"}"#))
    #expect(try other.report().stop == nil)
    #expect(try other.report().acknowledged == 2)
  }

  @Test("A redirection is not an acceptance", arguments: [301, 302, 307, 308])
  func redirected(_ status: Int) throws {
    for call in PlannedCall.all {
      let drive = try Drive.run([call], .answer(status, #"{"data":{"id":"a"}}"#))
      #expect(drive.outcomes.map(\.kind) == [.syncDeferred])
      #expect(try drive.report().acknowledged == 0)
    }
  }

  @Test("What never left is offline, a POST too")
  func notSent() throws {
    let drive = try Drive.run([.post, .lists], .notSent(reason: "refused"))
    #expect(drive.outcomes.map(\.kind) == [.syncDeferred])
    #expect(try drive.report().stop == .offline("refused"))
  }

  @Test("A GET tells whether the backend has a profile")
  func profileCheck() throws {
    for (answer, remote) in [
      (WireAnswer.error(404), ProfilePresence.absent),
      (.answer(200, #"{"name":"Ada"}"#), .present),
    ] {
      var drive = Drive()
      try drive.run(Plan(), [], asking: answer)
      let requests = drive.effects.compactMap { effect -> PlanRequest? in
        if case .query(.plan(let request)) = effect { request } else { nil }
      }
      #expect(requests.map(\.remote) == [remote])
      #expect(requests.map(\.includesPerson) == [true])
    }
  }

  @Test("When the GET cannot tell, nothing of the person is planned")
  func profileCheckFails() throws {
    let passing: [WireAnswer] = [
      .error(500), .lost(reason: "x"), .error(301), .answer(200, "<"), .answer(200, "{}"),
    ]
    for answer in passing {
      var drive = Drive()
      try drive.run(Plan(), [], asking: answer)
      let requests = drive.effects.compactMap { effect -> PlanRequest? in
        if case .query(.plan(let request)) = effect { request } else { nil }
      }
      #expect(requests.map(\.includesPerson) == [false])
      #expect(try drive.report().remarks.count == 1)
    }
    let final: [WireAnswer] = [
      .notSent(reason: "x"), .refreshFailed(reason: "x"), .answer(429), .signedOut(reason: "x"),
    ]
    for answer in final {
      var drive = Drive()
      try drive.run(Plan(), [], asking: answer)
      #expect(drive.sent.isEmpty)
      #expect(try drive.report().stop != nil)
    }
  }

  @Test("A body without a profile is held when the profile was not made")
  func physicalAfterRefusedProfile() throws {
    var plan = Plan()
    plan.calls = [.create, .patch]
    var drive = Drive()
    try drive.run(plan, [.error(400)], asking: .error(404))
    #expect(drive.sent == [PlannedCall.create.request])
    #expect(
      drive.outcomes.last
        == .syncHeld(SyncHeld(events: [Seq(2)], reason: "physical-needs-profile")))
  }

  @Test("The old row stays until the corrected one is accepted")
  func supersededRowWaits() throws {
    let old = PlannedCall.hand(.deleteSuperseded(PlannedCall.entry, PlannedCall.row), .delete)
    for answer in [WireAnswer.lost(reason: "reset"), .error(500), .error(422)] {
      #expect(try Drive.run([.post, old], answer).sent == [PlannedCall.post.request])
    }
    let drive = try Drive.run([.post, old], .answer(201, #"{"id":"new"}"#), .answer(204))
    #expect(drive.sent == [PlannedCall.post.request, old.request])
    #expect(try drive.report().acknowledged == 1)
  }

  @Test("A cleared bio reads back as absent")
  func clearedBio() throws {
    let drive = try Drive.run([.put], .answer(200, #"{"data":{"name":"Ada","id":7}}"#))
    guard case .syncAcknowledged(let data) = try #require(drive.outcomes.first) else { return }
    #expect(data.remote == ["name": "Ada", "bio": .null])
  }

  @Test("Holds and elisions are recorded before any call, old holds not again")
  func holdsFirst() throws {
    var plan = Plan()
    plan.holds = [
      .init(events: [Seq(2)], reason: .physicalNeedsHeightOrSex, isNews: true),
      .init(events: [Seq(3)], reason: .cannotClear, isNews: false),
    ]
    plan.elisions = [.init(events: [Seq(4), Seq(5)], entry: PlannedCall.entry)]
    plan.calls = [.lists]
    let drive = try Drive.run(plan, .answer(200, #"{"id":"me"}"#))
    #expect(
      drive.recorded.map(\.kind) == [
        .syncHeld, .syncAcknowledged, .syncAttempted, .syncAcknowledged,
      ])
    guard case .record(let first) = drive.effects.first(where: \.isRecord) else { return }
    #expect(first.map(\.kind) == [.syncHeld, .syncAcknowledged, .syncAttempted])
    let report = try drive.report()
    #expect(report.held == 2)
    #expect(report.elided == 2)
  }
}

extension SyncMachine.Effect {
  fileprivate var isRecord: Bool { if case .record = self { true } else { false } }
}
