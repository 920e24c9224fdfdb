import LedgerJSON
package import LedgerModel

/// A position between two lines: the seq and hash that the next line must follow.
package struct ChainPosition: Hashable, Sendable {
  /// The seq of the last line; 0 before line 1.
  package var seq: Int
  package var hash: ChainHash

  package static let start = ChainPosition(seq: 0, hash: .beforeFirst)

  package init(seq: Int, hash: ChainHash) {
    self.seq = seq
    self.hash = hash
  }

  package init(_ head: Head) {
    self.init(seq: head.seq, hash: head.hash)
  }

  /// Checks the envelope of a line, its seq and, if asked, its link, and moves to the end of the
  /// line. The caller checks `data`: ``EnvelopeScanner/scanData(_:in:)``, or a reader of its own.
  @inline(__always)
  mutating func advance(
    over bytes: RawSpan, from start: Int, to end: Int, _ checks: LineChecks
  ) throws(LineFault) -> Envelope {
    let envelope = try EnvelopeScanner.scan(bytes, from: start, to: end)
    guard envelope.seq == seq + 1 else {
      throw LineFault(.seq(found: envelope.seq, expected: seq + 1), at: start)
    }
    let stored = envelope.storedHash(in: bytes)
    if checks == .chain {
      guard envelope.expectedHash(after: hash, in: bytes) == stored else {
        throw LineFault(.hash, at: envelope.bodyEnd)
      }
    }
    seq = envelope.seq
    hash = stored
    return envelope
  }
}

/// How much of each line is checked.
package enum LineChecks: Sendable {
  /// Form and seq: sufficient for a replay without verification.
  case form
  /// Form, seq and the hash chain.
  case chain
}

/// Reads lines in order, checks each one, and passes its envelope on.
package struct EventScan: Sendable {
  package var position: ChainPosition
  /// The offset of the next line in the file.
  package var offsetBytes: Int
  package let checks: LineChecks
  package let lastSeq: Int

  package init(
    from position: ChainPosition = .start, offsetBytes: Int = 0, checks: LineChecks,
    until lastSeq: Int = .max
  ) {
    self.position = position
    self.offsetBytes = offsetBytes
    self.checks = checks
    self.lastSeq = lastSeq
  }

  package var isAtEnd: Bool { position.seq >= lastSeq }

  /// Reads one window of whole lines.
  ///
  /// - Throws: ``LogError/damaged(_:)`` with the line and byte of the first wrong line, after all
  ///   lines before it have been passed to `body`; ``position`` is then before that line.
  package mutating func walk(
    _ window: RawSpan, at windowOffset: Int,
    _ body: (_ window: RawSpan, _ envelope: Envelope) throws(LineFault) -> Void
  ) throws(LogError) {
    var start = 0
    while !isAtEnd, let end = window.newline(from: start) {
      try line(in: window, at: windowOffset, from: start, to: end, body)
      start = end + 1
    }
  }

  /// Reads one line. On an error the scan is unchanged.
  package mutating func line(
    in window: RawSpan, at windowOffset: Int, from start: Int, to end: Int,
    _ body: (_ window: RawSpan, _ envelope: Envelope) throws(LineFault) -> Void
  ) throws(LogError) {
    let before = position
    do throws(LineFault) {
      try body(window, try position.advance(over: window, from: start, to: end, checks))
    } catch {
      position = before
      throw .damaged(
        Damage(
          line: before.seq + 1, byte: windowOffset + error.offsetBytes, problem: error.sentence))
    }
    offsetBytes = windowOffset + end + 1
  }
}

extension LogView {
  /// - Parameter body: returns false to stop; later lines are not checked.
  /// - Returns: the position after the last event passed to `body`.
  @discardableResult
  package func forEachEvent(
    from start: ChainPosition = .start, offsetBytes: Int = 0, checks: LineChecks = .form,
    _ body: (_ event: RecordedEvent, _ line: RawSpan) -> Bool
  ) throws(LogError) -> ChainPosition {
    var scan = EventScan(from: start, offsetBytes: offsetBytes, checks: checks)
    var continues = true
    try forEachWindow(from: offsetBytes) { (window, offset) throws(LogError) in
      var start = 0
      while continues, let end = window.newline(from: start) {
        try scan.line(in: window, at: offset, from: start, to: end) {
          (window, envelope) throws(LineFault) in
          let event = try EventReader.event(envelope, in: window)
          continues = body(event, window.extracting(envelope.start..<envelope.end))
        }
        start = end + 1
      }
    }
    return scan.position
  }
}

extension Envelope {
  /// Whether `data` contains a member's name at some level, or the same text in a string, or an escape,
  /// with which a name may be written, too.
  ///
  /// - Parameter name: with its quotes and the colon.
  package func mayHave(_ name: [UInt8], in window: RawSpan) -> Bool {
    window.extracting(data).withUnsafeBytes { data in
      if data.contains(UInt8(ascii: "\\")) { return true }
      var rest = data[...]
      while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
        if data[..<(colon + 1)].suffix(name.count).elementsEqual(name) { return true }
        rest = rest[(colon + 1)...]
      }
      return false
    }
  }
}
