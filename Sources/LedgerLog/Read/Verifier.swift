import CSHA256
import LedgerJSON
public import LedgerModel

/// The result of verifying a log: the form and chain of every line.
public struct Verification: Sendable {
  /// The number of complete events.
  public var events = 0
  /// How many of them were erased.
  public var erased = 0
  package var head = Head.empty
  /// The size of an incomplete last line; 0 for none.
  public var tornTailBytes = 0
  /// The damage found, in the order of the log.
  public var problems: [Damage] = []
  /// The first event with the requested hash prefix; `nil` if there is none.
  public var matchingSeq: Seq?
  /// Whether several events have that prefix.
  public var isAmbiguous = false
  /// The ledger's id, from line 1; `nil` if that line is wrong.
  public var ledger: LedgerID?
  /// Whether the `head` file is missing or unreadable, so that a truncated log cannot be excluded.
  public var isHeadMissing = false
  package var erasures = Erasures()
  /// The log; `nil` if it could not be read.
  package var view: LogView?

  /// A torn tail is not damage, but the log is not as it was written either.
  public var isOK: Bool { problems.isEmpty && tornTailBytes == 0 }

  /// Reads a whole log. Damage is in the result, not thrown.
  ///
  /// Nothing after the first break is checked: every later hash depends on it.
  ///
  /// - Parameter hash: a hash kept elsewhere; ``matchingSeq`` is its event.
  /// - Throws: only what prevents reading the log.
  package static func verify(
    _ directory: LedgerDirectory, matching hash: HashPrefix? = nil,
    onProgress: (_ doneBytes: Int, _ totalBytes: Int) -> Void = { _, _ in }
  ) throws(LogError) -> Verification {
    do throws(LogError) {
      let (view, damage) = try LogView.openDamaged(directory)
      return try verify(view, headDamage: damage, matching: hash, onProgress: onProgress)
    } catch {
      guard case .damaged(let damage) = error else { throw error }
      return Verification(damage)
    }
  }

  /// - Parameter headDamage: how the log contradicts its `head`.
  package static func verify(
    _ view: LogView, headDamage: Damage?, matching hash: HashPrefix? = nil,
    onProgress: (_ doneBytes: Int, _ totalBytes: Int) -> Void = { _, _ in }
  ) throws(LogError) -> Verification {
    var problems: [Damage] = []
    var verifier = Verifier(matching: hash)
    do throws(LogError) {
      try LineWindows.forEachPadded(of: view.file, in: 0..<max(0, view.endBytes)) {
        (padded, lineBytes, offset) throws(LogError) in
        try verifier.read(padded, lineBytes: lineBytes, at: offset)
        onProgress(verifier.scan.offsetBytes, view.endBytes)
        return true
      }
    } catch {
      guard case .damaged(var damage) = error else { throw error }
      if damage.line == nil { damage.line = verifier.scan.position.seq + 1 }
      problems.append(damage)
    }
    let end = verifier.scan
    var result = Verification(
      of: view, upTo: end.position, offsetBytes: end.offsetBytes, erasures: verifier.erasures)
    result.matchingSeq = verifier.matchingSeq
    result.isAmbiguous = verifier.isAmbiguous
    // The record of an erasure may be after the break.
    result.problems = problems.isEmpty ? verifier.erasures.problems : problems
    if let headDamage {
      result.isHeadMissing = false
      // A line of another length moves the end that `head` records: the place is that line's.
      if problems.isEmpty { result.problems = [headDamage] }
    }
    if result.events == 0, result.problems.isEmpty {
      result.problems.append(Damage(line: 1, byte: 0, problem: "the log holds no whole event"))
    }
    return result
  }

  /// That of a log of which nothing can be read.
  package init(_ damage: Damage) { problems = [damage] }

  /// That of a log whose lines were checked by another reader, without problems.
  ///
  /// - Parameters:
  ///   - end: the log's last event, and `offsetBytes` the end of its line.
  ///   - erasures: of all lines.
  package init(
    of view: LogView, upTo end: ChainPosition, offsetBytes: Int, erasures: Erasures
  ) {
    self.view = view
    tornTailBytes = view.tornTailBytes
    isHeadMissing = view.head == nil
    ledger = try? view.ledger()
    self.erasures = erasures
    (events, erased) = (end.seq, erasures.lines.count)
    head = Head(seq: end.seq, offsetBytes: offsetBytes, hash: end.hash)
  }
}

extension LogView {
  /// Reads the log in windows of whole lines and checks the form, seq and chain of every line of a
  /// window before passing it on. The rule for erasures can only be checked at the end.
  ///
  /// - Parameters:
  ///   - body: returns false to stop.
  /// - Returns: the erasures in the lines read.
  /// - Throws: damage. The window with the wrong line is not passed on.
  @discardableResult
  package func forEachVerifiedWindow(
    _ body: (_ window: RawSpan, _ lines: Int) -> Bool
  ) throws(LogError) -> Erasures {
    var verifier = Verifier()
    var isStopped = false
    try LineWindows.forEachPadded(of: file, in: 0..<endBytes) {
      (padded, lineBytes, offset) throws(LogError) in
      let before = verifier.scan.position.seq
      try verifier.read(padded, lineBytes: lineBytes, at: offset)
      isStopped = !body(
        padded.extracting(0..<lineBytes), verifier.scan.position.seq - before)
      return !isStopped
    }
    if !isStopped, let problem = verifier.erasures.problems.first { throw .damaged(problem) }
    return verifier.erasures
  }

  /// The ledger's id, from line 1.
  func ledger() throws(LogError) -> LedgerID? {
    guard endBytes > 0, case .ledgerCreated(let data) = try line(Seq(1)).event().event.payload
    else { return nil }
    return data.ledger
  }
}

/// Checks windows of lines: form, `data`, seq and chain, and collects erasures and their records.
///
/// It reads a window with the fast reader first. If anything is wrong, it reads the window again with
/// the reference reader, which reports what and where.
struct Verifier {
  var scan = EventScan(checks: .chain)
  var erasures = Erasures()
  /// The first event with the requested hash prefix.
  private(set) var matchingSeq: Seq?
  private(set) var isAmbiguous = false
  /// False in tests that compare the two readers.
  var isFast = true
  private let hash: HashPrefix?
  private var days = InstantDay()

  init(matching hash: HashPrefix? = nil) {
    self.hash = hash
  }

  /// - Throws: damage; the lines before it have been checked.
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
    if matchingSeq != nil { isAmbiguous = true }
    matchingSeq = matchingSeq ?? Seq(seq)
  }

  /// - Returns: false if anything is wrong; the verifier's state is then invalid.
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
        if start > 0 { scan.position = ChainPosition(before: seq, in: padded, endingAt: start) }
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
    scan.position = ChainPosition(before: seq, in: padded, endingAt: start)
    scan.offsetBytes = offset + start
    return links.holds(padded)
  }

  /// Reads one line in the usual form, of a type that does not concern erasures, except line 1,
  /// which must be checked for `ledger.created`.
  ///
  /// - Returns: the offsets of its body and its `\n`; `nil` for any other line.
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

/// Checks links of the chain in groups. Each line's previous hash is stored in the line before it, so
/// links are independent, and a processor hashes two for little more than the cost of one.
///
/// It only tells whether all links are right; the reference reader finds the first wrong one.
package struct LinkChecks: ~Copyable {
  package let isOn: Bool
  /// The hash that the window's first line must follow.
  private let first: ChainHash
  /// The offset of the hash that the next line must follow; -1 for ``first``.
  private var previous = -1
  private var count = 0
  private let pending: UnsafeMutablePointer<csha256_stored_link>

  /// Small enough that the lines are still in the nearest cache.
  private static let capacity = 32

  package init(isOn: Bool, after first: ChainHash) {
    self.isOn = isOn
    self.first = first
    pending = .allocate(capacity: Self.capacity)
  }

  deinit { pending.deallocate() }

  /// Adds the link of a line in the usual form.
  ///
  /// - Parameters:
  ///   - body: the offset of the line's `"salt":`.
  ///   - end: the offset of its `\n`.
  /// - Returns: false if this or an earlier link is wrong.
  package mutating func add(_ bytes: RawSpan, from start: Int, body: Int, to end: Int) -> Bool {
    let bodyEnd = end &- LogFormat.hashMemberBytes
    let hash = bodyEnd &+ 9
    defer { previous = hash }
    guard previous >= 0 else {
      return ChainHash.link(
        after: first, line: bytes, front: start..<body, body: body..<bodyEnd)
        == ChainHash(unchecked: bytes, at: hash)
    }
    pending[count] = csha256_stored_link(
      previous_hex: UInt32(truncatingIfNeeded: previous),
      front: UInt32(truncatingIfNeeded: start), body: UInt32(truncatingIfNeeded: body),
      body_end: UInt32(truncatingIfNeeded: bodyEnd), hash_hex: UInt32(truncatingIfNeeded: hash))
    count &+= 1
    return count < Self.capacity || holds(bytes)
  }

  /// Skips a line whose link has been checked; the next line begins at `offset`.
  package mutating func skip(to offset: Int) {
    previous = offset &- 3 &- 64
  }

  package mutating func holds(_ bytes: RawSpan) -> Bool {
    defer { count = 0 }
    return bytes.withUnsafeBytes { buffer in
      csha256_chain_holds(buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), pending, count)
    }
  }
}

extension ChainPosition {
  /// The position after a checked line that ends right before an offset.
  ///
  /// - Parameter next: the seq of the next line.
  package init(before next: SeqText, in bytes: RawSpan, endingAt offset: Int) {
    self.init(seq: next.number - 1, hash: ChainHash(unchecked: bytes, at: offset - 3 - 64))
  }
}
