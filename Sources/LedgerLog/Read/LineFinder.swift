public import LedgerModel
import LedgerPlatform

/// Finds single lines of a large log without reading the rest: lines are ordered by seq, so a
/// bisection over bytes needs some twenty small reads for a million events.
extension LogView {
  /// One stored line, its bytes without the `\n`.
  public struct StoredLine: Sendable {
    public var seq: Int
    public var offsetBytes: Int
    public var bytes: [UInt8]

    /// The 16 hexadecimal digits of `salt`; empty for an erased event.
    public func salt() throws(LogError) -> String {
      do throws(LineFault) {
        return try bytes.withUnsafeBufferPointer { buffer throws(LineFault) in
          let span = UnsafeRawBufferPointer(buffer).bytes
          let envelope = try EnvelopeScanner.scan(span, from: 0, to: span.byteCount)
          guard !envelope.isErased else { return "" }
          return span.extracting(envelope.salt)
            .withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
      } catch {
        throw .damaged(
          Damage(line: seq, byte: offsetBytes + error.offsetBytes, problem: error.sentence))
      }
    }

    /// The event that the line holds.
    public func event() throws(LogError) -> RecordedEvent {
      do throws(Damage) {
        return try EventReader.read(bytes, line: seq, byte: offsetBytes)
      } catch {
        throw .damaged(error)
      }
    }
  }

  /// The last line; `nil` for a log without one.
  public func lastLine() throws(LogError) -> StoredLine? {
    guard endBytes > 0 else { return nil }
    return try line(containing: endBytes - 1)
  }

  /// The line with this seq.
  ///
  /// - Throws: ``LogError/noSuchEvent(_:)``; damage, when lines are not in order.
  public func line(_ seq: Seq) throws(LogError) -> StoredLine {
    var low = 0
    var high = endBytes
    while low < high {
      let line = try line(containing: low + (high - low) / 2)
      if line.seq == seq.number { return line }
      if line.seq < seq.number {
        low = line.offsetBytes + line.bytes.count + 1
      } else {
        high = line.offsetBytes
      }
    }
    throw .noSuchEvent(seq.number)
  }

  /// The line with this seq, its chain link checked against the hash stored in the line before it:
  /// for readers that act on what the line says.
  ///
  /// - Throws: as ``line(_:)``; damage, when the link is wrong.
  public func checkedLine(_ seq: Seq) throws(LogError) -> StoredLine {
    let line = try line(seq)
    var position = try position(behind: line.offsetBytes) ?? .start
    do throws(LineFault) {
      try line.bytes.withUnsafeBufferPointer { buffer throws(LineFault) in
        let span = UnsafeRawBufferPointer(buffer).bytes
        _ = try position.advance(over: span, from: 0, to: span.byteCount, .chain)
      }
    } catch {
      throw .damaged(
        Damage(
          line: line.seq, byte: line.offsetBytes + error.offsetBytes, problem: error.sentence))
    }
    return line
  }

  /// The last `count` lines, oldest first.
  public func lastLines(_ count: Int) throws(LogError) -> [StoredLine] {
    var lines: [StoredLine] = []
    var end = endBytes
    while end > 0, lines.count < count {
      let line = try line(containing: end - 1)
      lines.append(line)
      end = line.offsetBytes
    }
    return lines.reversed()
  }

  /// The line that the byte at an offset belongs to; a `\n` belongs to the line it ends.
  func line(containing offset: Int) throws(LogError) -> StoredLine {
    var reach = 2048
    while true {
      let start = max(0, offset - reach)
      let end = min(endBytes, offset + reach)
      let bytes = try logErrors { () throws(IOFailure) in try file.bytes(in: start..<end) }
      let middle = offset - start
      guard middle < bytes.count else {
        throw .damaged(Damage(line: nil, byte: offset, problem: "the file became shorter"))
      }
      let before = bytes[..<middle].lastIndex(of: 0x0A).map { $0 + 1 } ?? (start == 0 ? 0 : nil)
      let behind = bytes[middle...].firstIndex(of: 0x0A)
      if let before, let behind {
        return try stored(Array(bytes[before..<behind]), at: start + before)
      }
      guard reach <= LogFormat.longestLineBytes else {
        throw .damaged(
          Damage(line: nil, byte: start, problem: LineFault(.tooLong, at: 0).sentence))
      }
      reach *= 8
    }
  }

  /// A line whose place is known from an earlier pass; its `\n` does not count.
  package func line(at offset: Int, count: Int) throws(LogError) -> StoredLine {
    let bytes = try logErrors { () throws(IOFailure) in
      try file.bytes(in: offset..<offset + count)
    }
    guard bytes.count == count else {
      throw .damaged(
        Damage(line: nil, byte: offset + bytes.count, problem: "the file became shorter"))
    }
    return try stored(bytes, at: offset)
  }

  private func stored(_ bytes: [UInt8], at offset: Int) throws(LogError) -> StoredLine {
    do throws(LineFault) {
      let seq = try bytes.withUnsafeBufferPointer { buffer throws(LineFault) in
        let span = UnsafeRawBufferPointer(buffer).bytes
        return try EnvelopeScanner.scan(span, from: 0, to: span.byteCount).seq
      }
      return StoredLine(seq: seq, offsetBytes: offset, bytes: bytes)
    } catch {
      throw .damaged(
        Damage(line: nil, byte: offset + error.offsetBytes, problem: error.sentence))
    }
  }
}

extension LogView {
  /// The last line boundary at or before a byte, and what a line there must follow; `nil` for the
  /// file's start.
  public func position(
    before offset: Int
  ) throws(LogError) -> (position: ChainPosition, offsetBytes: Int)? {
    guard offset > 0, offset < endBytes else { return nil }
    let here = try line(containing: offset)
    guard here.offsetBytes > 0 else { return nil }
    return (try position(endOf: line(containing: here.offsetBytes - 1)), here.offsetBytes)
  }

  /// What a line beginning at this byte must follow; `nil` where none begins or could.
  public func position(behind offset: Int) throws(LogError) -> ChainPosition? {
    guard offset > 0, offset <= endBytes else { return nil }
    let last = try line(containing: offset - 1)
    return last.offsetBytes + last.bytes.count + 1 == offset ? try position(endOf: last) : nil
  }

  private func position(endOf line: StoredLine) throws(LogError) -> ChainPosition {
    let hashEnd = line.bytes.count - 2
    guard let hash = ChainHash(line.bytes[(hashEnd - 64)..<hashEnd]) else {
      throw .damaged(
        Damage(
          line: line.seq, byte: line.offsetBytes,
          problem: LineFault(.member(.hash), at: 0).sentence))
    }
    return ChainPosition(seq: line.seq, hash: hash)
  }
}

extension LogView.StoredLine {
  /// Gives the line's members to a reader of envelopes; `nil` for a line that is none.
  package func withEnvelope<Result>(
    _ body: (_ envelope: Envelope, _ bytes: RawSpan) -> Result
  ) -> Result? {
    bytes.withUnsafeBytes { buffer in
      guard let envelope = try? EnvelopeScanner.scan(buffer.bytes, from: 0, to: buffer.count) else {
        return nil
      }
      return body(envelope, buffer.bytes)
    }
  }
}
