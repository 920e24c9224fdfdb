import LedgerJSON

/// Checks windows of lines: form, `data`, seq, chain, and that erasures are answered for.
///
/// As a replay does, it reads a window the fast way first, and again the plain way if anything there
/// is wrong: that one says what, and where.
struct Verifier {
  var scan = EventScan(checks: .chain)
  var erasures = Erasures()
  /// The first event whose hash begins as the one that is looked for.
  var lookedForAt: Int?
  var isAmbiguous = false
  /// For tests: whether lines may go the fast way.
  var isFast = true
  private let hash: HashPrefix?
  private var days = InstantDay()

  init(lookingFor hash: HashPrefix? = nil) {
    self.hash = hash
  }

  /// - Throws: damage; what stands before it has been checked.
  mutating func read(_ padded: RawSpan, lineBytes: Int, at offset: Int) throws(LogError) {
    let before = self
    if isFast, readFast(padded, lineBytes: lineBytes, at: offset) { return }
    self = before
    var start = 0
    let window = padded.extracting(0..<lineBytes)
    while let end = window.newline(from: start) {
      try readPlainly(window, from: start, to: end, at: offset)
      start = end + 1
    }
  }

  private mutating func readPlainly(
    _ window: RawSpan, from start: Int, to end: Int, at offset: Int
  ) throws(LogError) {
    var scan = self.scan
    defer { self.scan = scan }
    try scan.line(in: window, at: offset, from: start, to: end) {
      (window, envelope) throws(LineFault) in
      try EnvelopeScanner.scanData(envelope, in: window)
      let isCreated =
        envelope.type.count == 14 && window.holds("ledger.created", at: envelope.type.lowerBound)
      if envelope.seq == 1, !isCreated {
        throw LineFault(.data("line 1 is not ledger.created"), at: envelope.type.lowerBound)
      }
      try erasures.note(envelope, in: window, at: offset)
      if let hash, hash.begins(window, at: envelope.hashStart) { found(envelope.seq) }
    }
  }

  private mutating func found(_ seq: Int) {
    if lookedForAt != nil { isAmbiguous = true }
    lookedForAt = lookedForAt ?? seq
  }

  /// - Returns: false where anything is wrong; what was noted of the window is then of no use.
  private mutating func readFast(_ padded: RawSpan, lineBytes: Int, at offset: Int) -> Bool {
    precondition(
      lineBytes > 0 && lineBytes + FastFront.reachBytes <= padded.byteCount
        && padded.byte(lineBytes - 1) == 0x0A)
    let window = padded.extracting(0..<lineBytes)
    var links = LinkChecks(isOn: true, after: scan.position.hash)
    var start = 0
    var seq = SeqText(scan.position.seq + 1)
    while start < lineBytes {
      if let line = readLine(padded, window, at: start, seq: seq) {
        guard links.add(padded, from: start, body: line.bodyStart, to: line.end) else {
          return false
        }
        start = line.end &+ 1
      } else {
        if start > 0 { scan.position = ChainPosition(before: seq, in: padded, behind: start) }
        guard let end = window.newline(from: start) else { return false }
        do throws(LogError) {
          try readPlainly(window, from: start, to: end, at: offset)
        } catch {
          return false
        }
        start = end + 1
        links.skip(to: start)
      }
      seq.advance()
    }
    scan.position = ChainPosition(before: seq, in: padded, behind: start)
    scan.offsetBytes = offset + start
    return links.holds(padded)
  }

  /// One line in the usual form, of a type that has nothing to do with erasures. Line 1 is never
  /// one: whether it is `ledger.created` is looked at the plain way.
  ///
  /// - Returns: where its body begins and its `\n` stands; `nil` for any other line.
  @inline(__always)
  private mutating func readLine(
    _ padded: RawSpan, _ window: RawSpan, at start: Int, seq: SeqText
  ) -> (bodyStart: Int, end: Int)? {
    guard seq.number > 1,
      let front = FastFront.read(padded, at: start, seq: seq, days: &days)
    else { return nil }
    var position = front.dataStart
    if !FastData.skip(front.kind, padded, at: &position) {
      position = front.dataStart
      do throws(JSONError) {
        try JSONScanner.skipObject(in: window, at: &position, rules: .log)
      } catch {
        return nil
      }
    }
    let end = position &+ LogFormat.hashMemberBytes
    guard front.isTail(padded, at: position), end &- start <= LogFormat.longestLineBytes
    else { return nil }
    if let hash, hash.begins(padded, at: position &+ 9) { found(seq.number) }
    return (front.bodyStart, end)
  }
}
