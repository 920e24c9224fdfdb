import LedgerModel
import Testing

@testable import LedgerSync

/// An outbox is planned a stretch at a time: what is in doubt counts in all of them.
@Suite struct StretchTests {
  private let key = RowKey(metric: .weight, moment: Desk.now, quantity: 70, notes: "")

  private func post(_ number: UInt64, like key: RowKey) -> PlannedCall {
    let entry = EntryID(LedgerUUID(high: number << 16 | 0x7000, low: 2 << 62))
    var call = PlannedCall.hand(.logProgress(entry), .post)
    call.key = key
    return call
  }

  private func doubts() -> Doubts {
    var doubts = Doubts()
    doubts.entries = [
      UnresolvedCall(
        entry: PlannedCall.entry, call: CallID(LedgerUUID(high: 1 << 16 | 0x7000, low: 2 << 62)),
        attemptSeq: Seq(3), attemptedAt: Timestamp(millisecondsSince1970: 0), events: [Seq(2)],
        key: key, isTimed: false)
    ]
    return doubts
  }

  @Test("What looks like an entry in doubt waits, though the doubt is of a later stretch")
  func laterStretch() throws {
    var wishes = Drive.pushing
    wishes.concurrency = 4
    var drive = Drive(wishes)
    _ = drive.handle(.begin)
    let asked = drive.handle(.seen(.doubts(doubts(), notBefore: nil)))
    guard case .send(let ticket, _)? = asked.first else {
      Issue.record("its day is not listed: \(asked)")
      return
    }
    _ = drive.handle(.answered(ticket, .error(403)))
    var plan = Plan()
    var other = key
    other.quantity = 71
    plan.calls = [post(2, like: key), post(3, like: other)]
    _ = drive.handle(.seen(.plan(plan)))
    #expect(drive.attempts.count == 1)
  }
}
