import LedgerModel
import LedgerProjections
import LedgerStore
import LedgerTestSupport
import Testing

@testable import LedgerSync
@testable import ReferenceBackend

/// What ends a run, and what it leaves behind.
@Suite struct StopTests {
  /// A ledger whose log says not to call before so many seconds from now.
  private func deferred(by seconds: Int64) throws -> Journey {
    let journey = try Journey(seed: 1)
    _ = try journey.fixture.log(70)
    var moment = journey.now
    moment.millisecondsSince1970 += seconds * 1000
    let call = CallID.make(at: journey.now, using: &journey.generator)
    try journey.fixture.ledger.record(
      [
        .syncDeferred(
          SyncDeferred(
            call: call, events: [Seq(2)], reason: .rateLimited, status: 429, notBefore: moment))
      ], at: journey.now, using: &journey.generator)
    return journey
  }

  @Test("Within a Retry-After a run asks nothing; after it, it goes on", arguments: [1, 60, 3600])
  func notBefore(_ seconds: Int64) throws {
    let journey = try deferred(by: seconds)
    let report = try journey.sync()
    #expect(report.stop == .rateLimited(seconds: Int(seconds)) && report.pending == 1)
    #expect(journey.backend.requests.isEmpty && journey.waits.isEmpty)
    journey.pass(seconds: seconds)
    #expect(try journey.sync().acknowledged == 1)
    try journey.expectAtRest("after \(seconds)")
  }

  @Test("A moment more than an hour away was written by a clock gone wrong")
  func tooFar() throws {
    let journey = try deferred(by: 3601)
    let report = try journey.sync()
    #expect(report.stop == nil && report.acknowledged == 1)
  }

  @Test(
    "Signed out with several calls under way: all pending, on record once",
    arguments: 1...TestSize.of(3, full: 8))
  func signedOut(_ seed: Int) throws {
    let journey = try Journey(seed: UInt64(seed))
    for index in 0..<12 { _ = try journey.fixture.log(70 + Double(index)) }
    var posts = 0
    journey.backend.instead = { request in
      posts += request.method == .post ? 1 : 0
      return posts > 3 ? .signedOut(reason: "sign in again") : nil
    }
    let report = try journey.sync()
    #expect(report.stop == .signedOut("sign in again"))
    #expect(report.acknowledged == 3 && report.pending == 9 && report.inDoubt == 0)
    #expect(journey.backend.rows.count == 3)
    #expect(try journey.rejections().isEmpty)
    #expect(try journey.payloads().count { $0.kind == .accountSignedOut } == 1)
    journey.backend.instead = nil
    try journey.expectAtRest("signed out")
    #expect(journey.backend.rows.count == 12)
  }

  /// Cancelled after so many happenings: what left is answered, nothing leaves after.
  @Test(
    "Cancelled at any moment: nothing new leaves, what left is answered",
    arguments: Array(stride(from: 0, to: 60, by: TestSize.of(4, full: 1))))
  func cancelled(_ moment: Int) throws {
    let journey = try Journey(seed: UInt64(moment))
    try journey.fixture.edit(.updateProfile(Journey.me))
    for index in 0..<8 { _ = try journey.fixture.log(70 + Double(index)) }
    var happenings = 0
    var launched: Int?
    journey.cancels = {
      happenings += 1
      guard happenings > moment else { return false }
      launched = journey.launched
      return true
    }
    let report = try journey.sync()
    guard let launched else {
      #expect(report.stop == nil)
      return
    }
    #expect(report.stop == .cancelled)
    #expect(journey.launched == launched, "something left after the cancellation")
    #expect(report.inDoubt == 0, "every call that left was answered")
    #expect(report.pending == 9 - report.acknowledged)
    journey.cancels = nil
    try journey.expectAtRest("cancelled after \(moment)", runs: 2)
  }

  @Test(
    "Where every answer is lost, a run ends before everything is in doubt", arguments: [1, 4, 8])
  func everythingLost(_ concurrency: Int) throws {
    let journey = try Journey(seed: 1)
    journey.configuration.concurrency = concurrency
    for index in 0..<40 { _ = try journey.fixture.log(70 + Double(index)) }
    journey.backend.instead = { $0.method == .post ? .lost(reason: "reset") : nil }
    let report = try journey.sync()
    guard case .offline = report.stop else {
      Issue.record("\(report)")
      return
    }
    #expect(report.inDoubt < 2 * max(4, concurrency) && report.pending == 40)
    journey.backend.instead = nil
    try journey.expectAtRest("everything lost")
    #expect(journey.backend.rows.count == 40)
  }

  @Test("A stretch of losses that ends is no reason to stop")
  func someLost() throws {
    let journey = try Journey(seed: 1)
    journey.configuration.concurrency = 1
    for index in 0..<12 { _ = try journey.fixture.log(70 + Double(index)) }
    journey.backend.faults = (1...12).filter { $0 % 4 != 0 }.map {
      FaultPoint(fault: .lostAfter, kind: Journey.post, ordinal: $0)
    }
    let report = try journey.sync()
    #expect(report.stop == nil && report.inDoubt == 9 && report.acknowledged == 3)
    try journey.expectAtRest("some lost")
  }
}
