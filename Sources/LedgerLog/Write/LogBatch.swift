package import LedgerModel
import LedgerPlatform

/// The lines of one write that may be larger than memory.
///
/// Parts go to the log's file as they fill the buffer, all but the first byte, which is written last,
/// after the others are synced. Until then the first line begins with NUL, so that readers ignore what
/// follows and recovery takes it for a crash's remains (docs/log-format.md, Recovery).
package final class LogBatch {
  /// Large enough to amortize the calls; most imports fit and are one plain write.
  private static let partBytes = 4 << 20

  private let file: OpenFile
  private let startBytes: Int
  private var writer = LineWriter()
  private(set) var lines: [UInt8] = []
  /// The position after the last line.
  private(set) var end: ChainPosition
  /// Where the buffered lines begin in the file.
  private var linesStart: Int
  private var firstByte: UInt8?

  init(file: OpenFile, after head: Head) {
    self.file = file
    (startBytes, linesStart) = (head.offsetBytes, head.offsetBytes)
    end = ChainPosition(head)
    lines.reserveCapacity(1 << 16)
  }

  /// Whether bytes are in the file already.
  var hasWritten: Bool { firstByte != nil }
  /// The end of the last line in the file.
  var endBytes: Int { linesStart + lines.count }

  /// Composes the next line.
  ///
  /// - Throws: ``LogError/lineTooLong(bytes:)``, ``LogError/unwritable(problem:)``, or a failed write.
  package func append(_ event: Event, salt: UInt64) throws(LogError) {
    let seq = Seq(end.seq + 1)
    let hash = try writer.append(event, seq: seq, salt: salt, after: end.hash, to: &lines)
    end = ChainPosition(seq: seq.number, hash: hash)
    guard lines.count >= Self.partBytes else { return }
    try logErrors { () throws(IOFailure) in try flush() }
  }

  /// Writes the buffered lines.
  func flush() throws(IOFailure) {
    guard let first = lines.first else { return }
    let isStart = firstByte == nil
    if isStart { firstByte = first }
    let skipped = isStart ? 1 : 0
    try lines.withUnsafeBufferPointer { bytes throws(IOFailure) in
      let rest = UnsafeBufferPointer(rebasing: bytes[skipped...])
      try file.write(UnsafeRawBufferPointer(rest), at: linesStart + skipped)
    }
    linesStart += lines.count
    lines.removeAll(keepingCapacity: true)
  }

  /// Completes the first line, once the others are durable.
  func reveal() throws(IOFailure) {
    if let firstByte { try file.write([firstByte], at: startBytes) }
  }
}
