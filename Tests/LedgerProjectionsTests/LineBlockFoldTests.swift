import LedgerJSON
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerLog
@testable import LedgerProjections

/// Both readers summarize lines into blocks while they are folded.
@Suite struct LineBlockFoldTests {
  /// One line as the reference reader gives it.
  private struct Line {
    var offset: Int
    var at: Int64
    var id: Int64
    var type: String
  }

  private static func lines(of view: LogView) throws -> [Line] {
    var lines: [Line] = []
    var offset = 0
    try view.forEachEvent { event, line in
      lines.append(
        Line(
          offset: offset, at: event.event.at.millisecondsSince1970,
          id: Int64(event.event.id.uuid.high >> 16), type: event.event.payload.type))
      offset += line.byteCount + 1
      return true
    }
    return lines
  }

  /// Expects that every line is in one block, whose bounds are exactly those of its lines.
  private func expectExact(
    _ blocks: [LineBlock], of lines: [Line], _ comment: Comment
  ) throws {
    #expect(blocks.first?.startBytes == 0 && blocks.first?.firstSeq == 1, comment)
    for (index, block) in blocks.enumerated() {
      let end = index + 1 < blocks.count ? Int(blocks[index + 1].firstSeq) - 1 : lines.count
      let first = Int(block.firstSeq) - 1
      try #require(first < end, comment)
      let own = lines[first..<end]
      let wanted = LineBlock(
        startBytes: Int64(own.first!.offset), earliestAt: own.map(\.at).min()!,
        latestAt: own.map(\.at).max()!, earliestID: own.map(\.id).min()!,
        latestID: own.map(\.id).max()!, firstSeq: UInt32(first + 1),
        kinds: own.reduce(0) { $0 | LineBlock.kind($1.type) })
      #expect(block == wanted, comment)
    }
  }

  /// A random log with an erratic clock.
  private static func log(seed: UInt64, count: Int) -> HandWrittenLog {
    var random = SplitMix(seed)
    var now = HandWrittenLog.begin
    var log = HandWrittenLog()
    for line in RandomStory.lines(seed: seed, count: count) {
      now += Int64.random(in: -90_000_000...99_000_000, using: &random)
      let at = Timestamp(millisecondsSince1970: now)
      if log.seq > 0, random.chance(5) {
        log.append(type: "mood.guessed", data: "{}", at: at)
      } else if random.chance(30) {
        // Reversed members, which the fast reader leaves or reads in its second form.
        let data = line.payload.data.members.reversed()
          .map { "\"\($0.name)\":\($0.value.serialized)" }.joined(separator: ",")
        log.append(type: line.payload.type, data: "{\(data)}", by: line.by, at: at)
      } else {
        log.append(line.payload, by: line.by, at: at)
      }
    }
    return log
  }

  @Test("Every kind of replay gives exact blocks", arguments: [UInt64.random(in: 0 ... .max), 31])
  func everyWayOfReadingSumsUpTheSame(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let log = Self.log(seed: seed, count: 260)
    let view = try log.view(in: folder)
    let lines = try Self.lines(of: view)
    var random = SplitMix(seed)
    for threads in [1, 3] {
      var options = Replay.Options(verifies: false, threads: threads)
      options.smallestRangeBytes = 1_000
      options.blocks = LineBlockBuilder(blockBytes: 900)
      let state = try Replay.run(view, options).state
      let blocks = Array(try #require(state.blocks))
      #expect(blocks.count > 20)
      try expectExact(blocks, of: lines, "seed \(seed), \(threads) threads")
      // Later lines are appended one by one, then in a batch.
      let cut = Int.random(in: 1..<260, using: &random)
      options.until = Seq(cut)
      var grown = try Replay.run(view, options).state
      for seq in cut + 1...min(260, cut + 5) {
        try Replay.advance(&grown, to: view, until: Seq(seq))
      }
      try Replay.advance(&grown, to: view)
      try expectExact(
        Array(try #require(grown.blocks)), of: lines, "seed \(seed), grown from \(cut)")
      #expect(grown.blocks!.count <= blocks.count)
    }
    #expect(try Replay.run(view).state.blocks == nil)
  }

  @Test("Lines that are read twice are summarized once")
  func aWindowReadAgain() throws {
    let folder = try TemporaryFolder()
    var log = Self.log(seed: 4, count: 90)
    // An unknown version stops the fold, after the fast reader has read the lines before it.
    log.append(type: "progress.logged", data: "{}", version: 7)
    let view = try log.view(in: folder)
    var options = Replay.Options(verifies: false, threads: 1)
    options.blocks = LineBlockBuilder(blockBytes: 900)
    let outcome = try Replay.run(view, options)
    #expect(outcome.damage?.line == 91)
    let part = LogView(
      directory: view.directory, file: view.file, head: nil, endBytes: log.starts[90],
      tornTailBytes: 0)
    try expectExact(
      Array(try #require(outcome.state.blocks)), of: Self.lines(of: part), "before the damage")
  }

  /// For callers that hold the log's lock.
  @Test("A FoldedLog told to keep no snapshot writes none") func whoIsToKeepNoneWritesNone() throws
  {
    let folder = try TemporaryFolder()
    let view = try Self.log(seed: 7, count: 30).view(in: folder)
    try FoldedLog(view, keepsSnapshot: false).keepSnapshot()
    #expect(Snapshot.open(view) == nil)
    try FoldedLog(view).keepSnapshot()
    #expect(Snapshot.open(view) != nil)
  }

  @Test("A snapshot stores the blocks", arguments: [UInt64.random(in: 0 ... .max), 32])
  func aSnapshotKeepsThem(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let log = Self.log(seed: seed, count: 300)
    let view = try log.view(in: folder)
    let part = LogView(
      directory: view.directory, file: view.file, head: nil, endBytes: log.starts[200],
      tornTailBytes: 0)
    try FoldedLog(part).keepSnapshot()
    var state = try #require(Snapshot.open(view))
    try Replay.advance(&state, to: view)
    let lines = try Self.lines(of: view)
    try expectExact(Array(try #require(state.loaded().blocks)), of: lines, "seed \(seed)")
    for milliseconds in [lines[100].at, lines[250].at, lines.map(\.at).min()! - 1] {
      let moment = Timestamp(millisecondsSince1970: milliseconds)
      let wanted = lines.lastIndex { $0.at <= milliseconds }.map { Seq($0 + 1) }
      #expect(try view.lastSeq(notAfter: moment, in: view.lineBlocks()) == wanted)
    }
    // Without blocks, a snapshot does not narrow a search.
    Snapshot.keep(try Replay.run(part).state, of: view)
    #expect(view.ranges(view.lineBlocks()) { _ in false }.map(\.bytes) == [0..<view.endBytes])
  }

  @Test("After events without blocks no blocks are made")
  func aGap() throws {
    let folder = try TemporaryFolder()
    let view = try Self.log(seed: 6, count: 100).view(in: folder)
    Snapshot.keep(try Replay.run(view, .init(verifies: false, until: Seq(60))).state, of: view)
    var state = try #require(try Snapshot.open(view)?.loaded())
    try Replay.advance(&state, to: view)
    Snapshot.keep(state, of: view)
    #expect(Snapshot.open(view)?.position.seq == 100)
    #expect(view.ranges(view.lineBlocks()) { _ in false }.map(\.bytes) == [0..<view.endBytes])
  }
}
