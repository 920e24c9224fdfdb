package import LedgerModel

/// Lines composed for one durable write; see ``LogSession/append(_:)``.
///
/// It keeps no events, and its lines in pieces, so that a large batch takes little more memory than its
/// lines.
package final class LineBatch {
  /// The event before the first line.
  let start: ChainPosition
  /// The event of the last line.
  private(set) var end: ChainPosition
  /// Each of whole lines with their `\n`.
  package private(set) var pieces: [[UInt8]] = []
  private var writer = LineWriter()
  private let expectedCount: Int

  private static let pieceBytes = 1 << 18
  /// Most lines are shorter.
  private static let usualLineBytes = 400

  init(after start: ChainPosition, expecting count: Int) {
    (self.start, end, expectedCount) = (start, start, count)
  }

  /// The seqs of the lines.
  package var seqs: Range<Int> { start.seq + 1..<end.seq + 1 }

  package var byteCount: Int { pieces.reduce(0) { $0 + $1.count } }

  /// - Returns: the link of the new line.
  /// - Throws: ``LogError/lineTooLong(bytes:)`` or ``LogError/unwritable(problem:)``; the batch is
  ///   unchanged then.
  @discardableResult
  package func add(_ event: Event, salt: UInt64) throws(LogError) -> ChainHash {
    if pieces.last.map({ $0.count >= Self.pieceBytes }) ?? true {
      var piece: [UInt8] = []
      let left = expectedCount - (end.seq - start.seq)
      piece.reserveCapacity(min(left * Self.usualLineBytes, Self.pieceBytes + 1024))
      pieces.append(piece)
    }
    let seq = Seq(end.seq + 1)
    let hash = try writer.append(
      event, seq: seq, salt: salt, after: end.hash, to: &pieces[pieces.count - 1])
    end = ChainPosition(seq: seq.number, hash: hash)
    return hash
  }

  /// All lines.
  var lines: [UInt8] { pieces.count == 1 ? pieces[0] : pieces.flatMap(\.self) }
}
