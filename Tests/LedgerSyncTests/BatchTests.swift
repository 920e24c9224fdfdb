import LedgerModel
import Testing

@testable import LedgerSync

/// An outbox is planned in batches: an unresolved call blocks equal rows in all of them.
@Suite struct BatchTests {
  private let key = RowKey(metric: .weight, moment: LedgerFixture.now, quantity: 70, notes: "")

  private func post(_ number: UInt64, like key: RowKey) -> PlannedCall {
    let entry = EntryID(LedgerUUID(high: number << 16 | 0x7000, low: 2 << 62))
    var call = PlannedCall.hand(.logProgress(entry), .post)
    call.key = key
    return call
  }

  private func start() -> StartingState {
    var start = StartingState()
    start.unresolved = [
      UnresolvedCall(
        entry: PlannedCall.entry, call: CallID(LedgerUUID(high: 1 << 16 | 0x7000, low: 2 << 62)),
        attemptSeq: Seq(3), attemptedAt: Timestamp(millisecondsSince1970: 0), events: [Seq(2)],
        key: key, isTimed: false)
    ]
    return start
  }

  @Test("An entry equal to an unresolved one waits, even in an earlier batch")
  func laterBatch() throws {
    var configuration = Drive.pushing
    configuration.concurrency = 4
    var drive = Drive(configuration)
    _ = drive.handle(.begin)
    let asked = drive.handle(.queried(.startingState(start())))
    guard case .send(let id, _)? = asked.first else {
      Issue.record("its day is not listed: \(asked)")
      return
    }
    _ = drive.handle(.answered(id, .error(403)))
    var plan = Plan()
    var other = key
    other.quantity = 71
    plan.calls = [post(2, like: key), post(3, like: other)]
    _ = drive.handle(.queried(.plan(plan)))
    #expect(drive.attempts.count == 1)
  }
}
