import LedgerJSON
public import LedgerModel

/// Walks the lines of a log in order, checking each, and hands out their envelopes.
public struct EventScan: Sendable {
  public var position: ChainPosition
  /// Where the next line begins in the file.
  public var offsetBytes: Int
  public let checks: LineChecks
  /// Nothing behind this event is looked at.
  public let lastSeq: Int

  public init(
    from position: ChainPosition = .start, offsetBytes: Int = 0, checks: LineChecks,
    until lastSeq: Int = .max
  ) {
    self.position = position
    self.offsetBytes = offsetBytes
    self.checks = checks
    self.lastSeq = lastSeq
  }

  /// Whether the last event that is asked for has been read.
  public var isAtEnd: Bool { position.seq >= lastSeq }

  /// Walks one window of whole lines.
  ///
  /// - Throws: ``LogError/damaged(_:)`` with the line and byte of the first wrong line. Everything
  ///   before it has been handed out, and ``position`` stands behind it.
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

  /// Checks one line, hands it out, and stands behind it, or leaves everything as it was.
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
  /// Reads every event from a position to the end, whole.
  ///
  /// - Parameter body: returns false to stop; what stands behind is then not looked at.
  /// - Returns: the position behind the last event that was handed out.
  @discardableResult
  public func forEachEvent(
    from start: ChainPosition = .start, offsetBytes: Int = 0, checks: LineChecks = .form,
    _ body: (_ event: RecordedEvent, _ line: RawSpan) -> Bool
  ) throws(LogError) -> ChainPosition {
    var scan = EventScan(from: start, offsetBytes: offsetBytes, checks: checks)
    var goesOn = true
    try forEachWindow(from: offsetBytes) { (window, offset) throws(LogError) in
      var start = 0
      while goesOn, let end = window.newline(from: start) {
        try scan.line(in: window, at: offset, from: start, to: end) {
          (window, envelope) throws(LineFault) in
          let event = try EventReader.event(envelope, in: window)
          goesOn = body(event, window.extracting(envelope.start..<envelope.end))
        }
        start = end + 1
      }
    }
    return scan.position
  }
}
