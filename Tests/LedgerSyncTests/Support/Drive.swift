import LedgerJSON
import LedgerModel
import LedgerProjections
import LedgerTestSupport
import Testing

@testable import LedgerSync

/// A machine with scripted answers that keeps all effects in order. By default it only pushes, one
/// call at a time.
struct Drive {
  static let now = Timestamp(millisecondsSince1970: 1_767_225_600_000)

  static var pushing: SyncConfiguration {
    var configuration = SyncConfiguration()
    configuration.pulls = false
    configuration.concurrency = 1
    return configuration
  }

  var machine: SyncMachine
  private(set) var effects: [SyncMachine.Effect] = []
  private var generator = SplitMix(2)

  init(_ configuration: SyncConfiguration = pushing) { machine = SyncMachine(configuration) }

  /// Runs a plan; the n-th call gets the n-th answer.
  static func run(_ plan: Plan, _ answers: WireAnswer...) throws -> Drive {
    var drive = Drive()
    try drive.run(plan, answers)
    return drive
  }

  static func run(_ calls: [PlannedCall], _ answers: WireAnswer...) throws -> Drive {
    var plan = Plan()
    plan.calls = calls
    var drive = Drive()
    try drive.run(plan, answers)
    return drive
  }

  /// - Parameter profile: the answer to every GET of the profile.
  mutating func run(
    _ plan: Plan, _ answers: [WireAnswer], asking profile: WireAnswer? = nil
  ) throws {
    var answers = answers[...]
    var inputs = [SyncMachine.Input.begin]
    while !inputs.isEmpty {
      for effect in handle(inputs.removeFirst()) {
        switch effect {
        case .query(.startingState):
          var start = StartingState()
          start.openEdits = profile == nil ? 0 : 1
          inputs.append(.queried(.startingState(start)))
        case .query(.plan): inputs.append(.queried(.plan(plan)))
        case .query(.summary): inputs.append(.queried(.summary(SyncSummary())))
        case .query(.missing): inputs.append(.queried(.missing([], boundAt: nil)))
        case .query(.unlisted): inputs.append(.queried(.unlisted(false)))
        case .query(.corrected): inputs.append(.queried(.corrected(CorrectedRows())))
        case .record: inputs.append(.recorded)
        case .decide(.pull(let request)) where request.listing == nil:
          inputs.append(.decided(.pulled(Pulled())))
        case .decide(let decision): Issue.record("nothing is to be decided: \(decision)")
        case .send(let id, let request) where request.method == .get:
          inputs.append(.answered(id, try #require(profile)))
        case .send(let id, _):
          let answer = answers.popFirst()
          inputs.append(.answered(id, try #require(answer)))
        case .wait(let id, let milliseconds):
          #expect(milliseconds > 0)
          inputs.append(.elapsed(id))
        case .progress, .finish: break
        }
      }
    }
    #expect(answers.isEmpty, "every answer was asked for")
  }

  mutating func handle(_ inputs: SyncMachine.Input...) -> [SyncMachine.Effect] {
    let new = machine.handle(inputs, at: Self.now, using: &generator)
    effects += new
    return new
  }

  var recorded: [Event.Payload] {
    effects.flatMap { effect -> [Event.Payload] in
      if case .record(let payloads) = effect { payloads } else { [] }
    }
  }

  /// What was recorded, except attempts.
  var outcomes: [Event.Payload] {
    recorded.filter { if case .syncAttempted = $0 { false } else { true } }
  }

  var attempts: [SyncAttempted] {
    recorded.compactMap { payload -> SyncAttempted? in
      if case .syncAttempted(let data) = payload { data } else { nil }
    }
  }

  /// The mutating calls that were sent.
  var sent: [WireRequest] {
    effects.compactMap { effect -> WireRequest? in
      if case .send(_, let request) = effect, request.method.mutates { request } else { nil }
    }
  }

  func report() throws -> SyncReport {
    guard case .finish(let report) = try #require(effects.last) else {
      Issue.record("the run did not finish")
      return SyncReport()
    }
    return report
  }
}

extension WireAnswer {
  static func answer(_ status: Int, _ body: String = "", retryAfter: Int? = nil) -> WireAnswer {
    .response(Response(status: status, body: Array(body.utf8), retryAfterSeconds: retryAfter))
  }

  static func error(_ status: Int) -> WireAnswer {
    answer(status, #"{"error":{"message":"no"}}"#)
  }
}

extension PlannedCall {
  static let entry = EntryID(LedgerUUID(high: 1 << 16 | 0x7000, low: 2 << 62))
  static let row = BackendID("row-1")!

  static func hand(
    _ kind: Kind, _ method: WireRequest.Method, events: [Seq] = [Seq(2)], body: String? = nil
  ) -> PlannedCall {
    PlannedCall(
      kind: kind, request: WireRequest(method, "/\(kind)", body: body.map { Array($0.utf8) }),
      events: events, fingerprint: "00", attempt: 1, why: "a test")
  }

  static let post = hand(.logProgress(entry), .post)
  static let create = hand(.createProfile, .post, body: #"{"name":"Ada"}"#)
  static let put = hand(.replaceProfile, .put, body: #"{"name":"Ada","bio":""}"#)
  static let patch = hand(.patchPhysical, .patch, body: #"{"height_cm":168}"#)
  static let lists = hand(.patchPreferences, .patch, body: #"{"allergies":[]}"#)
  static let delete = hand(.deleteProgress(entry, row), .delete)
  static let replaceable = [put, patch, lists, delete]
  static let all = [post, create] + replaceable
}
