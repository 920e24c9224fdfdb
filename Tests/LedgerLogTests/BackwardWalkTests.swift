import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerLog

/// Reading lines from the end of the log.
struct BackwardWalkTests {
  /// Lines of various lengths, recorded by a clock that sometimes steps back.
  private static func log(seed: UInt64, events: Int) -> SampleLog {
    var random = SplitMix(seed)
    let padded = SampleLog(events: events, seed: seed) { _ in
      Int.random(in: 0..<100, using: &random) == 0
        ? Int.random(in: 10_000...64_000, using: &random) : Int.random(in: 0...300, using: &random)
    }
    var now: Int64 = 1_772_352_000_000
    return SampleLog(
      padded.plain.map { line in
        var line = line
        now += Int64.random(in: -3_000...4_000, using: &random)
        line.at = Timestamp(millisecondsSince1970: now).description
        return line
      })
  }

  @Test(
    "Every line is read once, in chunks from the end",
    arguments: [UInt64.random(in: 0 ... .max), 5]) func everyLine(_ seed: UInt64)
    throws
  {
    let events = TestSize.of(1_500, full: 3_000)
    let log = Self.log(seed: seed, events: events)
    let view = try TemporaryLedger(log).view()
    for last in [events, events - 1, 1_234, 1, 0] {
      var stretches: [[Int]] = [[]]
      let whole = LogRange(position: .start, bytes: 0..<log.ends[last])
      try view.walkBackward(through: whole) { (_, offset, envelope) throws(LineFault) in
        #expect(offset + envelope.start == log.ends[envelope.seq - 1], "seed \(seed)")
        stretches[stretches.count - 1].append(envelope.seq)
      } while: { before in
        #expect(before.seq + 1 == stretches.last?.first, "seed \(seed)")
        stretches.append([])
        return true
      }
      #expect(stretches.reversed().flatMap(\.self) == Array(1..<(last + 1)), "seed \(seed)")
      #expect(last < events || stretches.count > 3)
    }
  }

  @Test("The last line not after a moment is found", arguments: [UInt64.random(in: 0 ... .max), 6])
  func lastLine(_ seed: UInt64) throws {
    let log = Self.log(seed: seed, events: TestSize.of(600, full: 2_000))
    let view = try TemporaryLedger(log).view()
    let times = try log.plain.map { try #require(Timestamp($0.at)).millisecondsSince1970 }
    var random = SplitMix(seed)
    let asked =
      [times.min()! - 1, times.min()!, times.max()!]
      + (0..<30).map { _ in times.randomElement(using: &random)! + .random(in: -1...1) }
    for milliseconds in asked {
      let wanted = times.lastIndex { $0 <= milliseconds }.map { Seq($0 + 1) }
      let moment = Timestamp(millisecondsSince1970: milliseconds)
      #expect(try view.lastSeq(notAfter: moment) == wanted, "seed \(seed)")
      #expect(try view.lastSeq(notAfter: moment, upToBreak: true) == wanted, "seed \(seed)")
    }
  }

  @Test("Damage is reported if it is reached")
  func damageWithinReach() throws {
    let log = SampleLog(events: 2_000) { _ in 100 }
    var bytes = log.bytes
    bytes[log.ends[999] + 2] = 0x58
    let view = try TemporaryLedger(log: bytes, head: log.head(after: 2_000)).view()
    func walk(to seq: Int) throws(LogError) -> Int {
      var lowest = Int.max
      try view.walkBackward { (_, _, envelope) throws(LineFault) in
        lowest = min(lowest, envelope.seq)
      } while: { before in
        before.seq >= seq
      }
      return lowest
    }
    #expect(try walk(to: 1_990) <= 1_990)
    #expect(damage { try walk(to: 1) }?.byte == log.ends[999])
    let all = Timestamp(millisecondsSince1970: 0)
    #expect(damage { try view.lastSeq(notAfter: all) }?.byte == log.ends[999])
  }

  @Test("A missing line is damage")
  func missingLine() throws {
    let log = SampleLog(events: 600) { _ in 100 }
    let lines = log.lines.enumerated().filter { $0.offset != 299 }.map(\.element)
    let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
    let view = try TemporaryLedger(log: bytes).view()
    #expect(
      damage {
        try view.walkBackward { (_, _, _) throws(LineFault) in
        } while: { _ in
          true
        }
      } != nil)
  }
}
