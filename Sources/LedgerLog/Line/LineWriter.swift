import CSHA256
import LedgerJSON
import LedgerModel

/// Puts an event into its one line: the only place that writes the log's form.
enum LineWriter {
  struct Line {
    var recorded: RecordedEvent
    var hash: ChainHash
  }

  /// Appends the line and its `\n` to `bytes`.
  ///
  /// A line that readers refuse would make the whole log unusable at its next opening, so the
  /// scanner looks at it first, whoever made the event.
  ///
  /// - Throws: ``LogError/lineTooLong(bytes:)`` or ``LogError/unwritable(problem:)``, with `bytes`
  ///   as they were.
  static func append(
    _ event: Event, seq: Seq, salt: UInt64, after previous: ChainHash, to bytes: inout [UInt8]
  ) throws(LogError) -> Line {
    let start = bytes.count
    bytes.append(contentsOf: #"{"id":""#.utf8)
    event.id.uuid.appendText(to: &bytes)
    bytes.append(contentsOf: #"","seq":\#(seq.number),"at":"\#(event.at)","by":""#.utf8)
    bytes.append(contentsOf: event.by.rawValue.utf8)
    bytes.append(contentsOf: #"","type":"\#(event.payload.type)","v":"#.utf8)
    bytes.append(contentsOf: "\(event.payload.version),".utf8)
    let bodyStart = bytes.count
    bytes.append(contentsOf: #""salt":""#.utf8)
    for shift in stride(from: UInt64(60), through: 0, by: -4) {
      bytes.append(Hex.digit(UInt8(truncatingIfNeeded: salt >> shift) & 15))
    }
    bytes.append(contentsOf: #"","data":"#.utf8)
    event.payload.data.write(into: &bytes)
    let bodyEnd = bytes.count
    let hash = bytes.withUnsafeBufferPointer { buffer in
      ChainHash.link(
        after: previous, line: UnsafeRawBufferPointer(buffer).bytes, front: start..<bodyStart,
        body: bodyStart..<bodyEnd)
    }
    bytes.append(contentsOf: #","hash":""#.utf8)
    hash.append(to: &bytes)
    bytes.append(contentsOf: "\"}\n".utf8)
    let length = bytes.count - start - 1
    guard length <= LogFormat.longestLineBytes else {
      bytes.removeLast(bytes.count - start)
      throw .lineTooLong(bytes: length)
    }
    do throws(LineFault) {
      try check(bytes, from: start, length: length, event)
    } catch {
      bytes.removeLast(bytes.count - start)
      throw .unwritable(problem: error.sentence)
    }
    let recorded = RecordedEvent(seq: seq, event: event, hash: hash.description)
    return Line(recorded: recorded, hash: hash)
  }

  private static func check(
    _ bytes: [UInt8], from start: Int, length: Int, _ event: Event
  ) throws(LineFault) {
    if case .erased = event.payload {
      throw LineFault(.data("an erased event is never recorded anew"), at: 0)
    }
    try bytes.withUnsafeBufferPointer { buffer throws(LineFault) in
      let line = UnsafeRawBufferPointer(buffer).bytes
      let envelope = try EnvelopeScanner.scan(line, from: start, to: start + length)
      try EnvelopeScanner.scanData(envelope, in: line)
    }
  }
}
