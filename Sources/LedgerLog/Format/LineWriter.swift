import CSHA256
import LedgerJSON
import LedgerModel

/// Writes events as lines of the log.
///
/// Each line is composed, hashed and checked in the writer's own buffer before it is appended.
struct LineWriter: ~Copyable {
  private var line = ByteSink(capacity: 1024)
  private var days = InstantDay()

  /// Appends the line and its `\n` to `lines`.
  ///
  /// A line that readers reject would make the log unusable at its next opening, so every line is
  /// checked first.
  ///
  /// - Returns: the line's link in the chain.
  /// - Throws: ``LogError/lineTooLong(bytes:)`` or ``LogError/unwritable(problem:)``; `lines` is
  ///   unchanged then.
  mutating func append(
    _ event: Event, seq: Seq, salt: UInt64, after previous: ChainHash, to lines: inout [UInt8]
  ) throws(LogError) -> ChainHash {
    line.removeAll()
    writeFront(event, seq)
    let bodyStart = line.count
    writeBody(event.payload, salt: salt)
    let bodyEnd = line.count
    let hash = line.withUnsafeBytes { line in
      ChainHash.link(
        after: previous, line: line.bytes, front: 0..<bodyStart, body: bodyStart..<bodyEnd)
    }
    line.append(#","hash":""#)
    hash.append(to: &line)
    line.append("\"}\n")
    let length = line.count - 1
    guard length <= LogFormat.longestLineBytes else { throw .lineTooLong(bytes: length) }
    do throws(LineFault) {
      try check(event, seq)
    } catch {
      throw .unwritable(problem: error.sentence)
    }
    line.withUnsafeBytes { lines.append(contentsOf: $0) }
    return hash
  }

  private mutating func writeFront(_ event: Event, _ seq: Seq) {
    line.append(#"{"id":""#)
    event.id.appendText(to: &line)
    line.append(#"","seq":"#)
    line.append(decimal: seq.number)
    line.append(#","at":""#)
    event.at.appendText(to: &line)
    line.append(#"","by":""#)
    line.append(plain: event.by.rawValue)
    line.append(#"","type":""#)
    line.append(plain: event.payload.type)
    line.append(#"","v":"#)
    line.append(decimal: event.payload.version)
    line.append(",")
  }

  private mutating func writeBody(_ payload: Event.Payload, salt: UInt64) {
    line.append(#""salt":""#)
    line.append(hex: UInt32(truncatingIfNeeded: salt >> 32))
    line.append(hex: UInt32(truncatingIfNeeded: salt))
    line.append(#"","data":"#)
    payload.writeData(into: &line)
  }

  private mutating func check(_ event: Event, _ seq: Seq) throws(LineFault) {
    if case .erased = event.payload {
      throw LineFault(.data("an erased event cannot be recorded again"), at: 0)
    }
    guard !isAcceptedByFastReader(seq) else { return }
    try line.withUnsafeBytes { line throws(LineFault) in
      let envelope = try EnvelopeScanner.scan(line.bytes, from: 0, to: line.count - 1)
      try EnvelopeScanner.scanData(envelope, in: line.bytes)
    }
  }

  /// The fast reader accepts only what the scanner does, in less than a third of the instructions.
  private mutating func isAcceptedByFastReader(_ seq: Seq) -> Bool {
    let end = line.count
    // The fast reader loads bytes past the end of the line.
    line.append(zeros: FastFront.reachBytes)
    defer { line.removeLast(FastFront.reachBytes) }
    var days = self.days
    defer { self.days = days }
    return line.withUnsafeBytes { line in
      let bytes = line.bytes
      guard let front = FastFront.read(bytes, at: 0, seq: SeqText(seq.number), days: &days) else {
        return false
      }
      var position = front.dataStart
      return FastData.skip(front.kind, bytes, at: &position) && front.isTail(bytes, at: position)
        && position + LogFormat.hashMemberBytes + 1 == end
    }
  }
}

/// Writes the erased form of a line: its front, the digest of its body, its link.
enum ErasedLine {
  /// - Returns: `nil` for a line that cannot be erased: it already is, or docs/log-format.md defines
  ///   no erased form for its version.
  static func bytes(of envelope: Envelope, in bytes: RawSpan) -> [UInt8]? {
    guard !envelope.isErased, envelope.version == 1 else { return nil }
    let body = bytes.extracting(envelope.bodyStart..<envelope.bodyEnd)
      .withUnsafeBytes { Array($0) }
    var line = bytes.extracting(envelope.start..<envelope.bodyStart).withUnsafeBytes { Array($0) }
    line += Array(#""erased":"\#(Digest.hex(of: body))""#.utf8)
    bytes.extracting(envelope.bodyEnd..<envelope.end).withUnsafeBytes {
      line.append(contentsOf: $0)
    }
    line.append(0x0A)
    return line
  }
}

extension Event {
  /// Whether a line of the log can hold the event, whatever its seq.
  package var fitsLine: Bool {
    var writer = LineWriter()
    var lines: [UInt8] = []
    let last = Seq(Int(UInt32.max))
    return (try? writer.append(self, seq: last, salt: 0, after: .beforeFirst, to: &lines)) != nil
  }
}
