import LedgerJSON
import LedgerModel
import Testing

@testable import LedgerSync

@Suite struct SyncMachineTests {
  @Test("The attempt is durable before the call leaves, its answer before the next attempt")
  func order() throws {
    let second = PlannedCall.hand(.logProgress(PlannedCall.entry), .post, events: [Seq(3)])
    let drive = try Drive.run(
      [.post, second], .answer(201, #"{"data":{"id":"a"}}"#), .answer(201, #"{"id":"b"}"#))
    let kinds = drive.effects.map { effect in
      switch effect {
      case .ask: "ask"
      case .plan: "plan"
      case .record(let payloads): payloads.map { $0.kind?.rawValue ?? "" }.joined(separator: " ")
      case .send: "send"
      case .finish: "finish"
      }
    }
    let call = ["sync.attempted", "send", "sync.acknowledged"]
    #expect(kinds == ["plan"] + call + call + ["finish"])
    #expect(drive.attempts.map(\.events) == [[Seq(2)], [Seq(3)]])
    #expect(drive.attempts.map(\.method) == ["POST", "POST"])
    #expect(Set(drive.attempts.map(\.call)).count == 2)
  }

  @Test("Nothing leaves until the attempt is recorded")
  func waitsForTheRecord() {
    var drive = Drive()
    var plan = Plan()
    plan.calls = [.post]
    _ = drive.handle(.begin(needsProfileCheck: false))
    let effects = drive.handle(.planned(plan))
    #expect(effects.count == 1)
    #expect(drive.sent.isEmpty)
    #expect(drive.handle(.recorded) == [.send(.post)])
  }

  @Test("An accepted entry is acknowledged under its attempt, with the backend's id")
  func accepted() throws {
    let drive = try Drive.run([.post], .answer(201, #"{"data":{"id":"abc"},"success":true}"#))
    #expect(
      drive.outcomes == [
        .syncAcknowledged(
          SyncAcknowledged(
            call: drive.attempts[0].call, events: [Seq(2)], status: 201, via: .response,
            entry: PlannedCall.entry, backendID: BackendID("abc")))
      ])
    let report = try drive.report()
    #expect(report.sent == 1)
    #expect(report.acknowledged == 1)
    #expect(report.stop == nil)
    #expect(report.remarks.isEmpty)
  }

  @Test(
    "A POST that may have been accepted is left in doubt: nothing is recorded, the others go",
    arguments: [PlannedCall.post, .create],
    [
      WireAnswer.answer(200, "garbage"), .answer(201, ""), .lost(reason: "reset"), .error(500),
      .error(503),
    ])
  func doubt(_ call: PlannedCall, _ answer: WireAnswer) throws {
    let drive = try Drive.run([call, .lists], answer, .answer(200, #"{"allergies":[]}"#))
    #expect(drive.sent == [call, .lists])
    #expect(drive.outcomes.map(\.kind) == [.syncAcknowledged])
    #expect(drive.attempts.count == 2)
    let report = try drive.report()
    #expect(report.acknowledged == 1)
    #expect(report.remarks.count == 1)
  }

  @Test("An entry accepted without an id is in doubt", arguments: ["{}", #"{"data":{"x":1}}"#])
  func acceptedWithoutID(_ body: String) throws {
    #expect(try Drive.run([.post], .answer(201, body)).outcomes.isEmpty)
  }

  @Test("What replaces or deletes is deferred when its answer is lost", arguments: [0, 1, 2, 3])
  func lost(_ index: Int) throws {
    let call = PlannedCall.replaceable[index]
    let drive = try Drive.run([call, .post], .lost(reason: "reset"))
    #expect(
      drive.outcomes == [
        .syncDeferred(
          SyncDeferred(call: drive.attempts[0].call, events: [Seq(2)], reason: .offline))
      ])
    #expect(try drive.report().stop == .offline("reset"))
  }

  @Test("A 5xx on what replaces or deletes is deferred and the others go", arguments: [0, 1, 2, 3])
  func serverError(_ index: Int) throws {
    let other = PlannedCall.hand(.patchPreferences, .patch, events: [Seq(9)], body: "{}")
    let drive = try Drive.run(
      [PlannedCall.replaceable[index], other], .error(502), .answer(200, "{}"))
    #expect(
      drive.outcomes.first
        == .syncDeferred(
          SyncDeferred(
            call: drive.attempts[0].call, events: [Seq(2)], reason: .serverError, status: 502)))
    #expect(drive.sent.count == 2)
  }

  @Test("A 429 waits as long as it says and stops the run", arguments: [0, 1, 2, 3, 4, 5])
  func rateLimited(_ index: Int) throws {
    let drive = try Drive.run(
      [PlannedCall.all[index], .post], .answer(429, "", retryAfter: 120))
    let until = Timestamp(millisecondsSince1970: Drive.now.millisecondsSince1970 + 120_000)
    #expect(
      drive.outcomes == [
        .syncDeferred(
          SyncDeferred(
            call: drive.attempts[0].call, events: [Seq(2)], reason: .rateLimited, status: 429,
            notBefore: until))
      ])
    #expect(drive.sent.count == 1)
    #expect(try drive.report().stop == .rateLimited(seconds: 120))
  }

  @Test(
    "A refusal is recorded with its message, and the next call goes",
    arguments: [400, 409, 422, 403])
  func rejected(_ status: Int) throws {
    for call in PlannedCall.all {
      let other = PlannedCall.hand(.patchPreferences, .patch, events: [Seq(9)], body: "{}")
      let drive = try Drive.run([call, other], .error(status), .answer(200, "{}"))
      #expect(
        drive.outcomes.first
          == .syncRejected(
            SyncRejected(
              call: drive.attempts[0].call, events: [Seq(2)], status: status, message: "no")))
      #expect(drive.sent == [call, other])
      #expect(try drive.report().rejected == 1)
    }
  }
}
