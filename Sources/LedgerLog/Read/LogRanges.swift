/// The blocks of a log's lines up to some line, and summaries of them.
package struct LineBlocks: Sendable {
  /// In log order, from the log's start: each joins consecutive blocks.
  fileprivate let summaries: [LineBlock]
  /// The end of the last line covered, and the position of the line after it.
  fileprivate let endBytes: Int
  fileprivate let end: ChainPosition
  private let read: @Sendable (_ summary: Int) -> [LineBlock]?

  package static let none = LineBlocks()

  private init() {
    (summaries, endBytes, end) = ([], 0, .start)
    read = { _ in nil }
  }

  /// - Parameter blocks: reads the blocks that a summary joins; `nil` if they cannot be read.
  /// - Returns: `nil` if these cannot be the summaries of a log that continues at `end`.
  package init?(
    _ summaries: [LineBlock], endBytes: Int, end: ChainPosition,
    blocks: @escaping @Sendable (_ summary: Int) -> [LineBlock]?
  ) {
    guard let first = summaries.first, first.startBytes == 0, first.firstSeq == 1,
      Self.areInOrder(summaries, endBytes: endBytes, lastSeq: end.seq)
    else { return nil }
    (self.summaries, self.endBytes, self.end, read) = (summaries, endBytes, end, blocks)
  }

  /// The blocks that a summary joins; `nil` if they are not what it says.
  fileprivate func blocks(of summary: Int) -> [LineBlock]? {
    let next = summary + 1 < summaries.count ? summaries[summary + 1] : nil
    guard let blocks = read(summary), LineBlock.joined(blocks) == summaries[summary],
      Self.areInOrder(
        blocks, endBytes: next.map { Int($0.startBytes) } ?? endBytes,
        lastSeq: next.map { Int($0.firstSeq) - 1 } ?? end.seq)
    else { return nil }
    return blocks
  }

  private static func areInOrder(_ blocks: [LineBlock], endBytes: Int, lastSeq: Int) -> Bool {
    guard let last = blocks.last, last.startBytes < endBytes, last.firstSeq <= lastSeq else {
      return false
    }
    return zip(blocks, blocks.dropFirst()).allSatisfy { block, next in
      block.startBytes < next.startBytes && block.firstSeq < next.firstSeq
    }
  }
}

/// Whole lines of the log that are read independently of what precedes them.
package struct LogRange: Sendable {
  /// The event before the first line, as the preceding line states it.
  package var position: ChainPosition
  package var bytes: Range<Int>

  package init(position: ChainPosition, bytes: Range<Int>) {
    (self.position, self.bytes) = (position, bytes)
  }
}

extension LogView {
  /// The ranges of the log that may hold matching lines: all that no block rules out, and everything
  /// after the last block. Lazy: blocks are read as far as the ranges are asked for.
  ///
  /// - Parameter bytes: the part of the log to search, of whole lines; `nil` for all.
  package func ranges(
    _ blocks: LineBlocks, in bytes: Range<Int>? = nil, _ order: LogRanges.Order = .oldestFirst,
    where mayHold: @escaping (LineBlock) -> Bool
  ) -> LogRanges {
    LogRanges(self, blocks, in: bytes ?? 0..<endBytes, order, where: mayHold)
  }
}

/// Ranges of a log that blocks do not rule out.
///
/// At both ends of each range the log must have the start of a line with the seq that a block
/// remembers. Where it has not, the last range is all of the log that is left.
package struct LogRanges: Sequence, IteratorProtocol {
  package enum Order: Sendable {
    case oldestFirst, newestFirst
  }

  private let view: LogView
  private let blocks: LineBlocks
  private let order: Order
  private let mayHold: (LineBlock) -> Bool
  /// The summaries that are left; the one after the last means the lines after all blocks.
  private var left: Range<Int>
  /// The lines before or after the ranges that were returned.
  private var unread: Range<Int>
  /// Ranges to be returned, the next one last.
  private var found: [LogRange] = []

  fileprivate init(
    _ view: LogView, _ blocks: LineBlocks, in bytes: Range<Int>, _ order: Order,
    where mayHold: @escaping (LineBlock) -> Bool
  ) {
    self.view = view
    self.blocks = blocks.endBytes <= view.endBytes ? blocks : .none
    (self.order, self.mayHold, unread) = (order, mayHold, bytes)
    left = 0..<self.blocks.summaries.count + 1
  }

  package mutating func next() -> LogRange? {
    while found.isEmpty, let place = order == .oldestFirst ? left.first : left.last {
      left = order == .oldestFirst ? place + 1..<left.upperBound : left.lowerBound..<place
      if let ranges = try? ranges(at: place) {
        found = order == .oldestFirst ? ranges.reversed() : ranges
      } else {
        // A reader of all the rest reports what is wrong, and where.
        left = 0..<0
        let position = (try? position(at: unread.lowerBound)) ?? .start
        found = [LogRange(position: position, bytes: unread)]
      }
    }
    guard let range = found.popLast() else { return nil }
    unread =
      order == .oldestFirst
      ? range.bytes.upperBound..<unread.upperBound : unread.lowerBound..<range.bytes.lowerBound
    return range
  }

  /// The ranges in what a summary joins, oldest first; `nil` if the log does not match its blocks.
  private func ranges(at place: Int) throws(LogError) -> [LogRange]? {
    let summaries = blocks.summaries
    guard place < summaries.count else {
      let rest = LogRange(position: blocks.end, bytes: blocks.endBytes..<view.endBytes)
      return try clipped([rest])
    }
    let next = place + 1 < summaries.count ? summaries[place + 1] : nil
    let start = Int(summaries[place].startBytes)
    let end = next.map { Int($0.startBytes) } ?? blocks.endBytes
    guard (start..<end).overlaps(unread), mayHold(summaries[place]) else { return [] }
    guard let joined = blocks.blocks(of: place) else { return nil }
    var ranges: [LogRange] = []
    var first: LogRange?
    for block in joined where mayHold(block) == (first == nil) {
      guard let position = try position(before: block) else { return nil }
      let offset = Int(block.startBytes)
      if let range = first {
        ranges.append(
          LogRange(position: range.position, bytes: range.bytes.lowerBound..<offset))
        first = nil
      } else {
        first = LogRange(position: position, bytes: offset..<end)
      }
    }
    if let range = first {
      if let next, try position(before: next) == nil { return nil }
      ranges.append(range)
    }
    return try clipped(ranges)
  }

  /// - Returns: `nil` if the log has no line with the block's first seq at the block's start.
  private func position(before block: LineBlock) throws(LogError) -> ChainPosition? {
    let position = try position(at: Int(block.startBytes))
    return position.flatMap { $0.seq + 1 == block.firstSeq ? $0 : nil }
  }

  private func position(at offset: Int) throws(LogError) -> ChainPosition? {
    offset == 0 ? .start : try view.position(after: offset)
  }

  /// The parts of ranges that are unread.
  private func clipped(_ ranges: [LogRange]) throws(LogError) -> [LogRange]? {
    var parts: [LogRange] = []
    for range in ranges where range.bytes.overlaps(unread) {
      var part = range
      part.bytes = range.bytes.clamped(to: unread)
      if part.bytes.lowerBound > range.bytes.lowerBound {
        guard let position = try position(at: part.bytes.lowerBound) else { return nil }
        part.position = position
      }
      parts.append(part)
    }
    return parts
  }
}
