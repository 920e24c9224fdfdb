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
    let kinds = drive.effects.compactMap { effect -> String? in
      switch effect {
      case .record(let payloads): payloads.map { $0.kind?.rawValue ?? "" }.joined(separator: " ")
      case .send: "send"
      case .query(.plan): "plan"
      case .finish: "finish"
      case .query, .decide, .wait, .progress: nil
      }
    }
    #expect(
      kinds == [
        "plan", "sync.attempted", "send", "sync.acknowledged sync.attempted", "send",
        "sync.acknowledged", "finish",
      ])
    #expect(drive.attempts.map(\.events) == [[Seq(2)], [Seq(3)]])
    #expect(drive.attempts.map(\.method) == ["POST", "POST"])
    #expect(Set(drive.attempts.map(\.call)).count == 2)
  }

  @Test("Nothing leaves until the attempt is recorded")
  func waitsForTheRecord() {
    var drive = Drive()
    var plan = Plan()
    plan.calls = [.post]
    _ = drive.handle(.begin)
    _ = drive.handle(.queried(.startingState(StartingState())))
    let effects = drive.handle(.queried(.plan(plan)))
    #expect(effects.count == 1)
    #expect(drive.sent.isEmpty)
    _ = drive.handle(.recorded)
    #expect(drive.sent == [PlannedCall.post.request])
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
    #expect(drive.sent == [call.request, PlannedCall.lists.request])
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

  @Test(
    "What replaces or deletes is sent again when its answer is lost or a 5xx, three times in a run",
    arguments: [0, 1, 2, 3], [WireAnswer.lost(reason: "reset"), .error(502)])
  func again(_ index: Int, _ failure: WireAnswer) throws {
    let call = PlannedCall.replaceable[index]
    let other = PlannedCall.hand(.patchPreferences, .patch, events: [Seq(9)], body: "{}")
    let drive = try Drive.run(
      [call, other], failure, .answer(200, #"{"id":"me"}"#), failure, failure)
    #expect(drive.sent == [call, other, call, call].map(\.request))
    #expect(drive.attempts.filter { $0.events == [Seq(2)] }.map(\.attempt) == [1, 2, 3])
    #expect(Set(drive.attempts.map(\.call)).count == 4)
    #expect(drive.outcomes.filter { $0.kind == .syncDeferred }.count == 3)
    #expect(try drive.report().stop == nil)
  }

  @Test("A second try that is accepted ends it", arguments: [0, 1, 2, 3])
  func secondTry(_ index: Int) throws {
    let call = PlannedCall.replaceable[index]
    let drive = try Drive.run(
      [call], .lost(reason: "reset"), call == .delete ? .answer(204) : .answer(200, #"{"id":"me"}"#)
    )
    #expect(drive.outcomes.map(\.kind) == [.syncDeferred, .syncAcknowledged])
    #expect(try drive.report().acknowledged == 1)
  }

  @Test("Where every answer is lost, a run ends before everything is in doubt")
  func everythingIsLost() throws {
    let calls = (2...20).map { number in
      PlannedCall.hand(
        .logProgress(EntryID(LedgerUUID(high: UInt64(number) << 16 | 0x7000, low: 2 << 62))),
        .post, events: [Seq(number)])
    }
    var plan = Plan()
    plan.calls = calls
    var drive = Drive()
    try drive.run(plan, Array(repeating: .lost(reason: "reset"), count: 4))
    #expect(drive.sent.count == 4)
    guard case .offline = try drive.report().stop else {
      Issue.record("it did not stop: \(try drive.report())")
      return
    }
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
      let drive = try Drive.run([call, other], .error(status), .answer(200, #"{"id":"me"}"#))
      #expect(
        drive.outcomes.first
          == .syncRejected(
            SyncRejected(
              call: drive.attempts[0].call, events: [Seq(2)], status: status, message: "no",
              body: try call.request.body.map { try JSONValue(parsing: $0) })))
      #expect(drive.sent == [call.request, other.request])
      #expect(try drive.report().rejected == 1)
    }
  }
}
