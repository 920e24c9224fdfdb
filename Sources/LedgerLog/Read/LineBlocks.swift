/// What is known of a log's lines up to some line, block by block.
package struct LineBlocks: Sendable {
  /// In the order of the log, the first one at its start.
  fileprivate let blocks: [LineBlock]
  /// Behind the last line that is known of, and what a line there must follow.
  fileprivate let endBytes: Int
  fileprivate let end: ChainPosition

  /// Of no line.
  package static let none = LineBlocks()

  private init() {
    (blocks, endBytes, end) = ([], 0, .start)
  }

  /// - Returns: `nil` where these cannot be the blocks of a log that goes on from there.
  package init?(_ blocks: [LineBlock], endBytes: Int, end: ChainPosition) {
    guard let first = blocks.first, first.startBytes == 0, first.firstSeq == 1,
      let last = blocks.last, last.startBytes < endBytes, last.firstSeq <= end.seq,
      zip(blocks, blocks.dropFirst()).allSatisfy({ block, next in
        block.startBytes < next.startBytes && block.firstSeq < next.firstSeq
      })
    else { return nil }
    (self.blocks, self.endBytes, self.end) = (blocks, endBytes, end)
  }
}

/// Some whole lines of a log, one behind the other.
package struct LineStretch: Sendable {
  /// What the first one must follow.
  package var position: ChainPosition
  package var bytes: Range<Int>

  package init(position: ChainPosition, bytes: Range<Int>) {
    (self.position, self.bytes) = (position, bytes)
  }
}

extension LogView {
  /// The stretches of the log that lines of some sort stand in, oldest first: all that no block
  /// rules out, and all that no block is of.
  ///
  /// Where a stretch begins and ends the log must have a line's start with the seq that its block
  /// remembers. On any doubt there is one stretch, of the whole log.
  package func stretches(
    _ blocks: LineBlocks, where mayHold: (LineBlock) -> Bool
  ) -> [LineStretch] {
    do throws(LogError) {
      if let found = try wanted(blocks, where: mayHold) { return found }
    } catch {
      // Whoever reads all of it says what is wrong, and where.
    }
    return [LineStretch(position: .start, bytes: 0..<endBytes)]
  }

  private func wanted(
    _ blocks: LineBlocks, where mayHold: (LineBlock) -> Bool
  ) throws(LogError) -> [LineStretch]? {
    guard blocks.endBytes <= endBytes else { return nil }
    var stretches: [LineStretch] = []
    var first: (position: ChainPosition, startBytes: Int)?
    for block in blocks.blocks where mayHold(block) == (first == nil) {
      guard let boundary = try boundary(of: block) else { return nil }
      if let start = first {
        stretches.append(
          LineStretch(
            position: start.position, bytes: start.startBytes..<boundary.startBytes))
        first = nil
      } else {
        first = boundary
      }
    }
    let start = first ?? (blocks.end, blocks.endBytes)
    if start.startBytes < endBytes {
      stretches.append(
        LineStretch(position: start.position, bytes: start.startBytes..<endBytes))
    }
    return stretches
  }

  /// - Returns: `nil` where the block does not begin where the log has a line with its seq.
  private func boundary(
    of block: LineBlock
  ) throws(LogError) -> (position: ChainPosition, startBytes: Int)? {
    if block.startBytes == 0 { return (.start, 0) }
    guard let position = try position(behind: Int(block.startBytes)),
      position.seq + 1 == block.firstSeq
    else { return nil }
    return (position, Int(block.startBytes))
  }
}
