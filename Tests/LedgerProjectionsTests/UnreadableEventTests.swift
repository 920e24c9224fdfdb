import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerProjections
@testable import LedgerStore

/// An event that cannot be understood may be what allows or forbids an erasure, so with one the erasures
/// of a log cannot be checked (docs/log-format.md).
@Suite struct UnreadableEventTests {
  typealias Line = ErasureRuleTests.Line

  static let newer = {
    var line = Line("goal.set", "{}")
    line.v = 2
    return line
  }()
  private static let malformed = Line("progress.deleted", #"{"entry":5}"#)
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func erased(_ seq: Int) -> [Line] {
    [ErasureRuleTests.erased("progress.logged"), ErasureRuleTests.bound(seq)]
  }
  private static func record(_ seq: Int) -> Line {
    ErasureRuleTests.record(seq, ErasureRuleTests.asEntry)
  }

  /// Logs with one unreadable event each, and its line; the erasures are right in every second one.
  private static let logs = around(newer) + around(malformed)

  private static func around(_ unread: Line) -> [([Line], Int)] {
    let deleted = ErasureRuleTests.deleted
    let before: [Line] = [unread] + erased(3) + [record(3)]
    let after: [Line] = erased(2) + [unread, record(2)]
    // Without the deletion the row of the entry stays.
    return [(before, 2), (before + [deleted], 2), (after, 4), (after + [deleted], 4)]
  }

  @Test(
    "An event that cannot be understood neither accuses nor excuses an erasure", arguments: logs)
  func unchecked(_ lines: [Line], _ line: Int) throws {
    let directory = try ErasureRuleTests.log(lines).write(to: folder)
    let audit = try LogAudit(of: directory)
    #expect(audit.problems.map(\.line) == [line] && audit.areErasuresUnchecked && !audit.isOK)
    let now = HandWrittenLog.at(99)
    let part = try PartialVerification.verify(directory, mostBytes: 1 << 20, at: now)
    #expect(part.uncheckedErasures?.line == line && part.damage == nil && part.isComplete)
    audit.remember(at: now)
    let record = VerificationRecord(directory)
    #expect(record.whole == nil && record.broken == nil)
    let view = try LogView.open(directory)
    #expect(try Replay.run(view).damage?.line == line)
    let chain = try ChainCheck(view, isWhole: true, now: now)
    #expect(chain.findings.map(\.code) == ["erasures-unchecked"] && !chain.isBroken)
    #expect(throws: LogError.self) { try LogExport.jsonl(view) { _ in } }
    #expect(throws: LogError.self) { try LedgerStore(directory).checkpoint(at: now) }
  }

  @Test(
    "A moment before the event needs the later records, which cannot be checked", arguments: logs)
  func earlierMoment(_ lines: [Line], _ line: Int) throws {
    let view = try ErasureRuleTests.log(lines).view(in: folder)
    guard line > 2 else { return }
    let outcome = try Replay.run(view, Replay.Options(until: Seq(line - 1)))
    #expect(outcome.damage?.line == line)
  }

  @Test("Without erasures the chain is all there is to check", arguments: [newer, malformed])
  func withoutErasures(_ line: Line) throws {
    let directory = try ErasureRuleTests.log([ErasureRuleTests.logged, line]).write(to: folder)
    #expect(try LogAudit(of: directory).isOK)
  }

  @Test("An erased line without a record is damage, whatever else the log holds")
  func unnamed() throws {
    let lines = [Self.newer, ErasureRuleTests.erased("progress.logged")]
    let audit = try LogAudit(of: ErasureRuleTests.log(lines).write(to: folder))
    #expect(audit.problems.map(\.line) == [3] && !audit.areErasuresUnchecked)
  }
}
