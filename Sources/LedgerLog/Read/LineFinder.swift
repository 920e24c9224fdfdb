import LedgerJSON
package import LedgerModel
import LedgerPlatform

extension LogView {
  /// One stored line without its `\n`.
  package struct StoredLine: Sendable {
    package var seq: Int
    package var offsetBytes: Int
    package var bytes: [UInt8]

    /// The 16 hexadecimal digits of `salt`; empty for an erased event.
    package func salt() throws(LogError) -> String {
      do throws(LineFault) {
        return try scanned { (envelope, span) throws(LineFault) in
          guard !envelope.isErased else { return "" }
          return span.extracting(envelope.salt)
            .withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
      } catch {
        throw damaged(error)
      }
    }

    /// The line without its content, with its `\n`.
    ///
    /// - Throws: damage if it is erased already or has no erased form.
    func erased() throws(LogError) -> [UInt8] {
      do throws(LineFault) {
        return try scanned { (envelope, span) throws(LineFault) in
          guard let line = ErasedLine.bytes(of: envelope, in: span) else {
            throw LineFault(.data("the event cannot be erased"), at: envelope.bodyStart)
          }
          return line
        }
      } catch {
        throw damaged(error)
      }
    }

    /// Checks the chain link to the line before.
    fileprivate func checkLink(after position: ChainPosition) throws(LogError) {
      var position = position
      do throws(LineFault) {
        try bytes.withUnsafeBufferPointer { buffer throws(LineFault) in
          let span = UnsafeRawBufferPointer(buffer).bytes
          _ = try position.advance(over: span, from: 0, to: span.byteCount, .chain)
        }
      } catch {
        throw damaged(error)
      }
    }

    private func damaged(_ fault: LineFault) -> LogError {
      .damaged(Damage(line: seq, byte: offsetBytes + fault.offsetBytes, problem: fault.sentence))
    }

    package func event() throws(LogError) -> RecordedEvent {
      do throws(Damage) {
        return try EventReader.read(bytes, line: seq, byte: offsetBytes)
      } catch {
        throw .damaged(error)
      }
    }

    /// Calls `body` with the line's envelope; returns `nil` for a malformed line.
    package func withEnvelope<Result>(
      _ body: (_ envelope: Envelope, _ bytes: RawSpan) -> Result
    ) -> Result? {
      try? scanned { (envelope, span) throws(LineFault) in body(envelope, span) }
    }

    fileprivate func scanned<Result>(
      _ body: (_ envelope: Envelope, _ bytes: RawSpan) throws(LineFault) -> Result
    ) throws(LineFault) -> Result {
      try bytes.withUnsafeBufferPointer { buffer throws(LineFault) in
        let span = UnsafeRawBufferPointer(buffer).bytes
        return try body(EnvelopeScanner.scan(span, from: 0, to: span.byteCount), span)
      }
    }
  }

  // MARK: Single lines

  // Lines are ordered by seq and mostly of similar length, so an interpolation over bytes finds one
  // among a million events with a few small reads.

  /// The last line; `nil` for an empty log.
  package func lastLine() throws(LogError) -> StoredLine? {
    guard endBytes > 0 else { return nil }
    return try line(containing: endBytes - 1)
  }

  /// The line with this seq.
  ///
  /// - Throws: ``LogError/noSuchEvent(_:)``; damage if a line that is read is malformed.
  package func line(_ seq: Seq) throws(LogError) -> StoredLine {
    var low = (offset: 0, seq: 1)
    // An estimate as long as no line after the wanted one is known.
    var high = (offset: endBytes, seq: head?.seq ?? 0)
    var bisects = false
    while low.offset < high.offset {
      let size = high.offset - low.offset
      var share = 0.5
      if !bisects, high.seq > low.seq {
        share = min(1, (Double(seq.number - low.seq) + 0.5) / Double(high.seq - low.seq))
      }
      let line = try line(
        containing: low.offset + max(0, min(size - 1, Int(Double(size) * share))))
      if line.seq == seq.number { return line }
      if line.seq < seq.number {
        low = (line.offsetBytes + line.bytes.count + 1, line.seq + 1)
      } else {
        high = (line.offsetBytes, line.seq)
      }
      // Lines of very different lengths: every second step at least halves the rest.
      bisects = !bisects && high.offset - low.offset > size / 2
    }
    throw .noSuchEvent(seq)
  }

  /// The line with this seq, its chain link checked against the hash stored in the previous line:
  /// for readers that act on its content.
  ///
  /// - Throws: as ``line(_:)``; damage if the link is wrong.
  package func checkedLine(_ seq: Seq) throws(LogError) -> StoredLine {
    let line = try line(seq)
    try line.checkLink(after: position(after: line.offsetBytes) ?? .start)
    return line
  }

  /// The last `count` lines, oldest first.
  package func lastLines(_ count: Int) throws(LogError) -> [StoredLine] {
    var lines: [StoredLine] = []
    var end = endBytes
    while end > 0, lines.count < count {
      let line = try line(containing: end - 1)
      lines.append(line)
      end = line.offsetBytes
    }
    return lines.reversed()
  }

  /// A line whose offset and length, without its `\n`, are known.
  package func line(at offset: Int, count: Int) throws(LogError) -> StoredLine {
    try stored(file.logBytes(in: offset..<offset + count), at: offset)
  }

  /// The line that contains the byte at an offset; a `\n` belongs to the line it ends.
  func line(containing offset: Int) throws(LogError) -> StoredLine {
    var reach = 2048
    while true {
      let start = max(0, offset - reach)
      let end = min(endBytes, offset + reach)
      let bytes = try logErrors { () throws(IOFailure) in try file.bytes(in: start..<end) }
      let middle = offset - start
      guard middle < bytes.count else { throw .shortened(at: offset) }
      let (before, newline) = bytes.withUnsafeBytes { buffer in
        (buffer.bytes.lastNewline(before: middle), buffer.bytes.newline(from: middle))
      }
      if let first = before.map({ $0 + 1 }) ?? (start == 0 ? 0 : nil), let newline {
        return try stored(Array(bytes[first..<newline]), at: start + first)
      }
      guard reach <= LogFormat.longestLineBytes else { throw .tooLongLine(at: start) }
      reach *= 8
    }
  }

  fileprivate func stored(_ bytes: [UInt8], at offset: Int) throws(LogError) -> StoredLine {
    var line = StoredLine(seq: 0, offsetBytes: offset, bytes: bytes)
    do throws(LineFault) {
      line.seq = try line.scanned { (envelope, _) throws(LineFault) in envelope.seq }
      return line
    } catch {
      throw .damaged(
        Damage(line: nil, byte: offset + error.offsetBytes, problem: error.sentence))
    }
  }

  // MARK: Positions

  /// The last line boundary at or before a byte, and the position there; `nil` for the start of the
  /// file.
  package func position(
    before offset: Int
  ) throws(LogError) -> (position: ChainPosition, offsetBytes: Int)? {
    guard offset > 0, offset < endBytes else { return nil }
    let here = try line(containing: offset)
    guard here.offsetBytes > 0 else { return nil }
    return (try position(endOf: line(containing: here.offsetBytes - 1)), here.offsetBytes)
  }

  /// The position at a byte offset; `nil` if no line ends there.
  package func position(after offset: Int) throws(LogError) -> ChainPosition? {
    guard offset > 0, offset <= endBytes else { return nil }
    let last = try line(containing: offset - 1)
    return last.offsetBytes + last.bytes.count + 1 == offset ? try position(endOf: last) : nil
  }

  fileprivate func position(endOf line: StoredLine) throws(LogError) -> ChainPosition {
    let hashEnd = line.bytes.count - 2
    guard let hash = ChainHash(line.bytes[(hashEnd - 64)..<hashEnd]) else {
      throw .damaged(
        Damage(
          line: line.seq, byte: line.offsetBytes,
          problem: LineFault(.member(.hash), at: 0).sentence))
    }
    return ChainPosition(seq: line.seq, hash: hash)
  }

  // MARK: Searches

  /// Reads lines in chunks from an end towards the start, the lines of each chunk in order: the
  /// newest lines of a kind are usually near the end.
  ///
  /// Checks the form of each line read, and that no seq is missing between them.
  ///
  /// - Parameters:
  ///   - whole: the lines to read; `nil` for all.
  ///   - body: receives each line, with the offset of its window in the file.
  ///   - condition: called after each chunk with the position before it; returns false to stop.
  package func walkBackward(
    through whole: LogRange? = nil,
    _ body: (
      _ window: RawSpan, _ windowOffset: Int, _ envelope: Envelope
    ) throws(LineFault) -> Void,
    while condition: (_ before: ChainPosition) -> Bool
  ) throws(LogError) {
    let whole = whole ?? LogRange(position: .start, bytes: 0..<endBytes)
    let first = (position: whole.position, offsetBytes: whole.bytes.lowerBound)
    var end = whole.bytes.upperBound
    var chunkBytes = 1 << 14
    while end > first.offsetBytes {
      var (position, start) = try position(before: end - chunkBytes) ?? (.start, 0)
      if start <= first.offsetBytes { (position, start) = first }
      var scan = EventScan(from: position, offsetBytes: start, checks: .form)
      try LineWindows.forEach(of: file, in: start..<end) { (window, offset) throws(LogError) in
        try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
          try body(window, offset, envelope)
        }
      }
      guard start > first.offsetBytes, condition(position) else { return }
      end = start
      // Small at first, because the result is usually near; at most what fits in one window.
      chunkBytes = min(chunkBytes * 4, LineWindows.bufferBytes / 2)
    }
  }

  /// The seqs of those ids that are in the log.
  ///
  /// - Parameter blocks: exclude lines of other times; less effective where neighbouring ids are of
  ///   many different times.
  package func seqs(
    of ids: Set<EventID>, in blocks: LineBlocks = .none
  ) throws(LogError) -> [EventID: Seq] {
    guard !ids.isEmpty else { return [:] }
    let moments = ids.map { LineBlock.moment(of: $0.uuid) }.sorted()
    var found: [EventID: Seq] = [:]
    for range in ranges(blocks, where: { $0.mayHoldID(ofAnyOf: moments) }) {
      var scan = EventScan(
        from: range.position, offsetBytes: range.bytes.lowerBound, checks: .form)
      try LineWindows.forEach(of: file, in: range.bytes) { (window, offset) throws(LogError) in
        try scan.walk(window, at: offset) { (_, envelope) throws(LineFault) in
          let id = EventID(envelope.id)
          if ids.contains(id) { found[id] = Seq(envelope.seq) }
        }
      }
    }
    return found
  }

  /// The largest seq whose `at` is not after a moment; `nil` if there is none.
  ///
  /// Clocks step back, so no line bounds the times of earlier lines: this is the first match from
  /// the end.
  ///
  /// - Parameters:
  ///   - blocks: exclude lines of other times.
  ///   - upToBreak: damage ends the searched log instead of failing the search. The break is found
  ///     by a pass from the start.
  package func lastSeq(
    notAfter moment: Timestamp, in blocks: LineBlocks = .none, upToBreak: Bool = false
  ) throws(LogError) -> Seq? {
    let milliseconds = moment.millisecondsSince1970
    var last: Seq?
    func check(_ window: RawSpan, _ envelope: Envelope) {
      guard envelope.milliseconds(in: window) <= milliseconds else { return }
      last = Seq(envelope.seq)
    }
    guard upToBreak else {
      var ranges = ranges(blocks, .newestFirst) { $0.earliestAt <= milliseconds }
      while last == nil, let range = ranges.next() {
        try walkBackward(through: range) { (window, _, envelope) throws(LineFault) in
          check(window, envelope)
        } while: { _ in
          last == nil
        }
      }
      return last
    }
    var scan = EventScan(checks: .form)
    do throws(LogError) {
      try forEachWindow { (window, offset) throws(LogError) in
        try scan.walk(window, at: offset) { (window, envelope) throws(LineFault) in
          check(window, envelope)
        }
      }
    } catch {
      guard case .damaged = error else { throw error }
    }
    return last
  }

  /// The approximate number of events recorded up to a moment, by bisection.
  ///
  /// Exact if the clock never stepped back; otherwise the number at one of the places where the log
  /// passes the moment. ``lastSeq(notAfter:in:upToBreak:)`` finds the last one by reading more.
  package func eventsRecorded(upTo moment: Timestamp) throws(LogError) -> Int {
    var low = 0
    var high = endBytes
    var last = 0
    while low < high {
      let line = try line(containing: low + (high - low) / 2)
      let at = line.withEnvelope { envelope, bytes in envelope.milliseconds(in: bytes) }
      if let at, at <= moment.millisecondsSince1970 {
        last = line.seq
        low = line.offsetBytes + line.bytes.count + 1
      } else {
        high = line.offsetBytes
      }
    }
    return last
  }
}

extension LineBlock {
  /// - Parameter moments: ascending.
  fileprivate func mayHoldID(ofAnyOf moments: [Int64]) -> Bool {
    let index = moments.partitioningIndex { $0 >= earliestID }
    return index < moments.count && moments[index] <= latestID
  }
}

/// Single lines of a log for a reader that asks for them mostly in ascending order: lines shortly after
/// an earlier one are found in memory.
///
/// Not `Sendable`: for one thread.
package final class NearbyLines {
  private let view: LogView
  private var window: [UInt8] = []
  private var windowOffset = 0
  /// The place in the window of the next line, and the event before it.
  private var place = 0
  private var before = ChainPosition.start
  /// Requests in a row that the window did not hold.
  private var misses = 0

  private static let windowBytes = 1 << 16
  /// A single request elsewhere, such as for a correction, does not move the window.
  private static let mostMisses = 4

  package init(_ view: LogView) { self.view = view }

  /// As ``LogView/checkedLine(_:)``.
  package func checkedLine(_ seq: Seq) throws(LogError) -> LogView.StoredLine {
    if let line = try found(seq) {
      misses = 0
      return line
    }
    misses += 1
    let line = try view.checkedLine(seq)
    if misses > Self.mostMisses || seq.number == before.seq + 1 { try fill(after: line) }
    return line
  }

  /// - Returns: `nil` if the rest of the window does not hold the line.
  private func found(_ seq: Seq) throws(LogError) -> LogView.StoredLine? {
    while before.seq < seq.number {
      guard let end = window[place...].firstIndex(of: 0x0A) else { return nil }
      let line = try view.stored(Array(window[place..<end]), at: windowOffset + place)
      guard line.seq <= seq.number else { return nil }
      if line.seq == seq.number { try line.checkLink(after: before) }
      before = try view.position(endOf: line)
      place = end + 1
      if line.seq == seq.number { return line }
    }
    return nil
  }

  private func fill(after line: LogView.StoredLine) throws(LogError) {
    windowOffset = line.offsetBytes + line.bytes.count + 1
    let end = min(view.endBytes, windowOffset + Self.windowBytes)
    window = try logErrors { () throws(IOFailure) in
      try view.file.bytes(in: windowOffset..<max(windowOffset, end))
    }
    (place, before, misses) = (0, try view.position(endOf: line), 0)
  }
}
