package import LedgerModel
import LedgerPlatform

/// Lines composed for one durable write; see ``LogSession``.
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
  private let expectedCount: Int?

  private static let pieceBytes = 1 << 18
  /// Most lines are shorter.
  private static let usualLineBytes = 400

  /// - Parameter count: how many lines are expected; `nil` for many.
  init(after start: ChainPosition, expecting count: Int?) {
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
      let expected = expectedCount.map { ($0 - (end.seq - start.seq)) * Self.usualLineBytes }
      piece.reserveCapacity(min(expected ?? .max, Self.pieceBytes + 1024))
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

  /// Takes the lines out; later ones continue after them.
  fileprivate func takePieces() -> [[UInt8]] {
    defer { pieces = [] }
    return pieces
  }
}

/// The lines of one write that may be larger than memory.
///
/// Parts go to the log's file as they fill the buffer, all but the first byte, which is written last,
/// after the others are synced. Until then the first line begins with NUL, so that readers ignore what
/// follows and recovery takes it for a crash's remains (docs/log-format.md, Recovery).
package final class StreamedAppend {
  /// Pieces for each part: enough to amortize the calls; most imports fit.
  private static let partPieces = 16

  private let file: OpenFile
  private let startBytes: Int
  private let batch: LineBatch
  /// The end of the lines in the file.
  private var writtenBytes: Int
  private var firstByte: UInt8?

  init(to file: OpenFile, after head: Head) {
    self.file = file
    (startBytes, writtenBytes) = (head.offsetBytes, head.offsetBytes)
    batch = LineBatch(after: ChainPosition(head), expecting: nil)
  }

  /// Whether bytes are in the file already.
  var hasWritten: Bool { firstByte != nil }
  /// The position after the last line.
  var end: ChainPosition { batch.end }
  /// The end of the last line in the file, once it is written.
  var endBytes: Int { writtenBytes + batch.byteCount }
  /// The lines that are not in the file yet.
  var pieces: [[UInt8]] { batch.pieces }

  /// Composes the next line.
  ///
  /// - Throws: ``LogError/lineTooLong(bytes:)``, ``LogError/unwritable(problem:)``, or a failed write.
  package func append(_ event: Event, salt: UInt64) throws(LogError) {
    try batch.add(event, salt: salt)
    guard batch.pieces.count > Self.partPieces else { return }
    try logErrors { () throws(IOFailure) in try flush() }
  }

  /// Writes the buffered lines.
  func flush() throws(IOFailure) {
    for piece in batch.takePieces() {
      let skipped = firstByte == nil ? 1 : 0
      firstByte = firstByte ?? piece.first
      try piece.withUnsafeBufferPointer { bytes throws(IOFailure) in
        let rest = UnsafeBufferPointer(rebasing: bytes[skipped...])
        try file.write(UnsafeRawBufferPointer(rest), at: writtenBytes + skipped)
      }
      writtenBytes += piece.count
    }
  }

  /// Completes the first line, once the others are durable.
  func reveal() throws(IOFailure) {
    if let firstByte { try file.write([firstByte], at: startBytes) }
  }
}
