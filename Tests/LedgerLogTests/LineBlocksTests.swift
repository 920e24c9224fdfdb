import LedgerModel
import LedgerTestSupport
import Synchronization
import Testing

@testable import LedgerLog

/// A search with line blocks finds what a search of all lines finds.
struct LineBlocksTests {
  /// Events of some types, a clock that jumps, and ids that differ from that clock.
  private static func log(seed: UInt64, events: Int) -> SampleLog {
    var random = SplitMix(seed)
    let plain = SampleLog(events: events, seed: seed) { _ in
      Int.random(in: 0..<60, using: &random) == 0
        ? Int.random(in: 3_000...20_000, using: &random) : Int.random(in: 0...300, using: &random)
    }.plain
    var now: Int64 = 1_772_352_000_000
    var types = ["log.repaired", "a", "test.a"]
    return SampleLog(
      plain.map { line in
        var line = line
        now += Int64.random(in: -3_000...9_000, using: &random)
        if Int.random(in: 0..<200, using: &random) == 0 {
          now += Int64.random(in: -90...90, using: &random) * 86_400_000
          types.shuffle(using: &random)
        }
        line.at = Timestamp(millisecondsSince1970: now).description
        let id = LedgerUUID.version7(
          at: Timestamp(millisecondsSince1970: now + .random(in: -99...99, using: &random)),
          using: &random)
        line.id = id.description
        if line.type == "a" { line.type = types[0] }
        if line.type == "log.repaired" { line.data = #"{"bytes":1,"quarantined":"x"}"# }
        return line
      })
  }

  /// The log's first lines as blocks of about so many bytes, from the reference reader.
  private static func blocks(
    of log: SampleLog, upTo seq: Int, bytes: Int, perSummary: Int = 5, in view: LogView
  ) throws -> LineBlocks {
    var builder = LineBlockBuilder(blockBytes: bytes)
    var scan = EventScan(checks: .form, until: seq)
    try view.forEachWindow { (window, offset) throws(LogError) in
      builder.windowOffset = offset
      try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
        let type = window.extracting(envelope.type)
          .withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        builder.add(window, from: envelope.start, at: envelope.at, seq: envelope.seq, type: type)
      }
    }
    return try #require(
      Self.blocks(
        builder.blocks(), perSummary: perSummary, endBytes: scan.offsetBytes, end: scan.position))
  }

  private static func blocks(
    _ blocks: [LineBlock], perSummary: Int, endBytes: Int, end: ChainPosition
  ) -> LineBlocks? {
    let summaries = LineBlock.summaries(of: blocks, perSummary: perSummary)
    return LineBlocks(summaries, endBytes: endBytes, end: end) { summary in
      Array(blocks.dropFirst(summary * perSummary).prefix(perSummary))
    }
  }

  @Test(
    "Searches by time, id and type find the same with and without blocks",
    arguments: [UInt64.random(in: 0 ... .max), 3])
  func searches(_ seed: UInt64) throws {
    let events = TestSize.of(1_000, full: 3_000)
    let log = Self.log(seed: seed, events: events)
    let view = try TemporaryLedger(log).view()
    var random = SplitMix(seed)
    let times = try log.plain.map { try #require(Timestamp($0.at)) }
    let ids = try log.plain.map { EventID(try #require(LedgerUUID($0.id))) }
    for (upTo, bytes)
      in [(events, 4_000), (events - 100, 1_000), (events - 500, 30_000), (1, 100)]
    {
      let blocks = try Self.blocks(
        of: log, upTo: upTo, bytes: bytes, perSummary: .random(in: 1...9, using: &random), in: view)
      for _ in 0..<40 {
        let place = Int.random(in: 0..<events, using: &random)
        let moment = Timestamp(
          millisecondsSince1970: times[place].millisecondsSince1970 + .random(in: -1...1))
        let last = times.lastIndex { $0 <= moment }.map { Seq($0 + 1) }
        #expect(try view.lastSeq(notAfter: moment, in: blocks) == last, "seed \(seed)")
        var wanted = Set((0..<Int.random(in: 1...4, using: &random)).map { _ in ids[place] })
        wanted.insert(EventID(.version7(at: moment, using: &random)))
        let found = try view.seqs(of: wanted, in: blocks)
        #expect(found == [ids[place]: Seq(place + 1)], "seed \(seed)")
      }
      let wanted = log.plain[Int.random(in: 0..<events, using: &random)].type
      let types = LineBlock.kinds { $0 == wanted }
      var seqs: [Int] = []
      for range in view.ranges(blocks, where: { $0.kinds & types != 0 }) {
        seqs += try Self.seqs(of: wanted, in: range, of: view)
      }
      let all = log.plain.indices.filter { log.plain[$0].type == wanted }.map { $0 + 1 }
      #expect(seqs == all, "seed \(seed)")
      // Some of the lines, the newest first.
      let first = Int.random(in: 0...events, using: &random)
      let part = first..<Int.random(in: first...events, using: &random)
      var parts: [[Int]] = []
      let bytes = log.ends[part.lowerBound]..<log.ends[part.upperBound]
      for range in view.ranges(blocks, in: bytes, .newestFirst, where: { $0.kinds & types != 0 }) {
        parts.append(try Self.seqs(of: wanted, in: range, of: view))
      }
      #expect(
        parts.reversed().flatMap(\.self) == all.filter { part.contains($0 - 1) }, "seed \(seed)")
    }
  }

  private static func seqs(
    of type: String, in range: LogRange, of view: LogView
  ) throws -> [Int] {
    var seqs: [Int] = []
    var scan = EventScan(
      from: range.position, offsetBytes: range.bytes.lowerBound, checks: .chain)
    try LineWindows.forEach(of: view.file, in: range.bytes) { (window, offset) throws(LogError) in
      try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
        let isWanted = window.extracting(envelope.type)
          .withUnsafeBytes { $0.elementsEqual(type.utf8) }
        if isWanted { seqs.append(envelope.seq) }
      }
    }
    #expect(scan.offsetBytes == range.bytes.upperBound)
    return seqs
  }

  @Test("A search for one moment reads only its blocks")
  func oneMoment() throws {
    let log = SampleLog(
      SampleLog(events: 2_000) { _ in 200 }.plain.enumerated().map { index, line in
        var line = line
        let now = Timestamp(millisecondsSince1970: 1_772_352_000_000 + Int64(index) * 60_000)
        var random = SplitMix(UInt64(index))
        line.at = now.description
        line.id = LedgerUUID.version7(at: now, using: &random).description
        return line
      })
    let view = try TemporaryLedger(log).view()
    let blocks = try Self.blocks(of: log, upTo: 1_900, bytes: 4_000, in: view)
    let at = try #require(Timestamp(log.plain[700].at)).millisecondsSince1970
    let ranges = Array(view.ranges(blocks) { $0.earliestAt <= at && $0.latestAt >= at })
    #expect(ranges.count == 2)
    #expect(ranges[0].bytes.count < 6_000 && ranges[0].bytes.contains(log.ends[700]))
    #expect(ranges[0].position.hash.description == log.hashes[ranges[0].position.seq - 1])
    #expect(ranges[1].bytes == log.ends[1_900]..<log.ends[2_000])
    var end = 0
    for range in view.ranges(blocks, where: { _ in true }) {
      #expect(range.bytes.lowerBound == end)
      end = range.bytes.upperBound
    }
    #expect(end == view.endBytes)
    #expect(view.ranges(.none) { _ in false }.map(\.bytes) == [0..<view.endBytes])
  }

  @Test("A search reads blocks only where their summary may match, and none after it has ended")
  func readSummaries() throws {
    let log = Self.log(seed: 5, events: 1_000)
    let view = try TemporaryLedger(log).view()
    var builder = LineBlockBuilder(blockBytes: 2_000)
    var position = ChainPosition.start
    try view.forEachWindow { (window, offset) throws(LogError) in
      builder.windowOffset = offset
      var scan = EventScan(checks: .form)
      try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
        builder.add(window, from: envelope.start, at: envelope.at, seq: envelope.seq, type: "a")
      }
      position = scan.position
    }
    let all = builder.blocks()
    let read = Mutex<[Int]>([])
    let summaries = LineBlock.summaries(of: all, perSummary: 4)
    let blocks = try #require(
      LineBlocks(summaries, endBytes: view.endBytes, end: position) { summary in
        read.withLock { $0.append(summary) }
        return Array(all.dropFirst(summary * 4).prefix(4))
      })
    let wanted = summaries[7].firstSeq
    #expect(view.ranges(blocks) { $0.firstSeq == wanted }.map(\.position.seq) == [Int(wanted) - 1])
    #expect(read.withLock { $0 } == [7])
    var newest = view.ranges(blocks, .newestFirst) { _ in true }
    #expect(newest.next()?.bytes.upperBound == view.endBytes)
    #expect(read.withLock { $0 } == [7, summaries.count - 1])
  }

  @Test(
    "Blocks that do not match the log are ignored", arguments: [UInt64.random(in: 0 ... .max), 8])
  func otherBlocks(_ seed: UInt64) throws {
    let drawn = Self.log(seed: seed, events: 800)
    // Line 300 is shorter, line 500 longer by as much: the end stays the same.
    var plain = drawn.plain
    let saved = 50 + Int(seed % 100)
    plain[299].data = #"{"b":"\#(String(repeating: "x", count: 200))"}"#
    plain[499].data = plain[299].data
    let log = SampleLog(plain)
    plain[299].data = #"{"b":"\#(String(repeating: "x", count: 200 - saved))"}"#
    plain[499].data = #"{"b":"\#(String(repeating: "x", count: 200 + saved))"}"#
    let other = SampleLog(plain)
    #expect(log.ends[800] == other.ends[800])
    let view = try TemporaryLedger(log).view()
    let otherView = try TemporaryLedger(other).view()
    let blocks = try Self.blocks(of: log, upTo: 800, bytes: 2_000, in: view)
    let mayHold = { (block: LineBlock) in block.firstSeq > 350 && block.firstSeq < 450 }
    #expect(view.ranges(blocks, where: mayHold).map(\.bytes) != [0..<view.endBytes])
    #expect(
      otherView.ranges(blocks, where: mayHold).map(\.bytes) == [0..<otherView.endBytes],
      "seed \(seed)")
    // From the end, what follows line 500 matches.
    let newest = otherView.ranges(blocks, .newestFirst) { $0.firstSeq > 600 || mayHold($0) }
    let read = newest.map(\.bytes)
    #expect(read.first?.upperBound == otherView.endBytes && read.last?.lowerBound == 0)
    #expect(try #require(read.dropLast().last).lowerBound >= log.ends[600], "seed \(seed)")
    // Blocks of more lines than the view has.
    let short = LogView(
      directory: view.directory, file: view.file, head: nil, endBytes: log.ends[700],
      tornTailBytes: 0)
    #expect(short.ranges(blocks, where: mayHold).map(\.bytes) == [0..<log.ends[700]])
  }

  @Test("Inconsistent blocks are rejected")
  func inconsistentBlocks() {
    func block(_ start: Int64, _ seq: UInt32) -> LineBlock {
      LineBlock(
        startBytes: start, earliestAt: 0, latestAt: 0, earliestID: 0, latestID: 0, firstSeq: seq,
        kinds: 0)
    }
    func isTaken(_ blocks: LineBlock...) -> Bool {
      Self.blocks(
        blocks, perSummary: 1, endBytes: 1_000, end: ChainPosition(seq: 10, hash: .beforeFirst))
        != nil
    }
    #expect(isTaken(block(0, 1)) && isTaken(block(0, 1), block(999, 10)))
    #expect(!isTaken() && !isTaken(block(300, 2)) && !isTaken(block(0, 2)))
    #expect(!isTaken(block(0, 1), block(0, 2)) && !isTaken(block(0, 1), block(5, 1)))
    #expect(!isTaken(block(0, 1), block(500, 4), block(400, 5)))
    #expect(!isTaken(block(0, 1), block(1_000, 5)) && !isTaken(block(0, 1), block(500, 11)))
  }
}
